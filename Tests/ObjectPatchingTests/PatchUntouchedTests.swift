import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What a dry run, and a patch that is refused, leave behind: nothing.
@Suite struct PatchUntouchedTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let book: ManagedObject
  private let patch: Patch

  init() throws {
    stage = try PatchStage()
    context = stage.context()
    book = context.insert("Book")
    book.setValue("b", forKey: "guid")
    try context.save()
    patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "b"), old: ["name": "other"], new: ["name": "x"])
    ])
  }

  @Test(arguments: ["report", "conflicts", "difference", "graph", "refusal"])
  func `looking at a context divides no step, and writes nothing`(_ kind: String) throws {
    book.setValue(1, forKey: "score")
    let (events, steps) = (try stage.store.events().count, context.undoSteps.count)
    switch kind {
    case "report": _ = try patch.report(applyingTo: context, policy: .force)
    case "conflicts": _ = try patch.conflicts(with: context)
    case "difference": _ = try Patch.difference(from: stage.store.asOf(.head), to: context)
    case "graph": _ = try context.jsonGraph()
    default: #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    }
    #expect(try stage.store.events().count == events && context.undoSteps.count == steps)
    book.setValue("y", forKey: "name")
    context.undo()
    #expect(book.value(forKey: "score") == nil && book.value(forKey: "name") == "new")
  }

  @Test func `a patch that is applied is a step beside that which was being made`() throws {
    context.setActionName("Before")
    book.setValue(1, forKey: "score")
    try patch.apply(to: context, policy: .force)
    #expect(context.undoActionName == "Apply patch")
    context.undo()
    #expect(book.value(forKey: "name") == "new" && book.value(forKey: "score") == 1)
    #expect(context.undoActionName == "Before")
    context.undo()
    #expect(book.value(forKey: "score") == nil)
  }

  @Test func `a report counts what goes with what was deleted just now`() throws {
    let owned = context.insert("Book")
    owned.setValue("o", forKey: "guid")
    owned.setValue(.reference(book.objectID), forKey: "owner")
    try context.save()
    context.delete(book)
    let patch = Patch(objects: [
      ObjectPatch(updating: PatchIdentity("Book", "guid", "o"), old: [:], new: ["score": 1])
    ])
    #expect(try patch.conflicts(with: context).map(\.kind) == [.objectMissing])
    context.undo()
    #expect(!book.isDeleted && !owned.isDeleted)
  }
}
