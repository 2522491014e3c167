// Values by seed, and property lists put together byte by byte.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport

extension Dice {
  /// A value that other readers of property lists know too; dates are of whole seconds.
  mutating func plainValue(depth: Int = 0) -> Value {
    switch pick(depth > 4 ? 6 : 9) {
    case 0: .boolean(pick(2) == 0)
    case 1: .integer(integer())
    case 2: .real(finiteReal())
    case 3:
      .date(Date(timeIntervalSinceReferenceDate: Double(pick(4_000_000_000) - 2_000_000_000)))
    case 4: .data(Data([UInt8](randomByteCount: pick(40), from: &self)))
    case 5: .string(text())
    case 6: .array((0..<pick(20)).map { _ in plainValue(depth: depth + 1) })
    default: .dictionary(dictionary { $0.plainValue(depth: depth + 1) })
    }
  }

  /// A value of any kind.
  mutating func anyValue(depth: Int = 4) -> Value {
    value(depth: depth, of: StoreTag(rawValue: 1))
  }

  private mutating func dictionary(_ value: (inout Dice) -> Value) -> [String: Value] {
    var entries: [String: Value] = [:]
    for _ in 0..<pick(pick(9) == 0 ? 60 : 9) { entries[text()] = value(&self) }
    return entries
  }

  private mutating func finiteReal() -> Double {
    let real = Double(bitPattern: next())
    let edges = [0, -0.0, 1.5, -.infinity, .infinity, .leastNonzeroMagnitude]
    return pick(3) == 0 || real.isNaN ? edges[pick(edges.count)] : real
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
