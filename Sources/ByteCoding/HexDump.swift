/// Bytes as people read them: sixteen a line, with their position and what they spell.
package enum HexDump {
  /// Renders bytes; the first line's position is `offset`.
  package static func lines(_ bytes: UnsafeRawBufferPointer, from offset: UInt64 = 0) -> [String] {
    stride(from: 0, to: bytes.count, by: 16).map { start in
      let row = bytes[start..<min(start + 16, bytes.count)]
      let position = hexadecimal(offset &+ UInt64(start), digits: 8)
      var numbers = ""
      var letters = ""
      for (column, byte) in row.enumerated() {
        numbers += (column == 8 ? "  " : " ") + hexadecimal(UInt64(byte), digits: 2)
        letters.append(byte >= 0x20 && byte < 0x7F ? Character(Unicode.Scalar(byte)) : ".")
      }
      let padding = String(repeating: " ", count: 49 - numbers.count)
      return "\(position) \(numbers)\(padding)  |\(letters)|"
    }
  }

  /// A number in base sixteen with at least as many digits.
  package static func hexadecimal(_ value: UInt64, digits: Int) -> String {
    let text = String(value, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }
}
