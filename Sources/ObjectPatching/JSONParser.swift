/// Reads a JSON document of RFC 8259, strictly and within limits.
///
/// Foundation's readers merge keys that differ in normalisation, and round numbers; this one refuses the first,
/// and keeps the others as they are.
struct JSONParser {
  let bytes: UnsafeRawBufferPointer
  let limits: JSONLimits
  var offset = 0
  private var (valueCount, memberCount) = (0, 0)
  /// What the escapes of a string become; kept, so that it grows once.
  var unescaped: [UInt8] = []

  init(_ bytes: UnsafeRawBufferPointer, _ limits: JSONLimits) {
    self.bytes = bytes
    self.limits = limits
  }

  mutating func document() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.byteCount else {
      throw error(.tooLarge, "has \(bytes.count) bytes, more than \(limits.byteCount)")
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw error(.badSyntax, "begins with a byte order mark; leave it out")
    }
    skipSpace()
    let value = try value(depth: 0)
    skipSpace()
    guard offset == bytes.count else {
      throw error(.badSyntax, "goes on behind its end")
    }
    return value
  }

  func error(_ code: JSONError.Code, _ reason: String, at place: Int? = nil) -> JSONError {
    JSONError(code, reason, byteOffset: place ?? offset)
  }

  /// The next byte; nil at the end.
  @inline(__always)
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  @inline(__always)
  private mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x0A, 0x0D, 0x09: offset += 1
      default: return
      }
    }
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    valueCount += 1
    guard valueCount <= limits.valueCount else {
      throw error(.tooLarge, "has more than \(limits.valueCount) values")
    }
    switch next {
    case 0x22: return .string(try string())
    case 0x7B: return try object(depth: depth)
    case 0x5B: return try array(depth: depth)
    case 0x2D, 0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39: return try number()
    case 0x74: return try word("true", .boolean(true))
    case 0x66: return try word("false", .boolean(false))
    case 0x6E: return try word("null", .null)
    case nil: throw error(.badSyntax, "ends where a value is wanted")
    default: throw error(.badSyntax, "has no value where one is wanted")
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError)
    -> JSONValue
  {
    let rest = bytes[offset...]
    guard
      rest.starts(with: UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    else { throw error(.badSyntax, "has no value where one is wanted") }
    offset += word.utf8CodeUnitCount
    return value
  }

  private func checkDepth(_ depth: Int) throws(JSONError) {
    guard depth < limits.depth else {
      throw error(.tooDeep, "is nested deeper than \(limits.depth) levels")
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    try checkDepth(depth)
    offset += 1
    var elements: [JSONValue] = []
    skipSpace()
    if next == 0x5D {
      offset += 1
      return .array(elements)
    }
    while true {
      do throws(JSONError) {
        elements.append(try value(depth: depth + 1))
      } catch {
        throw error.inside(elements.count)
      }
      skipSpace()
      guard try hasMore(closing: 0x5D) else { return .array(elements) }
      skipSpace()
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    try checkDepth(depth)
    offset += 1
    var object = JSONObject()
    skipSpace()
    if next == 0x7D {
      offset += 1
      return .object(object)
    }
    while true {
      let start = offset
      memberCount += 1
      guard memberCount <= limits.memberCount else {
        throw error(.tooLarge, "has more than \(limits.memberCount) members")
      }
      guard next == 0x22 else { throw error(.badSyntax, "has no key where one is wanted") }
      let key = try string()
      if let problem = key.problemAsName {
        throw error(.tooLarge, "has a key that \(problem)", at: start)
      }
      skipSpace()
      guard next == 0x3A else { throw error(.badSyntax, "has no colon behind a key") }
      offset += 1
      skipSpace()
      let member: JSONValue
      do throws(JSONError) {
        member = try value(depth: depth + 1)
      } catch {
        throw error.inside(key)
      }
      if !object.append(key, member) { throw clash(of: key, in: object, at: start) }
      skipSpace()
      guard try hasMore(closing: 0x7D) else { return .object(object) }
      skipSpace()
    }
  }

  private func clash(of key: String, in object: JSONObject, at start: Int) -> JSONError {
    let error =
      object[key] != nil
      ? self.error(.duplicateKey, "has this key twice in one object", at: start)
      : self.error(
        .keysLookTheSame, "has another key in the same object that looks the same", at: start)
    return error.inside(key)
  }

  /// Passes over a comma, or over what closes.
  private mutating func hasMore(closing: UInt8) throws(JSONError) -> Bool {
    switch next {
    case 0x2C:
      offset += 1
      return true
    case closing:
      offset += 1
      return false
    case nil: throw error(.badSyntax, "ends within \(closing == 0x5D ? "an array" : "an object")")
    default:
      throw error(
        .badSyntax,
        "has no comma where one is wanted, nor the end of "
          + (closing == 0x5D ? "an array" : "an object"))
    }
  }
}

extension JSONValue {
  /// Reads a document.
  ///
  /// Costs: time in proportion to the bytes.
  ///
  /// - Throws: `JSONError` for anything that RFC 8259 does not have, for keys that stand twice or look the same, or have
  ///   no end of combining marks, and for what is beyond the limits.
  package init(
    parsing bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    var parser = JSONParser(bytes, limits)
    self = try parser.document()
  }

  /// Reads a document, as from a buffer.
  package init(
    parsing bytes: some Sequence<UInt8>, limits: JSONLimits = JSONLimits()
  ) throws(JSONError) {
    self = try Array(bytes).withUnsafeBytes { bytes -> Result<JSONValue, JSONError> in
      Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
    }.get()
  }
}
