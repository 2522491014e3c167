internal import FoundationEssentials
internal import ObjectModel

/// Makes of storable values what is `Decodable`.
enum ValueDecoding {
  static func object<Object: Decodable>(_ type: Object.Type, of value: Value) throws -> Object {
    try object(type, of: value, at: [])
  }

  fileprivate static func object<Object: Decodable>(
    _ type: Object.Type, of value: Value, at path: [any CodingKey]
  ) throws -> Object {
    let known: Any? =
      switch (type, value) {
      case (is Data.Type, .data(let value)): value
      case (is Date.Type, .date(let value)): value
      case (is UUID.Type, .uuid(let value)): value
      case (is URL.Type, .url(let value)): value
      case (is Decimal.Type, .decimal(let value)): value
      default: nil
      }
    if let known, let object = known as? Object { return object }
    guard path.count < Value.largestDepth else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: path, debugDescription: "nested deeper than \(Value.largestDepth) levels"))
    }
    return try Object(from: ValueDecoder(value: value, codingPath: path))
  }

  fileprivate static func mismatch(
    _ type: Any.Type, _ value: Value, at path: [any CodingKey]
  ) -> DecodingError {
    let context = DecodingError.Context(
      codingPath: path, debugDescription: "the stored value is \(value.kind)")
    return value.isNull ? .valueNotFound(type, context) : .typeMismatch(type, context)
  }
}

private struct ValueDecoder: Decoder {
  let value: Value
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .dictionary(let values) = value else {
      throw ValueDecoding.mismatch([String: Value].self, value, at: codingPath)
    }
    return KeyedDecodingContainer(KeyedDecoding(values: values, codingPath: codingPath))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let values) = value else {
      throw ValueDecoding.mismatch([Value].self, value, at: codingPath)
    }
    return UnkeyedDecoding(values: values, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    SingleDecoding(value: value, codingPath: codingPath)
  }
}

private struct KeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let values: [String: Value]
  let codingPath: [any CodingKey]
  var allKeys: [Key] { values.keys.compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) -> Bool { values[key.stringValue]?.isNull ?? true }

  func decode<Object: Decodable>(_ type: Object.Type, forKey key: Key) throws -> Object {
    try ValueDecoding.object(type, of: try value(key), at: codingPath + [key])
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try nestedDecoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try nestedDecoder(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try nestedDecoder(NestedKey("super")) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try nestedDecoder(key) }

  private func nestedDecoder(_ key: some CodingKey) throws -> ValueDecoder {
    ValueDecoder(value: try value(key), codingPath: codingPath + [key])
  }

  private func value(_ key: some CodingKey) throws -> Value {
    guard let value = values[key.stringValue] else {
      throw DecodingError.keyNotFound(
        key, DecodingError.Context(codingPath: codingPath, debugDescription: "there is no such key")
      )
    }
    return value
  }
}

private struct UnkeyedDecoding: UnkeyedDecodingContainer {
  let values: [Value]
  let codingPath: [any CodingKey]
  var currentIndex = 0
  var count: Int? { values.count }
  var isAtEnd: Bool { currentIndex == values.count }

  mutating func decodeNil() -> Bool {
    guard !isAtEnd, values[currentIndex].isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Object: Decodable>(_ type: Object.Type) throws -> Object {
    let decoder = try next(type)
    let object = try ValueDecoding.object(type, of: decoder.value, at: decoder.codingPath)
    currentIndex += 1
    return object
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    let container = try next([String: Value].self).container(keyedBy: type)
    currentIndex += 1
    return container
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    let container = try next([Value].self).unkeyedContainer()
    currentIndex += 1
    return container
  }

  mutating func superDecoder() throws -> any Decoder {
    let decoder = try next(Value.self)
    currentIndex += 1
    return decoder
  }

  private func next(_ type: Any.Type) throws -> ValueDecoder {
    let path = codingPath + [NestedKey(currentIndex)]
    guard !isAtEnd else {
      throw DecodingError.valueNotFound(
        type,
        DecodingError.Context(codingPath: path, debugDescription: "there are no more elements"))
    }
    return ValueDecoder(value: values[currentIndex], codingPath: path)
  }
}

private struct SingleDecoding: SingleValueDecodingContainer {
  let value: Value
  let codingPath: [any CodingKey]

  func decodeNil() -> Bool { value.isNull }
  func decode(_ type: Bool.Type) throws -> Bool { try take(value.boolean) }
  func decode(_ type: String.Type) throws -> String { try take(value.string) }
  func decode(_ type: Double.Type) throws -> Double { try take(real) }
  func decode(_ type: Float.Type) throws -> Float { Float(try take(real)) }
  func decode(_ type: Int.Type) throws -> Int { try integer() }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
  func decode(_ type: UInt.Type) throws -> UInt { try integer() }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
  func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }

  func decode<Object: Decodable>(_ type: Object.Type) throws -> Object {
    // A type that hands its coding on to itself would do so for ever.
    try ValueDecoding.object(type, of: value, at: codingPath + [NestedKey("value")])
  }

  /// A real is also read from an integer: programs set the one where they mean the other.
  private var real: Double? { value.real ?? value.integer.map { Double($0) } }

  private func integer<Integer: FixedWidthInteger>() throws -> Integer {
    // Those that an integer has no room for are stored as decimals.
    if let decimal = value.decimal { return try take(Integer("\(decimal)")) }
    return try take(value.integer.flatMap { Integer(exactly: $0) })
  }

  private func take<Object>(_ object: Object?) throws -> Object {
    guard let object else { throw ValueDecoding.mismatch(Object.self, value, at: codingPath) }
    return object
  }
}
