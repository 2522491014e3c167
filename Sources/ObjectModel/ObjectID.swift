/// What tells an object from all others, in its store and beyond: given when it is inserted, and never
/// changed.
///
/// It holds who gave it (the origin, 16 bits), the object's entity (12 bits) and a number (36 bits, dense in
/// the entity), and beside them the tag of its store, so that another store's ID is noticed.
public struct ObjectID: Hashable, Sendable {
  /// Origin, entity and number, from the highest bit down: what the files hold.
  package let rawValue: UInt64
  package let store: StoreTag

  package init(rawValue: UInt64, store: StoreTag) {
    self.rawValue = rawValue
    self.store = store
  }

  /// Puts an ID together.
  package init(origin: UInt16 = 0, entity: EntityNumber, number: UInt64, store: StoreTag) {
    precondition(entity <= .largest, "an entity's number has 12 bits, this is \(entity.rawValue)")
    precondition(number <= Self.largestNumber, "an object's number has 36 bits, this is \(number)")
    rawValue = UInt64(origin) << 48 | UInt64(entity.rawValue) << 36 | number
    self.store = store
  }

  package static let largestNumber: UInt64 = 1 << 36 - 1

  package var origin: UInt16 { UInt16(rawValue >> 48) }
  package var entity: EntityNumber { EntityNumber(rawValue: UInt16(rawValue >> 36 & 0xFFF)) }
  package var number: UInt64 { rawValue & Self.largestNumber }
}

/// What tells one store's object IDs from another's: half of the store's identity.
package struct StoreTag: RawRepresentable, Hashable, Comparable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (one: StoreTag, other: StoreTag) -> Bool { one.rawValue < other.rawValue }
}

extension ObjectID: Comparable {
  /// Whether the first stands before the second: by store, origin, entity and number.
  public static func < (one: ObjectID, other: ObjectID) -> Bool {
    (one.store, one.rawValue) < (other.store, other.rawValue)
  }
}
