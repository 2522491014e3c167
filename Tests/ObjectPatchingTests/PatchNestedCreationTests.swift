import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What is created under a relationship comes to it, whatever becomes of the patch.
@Suite struct PatchNestedCreationTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let model: ManagedObjectModel

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    model = try PatchStage.model()
    let (one, two) = (context.insert("Book"), context.insert("Book"))
    one.setValue("one", forKey: "guid")
    two.setValue("two", forKey: "guid")
    two.setValue(.reference(one.objectID), forKey: "parent")
    try context.save()
  }

  private func name(_ guid: String) -> PatchIdentity {
    PatchIdentity("Book", "guid", .string(guid))
  }

  /// A book that comes, and leads to another by a relationship to one.
  private func made(leadingBy key: String? = nil, to owner: String = "one") -> ObjectPatch {
    var made = ObjectPatch(creating: name("n"), new: ["guid": "n"])
    if let key {
      made.relationships[key] = RelationshipPatch(.toOne, added: [.init(name(owner))])
    }
    return made
  }

  private func update(
    _ guid: String, _ key: String, _ relationship: RelationshipPatch
  ) -> Patch {
    Patch(objects: [ObjectPatch(updating: name(guid), relationships: [key: relationship])])
  }

  /// Where the book leads that has come.
  private var links: [String: [String]] {
    get throws { try GraphPicture(context).objects["Book n"]?.links ?? [:] }
  }

  @Test(arguments: [nil, "parent", "see", "boss"])
  func `S78: what is created under a relationship comes to it, wherever else it leads`(
    key: String?
  ) throws {
    let patch = update(
      "one", "friends", RelationshipPatch(.toMany, patches: [made(leadingBy: key)]))
    #expect(try Patch(json: patch.json(), model: model) == patch)
    try patch.apply(to: context)
    #expect(try links["fans"] == ["Book one"])
    if let key { #expect(try links[key] == ["Book one"]) }
  }

  @Test(arguments: [true, false])
  func `S78: it does so by the doors of the standards`(isJSONPatch: Bool) throws {
    let patch = update(
      "one", "friends", RelationshipPatch(.toMany, patches: [made(leadingBy: "parent")]))
    let said =
      isJSONPatch
      ? try Patch(jsonPatch: patch.jsonPatch(model: model), against: context)
      : try Patch(mergePatch: patch.mergePatch(model: model), against: context)
    try said.apply(to: context)
    #expect(try links == ["fans": ["Book one"], "parent": ["Book one"]])
  }

  @Test(arguments: [true, false])
  func `S80: what is created in the place of another is taken back`(hasModel: Bool) throws {
    let before = try GraphPicture(context)
    for patch in [
      update(
        "two", "parent",
        RelationshipPatch(.toOne, removed: [.init(name("one"))], patches: [made()])),
      update(
        "two", "see", RelationshipPatch(.toOne, patches: [made(leadingBy: "parent", to: "two")])),
      update("two", "items", RelationshipPatch(.ordered, patches: [made()])),
      update("one", "children", RelationshipPatch(.toMany, patches: [made()])),
      update("one", "marks", RelationshipPatch(.toMany, patches: [made()])),
    ] {
      try patch.apply(to: context)
      try #require(
        try !links.isEmpty || GraphPicture(context).objects["Book two"]?.links["see"] != nil)
      try patch.inverted(model: hasModel ? model : nil).apply(to: context)
      #expect(try GraphPicture(context).difference(from: before) == nil, "\(patch)")
    }
  }

  @Test func `S80: the inverse of what leads back itself says no more than that`() throws {
    let patch = update(
      "one", "children", RelationshipPatch(.toMany, patches: [made(leadingBy: "parent")]))
    let inverse = try patch.inverted(model: model)
    #expect(try inverse == patch.inverted())
    #expect(inverse.objects.first?.relationships["children"]?.removed == [])
  }

  @Test func `S80: what is created under a relationship, and leaves it, is joined to that`() throws
  {
    let patch = update(
      "one", "friends", RelationshipPatch(.toMany, patches: [made(leadingBy: "parent")]))
    let leaving = update("one", "friends", RelationshipPatch(.toMany, removed: [.init(name("n"))]))
    try patch.followed(by: leaving, model: model).apply(to: context)
    #expect(try links == ["parent": ["Book one"]])
  }

  @Test func `what a rebased patch leaves out it does not add`() throws {
    context.insert("Book").setValue("n", forKey: "guid")
    try context.save()
    let members = [RelationshipPatch.Member(name("n"))]
    let here = [
      update("one", "friends", RelationshipPatch(.toMany, added: members)),
      update("one", "friends", RelationshipPatch(.toMany, removed: members)),
    ]
    for added in [members, []] {
      let patch = update(
        "one", "friends",
        RelationshipPatch(.toMany, added: added, patches: [made(leadingBy: "parent")]))
      try patch.rebased(over: here, isYielding: true).apply(to: context, policy: .merge)
      #expect(try links == ["parent": ["Book one"]])
      context.undo()
    }
  }
}
