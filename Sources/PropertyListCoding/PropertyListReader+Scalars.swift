internal import FoundationEssentials
internal import ObjectModel

// What objects hold that have no others in them.
extension PropertyListReader {
  /// The value of an object that is no container.
  @inline(__always)
  func scalar(_ object: PropertyListObject) throws(PropertyListError) -> Value {
    switch object.family {
    case .single: return .boolean(object.count == 1)
    case .integer: return .integer(try integer(object))
    case .real: return .real(real(object))
    case .date:
      let bits = integer(at: object.content, byteCount: 8)
      return .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: bits)))
    case .data: return .data(data(object))
    case .asciiString, .utf16String: return .string(try string(object))
    case .uid:
      guard try tag(object) == .null else { throw error(.tagMalformed, object.offset) }
      return .null
    case .array, .dictionary: preconditionFailure("a container is no scalar")
    }
  }

  /// An integer: of fewer than eight bytes it has no sign.
  @inline(__always)
  func integer(_ object: PropertyListObject) throws(PropertyListError) -> Int {
    guard object.count == 16 else {
      return Int(truncatingIfNeeded: integer(at: object.content, byteCount: object.count))
    }
    let high = integer(at: object.content, byteCount: 8)
    let low = Int(truncatingIfNeeded: integer(at: object.content + 8, byteCount: 8))
    guard high == (low < 0 ? UInt64.max : 0) else { throw error(.integerTooLarge, object.offset) }
    return low
  }

  private func real(_ object: PropertyListObject) -> Double {
    let bits = integer(at: object.content, byteCount: object.count)
    return object.count == 8
      ? Double(bitPattern: bits) : Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
  }

  func data(_ object: PropertyListObject) -> Data {
    Data(content(object, byteCount: object.count))
  }

  /// The kind that a UID names.
  func tag(_ object: PropertyListObject) throws(PropertyListError) -> Value.Kind {
    let leading = content(object, byteCount: object.count).dropLast()
    guard leading.allSatisfy({ $0 == 0 }),
      let kind = Value.Kind(rawValue: bytes[object.content + object.count - 1])
    else { throw error(.tagMalformed, object.offset) }
    return kind
  }

  @inline(__always)
  func content(_ object: PropertyListObject, byteCount: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[object.content..<object.content + byteCount])
  }

  /// Whether an object is a string.
  @inline(__always)
  func isString(_ object: PropertyListObject) -> Bool {
    object.family == .asciiString || object.family == .utf16String
  }

  @inline(__always)
  func string(_ object: PropertyListObject) throws(PropertyListError) -> String {
    if object.family == .utf16String { return try utf16String(object) }
    return String(decoding: try ascii(object), as: UTF8.self)
  }

  /// The bytes of a string of ASCII.
  @inline(__always)
  func ascii(_ object: PropertyListObject) throws(PropertyListError) -> UnsafeRawBufferPointer {
    let text = content(object, byteCount: object.count)
    guard isASCII(text) else { throw error(.stringNotASCII, object.offset) }
    return text
  }

  @inline(__always)
  private func isASCII(_ text: UnsafeRawBufferPointer) -> Bool {
    var bits: UInt64 = 0
    var offset = 0
    while text.count - offset >= 8 {
      bits |= text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      offset += 8
    }
    while offset < text.count {
      bits |= UInt64(text[offset])
      offset += 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }

  private func utf16String(_ object: PropertyListObject) throws(PropertyListError) -> String {
    let text = content(object, byteCount: object.count * 2)
    guard hasWholePairs(text) else { throw error(.surrogateUnpaired, object.offset) }
    // No unit takes more than three bytes.
    return String(unsafeUninitializedCapacity: object.count * 3) { target in
      var count = 0
      forEachScalar(text) { scalar in
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
          target[count] = byte
          count += 1
        }
      }
      return count
    }
  }

  @inline(__always)
  private func unit(_ text: UnsafeRawBufferPointer, _ offset: Int) -> UInt16 {
    UInt16(bigEndian: text.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
  }

  private func hasWholePairs(_ text: UnsafeRawBufferPointer) -> Bool {
    var offset = 0
    while offset < text.count {
      let first = unit(text, offset)
      offset += 2
      guard UTF16.isSurrogate(first) else { continue }
      guard UTF16.isLeadSurrogate(first), offset < text.count,
        UTF16.isTrailSurrogate(unit(text, offset))
      else { return false }
      offset += 2
    }
    return true
  }

  private func forEachScalar(
    _ text: UnsafeRawBufferPointer, _ body: (Unicode.Scalar) -> Void
  ) {
    var offset = 0
    while offset < text.count {
      var value = UInt32(unit(text, offset))
      offset += 2
      if value & 0xFC00 == 0xD800, offset < text.count {
        value = 0x10000 + (value & 0x3FF) << 10 + UInt32(unit(text, offset) & 0x3FF)
        offset += 2
      }
      body(Unicode.Scalar(value) ?? "\u{FFFD}")
    }
  }
}
