internal import ObjectModel

/// How much of a journal is held at once by who only looks at it: a few bytes of one may stand for more than there is
/// memory. The program whose store it is has no such limits.
package struct HoldingLimits: Sendable {
  /// How many values an event or commit may have, and what contexts have not saved.
  package let valueCount: Int
  /// How many objects contexts may have changed and not saved.
  package let objectCount: Int

  /// How many bytes an edit may have. No value of so many can be saved.
  package let editByteCount: Int

  package static let none = HoldingLimits(
    valueCount: .max, objectCount: .max, editByteCount: .max)

  package init(valueCount: Int, objectCount: Int, editByteCount: Int) {
    self.valueCount = valueCount
    self.objectCount = objectCount
    self.editByteCount = editByteCount
  }
}

/// What contexts hold that are folded.
struct HoldingAccount {
  private struct Place: Hashable {
    let object: ObjectID
    let key: KeyNumber
  }

  private let limits: HoldingLimits
  private var objectCount = 0
  private var valueCount = 0
  /// How many values the large ones have that stand somewhere.
  private var large: [Place: Int] = [:]

  /// Of fewer nobody need know.
  private static let largeCount = 256

  init(_ limits: HoldingLimits) { self.limits = limits }

  /// Notes an edit that is to be applied.
  ///
  /// - Returns: why it is not, where that would be too much.
  mutating func take(_ edit: Edit) -> StoreError? {
    guard limits.valueCount < .max else { return nil }
    switch edit {
    case .set(let object, let key, let value), .setPrimitive(let object, let key, let value):
      take(Self.count(value), at: Place(object: object, key: key))
    case .spliced(let object, let key, let splice):
      take(Self.count(splice), at: Place(object: object, key: key))
    case .undone(let restorations), .redone(let restorations):
      for restoration in restorations {
        for entry in restoration.entries {
          let count =
            switch entry.content {
            case .value(let value): Self.count(value)
            case .splice(let splice): Self.count(splice)
            }
          take(count, at: Place(object: restoration.object, key: entry.key))
        }
      }
    default: break
    }
    guard objectCount >= limits.objectCount || valueCount > limits.valueCount else { return nil }
    return StoreError(
      .tooLarge,
      "there is more that is not saved than is held here at once, which are "
        + "\(limits.objectCount) objects and \(limits.valueCount) values; the program whose store it is can hold it."
    )
  }

  /// Notes objects that were changed first.
  mutating func take(_ count: Int) { objectCount += count }

  private mutating func take(_ count: Int, at place: Place) {
    valueCount += count - (large[place] ?? 0)
    if count > 0 { large[place] = count } else { large[place] = nil }
  }

  /// How many values are in one; 0 where they are few.
  private static func count(_ value: Value?) -> Int {
    let count = allCount(value)
    return count < largeCount ? 0 : count
  }

  /// How many are in the value that a middle is put into, at least as many as it says.
  private static func count(_ splice: Splice) -> Int {
    guard splice.new.array != nil else { return 0 }
    let most = 1 << 40
    let count = splice.parts.reduce(min(splice.suffixCount, most)) {
      min($0 + min($1.keptCount, most) + allCount($1.new), most)
    }
    return count < largeCount ? 0 : count
  }

  private static func allCount(_ value: Value?) -> Int {
    switch value {
    case .array(let members): members.reduce(members.count) { $0 + allCount($1) }
    case .set(let members): members.reduce(members.count) { $0 + allCount($1) }
    case .dictionary(let entries):
      entries.values.reduce(entries.count) { $0 + allCount($1) }
    default: 0
    }
  }
}
