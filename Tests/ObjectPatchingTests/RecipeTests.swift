import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// The recipes of docs/patch-recipes.md.
@Suite struct RecipeTests {
  struct Measures: PatchDelegate {
    func patchesByHand(entityNamed name: String) -> Bool { name == "Distance" }

    func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {
      guard let new = patch.new, new["value"] != nil || new["unit"] != nil else { return }
      let all = (patch.old ?? [:]).merging(new) { _, new in new }
      for key in ["value", "unit"] {
        if let value = all[key] { object.setValue(value, forKey: key) }
      }
    }
  }

  private let source: JournaledStore
  private let follower: JournaledStore
  private let editor: ManagedObjectContext

  init() throws {
    (source, follower) = (try PatchStage(seed: 1).store, try PatchStage(seed: 2).store)
    editor = ManagedObjectContext(source, isolation: nil)
    for guid in ["one", "two"] {
      let book = editor.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      book.setValue(.counter(1), forKey: "likes")
    }
    try editor.save()
  }

  private func book(_ guid: String, in context: ManagedObjectContext) throws -> ManagedObject {
    try #require(try context.fetch(FetchRequest("Book", where: "guid == '\(guid)'")).first)
  }

  @Test func `two stores that may differ in any way are compared, and merged`() throws {
    try Patch(source.commits(since: 0), of: source).apply(to: follower)
    try book("one", in: editor).setValue(.integer(3), forKey: "score")
    try editor.save()
    let patch = try Patch(source.commits(since: 1), of: source)
    let elsewhere = ManagedObjectContext(follower, isolation: nil)
    try book("one", in: elsewhere).setValue(.counter(5), forKey: "likes")
    try elsewhere.save()
    try patch.apply(to: follower, policy: .merge)
    let followerContext = ManagedObjectContext(follower, isolation: nil)
    let difference = try Patch.difference(from: followerContext, to: source.asOf(.head))
    #expect(difference.objects.map(\.new) == [["likes": .counter(1)]])
  }

  @Test func `two stores follow each other, and where both changed a value one gives in`() throws {
    let ann: Named = (
      "ann", try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: followingModel())
    )
    let ben: Named = (
      "ben", try JournaledStore(on: SimulatedDisk(seed: 2), at: "store", model: followingModel())
    )
    func set(_ name: Value, in side: Named) throws {
      let context = ManagedObjectContext(side.store, isolation: nil)
      let found = try context.fetch(FetchRequest("Book")).first
      let book = found ?? context.insert("Book")
      book.setValue("one", forKey: "guid")
      book.setValue(name, forKey: "name")
      try context.save()
    }
    func names() throws -> [Value?] {
      try [ann, ben].flatMap { side in
        let context = try side.store.asOf(.head)
        return try withExtendedLifetime(context) {
          try context.fetch(FetchRequest("Book")).map { $0.value(forKey: "name") }
        }
      }
    }
    try set("ann", in: ann)
    try bring(from: ann, to: ben, policy: .merge)
    try bring(from: ben, to: ann, policy: .merge)
    #expect(try names() == ["ann", "ann"])
    try set("ben", in: ben)
    try set("both", in: ann)
    try bring(from: ann, to: ben, policy: .keepOurs)
    try giveIn(ann, to: ben)
    #expect(try names() == ["ben", "ben"])
  }

  @Test func `a change is looked at before it is made`() throws {
    try Patch(source.commits(since: 0), of: source).apply(to: follower)
    try book("one", in: editor).setValue("new name", forKey: "name")
    try book("two", in: editor).setValue("new name", forKey: "name")
    try editor.save()
    let patch = try Patch(source.commits(since: 1), of: source)
    let context = ManagedObjectContext(follower, isolation: nil)
    try book("two", in: context).setValue("own name", forKey: "name")
    var lines: [String] = []
    let report = try patch.report(applyingTo: context, policy: .keepOurs)
    for object in report.objects {
      lines.append("\(object.kind) of \(object.identity): \(object.keys)")
    }
    for conflict in report.conflicts { lines.append("stays as it is: \(conflict)") }
    #expect(lines.count == 2)
    #expect(lines.first?.hasPrefix("update of Book (guid ") ?? false)
    try patch.apply(to: context, policy: .keepOurs, named: "Changes from Ann")
    context.undo()
    #expect(try book("one", in: context).value(forKey: "name") == "new")
    #expect(try book("two", in: context).value(forKey: "name") == "own name")
  }

  @Test func `what was done elsewhere is taken back`() throws {
    try book("one", in: editor).setValue(.counter(4), forKey: "likes")
    let number = try #require(try editor.save()).number
    try book("one", in: editor).setValue("later", forKey: "name")
    try editor.save()
    try Patch(source.commits(since: 0), of: source).apply(to: follower)
    let mistake = try Patch([source.commit(number)], of: source)
    try mistake.inverted().apply(to: follower, policy: .merge, author: "ann")
    let context = ManagedObjectContext(follower, isolation: nil)
    let one = try book("one", in: context)
    #expect(one.value(forKey: "likes") == .counter(1))
    #expect(one.value(forKey: "name") == "later")
  }

  @Test func `a delegate keeps a value and its unit together`() throws {
    let store = try JournaledStore(
      on: SimulatedDisk(seed: 1), at: "store", model: articleModel())
    let context = ManagedObjectContext(store, isolation: nil)
    let way = context.insert("Distance")
    way.setValue("d", forKey: "guid")
    way.setValue(3.0, forKey: "value")
    way.setValue("km", forKey: "unit")
    try context.save()
    way.setValue(4.0, forKey: "value")
    try context.save()
    let patch = try Patch(
      store.commits(since: 1), of: store, options: PatchOptions(wholeEntities: ["Distance"]))
    way.setValue("m", forKey: "unit")
    try patch.apply(to: context, delegate: Measures())
    #expect(way.value(forKey: "unit") == "km")
  }
}
