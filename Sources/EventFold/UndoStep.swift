package import ObjectModel

/// What takes back, or makes again, what a context did between two borders.
package struct UndoStep: Hashable, Sendable {
  /// A key, what it had before, and what the step has left there.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let before: ValueBefore
    /// What it had when the step ended, where `before` is a value and so does not tell; nil where that is not known.
    package let left: Value??
  }

  /// An object that the step changed.
  package struct Object: Hashable, Sendable {
    package let object: ObjectID
    /// What becomes of it again: `inserted`, where it was there and had just these values; `deleted`, where
    /// it was not there; `updated`, where it had these values among others.
    package let kind: Restoration.Kind
    /// Sorted by key, no key twice.
    package let entries: [Entry]
  }

  package let name: String?
  /// In the order of their IDs.
  package let objects: [Object]

  package init(name: String?, objects: [Object]) {
    self.name = name
    self.objects = objects
  }
}

extension UndoStep.Entry {
  /// Whether taking the step back would take back what somebody else has done since: the value is neither what the step
  /// has left nor what was before.
  package func overwrites(_ current: Value?) -> Bool {
    switch before {
    case .value(let before):
      guard let left else { return false }
      return current != left && current != before
    case .entries(let before, let after):
      let merge = ValueMerge(
        base: after.map { .dictionary($0) }, ours: before.map { .dictionary($0) }, theirs: current,
        .byKey)
      if case .conflict = merge { return true }
      return false
    // What others have done to it stays.
    case .amount, .members, .appended, .order: return false
    }
  }
}
