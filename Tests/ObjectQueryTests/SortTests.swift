import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport
import Testing

/// The order of values, stable sorting, and the heap against inserting one by one.
struct SortTests {
  private func sorted(
    _ values: [Value], descending: Bool = false, limit: Int? = nil, offset: Int = 0
  ) -> [Int] {
    var sorter = Sorter<Int>(descending: [descending], limit: limit, offset: offset)
    for (index, value) in values.enumerated() { sorter.add(index, by: value) }
    return sorter.sorted()
  }

  @Test
  func `null comes first, numbers stand by what they amount to, and equals stay as they came`() {
    let values: [Value] = [3, .null, 1.5, "a", .counter(3), "B", .real(.nan), true, .decimal(3)]
    #expect(sorted(values) == [1, 7, 6, 2, 0, 4, 8, 5, 3])
    #expect(sorted(values, descending: true) == [3, 5, 0, 4, 8, 2, 6, 7, 1])
  }

  @Test func `with a limit the same comes first as without, whatever the values`() {
    let campaign = Campaign(count: "XJ_QUERY_SORTS", inGate: 300)
    var dice = Dice(seed: campaign.seed)
    for _ in 0..<campaign.count {
      let count = Int.random(in: 0...40, using: &dice)
      let values = (0..<count).map { _ in RandomFilter.value(&dice, 1) }
      let (limit, offset) = (
        Int.random(in: 0...20, using: &dice), Int.random(in: 0...9, using: &dice)
      )
      let isDescending = Bool.random(using: &dice)
      // What the room's sorter must agree with: insertion one by one.
      var all: [Int] = []
      for index in values.indices {
        let place = all.firstIndex { other in
          let order = values[index].sortOrder(values[other])
          return isDescending ? order > 0 : order < 0
        }
        all.insert(index, at: place ?? all.count)
      }
      #expect(sorted(values, descending: isDescending) == all, "seed \(campaign.seed)")
      #expect(
        sorted(values, descending: isDescending, limit: limit, offset: offset)
          == Array(all.dropFirst(offset).prefix(limit)), "seed \(campaign.seed)")
    }
  }

  @Test func `the order of values is total`() {
    var dice = Dice(seed: Campaign(count: "XJ_QUERY_SORTS", inGate: 1).seed)
    let values = (0..<60).map { _ in RandomFilter.value(&dice, 1) }
    for one in values {
      for other in values {
        #expect(one.sortOrder(other) == -other.sortOrder(one), "\(one) and \(other)")
        for third in values where one.sortOrder(other) <= 0 && other.sortOrder(third) <= 0 {
          #expect(one.sortOrder(third) <= 0, "\(one), \(other) and \(third)")
        }
      }
    }
  }

  @Test func `S67: several keys sort, the first first, and [c] takes capitals for small letters`()
    throws
  {
    let text = "Post sort title[c], -likes, blog.title, double, comments.@count"
    let query = try Query(text).bound(to: Blogs.model(), BlogKeys(), text: text)
    let posts = [("b", 1), ("B", 2), ("a", 1), ("A", 1)].enumerated().map { index, values in
      Thing("Post", index, ["title": .string(values.0), "likes": .integer(values.1)])
    }
    var sorter = Sorter<Int>(descending: query.sort.map(\.isDescending))
    for (index, post) in posts.enumerated() {
      sorter.add(index, by: try query.sort.map { try $0.value(of: post) })
    }
    #expect(sorter.sorted() == [2, 3, 1, 0])
    #expect(throws: QueryError.self) {
      try Query("Post sort comments").bound(to: Blogs.model(), BlogKeys())
    }
  }
}
