package import ObjectModel

/// An object of a property list that has not been decoded.
///
/// Looking at one reads its marker and what it names, and nothing else of the list: what is wrong elsewhere
/// is not noticed. The bytes must stay where they are while it is used.
package struct PropertyListNode {
  /// The list that it is of.
  package let reader: PropertyListReader
  let index: Int
  private let object: PropertyListObject

  /// What kind of value it is.
  package let kind: Value.Kind

  init(reader: PropertyListReader, index: Int) throws(PropertyListError) {
    self.reader = reader
    self.index = index
    object = try reader.object(at: index)
    kind =
      switch object.family {
      case .single: .boolean
      case .integer: .integer
      case .real: .real
      case .date: .date
      case .data: .data
      case .asciiString, .utf16String: .string
      case .uid: .null
      case .array: try reader.tag(ofArray: object) ?? .array
      case .dictionary: .dictionary
      }
    if object.family == .uid { _ = try reader.scalar(object) }
  }

  /// How many values, entries or members an array, dictionary or set has; 0 for every other kind.
  package var count: Int {
    switch kind {
    case .array, .dictionary: object.count
    case .set: object.count - 1
    default: 0
    }
  }

  /// A value of an array, or a member of a set, by its place from 0 up to `count`.
  ///
  /// - Throws: what is wrong with the reference or with the object that it names.
  package func element(_ place: Int) throws(PropertyListError) -> PropertyListNode {
    precondition(kind == .array || kind == .set, "only arrays and sets have elements")
    precondition(place >= 0 && place < count, "there is no element \(place) of \(count)")
    return try node(kind == .set ? place + 1 : place)
  }

  /// The value of a key; nil where a dictionary lacks it, or for every other kind of node. No other value is
  /// looked at, but all keys are.
  ///
  /// - Throws: what is wrong with a key, with the reference to the value, or with the value itself.
  package func value(forKey key: String) throws(PropertyListError) -> PropertyListNode? {
    guard kind == .dictionary else { return nil }
    var found: Int?
    for place in 0..<object.count where try isKey(place, key) {
      guard found == nil else {
        throw reader.error(.keyTwice, object.content + place * reader.referenceByteCount)
      }
      found = place
    }
    guard let found else { return nil }
    return try node(object.count + found)
  }

  /// The keys of a dictionary, in their order in the list; none for every other kind of node.
  package func keys() throws(PropertyListError) -> [String] {
    guard kind == .dictionary else { return [] }
    var keys: [String] = []
    for place in 0..<object.count {
      let key = try reader.object(at: reader.reference(place, of: object))
      guard reader.isString(key) else { throw reader.error(.keyNotAString, key.offset) }
      keys.append(try reader.string(key))
    }
    return keys
  }

  /// The value with all in it. To decode several nodes, `PropertyListDecoder` does it faster.
  ///
  /// - Throws: whatever is wrong with the node or anything in it.
  package func value() throws(PropertyListError) -> Value {
    guard object.family == .array || object.family == .dictionary else {
      return try reader.scalar(object)
    }
    var decoder = PropertyListDecoder(reader)
    return try decoder.value(of: self)
  }

  private func node(_ place: Int) throws(PropertyListError) -> PropertyListNode {
    try PropertyListNode(reader: reader, index: reader.reference(place, of: object))
  }

  private func isKey(_ place: Int, _ key: String) throws(PropertyListError) -> Bool {
    let object = try reader.object(at: reader.reference(place, of: object))
    switch object.family {
    case .asciiString:
      let text = reader.content(object, byteCount: object.count)
      return object.count == key.utf8.count && key.utf8.elementsEqual(text)
    case .utf16String: return try reader.string(object).hasSameBytes(as: key)
    default: throw reader.error(.keyNotAString, object.offset)
    }
  }
}
