package import ObjectModel

/// An object as a filter sees it: what it has by key, and the objects it leads to.
///
/// Who has the rows conforms to it; a filter asks only for what its comparisons need.
package protocol QueryObject {
  associatedtype Failure: Error

  var objectID: ObjectID { get }

  /// The value of a key; null where there is none.
  func value(of key: KeyNumber) throws(Failure) -> Value

  /// The value of a virtual key, by the number that `KeyResolver` gave; null where there is none.
  func virtualValue(_ number: Int) throws(Failure) -> Value

  /// The destination of a relationship to one; nil where there is none.
  func related(by key: KeyNumber) throws(Failure) -> Self?

  /// Calls a closure with the destinations of a relationship to many.
  ///
  /// - Parameter body: returns whether to go on.
  func forEachRelated(
    by key: KeyNumber, _ body: (Self) throws(Failure) -> Bool
  ) throws(Failure)

  /// How many destinations a relationship to many has.
  func countOfRelated(by key: KeyNumber) throws(Failure) -> Int
}

/// Knows by which number the values of a key are found.
package protocol KeyResolver {
  /// How a key of an entity is found: a modelled one, a dynamic or a virtual one; nil where no object of the
  /// entity has it.
  func resolve(_ key: String, of entity: ModelEntity) -> ResolvedKey?

  /// Keys that the model does not know and that may have been meant.
  func otherKeys(of entity: ModelEntity) -> [String]

  /// Whether any object may get keys that nobody has used yet, so that one that is unlike all that are known is one of
  /// these, and not misspelt.
  var allowsUnusedKeys: Bool { get }
}

extension KeyResolver {
  package func otherKeys(of entity: ModelEntity) -> [String] { [] }
  package var allowsUnusedKeys: Bool { false }
}

/// How the values of a key are found.
package enum ResolvedKey: Hashable, Sendable {
  /// In the row.
  case stored(KeyNumber)
  /// From an accessor; the number is the resolver's own.
  case virtual(Int)
}
