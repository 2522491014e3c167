internal import FoundationEssentials
internal import ObjectModel

/// Makes storable values of what is `Encodable`.
enum ValueEncoding {
  static func value<Object: Encodable>(of object: Object) throws -> Value {
    try value(of: object, at: [])
  }

  fileprivate static func value<Object: Encodable>(
    of object: Object, at path: [any CodingKey]
  ) throws -> Value {
    // What the store knows needs no coding of its own.
    switch object {
    case let value as Data: return .data(value)
    case let value as Date: return .date(value)
    case let value as UUID: return .uuid(value)
    case let value as URL: return .url(value)
    case let value as Decimal: return .decimal(value)
    default: break
    }
    guard path.count < Value.largestDepth else {
      throw EncodingError.invalidValue(
        object,
        EncodingError.Context(
          codingPath: path, debugDescription: "nested deeper than \(Value.largestDepth) levels"))
    }
    let node = EncodedNode()
    try object.encode(to: ValueEncoder(node: node, codingPath: path))
    return node.value
  }

  /// An integer; one that is too large for that as the decimal that it is.
  fileprivate static func integer(_ integer: UInt64) -> Value {
    Int(exactly: integer).map { .integer($0) } ?? .decimal(Decimal(integer))
  }
}

/// What containers put their values into: they may go on after a coder has given them away.
private final class EncodedNode {
  enum Content {
    case value(Value)
    case keyed([String: EncodedNode])
    case unkeyed([EncodedNode])
  }

  var content = Content.keyed([:])

  init(_ value: Value? = nil) {
    if let value { content = .value(value) }
  }

  var value: Value {
    switch content {
    case .value(let value): value
    case .keyed(let nodes): .dictionary(nodes.mapValues(\.value))
    case .unkeyed(let nodes): .array(nodes.map(\.value))
    }
  }

  func set(_ node: EncodedNode, for key: String) {
    guard case .keyed(var nodes) = content else { return }
    content = .value(.null)
    nodes[key] = node
    content = .keyed(nodes)
  }

  /// The node of a key, which goes on with what it has where there is one: several containers may be asked for of one
  /// key.
  func nested(for key: String) -> EncodedNode {
    if case .keyed(let nodes) = content, let nested = nodes[key] { return nested }
    let nested = EncodedNode()
    set(nested, for: key)
    return nested
  }

  func append(_ node: EncodedNode) {
    guard case .unkeyed(var nodes) = content else { return }
    content = .value(.null)
    nodes.append(node)
    content = .unkeyed(nodes)
  }

  var count: Int { if case .unkeyed(let nodes) = content { nodes.count } else { 0 } }

  /// What was given as a whole is gone on with, too.
  func beginKeyed() {
    switch content {
    case .keyed: break
    case .value(.dictionary(let values)): content = .keyed(values.mapValues { EncodedNode($0) })
    default: content = .keyed([:])
    }
  }

  func beginUnkeyed() {
    switch content {
    case .unkeyed: break
    case .value(.array(let values)): content = .unkeyed(values.map { EncodedNode($0) })
    default: content = .unkeyed([])
    }
  }
}

private struct ValueEncoder: Encoder {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    node.beginKeyed()
    return KeyedEncodingContainer(KeyedEncoding(node: node, codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginUnkeyed()
    return UnkeyedEncoding(node: node, codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    SingleEncoding(node: node, codingPath: codingPath)
  }
}

private struct KeyedEncoding<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  // Absence says nil where there are keys.
  func encodeNil(forKey key: Key) {}

  func encode<Object: Encodable>(_ object: Object, forKey key: Key) throws {
    let value = try ValueEncoding.value(of: object, at: codingPath + [key])
    node.set(EncodedNode(value), for: key.stringValue)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    nestedEncoder(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    nestedEncoder(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedEncoder(NestedKey("super")) }
  func superEncoder(forKey key: Key) -> any Encoder { nestedEncoder(key) }

  private func nestedEncoder(_ key: some CodingKey) -> ValueEncoder {
    ValueEncoder(node: node.nested(for: key.stringValue), codingPath: codingPath + [key])
  }
}

private struct UnkeyedEncoding: UnkeyedEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]
  var count: Int { node.count }

  func encodeNil() { node.append(EncodedNode(.null)) }

  func encode<Object: Encodable>(_ object: Object) throws {
    node.append(
      EncodedNode(try ValueEncoding.value(of: object, at: codingPath + [NestedKey(count)])))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    nestedEncoder().container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    nestedEncoder().unkeyedContainer()
  }

  func superEncoder() -> any Encoder { nestedEncoder() }

  private func nestedEncoder() -> ValueEncoder {
    let nested = EncodedNode()
    let key = NestedKey(count)
    node.append(nested)
    return ValueEncoder(node: nested, codingPath: codingPath + [key])
  }
}

private struct SingleEncoding: SingleValueEncodingContainer {
  let node: EncodedNode
  let codingPath: [any CodingKey]

  private func put(_ value: Value) { node.content = .value(value) }

  func encodeNil() { put(.null) }
  func encode(_ value: Bool) { put(.boolean(value)) }
  func encode(_ value: String) { put(.string(value)) }
  func encode(_ value: Double) { put(.real(value)) }
  func encode(_ value: Float) { put(.real(Double(value))) }
  func encode(_ value: Int) { put(.integer(value)) }
  func encode(_ value: Int8) { put(.integer(Int(value))) }
  func encode(_ value: Int16) { put(.integer(Int(value))) }
  func encode(_ value: Int32) { put(.integer(Int(value))) }
  func encode(_ value: Int64) { put(.integer(Int(value))) }
  func encode(_ value: UInt8) { put(.integer(Int(value))) }
  func encode(_ value: UInt16) { put(.integer(Int(value))) }
  func encode(_ value: UInt32) { put(.integer(Int(value))) }
  func encode(_ value: UInt) { put(ValueEncoding.integer(UInt64(value))) }
  func encode(_ value: UInt64) { put(ValueEncoding.integer(value)) }

  func encode<Object: Encodable>(_ object: Object) throws {
    // A type that hands its coding on to itself would do so for ever.
    put(try ValueEncoding.value(of: object, at: codingPath + [NestedKey("value")]))
  }
}

/// A key for what has none.
struct NestedKey: CodingKey {
  let stringValue: String
  let intValue: Int?

  init(_ name: String) {
    stringValue = name
    intValue = nil
  }

  init(_ index: Int) {
    stringValue = "\(index)"
    intValue = index
  }

  init?(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { self.init(intValue) }
}
