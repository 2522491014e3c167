internal import FoundationEssentials
internal import ObjectModel

/// The beginning of an encoded value: all of it, or for a collection how many are to come.
enum ValueToken {
  case absent
  case null
  case boolean(Bool)
  case integer(Int)
  case real(Double)
  case decimal(Decimal)
  case string(UnsafeRawBufferPointer)
  case data(UnsafeRawBufferPointer)
  case date(Double)
  case uuid(UnsafeRawBufferPointer)
  case url(UnsafeRawBufferPointer)
  case array(count: Int)
  case dictionary(count: Int)
  case counter(Int)
  case set(count: Int)
  case reference(ObjectID)
}

extension EventReader {
  /// Reads the beginning of a value; of a string or URL only the bytes, unchecked.
  mutating func token() throws(EventCodingError) -> ValueToken {
    let start = offset
    let tag = try byte()
    if tag >= ValueTag.smallInteger {
      return .integer(Int(tag & 0x7F) + ValueTag.smallIntegers.lowerBound)
    }
    if tag >= ValueTag.shortString { return .string(try raw(Int(tag & 0x3F))) }
    switch tag {
    case ValueTag.absent: return .absent
    case ValueTag.null: return .null
    case ValueTag.no: return .boolean(false)
    case ValueTag.yes: return .boolean(true)
    case ValueTag.integer: return .integer(try largeInteger(from: start))
    case ValueTag.real: return .real(Double(bitPattern: try fixed()))
    case ValueTag.decimal: return .decimal(try decimal(isNegative: false, from: start))
    case ValueTag.negativeDecimal: return .decimal(try decimal(isNegative: true, from: start))
    case ValueTag.string: return .string(try longText(from: start))
    case ValueTag.data: return .data(try raw(count()))
    case ValueTag.date: return .date(Double(bitPattern: try fixed()))
    case ValueTag.uuid: return .uuid(try raw(16))
    case ValueTag.url: return .url(try raw(count()))
    case ValueTag.array: return .array(count: try count())
    case ValueTag.dictionary: return .dictionary(count: try count(ofAtLeast: 2))
    case ValueTag.counter: return .counter(try signed())
    case ValueTag.set: return .set(count: try count())
    case ValueTag.reference: return .reference(try object())
    case ValueTag.foreignReference: return .reference(try foreignObject(from: start))
    default: throw error(.tagUnknown(tag), at: start)
    }
  }

  private mutating func largeInteger(from start: Int) throws(EventCodingError) -> Int {
    let value = try signed()
    guard !ValueTag.smallIntegers.contains(value) else { throw error(.notShortest, at: start) }
    return value
  }

  private mutating func longText(
    from start: Int
  ) throws(EventCodingError) -> UnsafeRawBufferPointer {
    let bytes = try raw(count())
    guard !ValueTag.shortStringByteCounts.contains(bytes.count) else {
      throw error(.notShortest, at: start)
    }
    return bytes
  }

  private mutating func decimal(
    isNegative: Bool, from start: Int
  ) throws(EventCodingError) -> Decimal {
    let exponent = Int(Int8(bitPattern: try byte()))
    let low = UInt128(try varint())
    let mantissa = UInt128(try varint()) << 64 | low
    let parts = DecimalParts(isNegative: isNegative, exponent: exponent, mantissa: mantissa)
    guard let parts else { throw error(.notShortest, at: start) }
    guard let decimal = parts.decimal else { throw error(.decimalUnreadable, at: start) }
    return decimal
  }

  private mutating func foreignObject(from start: Int) throws(EventCodingError) -> ObjectID {
    let tag = StoreTag(rawValue: try fixed())
    guard tag != store else { throw error(.ownStoreNamed, at: start) }
    return try object(of: tag)
  }
}
