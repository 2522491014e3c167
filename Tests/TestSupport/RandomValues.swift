// Values of a seed, of every kind, with small, large and odd contents.

package import FoundationEssentials
package import ObjectModel

extension Dice {
  package mutating func integer() -> Int {
    let edges = [0, 1, 255, 256, 65535, 65536, 1 << 32 - 1, 1 << 32, -1, -128, .max, .min]
    if chance(2) { return edges[pick(edges.count)] }
    return Int(truncatingIfNeeded: number()) &* (chance(2) ? 1 : -1)
  }

  package mutating func real() -> Double {
    let edges = [0, -0.0, 1.5, .nan, .infinity, -.infinity, .leastNonzeroMagnitude]
    return chance(2) ? edges[pick(edges.count)] : Double(bitPattern: next())
  }

  package mutating func decimal() -> Decimal {
    let significand = Decimal(number()) * (chance(2) ? Decimal(number()) : 1)
    return Decimal(
      sign: chance(2) ? .plus : .minus, exponent: pick(200) - 100, significand: significand)
  }

  package mutating func text() -> String {
    let parts = [
      "", "a", "b", "title", " ", "\0", "é", "e\u{301}", "ß", "漢", "𝄞 clef", "🧑‍🚀", "\u{FFFF}",
    ]
    return (0..<pick(chance(8) ? 30 : 4)).map { _ in parts[pick(parts.count)] }.joined()
  }

  package mutating func uuid() -> UUID {
    let bytes = [UInt8](randomByteCount: 16, from: &self)
    return UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  package mutating func url() -> URL {
    let texts = ["https://example.com/a?b=c#d", "file:///tmp/a%20b", "x", "mailto:a@b.c", "a/b"]
    return URL(string: texts[pick(texts.count)] + "\(pick(100))") ?? URL(filePath: "/")
  }

  /// A value of any kind that can be stored.
  ///
  /// - Parameters:
  ///   - depth: how many collections may be in one another.
  ///   - store: the store of most objects that are referred to.
  package mutating func value(depth: Int, of store: StoreTag) -> Value {
    switch pick(depth > 0 ? 18 : 14) {
    case 0: .null
    case 1: .boolean(chance(2))
    case 2, 3: .integer(integer())
    case 4: .real(real())
    case 5: .decimal(decimal())
    case 6, 7: .string(text())
    case 8: .data(Data([UInt8](randomByteCount: pick(60), from: &self)))
    case 9: .date(Date(timeIntervalSinceReferenceDate: real()))
    case 10: .uuid(uuid())
    case 11: .url(url())
    case 12: .counter(integer())
    case 13:
      .reference(
        ObjectID(rawValue: number(), store: chance(3) ? StoreTag(rawValue: next()) : store))
    case 14, 15: .array(list(upTo: chance(4) ? 20 : 4) { $0.value(depth: depth - 1, of: store) })
    case 16: .set(members(depth: depth - 1, of: store))
    default: .dictionary(dictionary(depth: depth - 1, of: store))
    }
  }

  package mutating func members(depth: Int, of store: StoreTag) -> Set<Value> {
    Set(list(upTo: 5) { $0.value(depth: depth, of: store) })
  }

  package mutating func dictionary(depth: Int, of store: StoreTag) -> [String: Value] {
    let entries = list(upTo: chance(8) ? 40 : 6) { ($0.text(), $0.value(depth: depth, of: store)) }
    return Dictionary(entries) { first, _ in first }
  }

  package mutating func list<Element>(
    upTo count: Int, _ element: (inout Dice) -> Element
  ) -> [Element] {
    (0..<pick(count + 1)).map { _ in element(&self) }
  }
}
