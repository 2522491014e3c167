internal import ByteCoding
internal import ObjectPatching

/// Writes bytes out with what they mean: for people, and in JSON.
struct FieldPrinter {
  /// How many bytes of a long field are shown.
  private static let shownByteCount = 16
  /// The same, in JSON.
  static let documentByteCount = 64 << 10

  let output: Output

  func rows(_ bytes: [UInt8], at offset: UInt64, _ layout: FieldLayout) {
    for field in layout.fields where field.offset + field.byteCount <= bytes.count {
      let part = bytes[field.offset..<field.offset + field.byteCount]
      row(
        part, at: offset + UInt64(field.offset), field.name, FieldLayout.text(part, field.kind),
        indent: "  ")
    }
  }

  private func row(
    _ bytes: ArraySlice<UInt8>, at offset: UInt64, _ name: String, _ text: String, indent: String
  ) {
    let digits = FieldLayout.digits(bytes)
    let space = String(repeating: " ", count: max(0, 48 - digits.count))
    let place = HexDump.hexadecimal(offset, digits: 8)
    output.line("\(indent)\(place, .faint)  \(digits)\(space) \(name, .key)  \(text)")
  }

  func fields(_ bytes: [UInt8], _ layout: FieldLayout) -> JSONValue {
    .array(
      layout.fields.filter { $0.offset + $0.byteCount <= bytes.count }.map { field in
        let part = bytes[field.offset..<field.offset + field.byteCount]
        let text = FieldLayout.text(part, field.kind)
        return .members([
          ("offset", .count(field.offset)), ("name", .string(field.name)),
          ("bytes", .string(FieldLayout.digits(part))),
          ("value", text.isEmpty ? nil : .string(text)),
        ])
      })
  }

  /// The fields of an entry, whose bytes begin at an offset.
  func rows(_ fields: [EntryFields.Field], of bytes: UnsafeRawBufferPointer, at offset: UInt64) {
    for field in fields {
      let shown = min(field.byteCount, Self.shownByteCount)
      let part = Array(bytes[field.offset..<field.offset + shown])
      row(
        part[0...], at: offset + UInt64(field.offset),
        String(repeating: "  ", count: min(field.depth, 16)) + field.name,
        field.text + (shown < field.byteCount ? " (\(field.byteCount) bytes)" : ""),
        indent: "      ")
    }
  }

  func json(
    _ fields: [EntryFields.Field], of bytes: UnsafeRawBufferPointer, at offset: UInt64
  ) -> JSONValue {
    .array(
      fields.map { field in
        let part = bytes[field.offset..<field.offset + field.byteCount]
        let isCut = part.count > Self.documentByteCount
        return .members([
          ("offset", .count(offset + UInt64(field.offset))), ("name", .string(field.name)),
          ("bytes", .string(FieldLayout.digits(part.prefix(Self.documentByteCount)))),
          ("byteCount", isCut ? JSONValue.count(part.count) : nil),
          ("value", field.text.isEmpty ? nil : .string(field.text)),
        ])
      })
  }

  func showBytes(_ bytes: [UInt8], at offset: UInt64) {
    let lines = bytes.withUnsafeBytes { HexDump.lines($0, from: offset) }
    if output.isJSON {
      output.json(
        .document(
          "bytes", [("offset", .count(offset)), ("lines", .array(lines.map { .string($0) }))]))
    } else {
      for line in lines { output.line("  \(line)") }
    }
  }
}
