internal import ByteCoding
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// Writes out the bytes of segments, field by field.
struct SegmentDumper {
  /// How many bytes are shown of what is no frame.
  private static let shownByteCount = 256

  private let walk: SegmentWalk
  private let output: Output
  private let printer: FieldPrinter
  private let withBytes: Bool
  private let onlyFrame: UInt64?
  private(set) var frameCount = 0

  init(_ walk: SegmentWalk, _ request: Request, onlyFrame: UInt64?) {
    self.walk = walk
    self.onlyFrame = onlyFrame
    output = request.output
    printer = FieldPrinter(output: output)
    withBytes = request.has("hex")
  }

  /// Writes a segment; returns what was met in it that could not be.
  mutating func dump(_ segment: Manifest.Segment) throws(ToolError) -> Finding? {
    let file = try walk.file(of: segment)
    let length = try SegmentWalk.byteCount(of: file)
    let header = try SegmentWalk.bytes(of: file, at: 0, SegmentHeader.byteCount)
    if onlyFrame == nil { show(header, at: 0, .segmentHeader, segment, length) }
    var end = UInt64(SegmentHeader.byteCount)
    var shown = frameCount
    var failure: ToolError?
    let finding = try walk.forEachFrame(of: segment) { _, frame in
      end = frame.offset + UInt64(frame.seal.sealedByteCount)
      guard onlyFrame == nil || frame.seal.number.rawValue == onlyFrame else { return true }
      shown += 1
      do throws(ToolError) {
        let seal = try SegmentWalk.bytes(of: file, at: frame.offset, Seal.byteCount)
        show(frame, seal, segment)
      } catch {
        failure = error
      }
      return failure == nil && onlyFrame == nil && output.isOpen
    }
    frameCount = shown
    if let failure { throw failure }
    if let finding {
      output.tell(ToolError(finding))
      let bytes = try SegmentWalk.bytes(of: file, at: end, Self.shownByteCount)
      printer.showBytes(bytes, at: end)
      return finding
    }
    let rest = try SegmentWalk.bytes(of: file, at: end, SegmentFooter.byteCount)
    if onlyFrame == nil, rest.contains(where: { $0 != 0 }) {
      show(rest, at: end, .segmentFooter, segment, nil)
    }
    return nil
  }

  // MARK: Fields

  private func show(
    _ bytes: [UInt8], at offset: UInt64, _ layout: FieldLayout, _ segment: Manifest.Segment,
    _ length: UInt64?
  ) {
    let name = segment.number.fileName
    if output.isJSON {
      output.json(
        .document(
          layout.name == "footer" ? "segmentFooter" : "segmentHeader",
          [
            ("file", .string(name)), ("offset", .count(offset)),
            ("bytes", length.map { .count($0) }),
            ("fields", printer.fields(bytes, layout)),
          ]))
      return
    }
    let size = length.map { ", \(Wording.count($0, "byte"))" } ?? ""
    output.line("\("\(name) \(layout.name)\(size)", .heading)")
    printer.rows(bytes, at: offset, layout)
  }

  // MARK: Frames

  private func show(_ frame: SealedFrame, _ seal: [UInt8], _ segment: Manifest.Segment) {
    var memory = ByteWriter(capacity: 64 << 10)
    guard let payload = frame.payload(in: &memory) else {
      output.tell(
        ToolError(.damage, "the payload of frame \(frame.seal.number.rawValue) is malformed."))
      return
    }
    let batch = frame.seal.kind == .batch ? Batch(payload) : nil
    if output.isJSON {
      showDocuments(frame, seal, segment, payload, batch)
    } else {
      output.line("\("frame \(frame.seal.number.rawValue), \(frame.seal.kind.name)", .heading)")
      printer.rows(seal, at: frame.offset, .seal)
      if let batch {
        forEachEntry(of: batch, in: payload) { entry in
          output.line("    \(entry.name, .key)  \("\(entry.bytes.count) B", .faint)  \(entry.text)")
          if withBytes { printer.rows(entry.fields, of: entry.bytes, at: entry.offset) }
        }
      } else if frame.seal.kind == .batch {
        output.line("    \("batch", .key)  malformed")
      } else if withBytes {
        showDigits(of: payload, frame.seal.number)
      }
    }
    extendLifetime(memory)
  }

  /// Writes the bytes of a payload: all of them where it was asked for by its number, as few may stand for many.
  private func showDigits(of payload: UnsafeRawBufferPointer, _ number: FrameNumber) {
    let shownCount = min(payload.count, onlyFrame == nil ? FieldPrinter.documentByteCount : .max)
    for start in stride(from: 0, to: shownCount, by: Self.piece) where output.isOpen {
      let part = payload[start..<min(start + Self.piece, shownCount)]
      for line in HexDump.lines(.init(rebasing: part), from: UInt64(start)) {
        output.line("      \(line, .faint)")
      }
    }
    guard shownCount < payload.count else { return }
    let rest = Wording.count(payload.count - shownCount, "byte")
    output.line("      … \(rest) more: --frame \(number.rawValue)")
  }

  /// How many bytes of digits, and how many entries and fields, are held at once.
  private static let piece = 4096

  /// Writes a frame in a document, and what of it would be too much for one in others.
  private func showDocuments(
    _ frame: SealedFrame, _ seal: [UInt8], _ segment: Manifest.Segment,
    _ payload: UnsafeRawBufferPointer, _ batch: Batch?
  ) {
    let shown = payload.prefix(FieldPrinter.documentByteCount)
    let head: [(String, JSONValue?)] = [
      ("file", .string(segment.number.fileName)), ("offset", .count(frame.offset)),
      ("number", .count(frame.seal.number.rawValue)),
    ]
    var members =
      head + [
        ("frameKind", .string(frame.seal.kind.name)), ("fields", printer.fields(seal, .seal)),
      ]
    let tail: [(String, JSONValue?)] =
      !withBytes
      ? []
      : [
        ("payload", .string(FieldLayout.digits(shown))),
        ("payloadBytes", shown.count < payload.count ? JSONValue.count(payload.count) : nil),
      ]
    var kind = "frame"
    var content: [JSONValue] = []
    var weight = 0
    func flush(_ tail: [(String, JSONValue?)]) {
      output.json(.document(kind, members + [("content", .array(content))] + tail))
      (kind, members, content, weight) = ("frameContent", head, [], 0)
    }
    if let batch {
      forEachEntry(of: batch, in: payload) { entry in
        // What was told before is held no more; the payload comes with the first.
        if weight > Self.piece { flush(kind == "frame" ? tail : []) }
        weight += 1 + entry.fields.count
        content.append(document(entry))
      }
    } else if frame.seal.kind == .batch {
      content = [
        .members([
          ("entry", .string("batch")), ("bytes", .count(0)), ("text", .string("malformed")),
        ])
      ]
    }
    flush(kind == "frame" ? tail : [])
  }

  private func document(_ entry: Entry) -> JSONValue {
    .members([
      ("entry", .string(entry.name)), ("bytes", .count(entry.bytes.count)),
      ("text", .string(entry.text)),
      ("fields", withBytes ? printer.json(entry.fields, of: entry.bytes, at: entry.offset) : nil),
    ])
  }

  private struct Entry {
    let name: String
    let text: String
    /// Nothing where the entry is in pieces.
    var bytes = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Where they begin in the payload.
    var offset: UInt64 = 0
    var fields: [EntryFields.Field] = []
  }

  /// The edits and commits of a batch, as far as they say something by themselves.
  private func forEachEntry(
    of batch: Batch, in payload: UnsafeRawBufferPointer, _ body: (Entry) -> Void
  ) {
    batch.forEachEdit { number, entry in
      guard output.isOpen else { return }
      body(describe("edit \(number.rawValue)", entry, in: payload, EntryFields.event))
    }
    batch.forEachCommit { entry in
      guard output.isOpen else { return }
      body(describe("commit", entry, in: payload, EntryFields.commit))
    }
  }

  private func describe(
    _ name: String, _ entry: Batch.Entry, in payload: UnsafeRawBufferPointer,
    _ fields: (UnsafeRawBufferPointer, Int) -> [EntryFields.Field]
  ) -> Entry {
    switch entry {
    case .spanning(let span):
      return Entry(
        name: name,
        text: "in \(span.pieceCount) pieces from frame \(span.firstFrame.rawValue) on")
    case .whole(let bytes):
      let offset = bytes.baseAddress.flatMap { start in payload.baseAddress.map { start - $0 } }
      return Entry(
        name: name, text: String(EntryFields.words(bytes, fields).prefix(400)), bytes: bytes,
        offset: UInt64(offset ?? 0),
        fields: withBytes ? fields(bytes, EntryFields.largestCount) : [])
    }
  }
}
