// The files of a journal that are no segments.

extension FieldLayout {
  static let manifest = FieldLayout(
    "manifest",
    [
      (0, 8, "name", .bytes), (8, 2, "format", .number), (10, 2, "zero", .number),
      (12, 4, "required features", .check), (16, 4, "optional features", .check),
      (20, 16, "store", .bytes), (36, 8, "generation", .number), (44, 8, "durable count", .number),
      (52, 4, "segment count", .number), (56, 4, "attachment count", .number),
    ])

  static let manifestSegment = FieldLayout(
    "segment",
    [
      (0, 8, "segment number", .number), (8, 8, "salt", .check), (16, 8, "first frame", .number),
      (24, 8, "last frame", .number), (32, 8, "last body check", .check),
      (40, 8, "file length", .number),
    ])

  /// An attachment whose name and content have these lengths.
  static func attachment(name: Int, content: Int) -> FieldLayout {
    FieldLayout(
      "attachment",
      [
        (0, 1, "kind", .number), (1, 1, "name length", .number), (2, name, "name", .bytes),
        (2 + name, 4, "content length", .number), (6 + name, content, "content", .bytes),
      ].filter { $0.1 > 0 })
  }

  static let editBuffer = FieldLayout(
    "edit buffer",
    [
      (0, 8, "name", .bytes), (8, 2, "format", .number), (10, 2, "zero", .number),
      (12, 4, "required features", .check), (16, 16, "store", .bytes), (32, 8, "salt", .check),
      (40, 4, "half length", .number), (44, 12, "zeros", .bytes), (56, 8, "check", .check),
    ])

  static let slot = FieldLayout(
    "slot", [(0, 8, "durable count", .number), (8, 8, "check", .check)])

  static let half = FieldLayout(
    "half",
    [
      (0, 8, "generation", .number), (8, 8, "first edit", .number), (16, 8, "zeros", .bytes),
      (24, 8, "check", .check),
    ])

  static let bufferEntry = FieldLayout(
    "entry", [(0, 4, "check", .check), (4, 4, "length", .number)])

  static let checkpoint = FieldLayout(
    "checkpoint",
    [
      (0, 8, "name", .bytes), (8, 2, "format", .number), (10, 2, "zero", .number),
      (12, 4, "required features", .check), (16, 4, "optional features", .check),
      (20, 16, "store", .bytes),
    ])

  static let listTrailer = FieldLayout(
    "trailer of the property list",
    [
      (0, 6, "zeros", .bytes), (6, 1, "offset length", .number),
      (7, 1, "reference length", .number), (8, 8, "object count", .bytes), (16, 8, "root", .bytes),
      (24, 8, "table offset", .bytes),
    ])

  static let check = FieldLayout("check", [(0, 8, "check", .check)])

  static let run = FieldLayout(
    "run",
    [
      (0, 11, "empty LZ4 frame", .bytes), (11, 4, "magic number", .check),
      (15, 4, "length", .number), (19, 8, "name", .bytes), (27, 2, "format", .number),
      (29, 2, "zero", .number), (31, 4, "required features", .check),
      (35, 4, "optional features", .check), (39, 16, "store", .bytes), (55, 8, "salt", .check),
      (63, 9, "zeros", .bytes), (72, 8, "check", .check),
    ])

  static let runFooter = FieldLayout(
    "footer of the run",
    [
      (0, 4, "magic number", .check), (4, 4, "length", .number), (8, 8, "row count", .number),
      (16, 8, "deleted rows", .number), (24, 8, "block count", .number),
      (32, 8, "index offset", .number), (40, 8, "index length", .number),
      (48, 8, "index body check", .check), (56, 8, "check", .check),
    ])

  /// How many bytes it is about.
  var byteCount: Int { fields.map { $0.offset + $0.byteCount }.max() ?? 0 }
}
