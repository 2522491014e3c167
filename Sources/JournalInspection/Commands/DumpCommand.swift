internal import ByteCoding
internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal dump`: the bytes of segments, field by field.
extension Command {
  static let dump = Command(
    "dump", "Writes out the bytes of segments and other files, field by field.",
    details: [
      "docs/format.md tells what the fields mean. Where something is damaged, the bytes from there on are shown as they "
        + "are, and the next segment follows. With --hex, events and commits are taken apart, too: before each field "
        + "stands where it begins in the payload, which is compressed in the file."
    ],
    examples: [
      Example(
        "xjournal dump --segment 1", "headers, seals, edits and commits of the first segment"),
      Example("xjournal dump --frame 2 --hex", "one frame, with the bytes of its payload"),
      Example("xjournal dump --file MANIFEST", "the file that says what belongs to the journal"),
      Example("xjournal dump --json", "a line for each segment and frame"),
    ],
    options: [
      Option("segment", value: "NUMBER", "only this segment"),
      Option("frame", value: "NUMBER", "only this frame"),
      Option("hex", "events and commits in hexadecimal too, field by field"),
      Option("file", value: "NAME", "MANIFEST, edits, or a file in snapshots"),
    ]
  ) { (request) throws(ToolError) in
    if let name = request["file"] { return try FileDumper(request).dump(name) }
    let walk = try SegmentWalk(request)
    let (segment, frame) = (try request.number("segment"), try request.number("frame"))
    var dumper = SegmentDumper(walk, request, onlyFrame: frame.map(UInt64.init))
    let wanted = walk.manifest.segments.filter {
      segment == nil || $0.number.rawValue == UInt64(segment ?? 0)
    }
    if wanted.isEmpty { throw .no("there is no segment \(segment ?? 0).") }
    var status = ExitStatus.fine
    for segment in wanted where request.output.isOpen {
      do throws(ToolError) {
        if try dumper.dump(segment) { status = .damage }
      } catch {
        guard error.status == .damage else { throw error }
        request.output.tell(error)
        status = .damage
      }
    }
    if let frame, dumper.frameCount == 0, status == .fine {
      throw .no("there is no frame \(frame).")
    }
    return status
  }
}

/// Writes out segments.
private struct SegmentDumper {
  /// How many bytes are shown of what is no frame.
  private static let shownByteCount = 256

  private let walk: SegmentWalk
  private let output: Output
  private let printer: FieldPrinter
  private let withBytes: Bool
  private let onlyFrame: UInt64?
  private let decoder: EventDecoder
  private(set) var frameCount = 0

  init(_ walk: SegmentWalk, _ request: Request, onlyFrame: UInt64?) {
    self.walk = walk
    self.onlyFrame = onlyFrame
    output = request.output
    printer = FieldPrinter(output: output)
    withBytes = request.has("hex")
    decoder = EventDecoder(store: StoreTag(rawValue: walk.manifest.store.low))
  }

  /// Writes a segment; returns whether damage was met.
  mutating func dump(_ segment: Manifest.Segment) throws(ToolError) -> Bool {
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
      output.tell(ToolError(.damage, "the journal is damaged in \(finding)."))
      let bytes = try SegmentWalk.bytes(of: file, at: end, Self.shownByteCount)
      printer.showBytes(bytes, at: end)
      return true
    }
    let rest = try SegmentWalk.bytes(of: file, at: end, SegmentFooter.byteCount)
    if onlyFrame == nil, rest.contains(where: { $0 != 0 }) {
      show(rest, at: end, .segmentFooter, segment, nil)
    }
    return false
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
    let content = frame.seal.kind == .batch ? content(of: payload) : []
    if output.isJSON {
      let hex = withBytes ? JSONValue.string(FieldLayout.digits(Array(payload)[...])) : nil
      output.json(
        .document(
          "frame",
          [
            ("file", .string(segment.number.fileName)), ("offset", .count(frame.offset)),
            ("number", .count(frame.seal.number.rawValue)),
            ("frameKind", .string(frame.seal.kind.name)), ("fields", printer.fields(seal, .seal)),
            (
              "content",
              .array(
                content.map {
                  .members([
                    ("entry", .string($0.name)), ("bytes", .count($0.bytes.count)),
                    ("text", .string($0.text)),
                    (
                      "fields",
                      withBytes ? printer.json($0.fields, of: $0.bytes, at: $0.offset) : nil
                    ),
                  ])
                })
            ), ("payload", hex),
          ]))
    } else {
      output.line("\("frame \(frame.seal.number.rawValue), \(frame.seal.kind.name)", .heading)")
      printer.rows(seal, at: frame.offset, .seal)
      for entry in content {
        output.line("    \(entry.name, .key)  \("\(entry.bytes.count) B", .faint)  \(entry.text)")
        if withBytes { printer.rows(entry.fields, of: entry.bytes, at: entry.offset) }
      }
      if withBytes, content.isEmpty {
        for line in HexDump.lines(payload) { output.line("      \(line, .faint)") }
      }
    }
    extendLifetime(memory)
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
  private func content(of payload: UnsafeRawBufferPointer) -> [Entry] {
    guard let batch = Batch(payload) else { return [Entry(name: "batch", text: "malformed")] }
    var entries: [Entry] = []
    batch.forEachEdit { number, entry in
      entries.append(
        describe("edit \(number.rawValue)", entry, in: payload, EntryFields.event) {
          (bytes) throws(EventCodingError) in Self.plain("\(try decoder.event(bytes))")
        })
    }
    batch.forEachCommit { entry in
      entries.append(
        describe("commit", entry, in: payload, EntryFields.commit) {
          (bytes) throws(EventCodingError) in
          let head = try decoder.commitHead(bytes)
          return "\(head.number) of context \(head.context.rawValue)"
            + (head.author.map { " by \($0)" } ?? "") + (head.message.map { ": \($0)" } ?? "")
        })
    }
    return entries
  }

  /// The text of an event without the names of types.
  static func plain(_ text: String) -> String {
    text.replacing(/ObjectModel\.(?:Edit\.)?/, with: "")
      .replacing(/\w+\(rawValue: (-?\d+)\)/) { String($0.1) }
  }

  private func describe(
    _ name: String, _ entry: Batch.Entry, in payload: UnsafeRawBufferPointer,
    _ fields: (UnsafeRawBufferPointer) -> [EntryFields.Field],
    _ text: (UnsafeRawBufferPointer) throws(EventCodingError) -> String
  ) -> Entry {
    switch entry {
    case .spanning(let span):
      return Entry(
        name: name,
        text: "in \(span.pieceCount) pieces from frame \(span.firstFrame.rawValue) on")
    case .whole(let bytes):
      let words: String
      do throws(EventCodingError) {
        words = String(try text(bytes).prefix(400))
      } catch {
        words = "\(error)"
      }
      let offset = bytes.baseAddress.flatMap { start in payload.baseAddress.map { start - $0 } }
      return Entry(
        name: name, text: words, bytes: bytes, offset: UInt64(offset ?? 0),
        fields: withBytes ? fields(bytes) : [])
    }
  }
}
