package import FoundationEssentials

/// A decimal number taken to pieces: ± mantissa × 10^exponent. The mantissa ends in 0 only where it is 0
/// (the exponent then is 0, too) or the exponent is the largest, so that each number has one form.
package struct DecimalParts: Hashable {
  static let exponents = -128...127

  package let isNegative: Bool
  package let exponent: Int
  package let mantissa: UInt128

  /// Parts from a file; nil where they are not the one form of a number.
  init?(isNegative: Bool, exponent: Int, mantissa: UInt128) {
    self.isNegative = isNegative
    self.exponent = exponent
    self.mantissa = mantissa
    if mantissa == 0 {
      guard !isNegative, exponent == 0 else { return nil }
    } else if exponent < Self.exponents.upperBound {
      guard mantissa % 10 != 0 else { return nil }
    }
  }

  /// Takes a number to pieces; nil where it is none, or could not be put together again.
  package init?(_ decimal: Decimal) {
    // There is no other way in public to the digits; they are exact.
    guard !decimal.isNaN, var mantissa = UInt128(decimal.significand.description) else {
      return nil
    }
    var exponent = mantissa == 0 ? 0 : decimal.exponent
    while mantissa != 0, mantissa % 10 == 0, exponent < Self.exponents.upperBound {
      mantissa /= 10
      exponent += 1
    }
    self.isNegative = mantissa != 0 && decimal.isSignMinus
    self.exponent = exponent
    self.mantissa = mantissa
    guard Self.exponents.contains(exponent), self.decimal == decimal else { return nil }
  }

  /// The number; nil where this system's decimals cannot hold it.
  var decimal: Decimal? {
    Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)")
  }
}
