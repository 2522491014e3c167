internal import ObjectModel

/// The keys of a dictionary that has been decoded. Another with the same keys in the same order begins as a
/// copy, which is much faster than hashing all keys again.
struct DictionaryShape {
  /// Where the references of the keys are.
  let offset: Int
  let count: Int
  /// The keys, each with null.
  let keys: [String: Value]
  /// Where the value of each key belongs.
  let positions: [Dictionary<String, Value>.Index]

  /// Larger dictionaries are seldom rows of a table.
  static let largestCount = 32
}

extension PropertyListDecoder {
  /// The entries of a dictionary; its keys come first, then its values.
  mutating func decodeDictionary(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> [String: Value] {
    guard object.count > 0 else { return [:] }
    guard object.count <= DictionaryShape.largestCount else {
      return try decodeLargeDictionary(object, depth: depth)
    }
    let shape: DictionaryShape
    if let last = self.shape(depth), fits(last, object) {
      shape = last
    } else {
      shape = try makeShape(object)
      setShape(shape, depth)
    }
    var entries = shape.keys
    try fill(&entries.values, shape, object, depth: depth)
    return entries
  }

  /// Whether a dictionary names the same keys in the same order.
  @inline(__always)
  private func fits(_ shape: DictionaryShape, _ object: PropertyListObject) -> Bool {
    guard shape.count == object.count else { return false }
    var (one, other) = (shape.offset, object.content)
    let end = one + shape.count * reader.referenceByteCount
    let bytes = reader.bytes
    while end - one >= 8 {
      let word = bytes.loadUnaligned(fromByteOffset: one, as: UInt64.self)
      guard word == bytes.loadUnaligned(fromByteOffset: other, as: UInt64.self) else {
        return false
      }
      one += 8
      other += 8
    }
    while one < end {
      guard bytes[one] == bytes[other] else { return false }
      one += 1
      other += 1
    }
    return true
  }

  private mutating func makeShape(
    _ object: PropertyListObject
  ) throws(PropertyListError) -> DictionaryShape {
    var keys = [String: Value](minimumCapacity: object.count)
    var names: [String] = []
    for place in 0..<object.count {
      let key = try decodeKey(reader.reference(place, of: object))
      try insert(.null, key, place, object, into: &keys)
      names.append(key)
    }
    return DictionaryShape(
      offset: object.content, count: object.count, keys: keys,
      positions: names.compactMap { keys.index(forKey: $0) })
  }

  @inline(__always)
  private mutating func fill(
    _ values: inout Dictionary<String, Value>.Values, _ shape: DictionaryShape,
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) {
    for place in 0..<object.count {
      let index = try reader.reference(object.count + place, of: object)
      values[shape.positions[place]] = try decode(index, depth: depth)
    }
  }

  private mutating func decodeLargeDictionary(
    _ object: PropertyListObject, depth: Int
  ) throws(PropertyListError) -> [String: Value] {
    var entries = [String: Value](minimumCapacity: object.count)
    for place in 0..<object.count {
      let key = try decodeKey(reader.reference(place, of: object))
      let index = try reader.reference(object.count + place, of: object)
      try insert(decode(index, depth: depth), key, place, object, into: &entries)
    }
    return entries
  }

  /// Keys that look the same are the same to a dictionary, even if their bytes differ.
  @inline(__always)
  private func insert(
    _ value: Value, _ key: String, _ place: Int, _ object: PropertyListObject,
    into entries: inout [String: Value]
  ) throws(PropertyListError) {
    guard entries.updateValue(value, forKey: key) == nil else {
      throw reader.error(.keyTwice, object.content + place * reader.referenceByteCount)
    }
  }
}
