// Values by seed, and property lists put together byte by byte.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport

extension Dice {
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  /// A value that other readers of property lists know too; dates are of whole seconds.
  mutating func plainValue(depth: Int = 0) -> Value {
    switch below(depth > 4 ? 6 : 9) {
    case 0: .boolean(below(2) == 0)
    case 1: .integer(integer())
    case 2: .real(finiteReal())
    case 3:
      .date(Date(timeIntervalSinceReferenceDate: Double(below(4_000_000_000) - 2_000_000_000)))
    case 4: .data(Data([UInt8](randomByteCount: below(40), from: &self)))
    case 5: .string(text())
    case 6: .array((0..<below(20)).map { _ in plainValue(depth: depth + 1) })
    default: .dictionary(dictionary { $0.plainValue(depth: depth + 1) })
    }
  }

  /// A value of any kind.
  mutating func anyValue(depth: Int = 0) -> Value {
    switch below(depth > 4 ? 13 : 18) {
    case 0...5: plainValue(depth: 5)
    case 6: .null
    case 7: .real(Double(bitPattern: next()))
    case 8: .decimal(decimal())
    case 9: .uuid(uuid())
    case 10: .url(url())
    case 11: .counter(integer())
    case 12: .reference(ObjectID(rawValue: next(), store: StoreTag(rawValue: next())))
    case 13: .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: next())))
    case 14: .set(Set((0..<below(6)).map { _ in anyValue(depth: depth + 1) }))
    case 15: .array((0..<below(20)).map { _ in anyValue(depth: depth + 1) })
    default: .dictionary(dictionary { $0.anyValue(depth: depth + 1) })
    }
  }

  private mutating func dictionary(_ value: (inout Dice) -> Value) -> [String: Value] {
    var entries: [String: Value] = [:]
    for _ in 0..<below(below(9) == 0 ? 60 : 9) { entries[text()] = value(&self) }
    return entries
  }

  private mutating func integer() -> Int {
    let edges = [0, 1, 255, 256, 65535, 65536, 1 << 32 - 1, 1 << 32, -1, -128, .max, .min]
    return below(2) == 0 ? edges[below(edges.count)] : Int(truncatingIfNeeded: next()) >> below(64)
  }

  private mutating func finiteReal() -> Double {
    let real = Double(bitPattern: next())
    let edges = [0, -0.0, 1.5, -.infinity, .infinity, .leastNonzeroMagnitude]
    return below(3) == 0 || real.isNaN ? edges[below(edges.count)] : real
  }

  private mutating func text() -> String {
    let letters = ["a", "b", "key", " ", "\0", "é", "e\u{301}", "ß", "漢", "😀", "\u{FFFF}", "𐀀"]
    let isASCII = below(3) > 0
    return (0..<below(below(5) == 0 ? 40 : 6)).map { _ in letters[below(isASCII ? 5 : 12)] }
      .joined()
  }

  private mutating func decimal() -> Decimal {
    let digits = (0...below(38)).map { _ in String(below(10)) }.joined()
    let sign = below(2) == 0 ? "-" : ""
    return Decimal(string: "\(sign)\(digits)e\(below(200) - 100)") ?? 0
  }

  private mutating func uuid() -> UUID {
    var bytes = UUID().uuid
    withUnsafeMutableBytes(of: &bytes) {
      $0.storeBytes(of: next(), as: UInt64.self)
      $0.storeBytes(of: next(), toByteOffset: 8, as: UInt64.self)
    }
    return UUID(uuid: bytes)
  }

  private mutating func url() -> URL {
    let texts = ["https://example.com/a?b=c#d", "file:///tmp/a%20b", "mailto:a@b.c", "a/b"]
    return URL(string: texts[below(texts.count)] + "\(below(100))") ?? URL(filePath: "/")
  }
}

/// A property list put together object by object, sound or not.
struct ListBytes {
  var objects: [[UInt8]]
  var root = 0
  var referenceByteCount = 1
  var offsetByteCount = 1
  var offsets: [Int: UInt64] = [:]

  init(_ objects: [UInt8]...) { self.objects = objects }
  init(objects: [[UInt8]]) { self.objects = objects }

  /// Where an object begins.
  func offset(of index: Int) -> Int { 8 + objects[..<index].joined().count }

  static func bigEndian(_ value: UInt64, _ byteCount: Int) -> [UInt8] {
    (0..<byteCount).map { UInt8(truncatingIfNeeded: value >> UInt64((byteCount - 1 - $0) * 8)) }
  }

  static func text(_ text: String) -> [UInt8] {
    precondition(text.utf8.count < 15 && text.utf8.allSatisfy { $0 < 0x80 }, "short and ASCII")
    return [0x50 | UInt8(text.utf8.count)] + Array(text.utf8)
  }

  var bytes: [UInt8] {
    var bytes = Array("bplist00".utf8) + objects.joined()
    let tableOffset = bytes.count
    for index in objects.indices {
      bytes += Self.bigEndian(offsets[index] ?? UInt64(offset(of: index)), offsetByteCount)
    }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetByteCount), UInt8(referenceByteCount)]
    for word in [objects.count, root, tableOffset] { bytes += Self.bigEndian(UInt64(word), 8) }
    return bytes
  }
}

/// Why a list is refused; nil where it is read.
func refusal(_ bytes: [UInt8]) -> PropertyListError? {
  do throws(PropertyListError) {
    _ = try PropertyListReader.decode(bytes)
    return nil
  } catch {
    return error
  }
}
