package import ObjectModel

/// What takes back, or makes again, what a context did between two borders.
package struct UndoStep: Hashable, Sendable {
  /// A key and what it had before.
  package struct Entry: Hashable, Sendable {
    package let key: KeyNumber
    package let before: ValueBefore
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
}

/// What a value was before a step, as small as it can be said.
package enum ValueBefore: Hashable, Sendable {
  /// This.
  case value(Value?)
  /// A set without some members that came, and with some that went.
  case members(Members)
  /// An array of so many elements, behind which others were put.
  case count(Int)

  /// Members that came and went; no member did both.
  package struct Members: Hashable, Sendable {
    package private(set) var gained: Set<Value> = []
    package private(set) var lost: Set<Value> = []

    mutating func gain(_ member: Value) {
      if lost.remove(member) == nil { gained.insert(member) }
    }

    mutating func lose(_ member: Value) {
      if gained.remove(member) == nil { lost.insert(member) }
    }

    /// Adds what came and went later.
    mutating func add(_ later: Members) {
      for member in later.lost { lose(member) }
      for member in later.gained { gain(member) }
    }
  }

  /// The value before, where this is the value after. Members that neither came nor went stay as they are,
  /// and a value of another kind stays.
  ///
  /// Costs: time in proportion to the value, where it is a set or an array.
  package func restored(from value: Value?) -> Value? {
    switch (self, value) {
    case (.value(let before), _):
      before
    case (.members(let change), .set(let members)?):
      .set(members.subtracting(change.gained).union(change.lost))
    case (.count(let count), .array(let elements)?):
      .array(Array(elements.prefix(count)))
    default:
      value
    }
  }

  /// Says what was before a later change as well, of which `later` says what was before.
  mutating func add(_ later: ValueBefore) {
    switch later {
    case .value(let value):
      self = .value(restored(from: value))
    case .members(let later):
      guard case .members(var change) = self else { return }
      // A set that two hold would be copied.
      self = .value(nil)
      change.add(later)
      self = .members(change)
    case .count:
      break
    }
  }
}
