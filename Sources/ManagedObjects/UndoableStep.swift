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
  public var undoSteps: [UndoableStep] {
    let steps = stepsDone
    return steps.indices.map { told(steps[$0], at: $0, named: steps.name(of: $0)) }
  }

  /// What can be redone; what was undone last is at the end.
  public var redoSteps: [UndoableStep] {
    let steps = fold.redoSteps
    return steps.indices.map { index in
      told(steps[index], at: index, named: steps[index...].first { !$0.isOfHooks }?.name)
    }
  }

  var stepsDone: [UndoStep] {
    guard let open = fold.openStep else { return fold.undoSteps }
    return fold.undoSteps + [UndoStep(name: actionName, objects: open.objects)]
  }

  private func told(_ step: UndoStep, at index: Int, named name: String?) -> UndoableStep {
    var keys: [ObjectID: Set<String>] = [:]
    for each in step.objects {
      keys[each.object] = Set(each.entries.map { self.name(of: $0.key, each.object) })
    }
    return UndoableStep(
      index: index, name: name, keys: keys,
      insertedOrDeletedObjects: Set(step.objects.filter { $0.kind != .updated }.map(\.object)))
  }
}

extension UndoStep {
  /// What the journal calls a step that is what hooks of a save have made of the one before: it is undone and redone
  /// with that one, also by who goes on with the context.
  static let nameOfHooks = ""

  /// Whether hooks of a save have made it of the step before.
  var isOfHooks: Bool { name == Self.nameOfHooks }
}

extension [UndoStep] {
  /// What programs call a step that can be undone: one of hooks as the one before it.
  func name(of index: Int) -> String? { self[...index].last { !$0.isOfHooks }?.name }
}
