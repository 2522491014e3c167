/// What tells an object from all others, in its store and beyond: given when it is inserted, and never
/// changed.
///
/// It holds who gave it (the origin, 16 bits), the object's entity (12 bits) and a number (36 bits, dense in
/// the entity), and beside them the tag of its store, so that another store's ID is noticed.
public struct ObjectID: Hashable, Sendable {
  /// Origin, entity and number, from the highest bit down: what the files hold.
  @usableFromInline package let rawValue: UInt64
  @usableFromInline package let store: StoreTag

  @inlinable package init(rawValue: UInt64, store: StoreTag) {
    self.rawValue = rawValue
    self.store = store
  }

  /// Puts an ID together.
  package init(origin: UInt16 = 0, entity: EntityNumber, number: UInt64, store: StoreTag) {
    precondition(entity <= .largest, "an entity's number has 12 bits, this is \(entity.rawValue)")
    precondition(number <= Self.largestNumber, "an object's number has 36 bits, this is \(number)")
    self.init(group: Self.group(origin: origin, entity), number: number, store: store)
  }

  /// Puts an ID together of a group and a number, of which neither has more bits than it may have.
  @inlinable package init(group: UInt64, number: UInt64, store: StoreTag) {
    self.init(rawValue: group << 36 | number, store: store)
  }

  @inlinable package static var largestNumber: UInt64 { 1 << 36 - 1 }
  @inlinable package static var largestGroup: UInt64 { 1 << 28 - 1 }

  @inlinable package var origin: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 48) }
  @inlinable package var entity: EntityNumber {
    EntityNumber(rawValue: UInt16(truncatingIfNeeded: group & 0xFFF))
  }
  @inlinable package var number: UInt64 { rawValue & Self.largestNumber }

  /// Origin and entity in one number: numbers are given within these.
  @inlinable package var group: UInt64 { rawValue >> 36 }

  @inlinable package static func group(origin: UInt16, _ entity: EntityNumber) -> UInt64 {
    UInt64(origin) << 12 | UInt64(entity.rawValue)
  }
}

// Objects are looked up at every edit, and the standard hash of an ID would cost more than all else in it.
extension ObjectID {
  /// Whether they are of the same object of the same store.
  @inlinable public static func == (one: ObjectID, other: ObjectID) -> Bool {
    one.rawValue == other.rawValue && one.store == other.store
  }

  /// Hashes what tells an object from the others of its store.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// Hashes what tells an object from the others of its store, for dictionaries and sets.
  public func _rawHashValue(seed: Int) -> Int { QuickHash.ofNeighbour(rawValue, seed: seed) }
}

extension KeyNumber {
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  @usableFromInline package func _rawHashValue(seed: Int) -> Int {
    QuickHash.of(UInt64(rawValue), seed: seed)
  }
}

extension EntityNumber {
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  @usableFromInline package func _rawHashValue(seed: Int) -> Int {
    QuickHash.of(UInt64(rawValue), seed: seed)
  }
}

/// Hashes a number by one multiplication. Its factors are other ones in each process, so that nobody can write a
/// file whose numbers all fall into one place.
enum QuickHash {
  private static let chance = (
    factor: UInt64(bitPattern: Int64(1.hashValue)) | 1,
    mask: UInt64(bitPattern: Int64(2.hashValue))
  )

  @inline(__always)
  static func of(_ number: UInt64, seed: Int) -> Int {
    let (factor, mask) = chance
    let mixed = number ^ mask ^ UInt64(bitPattern: Int64(seed))
    let (high, low) = mixed.multipliedFullWidth(by: factor)
    return Int(truncatingIfNeeded: high ^ low)
  }

  /// The same for numbers of which many follow one another: four of them have one place, side by side, so that who
  /// goes over many waits for memory once for all four.
  @inline(__always)
  static func ofNeighbour(_ number: UInt64, seed: Int) -> Int {
    of(number &>> 2, seed: seed) &<< 2 | Int(truncatingIfNeeded: number & 3)
  }
}

/// What tells one store's object IDs from another's: half of the store's identity.
@usableFromInline
package struct StoreTag: RawRepresentable, Hashable, Comparable, Sendable {
  @usableFromInline package let rawValue: UInt64

  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }

  @inlinable package static func == (one: StoreTag, other: StoreTag) -> Bool {
    one.rawValue == other.rawValue
  }

  @inlinable package static func < (one: StoreTag, other: StoreTag) -> Bool {
    one.rawValue < other.rawValue
  }
}

extension ObjectID: Comparable {
  /// Whether the first stands before the second: by store, origin, entity and number.
  @inlinable public static func < (one: ObjectID, other: ObjectID) -> Bool {
    one.store == other.store ? one.rawValue < other.rawValue : one.store < other.store
  }
}
