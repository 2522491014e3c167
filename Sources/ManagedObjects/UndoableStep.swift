internal import EventFold
public import ObjectModel

/// Something that a context did and that can be undone.
public struct UndoableStep: Hashable, Sendable {
  /// Its place among the steps, from the first.
  public let index: Int
  /// What it is called.
  public let name: String?
  /// What it has changed: the keys of each object.
  public let keys: [ObjectID: Set<String>]
  /// The objects that it inserted or deleted.
  public let insertedOrDeletedObjects: Set<ObjectID>
}

extension ManagedObjectContext {
  /// What can be undone, in the order in which it was done; what has changed since pending changes were processed
  /// last is a step at the end.
  public var undoSteps: [UndoableStep] { stepsDone.enumerated().map { told($1, at: $0) } }

  /// What can be redone; what was undone last is at the end.
  public var redoSteps: [UndoableStep] { fold.redoSteps.enumerated().map { told($1, at: $0) } }

  var stepsDone: [UndoStep] {
    guard let open = fold.openStep else { return fold.undoSteps }
    return fold.undoSteps + [UndoStep(name: actionName, objects: open.objects)]
  }

  private func told(_ step: UndoStep, at index: Int) -> UndoableStep {
    var keys: [ObjectID: Set<String>] = [:]
    for each in step.objects {
      keys[each.object] = Set(each.entries.map { name(of: $0.key, each.object) })
    }
    return UndoableStep(
      index: index, name: step.name, keys: keys,
      insertedOrDeletedObjects: Set(step.objects.filter { $0.kind != .updated }.map(\.object)))
  }
}
