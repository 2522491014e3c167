public import FoundationEssentials
public import ObjectModel

/// What a context had changed and not saved when its process ended.
public struct Draft: Hashable, Sendable {
  /// What the context was called.
  public let contextName: String
  /// When it was edited last.
  public let date: Date
  /// How many edits have not been saved.
  public let editCount: Int
  /// The objects it had changed, in the order of their IDs.
  public let objectIDs: [ObjectID]
  /// What is wrong with one of its edits, which is left out with those after it; nil where nothing is.
  public let problem: StoreError?
  /// Whose it is.
  let store: StoreTag
  package let context: ContextNumber
  /// The edit with which the context began.
  let firstEdit: UInt64
}
