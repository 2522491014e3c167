// Values and events of a seed: every kind, with small, large and odd contents.

import ByteCoding
import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport

let store = StoreTag(rawValue: 0xABCD_0123_4567_89EF)
let otherStore = StoreTag(rawValue: 7)
let encoder = EventEncoder(store: store)
let commitEncoder = CommitEncoder(store: store)
let decoder = EventDecoder(store: store)

func object(_ number: UInt64, entity: UInt16 = 3, origin: UInt16 = 0) -> ObjectID {
  ObjectID(
    origin: origin, entity: EntityNumber(rawValue: entity), number: number, store: store)
}

func key(_ number: UInt32) -> KeyNumber { KeyNumber(rawValue: number) }

func context(_ number: UInt64) -> ContextNumber { ContextNumber(rawValue: number) }

/// The bytes of an event, written into memory of the size that was counted.
func bytes(_ event: Event) throws(EventCodingError) -> [UInt8] {
  let count = try encoder.byteCount(of: event)
  return [UInt8](unsafeUninitializedCapacity: count) { memory, written in
    let whole = UnsafeMutableRawBufferPointer(start: memory.baseAddress, count: count)
    encoder.write(event, into: whole)
    written = count
  }
}

func event(_ bytes: [UInt8]) throws -> Event {
  try bytes.withUnsafeBytes { try decoder.event($0) }
}

/// An event that sets a value, as short as can be but for that.
func setting(_ value: Value?) -> Event { .edited(context(1), .set(object(5), key(2), value)) }

/// The bytes of a value: those of such an event without what comes before.
func bytes(of value: Value?) throws -> [UInt8] { try Array(bytes(setting(value)).dropFirst(5)) }

/// Reads a value that stands in such an event.
func value(_ bytes: [UInt8]) throws -> Value? {
  guard case .edited(_, .set(_, _, let value)) = try event([1, 1, 3, 5, 2] + bytes) else {
    return nil
  }
  return value
}

/// Arrays, each the only element of the one before.
func nested(_ depth: Int) -> Value {
  (0..<depth).reduce(.null) { value, _ in .array([value]) }
}

extension Dice {
  mutating func maybe<Element>(_ element: (inout Dice) -> Element) -> Element? {
    chance(2) ? element(&self) : nil
  }

  mutating func object() -> ObjectID {
    let raw = chance(4) ? next() : UInt64(pick(3)) << 36 | number() & 0xFFFF
    return ObjectID(rawValue: raw, store: store)
  }

  mutating func key() -> KeyNumber {
    KeyNumber(rawValue: chance(8) ? UInt32(truncatingIfNeeded: next()) : UInt32(pick(20)))
  }

  mutating func context() -> ContextNumber {
    min(ContextNumber(rawValue: number()), .largest)
  }

  mutating func commitNumber() -> CommitNumber {
    min(CommitNumber(rawValue: number()), .largest)
  }

  mutating func value(depth: Int = 3) -> Value { value(depth: depth, of: store) }

  mutating func members(depth: Int) -> Set<Value> { members(depth: depth, of: store) }

  mutating func dictionary(depth: Int) -> [String: Value] {
    dictionary(depth: depth, of: store)
  }
}

extension Dice {
  static let eventKindCount = 29

  /// An event of any kind.
  mutating func event() -> Event { event(of: pick(Self.eventKindCount)) }

  /// An event of the kind of a number below `eventKindCount`.
  mutating func event(of kind: Int) -> Event {
    switch kind {
    case 0: return .keyNamed(key(), text())
    case 1:
      return .modelAdopted(
        list(upTo: 3) { dice in
          NumberedEntity(EntityNumber(rawValue: UInt16(dice.pick(4096))), dice.entity())
        })
    case 2: return .timePassed(RecordedTime(rawValue: Int64(bitPattern: next())))
    case 3:
      let last = object()
      return .numbersReserved(origin: last.origin, last.entity, through: last.number)
    case 4:
      return .contextBegan(
        context(), name: text(), on: commitNumber(), parent: maybe { $0.context() })
    case 5: return .contextEnded(context())
    case 6: return .draftDiscarded(context())
    case 7: return .tagged(text(), maybe { $0.commitNumber() })
    case 8:
      let kinds: [UInt8] = [20, 31, 41, 127, 128, 255]
      return .unknown(
        kind: kinds[pick(kinds.count)], bytes: [UInt8](randomByteCount: pick(20), from: &self))
    case 9:
      return .contextResumed(
        context(), name: text(), on: commitNumber(), oldest: commitNumber(), firstEdit: next())
    default: return .edited(context(), edit(of: kind - 10))
    }
  }

  private mutating func edit(of kind: Int) -> Edit {
    switch kind {
    case 0: .renamed(text())
    case 1: .based(object(), on: commitNumber())
    case 2: .inserted(object())
    case 3: .set(object(), key(), maybe { $0.value() })
    case 4: .setPrimitive(object(), key(), maybe { $0.value() })
    case 5:
      .membersChanged(
        object(), key(), inserted: list(upTo: 4) { $0.object() },
        removed: list(upTo: 4) { $0.object() })
    case 6: .deleted(object())
    case 7: .stepEnded(name: maybe { $0.text() })
    case 8: .undoSwitched(isOn: chance(2))
    case 9: .undone(list(upTo: 3) { $0.restoration() })
    case 10: .redone(list(upTo: 3) { $0.restoration() })
    case 11:
      .refreshed(
        list(upTo: 4) { $0.object() }, keepingChanges: chance(2), at: commitNumber())
    case 12: .merged(commitNumber())
    case 13: .rolledBack
    case 14: .wasReset
    case 15: .saved(commitNumber())
    case 16: .saveFailed(text())
    case 17: .reconciled(object(), list(upTo: 4) { $0.key() })
    case 18: .spliced(object(), key(), splice())
    default: .set(object(), key(), .string(text()))
    }
  }

  private mutating func restoration() -> Restoration {
    let kind = Restoration.Kind.allCases[pick(3)]
    return Restoration(
      object(), kind,
      list(upTo: 3) { dice in
        kind == .updated && dice.chance(4)
          ? Restoration.Entry(dice.key(), .splice(dice.splice()))
          : Restoration.Entry(dice.key(), dice.maybe { $0.value(depth: 1) })
      })
  }
}
