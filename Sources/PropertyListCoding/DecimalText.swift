internal import FoundationEssentials

/// Decimals as their digits: `-12.5`, the same text for equal numbers.
enum DecimalText {
  /// A sign, 39 digits, a point, and 165 zeros are more than any number has.
  private static let largestByteCount = 256

  static func of(_ decimal: Decimal) -> String { decimal.description }

  /// - Returns: nil for anything that `of` does not give.
  static func read(_ text: String) -> Decimal? {
    // `Decimal(string:)` stops at what it does not know; what comes back tells whether it did.
    guard text.utf8.count <= largestByteCount, let decimal = Decimal(string: text),
      !decimal.isNaN, of(decimal).utf8.elementsEqual(text.utf8)
    else { return nil }
    return decimal
  }
}
