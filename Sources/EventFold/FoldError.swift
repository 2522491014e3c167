package import ObjectModel

/// Why a change cannot be made: it was made of another state than the one it meets.
package enum FoldError: Error, Hashable, Sendable {
  /// An object is to come to be and is there, or is to change and is not there.
  case objectDoesNotFit(ObjectID, ObjectChange.Kind)
  /// A value is not what the change was made of.
  case valueDoesNotFit(ObjectID, KeyNumber)
}

extension FoldError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .objectDoesNotFit(let object, .inserted):
      "The object \(object) is inserted a second time."
    case .objectDoesNotFit(let object, let kind):
      "The object \(object) is \(kind) and is not there."
    case .valueDoesNotFit(let object, let key):
      "The value of key \(key.rawValue) of \(object) is not what its change was made of."
    }
  }
}
