// Values and rows of a seed, alike enough that two of them share much and differ in little.

import FoundationEssentials
import ObjectModel
import TestSupport

let store = StoreTag(rawValue: 0xABCD)

func object(_ number: UInt64) -> ObjectID {
  ObjectID(entity: EntityNumber(rawValue: 1), number: number, store: store)
}

func key(_ number: UInt32) -> KeyNumber { KeyNumber(rawValue: number) }

extension Dice {
  /// A value, often one of a few, so that equal ones meet.
  mutating func value(depth: Int = 2) -> Value {
    switch pick(depth > 0 ? 15 : 11) {
    case 0: .boolean(pick(2) == 0)
    case 1: .integer(pick(4) == 0 ? .min : pick(5) - 2)
    case 2: .real([0, -0.0, 1.5, .nan, -.infinity][pick(5)])
    case 3: .decimal(Decimal(pick(3)) / 4)
    case 4: .string(["", "a", "é", "e\u{301}", "𝄞 clef"][pick(5)])
    case 5: .data(Data((0..<pick(4)).map { UInt8($0) }))
    case 6: .date(Date(timeIntervalSinceReferenceDate: Double(pick(3))))
    case 7: .counter(pick(6) == 0 ? .max : pick(5))
    case 8: .reference(object(UInt64(pick(4))))
    case 9: .string(longText())
    case 10: .data(Data(longText().utf8))
    case 11: .array((0..<pick(4)).map { _ in value(depth: depth - 1) })
    case 12: .array((0..<70).map { _ in .integer(pick(40) == 0 ? 1 : 0) })
    case 13: .set(Set((0..<pick(5)).map { _ in value(depth: depth - 1) }))
    default: dictionary(depth: depth)
    }
  }

  mutating func dictionary(depth: Int = 2) -> Value {
    var values: [String: Value] = [:]
    for key in ["a", "b", "c"] where pick(2) == 0 { values[key] = value(depth: depth - 1) }
    return .dictionary(values)
  }

  /// A long text that differs from others of its kind in a few places, also within characters.
  mutating func longText() -> String {
    var scalars = Array(String(repeating: "Zoë läuft 𝄞 é. ", count: 8).unicodeScalars)
    for _ in 0..<pick(3) {
      let place = pick(scalars.count)
      switch pick(3) {
      case 0: scalars.remove(at: place)
      case 1: scalars.insert("ê", at: place)
      default: scalars[place] = ["ë", "ì", "𝄢", "x"][pick(4)]
      }
    }
    var text = ""
    text.unicodeScalars.append(contentsOf: scalars)
    return text
  }

  mutating func row() -> Row? {
    if pick(8) == 0 { return nil }
    var row = Row()
    for number in 1...6 where pick(3) > 0 { row[key(UInt32(number))] = value() }
    return row
  }

  /// The row with some other values, or another one.
  mutating func row(near row: Row?) -> Row? {
    guard var near = row, pick(6) > 0 else { return self.row() }
    for _ in 0..<pick(4) {
      let key = key(UInt32(1 + pick(6)))
      switch near[key] {
      case .string(let text)? where text.utf8.count > 64: near[key] = .string(longText())
      case .data(let data)? where data.count > 64: near[key] = .data(Data(longText().utf8))
      default: near[key] = pick(4) == 0 ? nil : value()
      }
    }
    return near
  }
}
