import ObjectModel
import ObjectStore

// What a filter does with a store, here by hand.
extension NoteStore {
  /// How many notes have ranks below one.
  func count(ofRanksBelow bound: Int, in snapshot: Snapshot) throws -> Int {
    var count = 0
    var (numbers, others): ([Int], [Int]) = ([], [])
    let key = rankKey
    try snapshot.forEachBatch(of: Self.entity) { batch throws(StoreError) in
      try batch.column(key).readIntegers(into: &numbers, others: &others)
      guard batch.isWhole, others.isEmpty else {
        let none = Set(others)
        for place in 0..<batch.count
        where numbers[place] < bound && batch.hasRow(place) && !none.contains(place) { count += 1 }
        return true
      }
      for number in numbers where number < bound { count += 1 }
      return true
    }
    return count
  }

  /// The first hundred titles of notes that have ranks below one.
  func firstTitles(ofRanksBelow bound: Int, in snapshot: Snapshot) throws -> [String] {
    var first = FirstFew()
    var (numbers, others): ([Int], [Int]) = ([], [])
    let (rankKey, titleKey) = (rankKey, titleKey)
    try snapshot.forEachBatch(of: Self.entity) { batch throws(StoreError) in
      try batch.column(rankKey).readIntegers(into: &numbers, others: &others)
      let titles = try batch.column(titleKey)
      let none = Set(others)
      for place in 0..<batch.count where numbers[place] < bound {
        guard batch.hasRow(place), none.isEmpty || !none.contains(place) else { continue }
        if case .string(let title) = try titles.value(place) { first.add(title) }
      }
      return true
    }
    return first.sorted
  }
}

/// Keeps the first hundred of many texts: a heap whose top is the last of them.
struct FirstFew {
  private var heap: [String] = []

  var sorted: [String] { heap.sorted() }

  mutating func add(_ text: String) {
    if heap.count < 100 {
      heap.append(text)
      if heap.count == 100 { heap.sort(by: >) }
    } else if text < heap[0] {
      sink(text)
    }
  }

  /// Puts a text in the place of the last one.
  private mutating func sink(_ text: String) {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1] > heap[child] { child += 1 }
      guard heap[child] > text else { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = text
  }
}
