internal import ByteCoding

/// Where the fields of a piece of the format lie, as docs/format.md has them.
struct FieldLayout {
  enum Kind {
    /// A number, least byte first.
    case number
    /// The same, in base sixteen.
    case check
    case bytes
  }

  struct Field {
    let offset: Int
    let byteCount: Int
    let name: String
    let kind: Kind
  }

  let name: String
  let fields: [Field]

  init(_ name: String, _ fields: [(Int, Int, String, Kind)]) {
    self.name = name
    self.fields = fields.map { Field(offset: $0.0, byteCount: $0.1, name: $0.2, kind: $0.3) }
  }

  static let segmentHeader = FieldLayout(
    "header",
    [
      (0, 11, "empty LZ4 frame", .bytes), (11, 4, "magic number", .check),
      (15, 4, "length", .number),
      (19, 8, "name", .bytes), (27, 2, "format", .number), (29, 2, "zero", .number),
      (31, 4, "required features", .check), (35, 4, "optional features", .check),
      (39, 16, "store", .bytes), (55, 8, "salt", .check), (63, 8, "segment number", .number),
      (71, 8, "first frame", .number), (79, 8, "first edit", .number),
      (87, 8, "previous body check", .check), (95, 8, "creation time", .number),
      (103, 4, "window", .number), (107, 13, "zeros", .bytes), (120, 8, "check", .check),
    ])

  static let seal = FieldLayout(
    "seal",
    [
      (0, 4, "magic number", .check), (4, 4, "length", .number), (8, 8, "frame number", .number),
      (16, 8, "body check", .check), (24, 4, "previous body check", .check),
      (28, 4, "unsynced frames", .number), (32, 4, "LZ4 frame length", .number),
      (36, 4, "payload length", .number), (40, 1, "kind", .number), (41, 1, "flags", .check),
      (42, 1, "format", .number), (43, 1, "zero", .number), (44, 4, "head check", .check),
    ])

  static let segmentFooter = FieldLayout(
    "footer",
    [
      (0, 4, "magic number", .check), (4, 4, "length", .number), (8, 8, "frame count", .number),
      (16, 8, "last frame", .number), (24, 8, "last edit", .number),
      (32, 8, "last body check", .check), (40, 8, "check", .check),
    ])

  /// What a field says, for people.
  static func text(_ bytes: ArraySlice<UInt8>, _ kind: Kind) -> String {
    guard kind != .bytes else {
      let isText = bytes.allSatisfy { (0x20..<0x7F).contains($0) }
      return isText ? "“\(String(decoding: bytes, as: UTF8.self))”" : ""
    }
    let number = bytes.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return kind == .number
      ? String(number) : "0x" + HexDump.hexadecimal(number, digits: 2 * bytes.count)
  }

  static func digits(_ bytes: some Collection<UInt8>) -> String {
    guard !bytes.isEmpty else { return "" }
    return String(unsafeUninitializedCapacity: 3 * bytes.count - 1) { text in
      let digits = Array("0123456789abcdef".utf8)
      var place = 0
      for byte in bytes {
        if place > 0 {
          text[place] = UInt8(ascii: " ")
          place += 1
        }
        text[place] = digits[Int(byte >> 4)]
        text[place + 1] = digits[Int(byte & 15)]
        place += 2
      }
      return place
    }
  }
}
