package import ObjectModel

/// Why a change cannot be made: it was made of another state than the one it meets.
package enum FoldError: Error, Hashable, Sendable {
  /// An object is to come to be and is there, or is to change and is not there.
  case objectDoesNotFit(ObjectID, ObjectChange.Kind)
  /// A value is not what the change was made of.
  case valueDoesNotFit(ObjectID, KeyNumber)
  /// A context takes a step back and has none.
  case nothingToUndo(ContextNumber)
  /// A context makes a step again and has taken none back, or has changed something since.
  case nothingToRedo(ContextNumber)
}

/// Why a context's edit cannot be folded.
package enum ContextFoldError<RowError: Error>: Error {
  /// It contradicts the edits before it.
  case contradiction(FoldError)
  /// A row that it needs could not be had.
  case row(RowError)
}

extension ContextFoldError: Equatable where RowError: Equatable {}

extension FoldError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .objectDoesNotFit(let object, .inserted):
      "The object \(object) is inserted a second time."
    case .objectDoesNotFit(let object, let kind):
      "The object \(object) is \(kind) and is not there."
    case .valueDoesNotFit(let object, let key):
      "The value of key \(key.rawValue) of \(object) is not what its change was made of."
    case .nothingToUndo(let context):
      "Context \(context.rawValue) undoes a step and has none."
    case .nothingToRedo(let context):
      "Context \(context.rawValue) redoes a step and has none that was undone."
    }
  }
}

extension ContextFoldError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .contradiction(let error): error.description
    case .row(let error): "A row could not be read: \(error)"
    }
  }
}
