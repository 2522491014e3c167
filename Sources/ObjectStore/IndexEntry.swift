internal import ObjectModel

/// That an object has an indexed value: six words, in whose order indexes are.
///
/// Costs: it allocates nothing, and is compared word by word.
package struct IndexEntry: Hashable, Sendable {
  /// From the highest bit down: 32 bits the index, 31 bits the value's kind, and one bit whether the entry is
  /// removed rather than added, which counts for nothing in the order.
  private(set) var head: UInt64
  private(set) var value: IndexedWords
  private(set) var object: UInt64

  static let wordCount = 6

  init(_ index: IndexNumber, _ kind: UInt8, _ value: IndexedWords, object: UInt64) {
    head = UInt64(index.rawValue) << 32 | UInt64(kind) << 1
    self.value = value
    self.object = object
  }

  /// What an index has of an object's value; nil for none.
  init?(_ index: IndexNumber, _ value: Value, of object: ObjectID) {
    guard !value.isNull else { return nil }
    self.init(index, value.kind.rawValue, IndexedWords(value), object: object.rawValue)
  }

  /// What stands before every entry.
  package static let least = IndexEntry(
    IndexNumber(rawValue: 0), 0, IndexedWords(), object: 0)
  /// What stands behind every entry: no index has this number.
  package static let greatest = IndexEntry(
    IndexNumber(rawValue: .max), .max, IndexedWords(), object: .max)

  var index: IndexNumber { IndexNumber(rawValue: UInt32(truncatingIfNeeded: head >> 32)) }
  var kind: UInt8 { UInt8(truncatingIfNeeded: head >> 1) }

  /// Whether it says that the object does not have the value any more.
  var isRemoved: Bool { head & 1 != 0 }

  mutating func remove() { head |= 1 }

  /// Whether both are of the same object and value, added or removed.
  @inline(__always)
  func isSame(as other: IndexEntry) -> Bool {
    head >> 1 == other.head >> 1 && object == other.object && value == other.value
  }

  /// The least entry that can stand behind this one.
  var successor: IndexEntry {
    var next = self
    next.object = object == .max ? object : object + 1
    return next
  }
}

extension IndexEntry: Comparable {
  /// By index, kind, value and object.
  @inline(__always)
  package static func < (one: IndexEntry, other: IndexEntry) -> Bool {
    if one.head >> 1 != other.head >> 1 { return one.head >> 1 < other.head >> 1 }
    if one.value != other.value { return one.value < other.value }
    return one.object < other.object
  }
}

/// The number of an index in a store: given when it is made, and never again, so that what is left of an
/// index that is no more is taken for no other's.
struct IndexNumber: RawRepresentable, Hashable, Comparable, Sendable {
  let rawValue: UInt32

  init(rawValue: UInt32) { self.rawValue = rawValue }

  static func < (one: IndexNumber, other: IndexNumber) -> Bool {
    one.rawValue < other.rawValue
  }
}
