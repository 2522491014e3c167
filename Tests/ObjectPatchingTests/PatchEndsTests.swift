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
}
