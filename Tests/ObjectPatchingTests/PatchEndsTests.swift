import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Connections that a patch says at one end or the other, or at both.
@Suite struct PatchEndsTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let shelf: ManagedObject
  private let book: ManagedObject

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    shelf = Self.make("shelf", context)
    book = Self.make("b", context)
    try context.save()
  }

  private static func make(_ guid: String, _ context: ManagedObjectContext) -> ManagedObject {
    let object = context.insert("Book")
    object.setValue(.string(guid), forKey: "guid")
    return object
  }

  private func make(_ guid: String) -> ManagedObject { Self.make(guid, context) }

  private func member(_ guid: String) -> RelationshipPatch.Member {
    RelationshipPatch.Member(PatchIdentity("Book", "guid", .string(guid)))
  }

  private func update(_ guid: String, _ key: String, _ patch: RelationshipPatch) -> ObjectPatch {
    ObjectPatch(updating: member(guid).identity, relationships: [key: patch])
  }

  @Test func `S78: a patch said only at the end that does not hold it is applied`() throws {
    let json = """
      {"patch":1,"objects":[{"entity":"Book","id":{"guid":"shelf"},"old":{},"new":{},"relationships":
      {"children":{"kind":"toMany","added":[{"entity":"Book","id":{"guid":"b"}}]}}}]}
      """
    let patch = try Patch(json: Data(json.utf8), model: PatchStage.model())
    let expected = try patch.report(applyingTo: context)
    let report = try patch.apply(to: context, named: "Shelve")
    #expect(report == expected)
    #expect(report.objects.map(\.keys) == [["children"]])
    #expect(report.objects.first?.objectID == shelf.objectID)
    #expect(book.value(forKey: "parent") == .reference(shelf.objectID))
    #expect(context.undoActionName == "Shelve")
    let commit = try patch.apply(to: stage.store)
    #expect(commit?.number == 2)
    let removal = Patch(objects: [
      update("shelf", "children", RelationshipPatch(.toMany, removed: [member("b")]))
    ])
    let other = stage.context()
    try removal.apply(to: other)
    #expect(try other.existingObject(with: book.objectID).value(forKey: "parent") == nil)
    #expect(try removal.apply(to: stage.store) != nil)
  }

  @Test func `a member that has gone elsewhere meanwhile stays there under merge`() throws {
    let other = make("other")
    book.setValue(.reference(other.objectID), forKey: "parent")
    let removal = Patch(objects: [
      update("shelf", "children", RelationshipPatch(.toMany, removed: [member("b")]))
    ])
    #expect(throws: PatchConflicts.self) { try removal.apply(to: context) }
    #expect(try removal.apply(to: context, policy: .merge).objects.isEmpty)
    #expect(book.value(forKey: "parent") == .reference(other.objectID))
  }

  @Test func `what comes at one end stands over what goes at the other`() throws {
    let (one, other) = (make("one"), make("other"))
    book.setValue(.reference(one.objectID), forKey: "parent")
    try context.save()
    let leaving = update("b", "parent", RelationshipPatch(.toOne, removed: [member("one")]))
    let coming = update("other", "children", RelationshipPatch(.toMany, added: [member("b")]))
    for objects in [[leaving, coming], [coming, leaving]] {
      let report = try Patch(objects: objects).apply(to: context)
      #expect(book.value(forKey: "parent") == .reference(other.objectID))
      #expect(Set(report.objects.flatMap(\.keys)) == ["parent", "children"])
      context.undo()
    }
    // What the holding end says comes first all the same.
    let moving = update(
      "b", "parent",
      RelationshipPatch(.toOne, removed: [member("one")], added: [member("shelf")]))
    try Patch(objects: [moving, coming]).apply(to: context)
    #expect(book.value(forKey: "parent") == .reference(shelf.objectID))
  }

  @Test func `what has gone elsewhere stays there under force, whichever end holds it`() throws {
    let other = make("other")
    for (key, inverse, kind) in [
      ("children", "parent", RelationshipPatch.Kind.toMany), ("parts", "whole", .ordered),
    ] {
      book.setValue(.reference(other.objectID), forKey: inverse)
      context.processPendingChanges()
      let removal = Patch(objects: [
        update("shelf", key, RelationshipPatch(kind, removed: [member("b")]))
      ])
      let report = try removal.apply(to: context, policy: .force)
      #expect(book.value(forKey: inverse) == .reference(other.objectID))
      #expect(report.conflicts.map(\.key) == [key])
    }
  }

  @Test func `a conflict at the end that does not hold it is told once, with the members`() throws {
    let (two, three) = (make("two"), make("three"))
    for object in [book, two] { object.setValue(.reference(three.objectID), forKey: "parent") }
    let inShelf = make("in")
    inShelf.setValue(.reference(shelf.objectID), forKey: "parent")
    try context.save()
    let patch = Patch(objects: [
      update(
        "shelf", "children",
        RelationshipPatch(.toMany, removed: [member("b"), member("two")], added: [member("three")]))
    ])
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    let conflict = try #require(error?.conflicts.first)
    #expect(error?.conflicts.count == 1)
    #expect(conflict.path.description == "/0/children" && conflict.objectID == shelf.objectID)
    #expect(conflict.old == .set([.reference(book.objectID), .reference(two.objectID)]))
    #expect(conflict.new == .set([.reference(three.objectID)]))
    #expect(conflict.current == .set([.reference(inShelf.objectID)]))
    // The relationship stays as it is.
    #expect(try patch.apply(to: context, policy: .keepOurs).objects.isEmpty)
  }

  // MARK: Joined

  /// Applies two patches one after the other, and as one.
  private func checkJoined(
    _ one: [ObjectPatch], _ other: [ObjectPatch],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    let (one, other) = (Patch(objects: one), Patch(objects: other))
    let joined = try one.followed(by: other, model: PatchStage.model())
    try context.save()
    var pictures: [GraphPicture] = []
    for patches in [[one, other], [joined]] {
      for (place, patch) in patches.enumerated() {
        #expect(throws: Never.self, "\(place) of \(patches)", sourceLocation: location) {
          try patch.apply(to: context)
        }
      }
      pictures.append(try GraphPicture(context))
      context.rollback()
    }
    #expect(
      pictures[0].difference(from: pictures[1]) == nil, "\(joined)", sourceLocation: location)
  }

  @Test func `S80: patches that say a connection at different ends are joined`() throws {
    for guid in ["A", "B"] { _ = make(guid) }
    func one(_ guid: String, _ key: String, from: String? = nil, to: String? = nil) -> ObjectPatch {
      update(
        guid, key,
        RelationshipPatch(
          .toOne, removed: from.map { [member($0)] } ?? [], added: to.map { [member($0)] } ?? []))
    }
    func many(_ guid: String, _ key: String, from: String? = nil, to: String? = nil) -> ObjectPatch
    {
      update(
        guid, key,
        RelationshipPatch(
          .toMany, removed: from.map { [member($0)] } ?? [], added: to.map { [member($0)] } ?? []))
    }
    // One end holds it.
    try checkJoined([many("A", "children", to: "b")], [one("b", "parent", from: "A", to: "B")])
    try checkJoined([one("b", "parent", to: "A")], [many("A", "children", from: "b")])
    try checkJoined([one("b", "parent", to: "A")], [many("B", "children", to: "b")])
    let named = ObjectPatch(
      updating: member("B").identity, old: ["score": nil], new: ["score": 1])
    try checkJoined(
      [named, many("A", "children", to: "b")], [many("B", "children", to: "b")])
    // Both hold it.
    let both = [many("A", "friends", from: "B"), many("B", "fans", from: "A")]
    try checkJoined([many("A", "friends", to: "B")], both)
    try checkJoined([many("A", "friends", to: "B")], [many("B", "fans", from: "A")])
    try checkJoined(
      [many("A", "friends", to: "B"), many("B", "fans", to: "A")], [many("A", "friends", from: "B")]
    )
    try checkJoined([one("A", "boss", to: "B")], [one("B", "deputy", from: "A", to: "b")])
    try checkJoined([one("A", "boss", to: "B")], [one("b", "boss", to: "B")])
    try checkJoined(
      [one("A", "boss", to: "B")],
      [
        ObjectPatch(
          deleting: member("A").identity, old: [:],
          relationships: ["boss": RelationshipPatch(.toOne, removed: [member("B")])])
      ])
    // The one that led there goes, and only its deletion says so.
    try relate("A", "boss", ["B"])
    let deletion = ObjectPatch(
      deleting: member("A").identity, old: [:],
      relationships: ["boss": RelationshipPatch(.toOne, removed: [member("B")])])
    try checkJoined([deletion], [one("B", "deputy", to: "b")])
    // What does not lead where the second says does not follow.
    let error = #expect(throws: PatchError.self) {
      try Patch(objects: [one("b", "parent", to: "A")]).followed(
        by: Patch(objects: [one("b", "parent", from: "B")]), model: PatchStage.model())
    }
    #expect(error?.code == .doesNotFollow && error?.path.description == "/0/parent")
  }

  // MARK: Both ends hold it

  private func links(_ guid: String, _ key: String) throws -> [String] {
    let picture = try GraphPicture(context).objects["Book \(guid)"]
    return (picture?.links[key] ?? []).map { String($0.dropFirst(5)) }
  }

  private func relate(_ guid: String, _ key: String, _ others: [String]) throws {
    func find(_ guid: String) throws -> ManagedObject {
      try #require(try context.fetch(FetchRequest("Book", where: "guid == '\(guid)'")).first)
    }
    let references = try others.map { Value.reference(try find($0).objectID) }
    switch key {
    case "friends", "fans": try find(guid).setValue(.set(Set(references)), forKey: key)
    case "parts", "items": try find(guid).setValue(.array(references), forKey: key)
    default: try find(guid).setValue(references.first, forKey: key)
    }
  }

  @Test func `connections said at different ends of one relationship leave both ends the same`()
    throws
  {
    for guid in ["A", "B", "C"] { _ = make(guid) }
    let patch = Patch(objects: [
      update("A", "friends", RelationshipPatch(.toMany, added: [member("B")])),
      update("B", "fans", RelationshipPatch(.toMany, added: [member("C")])),
    ])
    try patch.apply(to: context)
    #expect(try links("A", "friends") == ["B"] && links("C", "friends") == ["B"])
    #expect(try links("B", "fans") == ["A", "C"])
    // One end takes out, the other puts in.
    let other = Patch(objects: [
      update("A", "friends", RelationshipPatch(.toMany, removed: [member("B")])),
      update("B", "fans", RelationshipPatch(.toMany, removed: [member("C")])),
    ])
    try other.apply(to: context)
    for guid in ["A", "C"] { #expect(try links(guid, "friends").isEmpty) }
    #expect(try links("B", "fans").isEmpty)
    try relate("A", "friends", ["B"])
    let both = Patch(objects: [
      update("A", "friends", RelationshipPatch(.toMany, removed: [member("B")])),
      update("B", "fans", RelationshipPatch(.toMany, added: [member("C")])),
    ])
    try both.apply(to: context)
    #expect(try links("A", "friends").isEmpty && links("B", "fans") == ["C"])
    // What comes stands over what goes.
    try relate("C", "friends", [])
    let against = Patch(objects: [
      update("B", "fans", RelationshipPatch(.toMany, removed: [member("A")])),
      update("A", "friends", RelationshipPatch(.toMany, added: [member("B")])),
    ])
    try against.apply(to: context, policy: .force)
    #expect(try links("A", "friends") == ["B"] && links("B", "fans") == ["A"])
  }

  @Test func `JSON operations from elsewhere that speak of both ends keep the ends together`()
    throws
  {
    for guid in ["A", "B", "C"] { _ = make(guid) }
    let json = """
      [{"op":"add","path":"/Book/A/friends/~1Book~1B","value":true},
       {"op":"add","path":"/Book/B/fans/~1Book~1C","value":true}]
      """
    try Patch(jsonPatch: Data(json.utf8), against: context).apply(to: context)
    #expect(try links("A", "friends") == ["B"] && links("B", "fans") == ["A", "C"])
    #expect(try links("C", "friends") == ["B"])
  }

  @Test func `one owner is left where a patch gives a part to several`() throws {
    for guid in ["V", "W", "X", "Y"] { _ = make(guid) }
    try relate("V", "parts", ["Y", "X"])
    try context.save()
    // Said at the part, and another part at the whole.
    let apart = Patch(objects: [
      update("Y", "whole", RelationshipPatch(.toOne, removed: [member("V")], added: [member("W")])),
      update(
        "W", "parts",
        RelationshipPatch(
          .ordered,
          patches: [
            ObjectPatch(creating: member("Z").identity, new: [:])
          ])),
    ])
    try apart.apply(to: context)
    #expect(try links("W", "parts").sorted() == ["Y", "Z"] && links("V", "parts") == ["X"])
    #expect(try links("Y", "whole") == ["W"] && links("Z", "whole") == ["W"])
    context.undo()
    // Two wholes want the same part; what is said later stands, and what the part says itself over both.
    let wanted = RelationshipPatch(.ordered, added: [.init(member("X").identity, position: 0)])
    let two = [update("W", "parts", wanted), update("shelf", "parts", wanted)]
    try Patch(objects: two).apply(to: context)
    #expect(try links("X", "whole") == ["shelf"] && links("shelf", "parts") == ["X"])
    #expect(try links("W", "parts").isEmpty && links("V", "parts") == ["Y"])
    context.undo()
    let own = update(
      "X", "whole", RelationshipPatch(.toOne, removed: [member("V")], added: [member("W")]))
    let added = update(
      "V", "parts",
      RelationshipPatch(.ordered, added: [.init(member("b").identity, position: 2)]))
    try Patch(objects: [own, added] + two).apply(to: context)
    #expect(try links("X", "whole") == ["W"] && links("W", "parts") == ["X"])
    #expect(try links("shelf", "parts").isEmpty && links("V", "parts") == ["Y", "b"])
  }
}
