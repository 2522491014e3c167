package import ObjectModel

/// One side of a commit: what objects were before it, or became by it.
///
/// It costs much less to read than the commit with both sides, and tells all that a fold forward, or backward,
/// has to know.
package struct CommitSide: Sendable {
  /// Which of the two.
  package enum Side: Sendable {
    case before, after
  }

  /// The commit without its changes.
  package let head: CommitContent
  /// Every object that it changed, sorted.
  package let objects: [Object]

  /// An object on one side of a commit.
  package struct Object: Sendable {
    package let object: ObjectID
    package let kind: ObjectChange.Kind
    /// The commit that changed it before.
    package let previous: CommitNumber
    /// The values of changed keys, sorted; null where there is none.
    package let values: [Row.Entry]
    /// The values on the other side, of those keys that were asked for; null where there is none.
    package let others: [Row.Entry]
    /// Changes that tell the two sides' difference only, sorted by key.
    package let differences: [ObjectChange.Entry]

    init(
      _ object: ObjectID, _ kind: ObjectChange.Kind, after previous: CommitNumber,
      values: [Row.Entry], others: [Row.Entry] = [], differences: [ObjectChange.Entry]
    ) {
      self.object = object
      self.kind = kind
      self.previous = previous
      self.values = values
      self.others = others
      self.differences = differences
    }
  }
}
