internal import FoundationEssentials
internal import ObjectModel

// Values: a tag and what it holds. Every value has one form.
extension EventSink {
  /// A value, or that there is none.
  @inline(__always)
  mutating func put(_ value: Value?) throws(Refusal) {
    if let value { try put(value) } else { put(byte: ValueTag.absent) }
  }

  mutating func put(_ splice: Splice) throws(Refusal) {
    put(count: splice.prefixCount)
    put(count: splice.suffixCount)
    if !splice.further.isEmpty {
      put(byte: ValueTag.splice)
      put(count: splice.further.count)
    }
    try put(splice.old)
    try put(splice.new)
    for part in splice.further {
      put(count: part.keptCount)
      try put(part.old)
      try put(part.new)
    }
  }

  @inline(__always)
  mutating func put(_ value: Value) throws(Refusal) {
    // What edits set most, before anything that is large.
    switch value {
    case .integer(let value): put(integer: value)
    case .string(let value): put(string: value)
    default: try put(value, depth: Value.largestDepth)
    }
  }

  /// - Parameter depth: how many collections may stand within each other here.
  mutating func put(_ value: Value, depth: Int) throws(Refusal) {
    switch value {
    case .null: put(byte: ValueTag.null)
    case .boolean(let value): put(byte: value ? ValueTag.yes : ValueTag.no)
    case .integer(let value): put(integer: value)
    case .real(let value): put(ValueTag.real, bits: value)
    case .decimal(let value): try put(value)
    case .string(let value): put(string: value)
    case .data(let value): put(value)
    case .date(let value): put(ValueTag.date, bits: value.timeIntervalSinceReferenceDate)
    case .uuid(let value): put(value)
    case .url(let value): try put(value)
    case .array(let values): try put(values, depth: depth)
    case .dictionary(let values): try put(values, depth: depth)
    case .counter(let value):
      put(byte: ValueTag.counter)
      put(signed: Int64(value))
    case .set(let values):
      put(byte: ValueTag.set)
      try put(members: values, depth: depth)
    case .reference(let object): put(reference: object)
    }
  }

  @inline(__always)
  private mutating func put(integer value: Int) {
    if ValueTag.smallIntegers.contains(value) {
      let distance = value - ValueTag.smallIntegers.lowerBound
      put(byte: ValueTag.smallInteger | UInt8(truncatingIfNeeded: distance))
    } else {
      put(byte: ValueTag.integer)
      put(signed: Int64(value))
    }
  }

  @inline(__always)
  private mutating func put(string value: String) {
    let count = value.utf8.count
    if count <= ValueTag.shortStringByteCounts.upperBound {
      put(byte: ValueTag.shortString | UInt8(truncatingIfNeeded: count))
    } else {
      put(byte: ValueTag.string)
      put(count: count)
    }
    put(utf8: value.utf8)
  }

  private mutating func put(_ tag: UInt8, bits value: Double) {
    put(byte: tag)
    put(fixed: value.bitPattern)
  }

  private mutating func put(_ value: Decimal) throws(Refusal) {
    guard let parts = DecimalParts(value) else { throw refusal(.decimalUnreadable) }
    put(byte: parts.isNegative ? ValueTag.negativeDecimal : ValueTag.decimal)
    put(byte: UInt8(bitPattern: Int8(truncatingIfNeeded: parts.exponent)))
    put(varint: UInt64(truncatingIfNeeded: parts.mantissa))
    put(varint: UInt64(truncatingIfNeeded: parts.mantissa >> 64))
  }

  private mutating func put(_ value: Data) {
    put(byte: ValueTag.data)
    put(count: value.count)
    value.withUnsafeBytes { put(raw: $0) }
  }

  private mutating func put(_ value: UUID) {
    put(byte: ValueTag.uuid)
    withUnsafeBytes(of: value.uuid) { put(raw: $0) }
  }

  private mutating func put(_ value: URL) throws(Refusal) {
    let text = value.absoluteString
    // A URL that was not made of its own text might not come back from it.
    guard let again = URL(string: text), again.absoluteString.hasSameBytes(as: text) else {
      throw refusal(.urlUnreadable)
    }
    put(byte: ValueTag.url)
    put(text: text)
  }

  private mutating func put(_ values: [Value], depth: Int) throws(Refusal) {
    guard depth > 0 else { throw refusal(.tooDeep) }
    put(byte: ValueTag.array)
    put(count: values.count)
    for value in values { try put(value, depth: depth - 1) }
  }

  private mutating func put(_ values: [String: Value], depth: Int) throws(Refusal) {
    put(byte: ValueTag.dictionary)
    try put(entries: values, depth: depth)
  }

  /// Keys and values without a tag, in the order of the keys' bytes.
  mutating func put(entries values: [String: Value], depth: Int) throws(Refusal) {
    guard depth > 0 else { throw refusal(.tooDeep) }
    put(count: values.count)
    for (key, value) in values.sortedByKey {
      put(text: key)
      try put(value, depth: depth - 1)
    }
  }

  /// Members without a tag, in their order.
  mutating func put(members: Set<Value>, depth: Int) throws(Refusal) {
    guard depth > 0 else { throw refusal(.tooDeep) }
    put(count: members.count)
    let start = byteCount
    var ends: [Int] = []
    ends.reserveCapacity(members.count)
    for member in members {
      try put(member, depth: depth - 1)
      ends.append(byteCount)
    }
    sortMembers(from: start, ends: ends)
  }

  private mutating func put(reference object: ObjectID) {
    if object.store == store {
      put(byte: ValueTag.reference)
    } else {
      put(byte: ValueTag.foreignReference)
      put(fixed: object.store.rawValue)
    }
    put(parts: object)
  }
}
