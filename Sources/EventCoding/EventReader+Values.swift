internal import FoundationEssentials
internal import ObjectModel

extension EventReader {
  /// A value, or that there is none.
  mutating func optionalValue() throws(EventCodingError) -> Value? {
    try optionalValue(depth: Value.largestDepth)
  }

  mutating func value(depth: Int = Value.largestDepth) throws(EventCodingError) -> Value {
    let start = offset
    guard let value = try optionalValue(depth: depth) else {
      throw error(.tagUnknown(ValueTag.absent), at: start)
    }
    return value
  }

  /// Passes a value over. Of texts, and of the order of members and keys, nothing is checked.
  mutating func skipValue(depth: Int = Value.largestDepth) throws(EventCodingError) {
    let start = offset
    switch try token() {
    case .absent: throw error(.tagUnknown(ValueTag.absent), at: start)
    case .array(let count), .set(let count):
      guard depth > 0 else { throw error(.tooDeep, at: start) }
      for _ in 0..<count { try skipValue(depth: depth - 1) }
    case .dictionary(let count):
      guard depth > 0 else { throw error(.tooDeep, at: start) }
      for _ in 0..<count {
        _ = try raw(self.count())
        try skipValue(depth: depth - 1)
      }
    default: break
    }
  }

  private mutating func optionalValue(depth: Int) throws(EventCodingError) -> Value? {
    let start = offset
    switch try token() {
    case .absent: return nil
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .decimal(let value): return .decimal(value)
    case .string(let bytes): return .string(try text(of: bytes))
    case .data(let bytes): return .data(Data(bytes))
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .uuid(let bytes): return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .url(let bytes): return .url(try url(of: bytes, from: start))
    case .array(let count): return .array(try values(count, depth: depth, from: start))
    case .dictionary(let count):
      return .dictionary(try entries(count, depth: depth, from: start))
    case .counter(let value): return .counter(value)
    case .set(let count): return .set(try members(count, depth: depth, from: start))
    case .reference(let object): return .reference(object)
    }
  }

  private func url(
    of bytes: UnsafeRawBufferPointer, from start: Int
  ) throws(EventCodingError) -> URL {
    let text = try text(of: bytes)
    guard let url = URL(string: text), url.absoluteString.hasSameBytes(as: text) else {
      throw error(.urlUnreadable, at: start)
    }
    return url
  }

  private mutating func values(
    _ count: Int, depth: Int, from start: Int
  ) throws(EventCodingError) -> [Value] {
    guard depth > 0 else { throw error(.tooDeep, at: start) }
    try take(count)
    var values: [Value] = []
    values.reserveCapacity(min(count, 16))
    for _ in 0..<count { values.append(try value(depth: depth - 1)) }
    return values
  }

  mutating func userInfo() throws(EventCodingError) -> [String: Value] {
    let start = offset
    return try entries(count(ofAtLeast: 2), depth: Value.largestDepth, from: start)
  }

  private mutating func entries(
    _ count: Int, depth: Int, from start: Int
  ) throws(EventCodingError) -> [String: Value] {
    guard depth > 0 else { throw error(.tooDeep, at: start) }
    try take(count)
    var entries: [String: Value] = [:]
    var last: UnsafeRawBufferPointer?
    for _ in 0..<count {
      let place = offset
      let bytes = try raw(self.count())
      let key = try text(of: bytes)
      if let last, !last.lexicographicallyPrecedes(bytes) {
        throw error(.keysNotInOrder, at: place)
      }
      last = bytes
      // Keys that look the same are the same to a dictionary, whatever their bytes.
      let old = entries.updateValue(try value(depth: depth - 1), forKey: key)
      guard old == nil else { throw error(.keysNotInOrder, at: place) }
    }
    return entries
  }

  /// A count and members without a tag.
  mutating func members() throws(EventCodingError) -> Set<Value> {
    let start = offset
    return try members(count(), depth: Value.largestDepth, from: start)
  }

  private mutating func members(
    _ count: Int, depth: Int, from start: Int
  ) throws(EventCodingError) -> Set<Value> {
    guard depth > 0 else { throw error(.tooDeep, at: start) }
    try take(count)
    var members: Set<Value> = []
    var last: Range<Int>?
    for _ in 0..<count {
      let place = offset
      let isNew = members.insert(try value(depth: depth - 1)).inserted
      // Compared as bytes: values would have to sort the sets within them again and again.
      if let last, try EncodedOrder.compare(part(last), part(place..<offset)) >= 0 {
        throw error(.membersNotInOrder, at: place)
      }
      guard isNew else { throw error(.membersNotInOrder, at: place) }
      last = place..<offset
    }
    return members
  }
}
