package import ObjectModel

/// Decodes objects of one list, and keeps what it has decoded: an object that stands in several places is
/// decoded once.
///
/// Time and memory stay within a small multiple of the list's length, whatever the bytes say: no byte is
/// decoded twice as part of a string, data or a container, and shared containers are counted wherever they
/// stand. A decoder takes four bytes for each object of the list as soon as it meets a container.
package struct PropertyListDecoder {
  typealias Format = PropertyListFormat

  let reader: PropertyListReader
  /// For each object: one more than its place among what is kept; `open` while it is being decoded.
  private var slots: [UInt32] = []
  private var kept: [Kept] = []
  /// How many bytes have been decoded as strings, data and containers.
  private var decodedByteCount = 0
  /// How many nodes the value has that is being decoded, shared ones counted wherever they stand.
  private var nodeCount = 0
  /// How many containers stand in one another at most, as far as has been decoded.
  private var deepest = 0
  private var shapes: [DictionaryShape?] = []

  private static let open = UInt32.max

  private struct Kept {
    let value: Value
    /// How many nodes there are in it.
    let nodeCount: Int
    /// How many containers stand in one another in it, itself included.
    let height: Int
  }

  /// Makes a decoder of a list's objects.
  package init(_ reader: PropertyListReader) { self.reader = reader }

  /// The value of a node of the decoder's list, with all in it.
  ///
  /// - Throws: whatever is wrong with the node or anything in it.
  package mutating func value(
    of node: PropertyListNode
  ) throws(PropertyListError) -> Value {
    precondition(
      node.reader.bytes.baseAddress == reader.bytes.baseAddress, "the node is of another list")
    return try value(ofObject: node.index)
  }

  mutating func value(ofObject index: Int) throws(PropertyListError) -> Value {
    (nodeCount, deepest) = (1, 0)
    do throws(PropertyListError) {
      return try decode(index, depth: 0)
    } catch {
      self = PropertyListDecoder(reader)
      throw error
    }
  }

  /// The value of an object within so many containers.
  mutating func decode(_ index: Int, depth: Int) throws(PropertyListError) -> Value {
    let object = try reader.object(at: index)
    switch object.family {
    case .single, .integer, .real, .date, .uid: return try reader.scalar(object)
    case .data, .asciiString, .utf16String, .array, .dictionary: break
    }
    if let known = try known(index, object, depth: depth) { return known }
    switch object.family {
    case .array, .dictionary: return try decodeContainer(index, object, depth: depth)
    default:
      try claim(object)
      let value = try reader.scalar(object)
      keep(value, index, nodeCount: 0, height: 0)
      return value
    }
  }

  /// The string that a dictionary has as a key.
  mutating func decodeKey(_ index: Int) throws(PropertyListError) -> String {
    let object = try reader.object(at: index)
    guard reader.isString(object) else { throw reader.error(.keyNotAString, object.offset) }
    guard case .string(let key) = try decode(index, depth: 0) else {
      throw reader.error(.keyNotAString, object.offset)
    }
    return key
  }

  func shape(_ depth: Int) -> DictionaryShape? { shapes.isEmpty ? nil : shapes[depth & 7] }

  mutating func setShape(_ shape: DictionaryShape, _ depth: Int) {
    if shapes.isEmpty { shapes = [DictionaryShape?](repeating: nil, count: 8) }
    shapes[depth & 7] = shape
  }

  // MARK: What is kept

  @inline(__always)
  private mutating func known(
    _ index: Int, _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> Value? {
    if slots.isEmpty { slots = [UInt32](repeating: 0, count: reader.objectCount) }
    let slot = slots[index]
    if slot == 0 { return nil }
    guard slot != Self.open else { throw reader.error(.cycle, object.offset) }
    let known = kept[Int(slot) - 1]
    guard depth + known.height <= Value.largestDepth else {
      throw reader.error(.tooDeep, object.offset)
    }
    try count(known.nodeCount, object)
    deepest = max(deepest, depth + known.height)
    return known.value
  }

  @inline(__always)
  private mutating func keep(_ value: Value, _ index: Int, nodeCount: Int, height: Int) {
    kept.append(Kept(value: value, nodeCount: nodeCount, height: height))
    slots[index] = UInt32(truncatingIfNeeded: kept.count)
  }

  // MARK: Limits

  /// Counts nodes of the value that is being decoded.
  @inline(__always)
  private mutating func count(
    _ added: Int, _ object: PropertyListObject
  ) throws(PropertyListError) {
    guard added <= reader.bytes.count * Format.nodesPerByte - nodeCount else {
      throw reader.error(.tooManyNodes, object.offset)
    }
    nodeCount += added
  }

  /// Counts the bytes of an object that is decoded once. Where objects do not lie across one another, all
  /// of them together have no more bytes than there are.
  @inline(__always)
  private mutating func claim(_ object: PropertyListObject) throws(PropertyListError) {
    let unitByteCount =
      switch object.family {
      case .utf16String: 2
      case .array: reader.referenceByteCount
      case .dictionary: 2 * reader.referenceByteCount
      default: 1
      }
    decodedByteCount += object.content - object.offset + object.count * unitByteCount
    guard decodedByteCount <= reader.tableOffset - Format.headerByteCount else {
      throw reader.error(.overlap, object.offset)
    }
  }

  // MARK: Containers

  private mutating func decodeContainer(
    _ index: Int, _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> Value {
    try claim(object)
    let nodesBefore = nodeCount
    try count(object.family == .array ? object.count : 2 * object.count, object)
    slots[index] = Self.open
    let outer = deepest
    deepest = depth
    let value = try contents(object, depth: depth)
    keep(value, index, nodeCount: nodeCount - nodesBefore, height: deepest - depth)
    deepest = max(deepest, outer)
    return value
  }

  private mutating func contents(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> Value {
    if object.family == .array, let kind = try reader.tag(ofArray: object) {
      guard kind == .set else { return try decodeTagged(object, kind, depth: depth) }
      try enter(object, depth: depth)
      return .set(try decodeSet(object, depth: depth + 1))
    }
    try enter(object, depth: depth)
    return object.family == .array
      ? .array(try decodeArray(object, depth: depth + 1))
      : .dictionary(try decodeDictionary(object, depth: depth + 1))
  }

  private mutating func enter(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) {
    guard depth < Value.largestDepth else { throw reader.error(.tooDeep, object.offset) }
    deepest = max(deepest, depth + 1)
  }

  private mutating func decodeArray(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(object.count)
    for place in 0..<object.count {
      values.append(try decode(reader.reference(place, of: object), depth: depth))
    }
    return values
  }

  private mutating func decodeSet(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> Set<Value> {
    var members = Set<Value>(minimumCapacity: object.count - 1)
    for place in 1..<object.count {
      let member = try decode(reader.reference(place, of: object), depth: depth)
      guard members.insert(member).inserted else {
        throw reader.error(
          .memberTwice, object.content + place * reader.referenceByteCount)
      }
    }
    return members
  }
}
