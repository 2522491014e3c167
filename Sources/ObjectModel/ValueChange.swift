/// A change of one value, which can be made and taken back: it has all that is needed for both.
///
/// Nil stands for no value, which is what null is where it is stored.
package enum ValueChange: Hashable, Sendable {
  /// One value for another; the two differ.
  case replaced(old: Value?, new: Value?)
  /// Another middle of a long string, data or array.
  case spliced(Splice)
  /// A counter by an amount that is neither 0 nor the least integer. There is a counter before and after.
  case counted(Int)
  /// Other members of a set, at least one. There is a set before and after.
  case regrouped(inserted: Set<Value>, removed: Set<Value>)
}

/// What differs in the middle of two strings, data or arrays.
package struct Splice: Hashable, Sendable {
  /// How many bytes of UTF-8, bytes or elements are kept before the middle.
  package let prefixCount: Int
  /// How many are kept behind it.
  package let suffixCount: Int
  /// The middle as it was: of the same kind as the whole.
  package let old: Value
  /// The middle as it became.
  package let new: Value

  package init(prefixCount: Int, suffixCount: Int, old: Value, new: Value) {
    self.prefixCount = prefixCount
    self.suffixCount = suffixCount
    self.old = old
    self.new = new
  }
}

/// What a commit does to one object.
package struct ObjectChange: Hashable, Sendable {
  /// What becomes of the object itself.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    /// It comes to be; every value is new.
    case inserted
    /// It was there, and still is.
    case updated
    /// It is gone; every value it had is old.
    case deleted
  }

  /// A key and the change of its value.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let change: ValueChange

    package init(_ key: KeyNumber, _ change: ValueChange) {
      self.key = key
      self.change = change
    }
  }

  package let object: ObjectID
  package let kind: Kind
  /// The changed values, sorted by key, no key twice.
  package let entries: [Entry]
  /// The commit that changed the object before; none for the first, and for a change that is in no commit.
  package var previous: CommitNumber

  package init(
    _ object: ObjectID, _ kind: Kind, _ entries: [Entry], after previous: CommitNumber = .none
  ) {
    self.object = object
    self.kind = kind
    self.entries = entries
    self.previous = previous
  }

  /// The change of a key's value.
  package subscript(key: KeyNumber) -> ValueChange? {
    entries.first { $0.key == key }?.change
  }
}
