internal import ByteCoding
internal import FoundationEssentials
internal import ObjectModel

/// A property list in the making.
///
/// One walk over the value writes everything but the containers, and numbers all objects in the order in
/// which it meets them. The containers follow once it is known how many objects there are, and so how many
/// bytes a reference takes.
struct ListAssembly: ~Copyable {
  typealias Format = PropertyListFormat

  /// Where the list begins in the writer.
  let start: Int
  /// Where each object begins in the list.
  var offsets = Column<Int>(capacity: 64)
  /// For each container: its number, twice its count and one more if it is a dictionary, its references.
  var containers = Column<UInt32>(capacity: 128)
  private var texts = TextTable()
  /// One more than the numbers of objects that there are few of, or 0: the integers below 256, no and yes,
  /// and the UIDs of the kinds.
  private var shared = Column<UInt32>(repeating: 0, count: 256 + 2 + 16)
  /// The keys of the dictionaries that are being walked, as a stack, and where their values are.
  private var keys = Column<Key>(capacity: 32)
  private var positions: [Dictionary<String, Value>.Index] = []

  // Not private: the compiler (6.3.1) gives up on private elements of a column in debug builds.
  struct Key: BitwiseCopyable {
    /// The first eight bytes, the first one highest: mostly enough to put two keys in order.
    let prefix: UInt64
    let text: Int
    let position: Int
  }

  init(start: Int) { self.start = start }

  /// Adds a value and all in it.
  ///
  /// - Returns: the number of its object.
  mutating func add(
    _ value: Value, depth: Int, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    switch value {
    case .boolean(let value):
      return try addShared(value ? 257 : 256, to: &writer) {
        $0.write(value ? Format.markTrue : Format.markFalse)
      }
    case .integer(let value): return try add(value, to: &writer)
    case .real(let value):
      return try addBits(value.bitPattern, Format.markReal, to: &writer)
    case .date(let value):
      let bits = value.timeIntervalSinceReferenceDate.bitPattern
      return try addBits(bits, Format.markDate, to: &writer)
    case .string(let value): return try add(value, to: &writer)
    case .data(let value): return try add(value, to: &writer)
    case .array(let values):
      try checkDepth(depth, writer)
      return try add(values, depth: depth + 1, to: &writer)
    case .dictionary(let values):
      try checkDepth(depth, writer)
      return try add(values, depth: depth + 1, to: &writer)
    case .null: return try addUID(of: .null, to: &writer)
    default: return try addTagged(value, depth: depth, to: &writer)
    }
  }

  // MARK: Objects without others in them

  @inline(__always)
  private mutating func beginObject(
    _ writer: borrowing ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let number = offsets.count
    guard number < Int(UInt32.max) - 1 else { throw error(.tooLarge, writer) }
    offsets.append(writer.byteCount - start)
    return UInt32(truncatingIfNeeded: number)
  }

  @inline(__always)
  private mutating func add(
    _ value: Int, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    if value >= 0, value < 256 {
      return try addShared(value, to: &writer) { $0.writeInteger(value) }
    }
    let number = try beginObject(writer)
    writer.writeInteger(value)
    return number
  }

  @inline(__always)
  private mutating func addShared(
    _ place: Int, to writer: inout ByteWriter, _ write: (inout ByteWriter) -> Void
  ) throws(PropertyListError) -> UInt32 {
    if shared[place] != 0 { return shared[place] - 1 }
    let number = try beginObject(writer)
    shared[place] = number + 1
    write(&writer)
    return number
  }

  private mutating func addUID(
    of kind: Value.Kind, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    try addShared(258 + Int(kind.rawValue), to: &writer) {
      $0.writeMarked(Format.Family.uid.rawValue << 4, kind.rawValue)
    }
  }

  @inline(__always)
  private mutating func addBits(
    _ bits: UInt64, _ marker: UInt8, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let number = try beginObject(writer)
    writer.writeMarked(marker, bits)
    return number
  }

  @inline(__always)
  private mutating func add(
    _ text: String, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    try addText(texts.entry(of: text), to: &writer)
  }

  @inline(__always)
  private mutating func addText(
    _ index: Int, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let entry = texts.entries[index]
    if let number = entry.number { return number }
    let number = try beginObject(writer)
    texts.setNumber(number, ofEntry: index)
    texts.withBytes(of: index) { writer.writeString($0, isASCII: entry.isASCII) }
    return number
  }

  private mutating func add(
    _ data: Data, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let number = try beginObject(writer)
    data.withUnsafeBytes { writer.writeData($0) }
    return number
  }

  private mutating func addData(
    _ data: UnsafeRawBufferPointer, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let number = try beginObject(writer)
    writer.writeData(data)
    return number
  }

  // MARK: Containers

  private func checkDepth(
    _ depth: Int, _ writer: borrowing ByteWriter
  ) throws(PropertyListError) {
    guard depth < Value.largestDepth else { throw error(.tooDeep, writer) }
  }

  /// - Returns: the container's number, and where its references go.
  private mutating func beginContainer(
    count: Int, isDictionary: Bool, _ writer: borrowing ByteWriter
  ) throws(PropertyListError) -> (number: UInt32, references: Int) {
    guard count < Int(Int32.max) else { throw error(.tooLarge, writer) }
    let number = try beginObject(writer)
    containers.append(number)
    containers.append(UInt32(truncatingIfNeeded: count) << 1 | (isDictionary ? 1 : 0))
    let references = containers.extend(by: isDictionary ? count * 2 : count, filling: 0)
    return (number, references)
  }

  /// Adds an array of elements, which does not count in their depth.
  ///
  /// - Returns: the number of its object.
  mutating func add(
    _ elements: [ArrayElement], to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let (number, references) = try beginContainer(
      count: elements.count, isDictionary: false, writer)
    for index in elements.indices {
      containers[references + index] =
        switch elements[index] {
        case .value(let value): try add(value, depth: 0, to: &writer)
        case .text(let bytes): try addText(texts.entry(of: bytes), to: &writer)
        case .data(let bytes): try addData(bytes, to: &writer)
        }
    }
    return number
  }

  private mutating func add(
    _ values: [Value], depth: Int, tag: Value.Kind? = nil, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let extra = tag == nil ? 0 : 1
    let (number, references) = try beginContainer(
      count: values.count + extra, isDictionary: false, writer)
    if let tag { containers[references] = try addUID(of: tag, to: &writer) }
    for index in values.indices {
      containers[references + extra + index] = try add(values[index], depth: depth, to: &writer)
    }
    return number
  }

  private mutating func add(
    _ values: [String: Value], depth: Int, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let count = values.count
    let (number, references) = try beginContainer(count: count, isDictionary: true, writer)
    let firstKey = keys.count
    let firstPosition = positions.count
    var position = values.startIndex
    for name in values.keys {
      let text = texts.entry(ofKey: name)
      let prefix = texts.entries[text].prefix
      keys.append(Key(prefix: prefix, text: text, position: positions.count))
      positions.append(position)
      values.formIndex(after: &position)
    }
    sortKeys(from: firstKey)
    for index in 0..<count {
      let text = keys[firstKey + index].text
      containers[references + index] = try addText(text, to: &writer)
    }
    let elements = values.values
    for index in 0..<count {
      let position = positions[keys[firstKey + index].position]
      containers[references + count + index] = try add(
        elements[position], depth: depth, to: &writer)
    }
    keys.removeAll(after: firstKey)
    positions.removeSubrange(firstPosition...)
    return number
  }

  /// Puts the keys from an index on in the order of their bytes.
  private mutating func sortKeys(from first: Int) {
    let count = keys.count
    guard count - first <= 24 else {
      let range = UnsafeMutableBufferPointer(start: keys.base + first, count: count - first)
      var sorted = Array(range)
      sorted.sort { precedes($0, $1) }
      for (index, key) in sorted.enumerated() { range[index] = key }
      return
    }
    var index = first + 1
    while index < count {
      let key = keys[index]
      var place = index
      while place > first, precedes(key, keys[place - 1]) {
        keys[place] = keys[place - 1]
        place -= 1
      }
      keys[place] = key
      index += 1
    }
  }

  @inline(__always)
  private func precedes(_ one: Key, _ other: Key) -> Bool {
    one.prefix == other.prefix
      ? texts.precedes(one.text, other.text) : one.prefix < other.prefix
  }

  // MARK: Tagged values

  private mutating func addTagged(
    _ value: Value, depth: Int, to writer: inout ByteWriter
  ) throws(PropertyListError) -> UInt32 {
    let kind = value.kind
    switch value {
    case .set(let members):
      try checkDepth(depth, writer)
      let sorted = members.inOrder
      return try add(sorted, depth: depth + 1, tag: kind, to: &writer)
    case .reference(let id):
      let words = [id.rawValue, id.store.rawValue]
      let integers = words.map { Value.integer(Int(truncatingIfNeeded: $0)) }
      return try add(integers, depth: depth, tag: kind, to: &writer)
    case .counter(let amount):
      return try add([.integer(amount)], depth: depth, tag: kind, to: &writer)
    case .uuid(let uuid):
      let bytes = withUnsafeBytes(of: uuid.uuid) { Data($0) }
      return try add([.data(bytes)], depth: depth, tag: kind, to: &writer)
    case .decimal(let decimal):
      guard !decimal.isNaN else { throw error(.decimalNotANumber, writer) }
      return try add([.string(DecimalText.of(decimal))], depth: depth, tag: kind, to: &writer)
    case .url(let url):
      let text = url.absoluteString
      // Not every URL that can be made can be made from its text.
      guard URL(string: text)?.absoluteString.hasSameBytes(as: text) == true else {
        throw error(.urlNotReadable, writer)
      }
      return try add([.string(text)], depth: depth, tag: kind, to: &writer)
    default:
      preconditionFailure("a value of kind \(kind) needs no tag")
    }
  }

  private func error(
    _ code: PropertyListError.Code, _ writer: borrowing ByteWriter
  ) -> PropertyListError {
    PropertyListError(code, at: writer.byteCount - start)
  }
}
