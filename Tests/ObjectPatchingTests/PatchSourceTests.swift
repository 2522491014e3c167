import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What a patch is asked to be made of: entities that are named, and commits that are given.
@Suite struct PatchSourceTests {
  private let stage: PatchStage
  private let store: JournaledStore
  private let context: ManagedObjectContext

  init() throws {
    stage = try PatchStage()
    store = stage.store
    context = stage.context()
    for entity in ["Book", "Film"] {
      let thing = context.insert(entity)
      thing.setValue("it", forKey: "guid")
      thing.setValue("Old", forKey: "name")
      thing.setValue(3, forKey: "score")
    }
    try context.save()
    for thing in try context.fetch(FetchRequest("Thing")) { thing.setValue("New", forKey: "name") }
    try context.save()
  }

  /// All ways by which a patch of the second commit is made.
  private func patches(_ options: PatchOptions) throws -> [Patch] {
    let (before, after) = (try store.asOf(.commit(1)), try store.asOf(.head))
    var nested: [ObjectPatch] = []
    for entity in ["Book", "Film"] {
      let (old, new) = (
        try #require(try before.fetch(FetchRequest(entity)).first),
        try #require(try after.fetch(FetchRequest(entity)).first)
      )
      nested += try Patch.difference(from: old, to: new, options: options).objects
    }
    let other = try PatchStage(seed: 2)
    try Patch(store.commits(since: 0).prefix(1).map(\.self), of: store).apply(to: other.store)
    return [
      Patch(objects: nested),
      try .difference(from: before, to: after, options: options),
      try .difference(in: store, from: .commit(1), options: options),
      try .difference(from: other.context(), to: after, options: options),
      try Patch(store.commits(since: 1), of: store, options: options),
    ]
  }

  @Test func `S77: all old attributes of an entity are also those of what inherits from it`() throws
  {
    for (names, whole): (Set<String>, Set<String>) in [
      (["Thing"], ["Book", "Film"]), (["Book"], ["Book"]), ([], []),
      (["Film", "Thing"], ["Book", "Film"]), (["Note"], []),
    ] {
      for patch in try patches(PatchOptions(wholeEntities: names)) {
        #expect(patch.objects.count == 2)
        for object in patch.objects {
          #expect(object.new == ["name": "New"] && object.old?["name"] == "Old")
          #expect(
            object.old?["score"] == (whole.contains(object.entityName) ? 3 : nil), "\(names)")
        }
      }
    }
  }

  @Test func `S77: all old attributes of an entity that the model does not have are refused`()
    throws
  {
    let (before, after) = (try store.asOf(.commit(1)), try store.asOf(.head))
    let options = PatchOptions(wholeEntities: ["Book", "Distance"])
    let (old, new) = (
      try #require(try before.fetch(FetchRequest("Book")).first),
      try #require(try after.fetch(FetchRequest("Book")).first)
    )
    let doors: [() throws -> Patch] = [
      { try .difference(from: old, to: new, options: options) },
      { try .difference(from: before, to: after, options: options) },
      { [store] in try .difference(in: store, from: .commit(1), options: options) },
      { [store] in try Patch(store.commits(since: 1), of: store, options: options) },
      { [store] in try Patch([], of: store, options: options) },
      { [store] in try .difference(in: store, from: .head, options: options) },
    ]
    for door in doors {
      let error = #expect(throws: PatchError.self) { try door() }
      #expect(error?.code == .unknownEntity && error?.reason.contains("‘Distance’") == true)
    }
  }

  @Test func `an entity that the model got later can be named, whatever moment is compared`() throws
  {
    let disk = SimulatedDisk(seed: 3)
    func model(_ names: String...) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        entities: names.map {
          EntityDescription($0, attributes: [AttributeDescription("text", .string)])
        })
    }
    func edit(_ entity: String, _ names: ManagedObjectModel) throws {
      let store = try JournaledStore(on: disk, at: "store", model: names)
      let context = ManagedObjectContext(store, isolation: nil)
      let object = context.insert(entity)
      object.setValue("one", forKey: "text")
      try context.save()
      object.setValue("two", forKey: "text")
      try context.save()
      context.close()
      try store.close()
    }
    try edit("Note", model("Note"))
    try edit("Page", model("Note", "Page"))
    let store = try JournaledStore(on: disk, at: "store", model: model("Note", "Page"))
    let patch = try Patch(
      store.commits(since: 1).prefix(1).map(\.self), of: store,
      options: PatchOptions(wholeEntities: ["Page"]))
    #expect(patch.objects.map(\.new) == [["text": "two"]])
  }

  @Test func `commits of another store are refused, and of a copy that has gone on by itself`()
    throws
  {
    let copy = try stage.copy()
    let commits = try store.commits(since: 0)
    let other = try PatchStage(seed: 2)
    let elsewhere = other.context()
    for _ in 0..<2 {
      elsewhere.insert("Book").setValue("it", forKey: "guid")
      try elsewhere.save()
    }
    func expectRefused(_ commits: [Commit], _ store: JournaledStore, _ number: CommitNumber) {
      let error = #expect(throws: PatchError.self) { try Patch(commits, of: store) }
      #expect(error?.code == .otherStore)
      #expect(error?.reason.hasPrefix("commit \(number) is none of this store") == true)
    }
    expectRefused(commits, other.store, 1)
    expectRefused(try other.store.commits(since: 0), store, 1)
    expectRefused([commits[0], try other.store.commit(2)], store, 2)
    // A copy has the same commits, and is any good for them, until one of them goes on.
    let expected = try Patch(commits, of: store)
    #expect(try Patch(copy.commits(since: 0), of: store) == expected)
    #expect(try Patch(commits, of: copy) == expected)
    let (here, there) = (context, ManagedObjectContext(copy, isolation: nil))
    try #require(try there.fetch(FetchRequest("Book")).first).setValue("There", forKey: "name")
    let made = try #require(try there.save())
    expectRefused([made], store, 3)
    expectRefused(try copy.commits(since: 0), store, 3)
    try #require(try here.fetch(FetchRequest("Book")).first).setValue("Here", forKey: "name")
    let own = try #require(try here.save())
    expectRefused([made], store, 3)
    expectRefused(try copy.commits(since: 0), store, 3)
    #expect(try Patch([own], of: store).objects.map(\.new) == [["name": "Here"]])
    #expect(try Patch([made], of: copy).objects.map(\.new) == [["name": "There"]])
  }
}
