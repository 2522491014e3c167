package import FoundationEssentials
internal import ObjectModel

/// A number as JSON writes it, of any size and precision.
package struct JSONNumber: Sendable {
  /// What is written, as the grammar of RFC 8259 has it.
  package let text: String

  /// Takes a text over that is known to be a number.
  init(known text: String) { self.text = text }

  package init(_ integer: Int) { text = String(integer) }

  /// The number that a real is, in the fewest digits that read back as the same; nil where it is infinite or none.
  package init?(_ real: Double) {
    guard real.isFinite else { return nil }
    text = real.description
  }

  /// Whether it is written as a whole number, without point and exponent.
  package var isWhole: Bool { !text.utf8.contains { $0 == 0x2E || $0 | 0x20 == 0x65 } }

  /// The nearest real; nil where the number is beyond them all.
  package var real: Double? {
    guard let real = Double(text), real.isFinite else { return nil }
    return real
  }

  /// Whether it is written as a whole number, and is larger than integers are: it must not be rounded in silence.
  var isWholeBeyondIntegers: Bool { isWhole && integer == nil }

  /// The real that is the same whole number; nil where there is none, or the number has more than 128 bits.
  var exactReal: Double? { Int128(text).flatMap { Double(exactly: $0) } }

  /// The same number as an integer of 64 bits; nil where it is none, or too large.
  package var integer: Int? {
    let parts = JSONDigits(text)
    guard parts.exponent >= 0, parts.exponent < 20, parts.digits.count < 20 else { return nil }
    let zeros = String(repeating: "0", count: parts.exponent)
    return Int(
      (parts.isNegative ? "-" : "") + String(decoding: parts.digits, as: UTF8.self) + zeros)
  }

  /// The same number as a decimal; nil where no decimal is exactly that.
  package var decimal: Decimal? {
    let parts = JSONDigits(text)
    if parts.digits == [0x30] { return Decimal(0) }
    // More digits than a decimal holds would be rounded in silence.
    var digits = (parts.isNegative ? "-" : "") + String(decoding: parts.digits, as: UTF8.self)
    var exponent = parts.exponent
    guard parts.digits.count <= 39, exponent >= -128, exponent <= 127 + 39 - parts.digits.count
    else { return nil }
    // The largest have zeros among the digits.
    if exponent > 127 {
      digits += String(repeating: "0", count: exponent - 127)
      exponent = 127
    }
    guard let decimal = Decimal(string: "\(digits)e\(exponent)"), !decimal.isNaN,
      JSONDigits(decimal.description) == parts
    else { return nil }
    return decimal
  }
}

extension JSONNumber: Equatable {
  /// Whether both are the same amount, however written.
  package static func == (one: JSONNumber, other: JSONNumber) -> Bool {
    one.text == other.text || JSONDigits(one.text) == JSONDigits(other.text)
  }
}

/// A number taken apart: its digits without zeros at either end, and the power of ten they are multiplied by.
/// Two numbers are the same amount exactly where their parts are equal.
struct JSONDigits: Equatable {
  let isNegative: Bool
  /// As ASCII has them; `0` alone for zero.
  let digits: [UInt8]
  let exponent: Int

  /// - Parameter text: a number as the grammar has it.
  init(_ text: String) {
    var digits: [UInt8] = []
    var exponent = 0
    var isNegative = false
    var isFraction = false
    var rest = Substring(text).utf8[...]
    if rest.first == 0x2D {
      isNegative = true
      rest = rest.dropFirst()
    }
    while let byte = rest.first, byte | 0x20 != 0x65 {
      rest = rest.dropFirst()
      if byte == 0x2E {
        isFraction = true
        continue
      }
      if isFraction { exponent -= 1 }
      if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
    }
    exponent += Self.exponent(rest.dropFirst())
    while digits.last == 0x30 {
      digits.removeLast()
      exponent += 1
    }
    let isZero = digits.isEmpty
    self.isNegative = isNegative && !isZero
    self.digits = isZero ? [0x30] : digits
    self.exponent = isZero ? 0 : exponent
  }

  /// Exponents beyond all reason count as the largest: the amounts cannot be told apart by anybody.
  private static func exponent(_ text: Substring.UTF8View.SubSequence) -> Int {
    var exponent = 0
    for byte in text where (0x30...0x39).contains(byte) {
      exponent = min(exponent * 10 + Int(byte) - 0x30, 1 << 50)
    }
    return text.first == 0x2D ? -exponent : exponent
  }
}
