import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Relationships without inverse, and others that nobody clears when what they lead to goes.
@Suite struct PatchDeadEndTests {
  private let store: JournaledStore
  private let context: ManagedObjectContext
  private let post: ManagedObject
  private let pages: [ManagedObject]

  init() throws {
    let guid = AttributeDescription("guid", .string, isIdentifier: true)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Post", attributes: [guid, AttributeDescription("title", .string)],
        relationships: [
          RelationshipDescription("pages", to: "Page", isToMany: true, isOrdered: true),
          RelationshipDescription("cover", to: "Page"),
          RelationshipDescription("marks", to: "Page", inverse: "marking", isToMany: true),
        ]),
      EntityDescription(
        "Page", attributes: [guid],
        relationships: [
          RelationshipDescription(
            "marking", to: "Post", inverse: "marks", isToMany: true, deleteRule: .noAction)
        ]),
    ])
    store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
    context = ManagedObjectContext(store, isolation: nil)
    post = context.insert("Post")
    post.setValue("post", forKey: "guid")
    var pages: [ManagedObject] = []
    for number in 1...4 {
      let page = context.insert("Page")
      page.setValue(.string("p\(number)"), forKey: "guid")
      pages.append(page)
    }
    self.pages = pages
    lead([1, 2], cover: 1)
    try context.save()
  }

  private func page(_ number: Int) -> Value { .reference(pages[number - 1].objectID) }

  private func lead(_ numbers: [Int], cover: Int?) {
    post.setValue(.array(numbers.map(page)), forKey: "pages")
    post.setValue(.set(Set(numbers.map(page))), forKey: "marks")
    post.setValue(cover.map { page($0) }, forKey: "cover")
  }

  /// Where the post leads in a context, without what is gone.
  private func shown(_ context: ManagedObjectContext) throws -> [[String]] {
    let post = try context.existingObject(with: post.objectID)
    return ["pages", "marks", "cover"].map { key in
      let names = post.value(forKey: key).destinations.compactMap {
        let page = try? context.existingObject(with: $0)
        return page?.isDeleted == false ? page?.value(forKey: "guid")?.string : nil
      }
      return key == "pages" ? names : names.sorted()
    }
  }

  private func at(_ commit: Int) -> Moment { .commit(CommitNumber(rawValue: UInt64(commit))) }

  /// Applies the differences of the commits since the first, and what is joined of them.
  private func checkLaws(commits: Int) throws {
    let other = ManagedObjectContext(store, isolation: nil)
    try other.revert(to: at(1))
    var joined = Patch()
    for commit in 1..<commits {
      let patch = try Patch.difference(in: store, from: at(commit), to: at(commit + 1))
      try patch.apply(to: other)
      let (here, there) = (try shown(other), try shown(store.asOf(at(commit + 1))))
      #expect(here == there, "after commit \(commit)")
      joined = try joined.followed(by: patch, model: #require(store.model))
    }
    try other.revert(to: at(1))
    try joined.apply(to: other)
    let (here, there) = (try shown(other), try shown(store.asOf(at(commits))))
    #expect(here == there, "joined")
  }

  @Test func `what leads to an object that is gone is not counted where another comes`() throws {
    context.delete(pages[0])
    try context.save()
    post.setValue(.array([page(1), page(2), page(3)]), forKey: "pages")
    post.setValue(.set([page(1), page(2), page(3)]), forKey: "marks")
    post.setValue(page(4), forKey: "cover")
    try context.save()
    #expect(try shown(store.asOf(.head)) == [["p2", "p3"], ["p2", "p3"], ["p4"]])
    try checkLaws(commits: 3)
  }

  @Test func `nor is it where one goes`() throws {
    context.delete(pages[0])
    try context.save()
    lead([4], cover: nil)
    try context.save()
    try checkLaws(commits: 3)
  }

  @Test func `what comes by one patch and goes by the next is in no joined patch`() throws {
    let made = context.insert("Page")
    made.setValue("n", forKey: "guid")
    post.setValue(
      .array([.reference(made.objectID), page(3), page(1), page(2)]), forKey: "pages")
    post.setValue(.set([.reference(made.objectID), page(4)]), forKey: "marks")
    post.setValue(.reference(made.objectID), forKey: "cover")
    try context.save()
    context.delete(made)
    context.delete(pages[3])
    try context.save()
    post.setValue("t", forKey: "title")
    try context.save()
    try checkLaws(commits: 4)
  }

  @Test(arguments: [[1, 2, 3], [1]])
  func `what comes behind what goes next, or leaves there, is joined with its deletion`(
    pages numbers: [Int]
  ) throws {
    lead(numbers, cover: 1)
    try context.save()
    context.delete(pages[0])
    try context.save()
    try checkLaws(commits: 3)
  }

  @Test func `what led to one that went does not lead to another of its name, also where joined`()
    throws
  {
    context.delete(pages[0])
    try context.save()
    context.insert("Page").setValue("p1", forKey: "guid")
    try context.save()
    #expect(try shown(store.asOf(.head)) == [["p2"], ["p2"], []])
    try checkLaws(commits: 3)
  }

  @Test(arguments: [nil, "t"] as [Value?])
  func `S77: nor does it where both happen at once, whatever else becomes of it`(title: Value?)
    throws
  {
    context.delete(pages[0])
    context.insert("Page").setValue("p1", forKey: "guid")
    if let title { post.setValue(title, forKey: "title") }
    try context.save()
    #expect(try shown(store.asOf(.head)) == [["p2"], ["p2"], []])
    try checkLaws(commits: 2)
    let rows = try Patch.difference(
      from: store.asOf(at(1)), to: store.asOf(at(2)), options: PatchOptions(wholeEntities: ["Post"])
    )
    let nested = rows.objects.flatMap { $0.relationships.values.flatMap(\.patches) }
    let changed = (rows.objects + nested).first { $0.entityName == "Post" }
    let left = changed?.relationships["pages"]?.removed
    #expect(left?.map(\.identity) == [PatchIdentity("Page", "guid", "p1")])
    let patch = try Patch.difference(in: store, from: at(1))
    let other = ManagedObjectContext(store, isolation: nil)
    try patch.inverted().apply(to: other)
    #expect(try shown(other) == shown(store.asOf(at(1))))
  }

  @Test func `S77: what was never cleared leads to what comes again, forth and back in time`()
    throws
  {
    context.delete(pages[0])
    try context.save()
    context.undo()
    try context.save()
    #expect(try shown(store.asOf(.head)) == shown(store.asOf(at(1))))
    try checkLaws(commits: 3)
    let other = ManagedObjectContext(store, isolation: nil)
    try other.revert(to: at(2))
    #expect(try shown(other) == [["p2"], ["p2"], []])
    try Patch.difference(in: store, from: at(2), to: at(1)).apply(to: other)
    #expect(try shown(other) == shown(store.asOf(at(1))))
  }
}

extension Value? {
  fileprivate var destinations: [ObjectID] {
    switch self {
    case .reference(let object)?: [object]
    case .set(let members)?: members.compactMap(\.reference)
    case .array(let members)?: members.compactMap(\.reference)
    default: []
    }
  }
}
