internal import FoundationEssentials
internal import ObjectModel

extension PropertyListReader {
  /// The kind that an array is tagged with by its first element; nil if it is an array and no more.
  @inline(__always)
  func tag(ofArray array: PropertyListObject) throws(PropertyListError) -> Value.Kind? {
    guard array.count > 0 else { return nil }
    let first = try object(at: reference(0, of: array))
    guard first.family == .uid else { return nil }
    let kind = try tag(first)
    switch kind {
    case .null: return nil
    case .decimal, .uuid, .url, .counter, .set, .reference: return kind
    case .boolean, .integer, .real, .string, .data, .date, .array, .dictionary:
      throw error(.tagMalformed, first.offset)
    }
  }

  /// The value of an array that begins with a tag, but for sets.
  ///
  /// - Parameter scalar: decodes an object that is no container.
  @inline(__always)
  func taggedValue(
    _ object: PropertyListObject, _ kind: Value.Kind,
    _ scalar: (Int) throws(PropertyListError) -> Value
  ) throws(PropertyListError) -> Value {
    let malformed = error(.tagMalformed, object.offset)
    guard object.count == (kind == .reference ? 3 : 2) else { throw malformed }
    let payload = try reference(1, of: object)
    // Nothing here holds a container, so that nothing deeper is decoded.
    guard try !isContainer(payload) else { throw malformed }
    switch (kind, try scalar(payload)) {
    case (.counter, .integer(let amount)): return .counter(amount)
    case (.uuid, .data(let bytes)) where bytes.count == 16:
      var uuid = UUID().uuid
      withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
      return .uuid(UUID(uuid: uuid))
    case (.decimal, .string(let text)):
      guard let decimal = DecimalText.read(text) else { throw malformed }
      return .decimal(decimal)
    case (.url, .string(let text)):
      guard let url = URL(string: text), url.absoluteString.hasSameBytes(as: text) else {
        throw malformed
      }
      return .url(url)
    case (.reference, .integer(let id)):
      let last = try reference(2, of: object)
      guard try !isContainer(last), case .integer(let store) = try scalar(last) else {
        throw malformed
      }
      return .reference(
        ObjectID(
          rawValue: UInt64(bitPattern: Int64(id)),
          store: StoreTag(rawValue: UInt64(bitPattern: Int64(store)))))
    default: throw malformed
    }
  }

  private func isContainer(_ index: Int) throws(PropertyListError) -> Bool {
    let family = try object(at: index).family
    return family == .array || family == .dictionary
  }
}

extension PropertyListDecoder {
  /// The value of an array that begins with a tag, but for sets.
  mutating func decodeTagged(
    _ object: PropertyListObject, _ kind: Value.Kind, depth: Int
  ) throws(PropertyListError) -> Value {
    try reader.taggedValue(object, kind) { index throws(PropertyListError) in
      try decode(index, depth: depth)
    }
  }
}
