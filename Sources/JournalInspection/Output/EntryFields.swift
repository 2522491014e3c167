internal import ByteCoding
internal import FoundationEssentials

/// An event or a commit taken apart, field by field, as docs/format.md has them: for whoever looks at bytes. What they say
/// together the codec tells, which knows nothing of this.
struct EntryFields {
  struct Field {
    /// Where it begins, counted from the entry's first byte.
    let offset: Int
    let byteCount: Int
    let depth: Int
    let name: String
    let text: String
  }

  /// The bytes are not what the page says; what follows is shown as it is.
  struct Unknown: Error {}

  /// An entry may have millions of fields; so many of it are told.
  static let largestCount = 10_000
  /// So many of them say on a line what it is.
  private static let wordsCount = 24
  private static let largestDepth = 160

  private(set) var fields: [Field] = []
  private let bytes: UnsafeRawBufferPointer
  private let largestCount: Int
  private var offset = 0
  private var depth = 0
  /// Where the field began that is being read.
  private var start = 0

  private init(_ bytes: UnsafeRawBufferPointer, atMost largestCount: Int) {
    self.bytes = bytes
    self.largestCount = largestCount
  }

  /// The fields of an event.
  static func event(
    _ bytes: UnsafeRawBufferPointer, atMost largestCount: Int = EntryFields.largestCount
  ) -> [Field] {
    all(of: bytes, atMost: largestCount) { (fields) throws(Unknown) in try fields.event() }
  }

  /// The fields of a commit.
  static func commit(
    _ bytes: UnsafeRawBufferPointer, atMost largestCount: Int = EntryFields.largestCount
  ) -> [Field] {
    all(of: bytes, atMost: largestCount) { (fields) throws(Unknown) in try fields.commit() }
  }

  /// What an event or a commit is, on a line. Of a large one no more is read than its beginning.
  static func words(
    _ bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer, Int) -> [Field]
  ) -> String {
    let fields = read(bytes, wordsCount)
    let isCut = fields.count > wordsCount
    return fields.dropLast(isCut ? 1 : 0).filter { !$0.text.isEmpty }
      .map {
        $0.name == "kind"
          ? $0.text.drop { $0.isNumber || $0 == "," || $0 == " " } : "\($0.name) \($0.text)"
      }
      .joined(separator: ", ") + (isCut ? ", …" : "")
  }

  private static func all(
    of bytes: UnsafeRawBufferPointer, atMost largestCount: Int,
    _ read: (inout EntryFields) throws(Unknown) -> Void
  ) -> [Field] {
    var fields = EntryFields(bytes, atMost: largestCount)
    do throws(Unknown) {
      try read(&fields)
    } catch {
      fields.offset = fields.start
      fields.depth = 0
    }
    if fields.offset < bytes.count {
      fields.start = fields.offset
      fields.offset = bytes.count
      fields.add("rest", "\(bytes.count - fields.start) bytes that are not taken apart")
    }
    return fields.fields
  }

  // MARK: Pieces

  mutating func add(_ name: String, _ text: String = "") {
    fields.append(
      Field(offset: start, byteCount: offset - start, depth: depth, name: name, text: text))
    start = offset
  }

  /// The byte that is read next; nil where there is none.
  var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func byte() throws(Unknown) -> UInt8 {
    guard offset < bytes.count, fields.count < largestCount else { throw Unknown() }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func varint() throws(Unknown) -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let next = try byte()
      guard shift < 64 else { throw Unknown() }
      number |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return number }
      shift += 7
    }
  }

  mutating func signed() throws(Unknown) -> Int64 {
    let number = try varint()
    return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
  }

  mutating func fixed(_ byteCount: Int) throws(Unknown) -> UInt64 {
    var number: UInt64 = 0
    for place in 0..<byteCount { number |= UInt64(try byte()) << UInt64(8 * place) }
    return number
  }

  mutating func content(_ count: UInt64) throws(Unknown) -> UnsafeRawBufferPointer {
    guard count <= UInt64(bytes.count - offset) else { throw Unknown() }
    defer { offset += Int(count) }
    return UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + Int(count)])
  }

  mutating func string() throws(Unknown) -> String {
    Self.quoted(try content(try varint()))
  }

  private static func quoted(_ bytes: UnsafeRawBufferPointer) -> String {
    let shown = String(decoding: bytes.prefix(120), as: UTF8.self)
    return "“\(shown)”" + (bytes.count > 120 ? "…" : "")
  }

  mutating func nested(
    _ body: (inout EntryFields) throws(Unknown) -> Void
  ) throws(Unknown) {
    guard depth < Self.largestDepth else { throw Unknown() }
    depth += 1
    try body(&self)
    depth -= 1
  }

  mutating func number(_ name: String) throws(Unknown) { add(name, "\(try varint())") }

  mutating func signedNumber(_ name: String) throws(Unknown) {
    add(name, "\(try signed())")
  }

  mutating func text(_ name: String) throws(Unknown) { add(name, try string()) }

  mutating func flag(_ name: String) throws(Unknown) {
    add(name, try byte() == 0 ? "no" : "yes")
  }

  mutating func code(_ name: String, _ names: [String]) throws(Unknown) -> Int {
    let code = Int(try byte())
    add(name, names.indices.contains(code) ? "\(code), \(names[code])" : "\(code)")
    return code
  }

  mutating func flags(_ name: String, _ names: [String]) throws(Unknown) {
    let flags = try byte()
    let set = names.indices.filter { flags & 1 << UInt8($0) != 0 }.map { names[$0] }
    add(name, set.isEmpty ? "none" : set.joined(separator: ", "))
  }

  mutating func optional(
    _ name: String, _ body: (inout EntryFields, String) throws(Unknown) -> Void
  ) throws(Unknown) {
    if try byte() == 0 { return add(name, "none") }
    add("\(name) is there")
    try body(&self, name)
  }

  mutating func list(
    _ name: String, _ body: (inout EntryFields) throws(Unknown) -> Void
  ) throws(Unknown) {
    let count = try varint()
    add("count of \(name)", "\(count)")
    for _ in 0..<count { try nested(body) }
  }

  mutating func object(_ name: String) throws(Unknown) {
    add(name, try objectText())
  }

  mutating func objectText() throws(Unknown) -> String {
    let group = try varint()
    let origin = group / 4096 > 0 ? "origin \(group / 4096), " : ""
    return "\(origin)entity \(group % 4096), number \(try varint())"
  }

  // MARK: Values

  mutating func value(_ name: String) throws(Unknown) {
    let tag = try byte()
    switch tag {
    case 0: add(name, "none")
    case 1: add(name, "null")
    case 2: add(name, "no")
    case 3: add(name, "yes")
    case 4: add(name, "integer \(try signed())")
    case 5: add(name, "real \(Double(bitPattern: try fixed(8)))")
    case 6, 7:
      let exponent = Int8(bitPattern: try byte())
      let (low, high) = (try varint(), try varint())
      let mantissa = high == 0 ? "\(low)" : "(\(high) × 2⁶⁴ + \(low))"
      add(name, "decimal \(tag == 7 ? "-" : "")\(mantissa) × 10^\(exponent)")
    case 8: add(name, "string \(try string())")
    case 9: add(name, "data, \(try content(try varint()).count) bytes")
    case 10:
      let seconds = Double(bitPattern: try fixed(8))
      add(name, "date, \(seconds) seconds after 2001 began")
    case 11:
      let bytes = Array(try content(16))
      add(name, "UUID \(FieldLayout.digits(bytes[...]).replacing(" ", with: ""))")
    case 12: add(name, "URL \(try string())")
    case 13, 16:
      add(name, tag == 13 ? "array" : "set")
      try list("members") { (fields) throws(Unknown) in try fields.value("member") }
    case 14: try dictionary(name)
    case 15: add(name, "counter \(try signed())")
    case 17: add(name, "reference to \(try objectText())")
    case 18:
      let store = HexDump.hexadecimal(try fixed(8), digits: 16)
      add(name, "reference into store \(store), \(try objectText())")
    case 64...127: add(name, "string \(Self.quoted(try content(UInt64(tag) - 64)))")
    case 128...: add(name, "integer \(Int(tag) - 144)")
    default: throw Unknown()
    }
  }

  mutating func dictionary(_ name: String) throws(Unknown) {
    add(name, "dictionary")
    try entries()
  }

  mutating func entries() throws(Unknown) {
    try list("entries") { (fields) throws(Unknown) in
      try fields.text("key")
      try fields.value("value")
    }
  }
}
