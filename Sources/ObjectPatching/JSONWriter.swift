/// Writes JSON documents: the shortest that read back as the same, or indented for people.
///
/// Members keep their order, so that the same value is always the same bytes.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private let isIndented: Bool
  private var level = 0

  init(isIndented: Bool = false) { self.isIndented = isIndented }

  mutating func write(_ value: JSONValue) {
    switch value {
    case .null: write("null")
    case .boolean(let value): write(value ? "true" : "false")
    case .integer(let value): write(String(value))
    case .number(let number): write(number.text)
    case .string(let text): writeString(text)
    case .array(let elements):
      write(elements, isEmpty: elements.isEmpty, 0x5B, 0x5D) { writer, element in
        writer.write(element)
      }
    case .object(let object):
      write(object.members, isEmpty: object.isEmpty, 0x7B, 0x7D) { writer, member in
        writer.writeString(member.key)
        writer.bytes.append(0x3A)
        if writer.isIndented { writer.bytes.append(0x20) }
        writer.write(member.value)
      }
    }
  }

  private mutating func write<Parts: Sequence>(
    _ parts: Parts, isEmpty: Bool, _ opening: UInt8, _ closing: UInt8,
    _ writePart: (inout JSONWriter, Parts.Element) -> Void
  ) {
    bytes.append(opening)
    level += 1
    var isFirst = true
    for part in parts {
      if !isFirst { bytes.append(0x2C) }
      isFirst = false
      beginLine()
      writePart(&self, part)
    }
    level -= 1
    if !isEmpty { beginLine() }
    bytes.append(closing)
  }

  private mutating func beginLine() {
    guard isIndented else { return }
    bytes.append(0x0A)
    bytes.append(contentsOf: repeatElement(0x20, count: 2 * level))
  }

  private mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  private mutating func writeString(_ text: String) {
    bytes.append(0x22)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x5C:
        bytes.append(0x5C)
        bytes.append(byte)
      case 0x0A: write("\\n")
      case 0x0D: write("\\r")
      case 0x09: write("\\t")
      case 0..<0x20, 0x7F:
        write("\\u00")
        bytes.append(Self.hexDigit(byte >> 4))
        bytes.append(Self.hexDigit(byte & 0xF))
      default: bytes.append(byte)
      }
    }
    bytes.append(0x22)
  }

  private static func hexDigit(_ digit: UInt8) -> UInt8 { digit < 10 ? 0x30 + digit : 0x57 + digit }
}

extension JSONValue {
  /// The document as bytes.
  package func bytes(isIndented: Bool = false) -> [UInt8] {
    var writer = JSONWriter(isIndented: isIndented)
    writer.write(self)
    return writer.bytes
  }
}

extension JSONValue: CustomStringConvertible {
  /// The document as a text.
  package var description: String { String(decoding: bytes(), as: UTF8.self) }
}

extension JSONValue {
  /// The bytes, where a reader takes all keys for names.
  func readableBytes(isIndented: Bool) throws(JSONError) -> [UInt8] {
    try refuseUnreadableKeys()
    return bytes(isIndented: isIndented)
  }

  private func refuseUnreadableKeys() throws(JSONError) {
    switch self {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        do throws(JSONError) {
          try element.refuseUnreadableKeys()
        } catch {
          throw error.inside(index)
        }
      }
    case .object(let object):
      for (key, value) in object.members {
        do throws(JSONError) {
          try Self.refuseUnreadable(key)
          try value.refuseUnreadableKeys()
        } catch {
          throw error.inside(key)
        }
      }
    default: break
    }
  }

  /// Refuses a key that no reader takes.
  static func refuseUnreadable(_ key: String) throws(JSONError) {
    if let problem = key.problemAsName {
      throw JSONError(.tooLarge, "is under a key that \(problem), which nobody reads back")
    }
  }
}
