/// The place of a commit in a store's history: 1 for the first, and one more for each that follows.
public struct CommitNumber: RawRepresentable, Hashable, Comparable, Sendable, Codable {
  /// The number itself.
  public let rawValue: UInt64

  /// Makes a number.
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Before the first commit.
  public static let none = CommitNumber(rawValue: 0)

  /// The largest: far beyond what any store comes to, and far from where counting on would overflow.
  package static let largest = CommitNumber(rawValue: 1 << 62)

  /// The number after this one; after the largest, which no store reaches, the count begins anew.
  package var next: CommitNumber { CommitNumber(rawValue: rawValue &+ 1) }

  /// The number before this one; before the first, none.
  package var previous: CommitNumber {
    CommitNumber(rawValue: rawValue == 0 ? 0 : rawValue - 1)
  }

  /// Whether they are the same.
  @inlinable public static func == (one: CommitNumber, other: CommitNumber) -> Bool {
    one.rawValue == other.rawValue
  }

  /// Whether the first is earlier.
  @inlinable public static func < (one: CommitNumber, other: CommitNumber) -> Bool {
    one.rawValue < other.rawValue
  }
}

extension CommitNumber: ExpressibleByIntegerLiteral, CustomStringConvertible {
  /// Makes a number from a literal.
  public init(integerLiteral value: UInt64) { self.init(rawValue: value) }

  /// The number in digits.
  public var description: String { String(rawValue) }
}

/// The number of an entity in a store: given when the store first meets it, and never changed nor given
/// again, so that a renamed entity keeps its objects.
@usableFromInline
package struct EntityNumber: RawRepresentable, Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt16

  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The largest: an object ID has 12 bits for it.
  package static let largest = EntityNumber(rawValue: 0xFFF)

  @inlinable package static func == (one: EntityNumber, other: EntityNumber) -> Bool {
    one.rawValue == other.rawValue
  }

  @inlinable package static func < (one: EntityNumber, other: EntityNumber) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// The number of a key in a store: that of an attribute, a relationship or a dynamic attribute. Every name
/// has one number, whichever entities use it.
@usableFromInline
package struct KeyNumber: RawRepresentable, Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt32

  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  @inlinable package static func == (one: KeyNumber, other: KeyNumber) -> Bool {
    one.rawValue == other.rawValue
  }

  @inlinable package static func < (one: KeyNumber, other: KeyNumber) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// The number of a context in a store: one more for each that has begun, and never given again.
@usableFromInline
package struct ContextNumber: RawRepresentable, Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt64

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The largest: far beyond what any store comes to, and far from where counting on would overflow.
  package static let largest = ContextNumber(rawValue: 1 << 62)

  @inlinable package static func == (one: ContextNumber, other: ContextNumber) -> Bool {
    one.rawValue == other.rawValue
  }

  @inlinable package static func < (one: ContextNumber, other: ContextNumber) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// A moment as the journal keeps it: nanoseconds since 1970, before it if negative.
package struct RecordedTime: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static func < (one: RecordedTime, other: RecordedTime) -> Bool {
    one.rawValue < other.rawValue
  }
}
