import FoundationEssentials
import ObjectModel
import TestSupport

extension Dice {
  /// A value of any kind, often equal or nearly equal to another one.
  mutating func value(depth: Int = 3) -> Value {
    let kinds = Value.Kind.allCases
    let kind = kinds[Int.random(in: 0..<kinds.count, using: &self)]
    switch kind {
    case .null: return .null
    case .boolean: return .boolean(Bool.random(using: &self))
    case .integer: return .integer(pick([0, 1, -1, .min, .max, 1 << 53]))
    case .counter: return .counter(pick([0, 1, -1, .min, .max]))
    case .real: return .real(real())
    case .decimal:
      return .decimal(
        pick([0, 1, -1, 100, .nan, Decimal(sign: .plus, exponent: 2, significand: 1), Decimal(0.5)])
      )
    case .string: return .string(text())
    case .data: return .data(Data(text().utf8))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: real()))
    case .uuid:
      let byte = UInt8.random(in: 0...2, using: &self)
      return .uuid(UUID(uuid: (byte, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, byte)))
    case .url:
      return URL(string: "https://example.org/\(Int.random(in: 0...2, using: &self))").map(
        Value.url) ?? .null
    case .array: return .array(members(depth))
    case .set: return .set(Set(members(depth)))
    case .dictionary:
      return .dictionary(Dictionary(members(depth).map { (text(), $0) }) { first, _ in first })
    case .reference: return .reference(objectID())
    }
  }

  mutating func objectID() -> ObjectID {
    ObjectID(
      origin: pick([0, 1, .max]), entity: EntityNumber(rawValue: pick([0, 1, 0xFFF])),
      number: pick([0, 1, ObjectID.largestNumber]), store: StoreTag(rawValue: pick([0, 1, .max])))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  private mutating func real() -> Double {
    let reals: [Double] = [
      0, -0.0, 1, -1, .nan, -.nan, .signalingNaN, .infinity, -.infinity, .leastNonzeroMagnitude,
    ]
    return pick(reals)
  }

  private mutating func text() -> String {
    pick(["", "a", "A", "b", "ab", "\u{E9}", "e\u{301}", "\u{1F600}", "\u{FFFF}"])
  }

  private mutating func members(_ depth: Int) -> [Value] {
    guard depth > 0 else { return [] }
    return (0..<Int.random(in: 0...3, using: &self)).map { _ in value(depth: depth - 1) }
  }
}

/// An array in an array in an array, so many times.
func nest(_ depth: Int, around value: Value = .array([])) -> Value {
  var value = value
  for _ in 0..<depth { value = .array([value]) }
  return value
}

/// Takes a deep value apart level by level, because letting it go as a whole would need as many stack frames.
func dismantle(_ value: consuming Value) {
  var rest = value
  while let next = rest.array?.first ?? rest.dictionary?["a"] { rest = next }
}
