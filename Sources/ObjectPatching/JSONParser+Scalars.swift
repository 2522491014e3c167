// Strings and numbers of JSON documents.
extension JSONParser {
  // MARK: Strings

  /// Reads from the opening to the closing quote.
  mutating func string() throws(JSONError) -> String {
    offset += 1
    let start = offset
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == 0x22 {
        let text = try text(UnsafeRawBufferPointer(rebasing: bytes[start..<offset]), at: start)
        offset += 1
        return text
      }
      if byte == 0x5C { return try escapedString(from: start) }
      if byte < 0x20 { throw controlCharacter() }
      offset += 1
    }
    throw error(.badSyntax, "ends within a string")
  }

  private func controlCharacter() -> JSONError {
    error(.badSyntax, "has a control character in a string; write it as an escape")
  }

  /// Reads a string in which something is escaped, the first of it at the offset.
  private mutating func escapedString(from start: Int) throws(JSONError) -> String {
    unescaped.removeAll(keepingCapacity: true)
    unescaped.append(contentsOf: bytes[start..<offset])
    while offset < bytes.count {
      let byte = bytes[offset]
      switch byte {
      case 0x22:
        let (contents, end) = (unescaped, offset)
        let result = contents.withUnsafeBytes { contents -> Result<String, JSONError> in
          Result { () throws(JSONError) in try text(contents, at: start, end) }
        }
        offset += 1
        return try result.get()
      case 0x5C: try escape()
      case 0..<0x20: throw controlCharacter()
      default:
        unescaped.append(byte)
        offset += 1
      }
    }
    throw error(.badSyntax, "ends within a string")
  }

  private mutating func escape() throws(JSONError) {
    let start = offset
    offset += 1
    guard let kind = next else { throw error(.badSyntax, "ends within a string") }
    offset += 1
    switch kind {
    case 0x22, 0x5C, 0x2F: unescaped.append(kind)
    case 0x62: unescaped.append(0x08)
    case 0x66: unescaped.append(0x0C)
    case 0x6E: unescaped.append(0x0A)
    case 0x72: unescaped.append(0x0D)
    case 0x74: unescaped.append(0x09)
    case 0x75: try unicodeEscape(from: start)
    default: throw error(.badSyntax, "has an escape that there is not", at: start)
    }
  }

  private mutating func unicodeEscape(from start: Int) throws(JSONError) {
    var code = try fourDigits(from: start)
    if (0xD800..<0xDC00).contains(code), bytes[offset...].starts(with: [0x5C, 0x75]) {
      offset += 2
      let low = try fourDigits(from: start)
      if (0xDC00..<0xE000).contains(low) {
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw error(.badText, "has one half of a surrogate pair without the other", at: start)
    }
    if let units = UTF8.encode(scalar) { unescaped.append(contentsOf: units) }
  }

  private mutating func fourDigits(from start: Int) throws(JSONError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      let digit: UInt8
      switch next {
      case let byte? where (0x30...0x39).contains(byte): digit = byte - 0x30
      case let byte? where (0x61...0x66).contains(byte | 0x20): digit = (byte | 0x20) - 0x57
      default:
        throw error(.badSyntax, "has no four hexadecimal digits behind \\u", at: start)
      }
      code = code << 4 | UInt32(digit)
      offset += 1
    }
    return code
  }

  /// The text of bytes that stand at a place, if they are UTF-8.
  private func text(
    _ contents: UnsafeRawBufferPointer, at start: Int, _ end: Int? = nil
  ) throws(JSONError) -> String {
    let units = contents.bindMemory(to: UInt8.self)
    if let text = String(validating: units, as: UTF8.self) { return text }
    // Where escapes have changed the lengths, the string as a whole is the place.
    let place = end == nil ? start + Self.validPrefixCount(of: units) : start
    throw error(.badText, "has bytes in a string that are not UTF-8", at: place)
  }

  /// How many bytes are UTF-8 before the first that are not.
  private static func validPrefixCount(of units: UnsafeBufferPointer<UInt8>) -> Int {
    var (low, high) = (0, units.count)
    // A prefix that is cut within a character is no evidence, so a few more bytes are looked at.
    while low < high {
      let middle = (low + high + 1) / 2
      let isValid = (0..<4).contains { cut in
        middle >= cut
          && String(
            validating: UnsafeBufferPointer(rebasing: units[..<(middle - cut)]), as: UTF8.self)
            != nil
      }
      if isValid { low = middle } else { high = middle - 1 }
    }
    while low > 0,
      String(validating: UnsafeBufferPointer(rebasing: units[..<low]), as: UTF8.self) == nil
    {
      low -= 1
    }
    return low
  }

  // MARK: Numbers

  mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    if next == 0x2D { offset += 1 }
    let first = offset
    try digits("has no digit in a number where one is wanted")
    if bytes[first] == 0x30, offset > first + 1 {
      throw error(.badSyntax, "has a number that begins with a zero too many", at: first)
    }
    var isWhole = true
    if next == 0x2E {
      isWhole = false
      offset += 1
      try digits("has no digit behind the point of a number")
    }
    if let byte = next, byte | 0x20 == 0x65 {
      isWhole = false
      offset += 1
      if next == 0x2B || next == 0x2D { offset += 1 }
      try digits("has no digit in the exponent of a number")
    }
    guard offset - start <= limits.numberLength else {
      throw error(
        .tooLarge, "has a number of more than \(limits.numberLength) characters", at: start)
    }
    if isWhole, let integer = integer(start..<offset) { return .integer(integer) }
    return .number(JSONNumber(known: String(decoding: bytes[start..<offset], as: UTF8.self)))
  }

  private mutating func digits(_ otherwise: StaticString) throws(JSONError) {
    let start = offset
    while let byte = next, (0x30...0x39).contains(byte) { offset += 1 }
    if offset == start { throw error(.badSyntax, "\(otherwise)") }
  }

  /// The integer that digits are; nil where it is too large, and for the zero with a minus, which only a real is.
  private func integer(_ range: Range<Int>) -> Int? {
    let isNegative = bytes[range.lowerBound] == 0x2D
    var value = 0
    for byte in bytes[range.dropFirst(isNegative ? 1 : 0)] {
      let (shifted, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      // Below zero there is one more.
      let digit = Int(byte) - 0x30
      let (sum, isBeyond) = shifted.subtractingReportingOverflow(digit)
      if isTooLarge || isBeyond { return nil }
      value = sum
    }
    if isNegative { return value == 0 ? nil : value }
    return value == .min ? nil : -value
  }
}
