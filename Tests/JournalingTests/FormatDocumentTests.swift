import ByteCoding
import DiskAccess
import Foundation
import Journaling
import TestSupport
import Testing

/// docs/format.md against the code: its example both ways, and the numbers in its tables.
struct FormatDocumentTests {
  static let files = [
    "journal/0000000001.xj", "journal/0000000002.xj", "edits", "MANIFEST", "LOCK",
  ]
  let page: FormatDocument

  init() throws { page = try FormatDocument.ofThisRepository() }

  private func block(_ name: String) throws -> AnnotatedBytes { try #require(page.blocks[name]) }

  /// The example's files in a temporary folder, as the page has them.
  private func withExample(_ body: (_ path: String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "format-document-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appending(path: FormatExample.journalName)
    try FileManager.default.createDirectory(
      at: store.appending(path: "journal"), withIntermediateDirectories: true)
    for name in Self.files {
      try Data(try block(name).bytes).write(to: store.appending(path: name))
    }
    try body(store.path)
  }

  // MARK: The page by itself

  @Test func `every line of the example says what its bytes are`() throws {
    let others = ["batch", "event", "commit", "run", "index run", "checkpoint"]
    #expect(page.blocks.keys.sorted() == (Self.files + others).sorted())
    for (name, block) in page.blocks {
      #expect(block.contradictions == [], "\(name)")
      #expect(!block.bytes.isEmpty, "\(name)")
    }
  }

  @Test(arguments: [
    ("; a\n0000  01 00      count = 2", "count is not 2"),
    ("; a\n0000  AC 02      count = 301", "count is not 301"),
    ("; a\n0000  41         name = \"B\"", "name is not \"B\""),
    ("; a\n0000  41         name = B", "name is not B"),
    ("; a\n0000  00 01      zeros", "zeros is not as it should be"),
    ("; a\n0000  01  one\n0002  02  two", "out of place: 0002  02  two"),
    ("; a\n0001  zeros up to 0004", "out of place: 0001  zeros up to 0004"),
    ("0000  01  one", "in no section: 0000  01  one"),
    ("; a\n0000  01", "without a name: 0000  01"),
    ("; a\n0000  1  one", "unreadable: 0000  1  one"),
  ])
  func `a line that says something else is found`(lines: String, contradiction: String) {
    let page = FormatDocument("```hex x\n\(lines)\n```")
    #expect(page.blocks["x"]?.contradictions == [contradiction])
  }

  private static let layouts: [(heading: String, byteCount: Int?, block: String, section: String)] =
    [
      ("Segment header", SegmentHeader.byteCount, files[0], "header"),
      ("Segment header", SegmentHeader.byteCount, files[1], "header"),
      ("Seal", Seal.byteCount, files[0], "frame 1: seal"),
      ("Seal", Seal.byteCount, files[0], "frame 2: seal, an idle marker"),
      ("Seal", Seal.byteCount, files[1], "frame 3: seal"),
      ("Footer", SegmentFooter.byteCount, files[0], "footer"),
      ("Header of the edit buffer", EditBufferLayout.headerByteCount, "edits", "header"),
      ("Slots", EditBufferLayout.slotByteCount, "edits", "slot 0"),
      ("Slots", EditBufferLayout.slotByteCount, "edits", "slot 1"),
      ("Halves", EditBufferLayout.halfHeaderByteCount, "edits", "half 0: header"),
      ("Halves", EditBufferLayout.halfHeaderByteCount, "edits", "half 1: header"),
      ("Head of the manifest", 60, "MANIFEST", "head"),
      ("Segment in the manifest", 48, "MANIFEST", "segment 1, sealed"),
      ("Segment in the manifest", 48, "MANIFEST", "segment 2, active"),
    ]

  @Test(arguments: layouts.indices)
  func `a table of fields leaves no byte out, and the example follows it`(index: Int) throws {
    let layout = Self.layouts[index]
    let table = try #require(page.table(under: layout.heading))
    #expect(table.columns == ["Offset", "Length", "Type", "Field", "Meaning"])
    let block = try block(layout.block)
    let section = try #require(block.sections.first { $0.title == layout.section })
    var end = 0
    for row in table.rows {
      let length = try #require(Int(row[1]))
      #expect(Int(row[0]) == end, "\(layout.heading): \(row[3])")
      let field = try #require(block.field(layout.section, row[3]), "\(row[3])")
      #expect(field.start == section.start + end, "\(layout.heading): \(row[3])")
      #expect(field.bytes.count == length, "\(layout.heading): \(row[3])")
      end += length
      let widths = ["`u8`": 1, "`u16`": 2, "`u32`": 4, "`u64`": 8, "`i64`": 8]
      #expect(widths[row[2], default: length] == length, "\(layout.heading): \(row[3])")
    }
    #expect(end == layout.byteCount)
    #expect(table.rows.count == section.fields.count)
  }

  // MARK: Writing

  @Test func `the journal writes the files of the example byte for byte`() throws {
    let example = try FormatExample()
    for name in Self.files {
      let (written, stated) = (try example.bytes(of: name), try block(name).bytes)
      #expect(written == stated, "\(name)")
    }
  }

  @Test func `a span is written byte for byte`() throws {
    let block = try block("batch")
    var span = ByteWriter()
    Span(
      firstFrame: FrameNumber(300), pieceCount: 2, byteCount: 1_500_000,
      check: 0x0123_4567_89AB_CDEF
    ).write(to: &span)
    var batch = ByteWriter()
    batch.writeVarint(7)
    batch.writeVarint(1)
    batch.writeEntry(span, isSpan: true)
    batch.writeVarint(0)
    #expect(batch.withBytes { Array($0) } == block.bytes)
  }

  // MARK: Reading

  @Test(arguments: files.prefix(2))
  func `the code reads the header that the page states`(name: String) throws {
    let block = try block(name)
    guard case .header(let header) = block.bytes.withUnsafeBytes({ SegmentHeader.read($0) }) else {
      Issue.record("the header cannot be read")
      return
    }
    func number(_ field: String) -> UInt64? { block.number("header", field) }
    #expect(UInt64(header.format) == number("format"))
    #expect(UInt64(header.requiredFeatures) == number("required features"))
    #expect(UInt64(header.optionalFeatures) == number("optional features"))
    #expect(header.store == FormatExample.store)
    #expect(header.salt == number("salt"))
    #expect(header.number.rawValue == number("segment number"))
    #expect("journal/" + header.number.fileName == name)
    #expect(header.firstFrame.rawValue == number("first frame"))
    #expect(header.firstEdit.rawValue == number("first edit"))
    #expect(header.previousBodyCheck == number("previous body check"))
    #expect(UInt64(header.creationTime) == number("creation time"))
    #expect(UInt64(header.windowByteCount) == number("window"))
  }

  /// What the page states of one frame.
  private struct FrameExample {
    let file: String
    let number: UInt64
    var suffix = ""
    var edits: [UInt64] = []
    var commitCount = 0
  }

  private static let frames = [
    FrameExample(file: files[0], number: 1, edits: [1, 2], commitCount: 1),
    FrameExample(file: files[0], number: 2, suffix: ", an idle marker"),
    FrameExample(file: files[1], number: 3, edits: [3], commitCount: 1),
  ]

  @Test func `the scanner finds the frames that the page states`() throws {
    try withExample { path in
      for file in Self.files.prefix(2) {
        let block = try block(file)
        guard case .header(let header) = block.bytes.withUnsafeBytes({ SegmentHeader.read($0) })
        else { continue }
        let folder = try PosixDisk().folderForReading(at: path + "/journal")
        var scanner = try FrameScanner(
          try folder.fileForReading(header.number.fileName), header)
        for frame in Self.frames where frame.file == file {
          guard case .frame(let sealed) = try scanner.next() else {
            Issue.record("frame \(frame.number) is not found")
            return
          }
          try expect(sealed, frame, block)
        }
        expect(end: try scanner.next(), block)
      }
    }
  }

  private func expect(
    _ sealed: SealedFrame, _ frame: FrameExample, _ block: AnnotatedBytes
  ) throws {
    let section = "frame \(frame.number): seal\(frame.suffix)"
    let seal = sealed.seal
    func number(_ field: String) -> UInt64? { block.number(section, field) }
    #expect(sealed.offset == block.sections.first { $0.title == section }.map { UInt64($0.start) })
    #expect(seal.number.rawValue == frame.number)
    #expect(seal.number.rawValue == number("frame number"))
    #expect(seal.bodyCheck == number("body check"))
    #expect(UInt64(seal.previousBodyCheck) == number("previous body check"))
    #expect(UInt64(seal.unsyncedFrameCount) == number("unsynced frames"))
    #expect(UInt64(seal.lz4FrameByteCount) == number("LZ4 frame length"))
    #expect(UInt64(seal.payloadByteCount) == number("payload length"))
    #expect(UInt64(seal.kind.rawValue) == number("kind"))
    #expect(UInt64(seal.flags) == number("flags"))
    #expect(UInt64(seal.format) == number("format"))
    var memory = ByteWriter()
    guard let payload = sealed.payload(in: &memory) else {
      Issue.record("frame \(frame.number) cannot be decompressed")
      return
    }
    if seal.kind == .batch {
      expect(try #require(Batch(payload)), frame, block)
    } else {
      #expect(seal.kind == .idleMarker)
      #expect(payload.isEmpty)
    }
    extendLifetime(memory)
  }

  private func expect(_ batch: Batch, _ frame: FrameExample, _ block: AnnotatedBytes) {
    let section = "frame \(frame.number): payload, a batch"
    #expect(batch.firstEdit.rawValue == block.number(section, "first edit"))
    #expect(batch.editCount == frame.edits.count)
    #expect(UInt64(batch.editCount) == block.number(section, "edit count"))
    #expect(batch.commitCount == frame.commitCount)
    #expect(UInt64(batch.commitCount) == block.number(section, "commit count"))
    var numbers: [UInt64] = []
    batch.forEachEdit { number, entry in
      numbers.append(number.rawValue)
      #expect(Self.text(of: entry) == block.text(section, "edit \(number.rawValue): bytes"))
    }
    #expect(numbers == frame.edits)
    batch.forEachCommit { entry in
      #expect(Self.text(of: entry) == block.text(section, "commit: bytes"))
    }
  }

  private static func text(of entry: Batch.Entry) -> String {
    guard case .whole(let bytes) = entry else { return "no whole entry" }
    return String(decoding: bytes, as: UTF8.self)
  }

  private func expect(end: FrameScanner.Step, _ block: AnnotatedBytes) {
    switch end {
    case .footer(let footer):
      #expect(footer.frameCount == block.number("footer", "frame count"))
      #expect(footer.lastFrame.rawValue == block.number("footer", "last frame"))
      #expect(footer.lastEdit.rawValue == block.number("footer", "last edit"))
      #expect(footer.lastBodyCheck == block.number("footer", "last body check"))
    case .endOfFile:
      #expect(block.field("footer", "check") == nil)
    default:
      Issue.record("the frames end with \(end)")
    }
  }

  @Test func `the code reads the manifest that the page states`() throws {
    let block = try block("MANIFEST")
    guard case .manifest(let manifest) = block.bytes.withUnsafeBytes({ Manifest.read($0) }) else {
      Issue.record("the manifest cannot be read")
      return
    }
    #expect(manifest.encoded().withBytes { Array($0) } == block.bytes)
    #expect(manifest.store == FormatExample.store)
    #expect(manifest.generation == block.number("head", "generation"))
    #expect(manifest.durableThrough.rawValue == block.number("head", "durable count"))
    #expect(UInt64(manifest.optionalFeatures) == block.number("head", "optional features"))
    #expect(UInt64(manifest.segments.count) == block.number("head", "segment count"))
    for (segment, section) in zip(manifest.segments, ["segment 1, sealed", "segment 2, active"]) {
      #expect(segment.number.rawValue == block.number(section, "segment number"))
      #expect(segment.salt == block.number(section, "salt"))
      #expect(segment.firstFrame.rawValue == block.number(section, "first frame"))
      #expect((segment.sealing?.lastFrame.rawValue ?? 0) == block.number(section, "last frame"))
      #expect((segment.sealing?.lastBodyCheck ?? 0) == block.number(section, "last body check"))
      #expect((segment.sealing?.byteCount ?? 0) == block.number(section, "file length"))
    }
    #expect(manifest.attachments == [FormatExample.attachment])
    #expect(UInt64(FormatExample.attachment.kind) == block.number("attachment", "kind"))
    #expect(FormatExample.attachment.fileName == block.text("attachment", "name"))
    #expect(FormatExample.attachment.content == block.field("attachment", "content")?.bytes)
  }

  @Test func `the code reads the edits that the page states`() throws {
    let block = try block("edits")
    try withExample { path in
      let folder = try PosixDisk().folderForReading(at: path)
      for first: UInt64 in [3, 4] {
        var contents = try EditBufferContents(in: folder, store: FormatExample.store)
        #expect(contents.durableThrough.rawValue == block.number("slot 1", "durable count"))
        var texts: [String] = []
        contents.forEachUnsealedEdit(from: EditNumber(first)) { bytes, isSpan in
          #expect(!isSpan)
          texts.append(String(decoding: bytes, as: UTF8.self))
          return true
        }
        let stated = [
          try #require(block.text("half 1: edit 3", "bytes")),
          try #require(block.text("half 0: edit 4", "bytes")),
        ]
        #expect(texts == Array(stated.dropFirst(Int(first) - 3)))
        #expect(contents.findings == [])
      }
    }
  }

  @Test func `the salt of an entry is the one the page works out`() throws {
    let salt = try #require(block("edits").number("header", "salt"))
    let entrySalt = String(salt &+ 4 &* 0x9E37_79B9_7F4A_7C15, radix: 16, uppercase: true)
    let stated = try #require(block("edits").number("half 0: edit 4", "check"))
    let bytes = Array("not saved".utf8)
    let check = bytes.withUnsafeBytes { bytes in
      EditBufferLayout.check(bytes, EditNumber(4), lengthField: 9, salt: salt)
    }
    #expect(UInt64(check) == stated)
    #expect(page.prose.contains("0x" + entrySalt))
  }

  @Test func `the code reads the span that the page states`() throws {
    let block = try block("batch")
    try block.bytes.withUnsafeBytes { bytes in
      let batch = try #require(Batch(bytes))
      #expect(batch.firstEdit.rawValue == block.number("batch", "first edit"))
      #expect(batch.commitCount == 0)
      var spans: [Span] = []
      batch.forEachEdit { _, entry in
        if case .spanning(let span) = entry { spans.append(span) }
      }
      let span = try #require(spans.first)
      #expect(spans.count == 1)
      #expect(span.firstFrame.rawValue == block.number("span", "first frame"))
      #expect(UInt64(span.pieceCount) == block.number("span", "piece count"))
      #expect(UInt64(span.byteCount) == block.number("span", "length"))
      #expect(span.check == block.number("span", "check"))
    }
  }

  @Test func `the example is a store that opens, with one edit that no frame held`() throws {
    try withExample { path in
      let reader = try JournalReader(at: path, on: PosixDisk())
      var numbers: [UInt64] = []
      let ending = try reader.forEachFrame { frame in
        numbers.append(frame.number.rawValue)
        return true
      }
      #expect(numbers == [1, 2, 3])
      #expect(ending.finding == nil)
      numbers = []
      let finding = try JournalTail(at: path, on: PosixDisk()).poll { frame, _ in
        numbers.append(frame.number.rawValue)
        return true
      }
      #expect(finding == nil)
      #expect(numbers == [1, 2, 3])
      var options = JournalOptions()
      options.allowsNetworkFileSystems = true
      options.hasUpkeepThread = false
      let (journal, report) = try Journal.open(
        on: PosixDisk(), at: path, making: .never, options: options,
        checkingFrom: FrameNumber(1))
      #expect(report.findings == [])
      #expect(report.tornTail == nil)
      #expect(report.recoveredEditCount == 1)
      try journal.close()
    }
  }

  // MARK: Numbers in tables

  private static let constants: [String: UInt64] = [
    "segment header magic number": UInt64(SegmentHeader.magicNumber),
    "segment header length": UInt64(SegmentHeader.byteCount),
    "segment format": UInt64(SegmentHeader.currentFormat),
    "seal magic number": UInt64(Seal.magicNumber),
    "seal length": UInt64(Seal.byteCount),
    "footer magic number": UInt64(SegmentFooter.magicNumber),
    "footer length": UInt64(SegmentFooter.byteCount),
    "LZ4 magic number": UInt64(LZ4Frame.magicNumber),
    "stored block flag": UInt64(LZ4Frame.storedBlockFlag),
    "batch kind": UInt64(FrameKind.batch.rawValue),
    "idle marker kind": UInt64(FrameKind.idleMarker.rawValue),
    "piece kind": UInt64(FrameKind.piece.rawValue),
    "manifest format": UInt64(Manifest.currentFormat),
    "edit buffer format": UInt64(EditBufferLayout.currentFormat),
    "edit buffer header length": UInt64(EditBufferLayout.headerByteCount),
    "slot 0 offset": UInt64(EditBufferLayout.slotOffsets[0]),
    "slot 1 offset": UInt64(EditBufferLayout.slotOffsets[1]),
    "slot length": UInt64(EditBufferLayout.slotByteCount),
    "half 0 offset": UInt64(EditBufferLayout.firstHalfOffset),
    "half header length": UInt64(EditBufferLayout.halfHeaderByteCount),
    "entry header length": UInt64(EditBufferLayout.entryHeaderByteCount),
    "span flag of an entry": UInt64(EditBufferLayout.spanFlag),
    "varint, most bytes": UInt64(Varint.maximumByteCount),
  ]

  private static let limits: [String: UInt64] = [
    "largest payload": UInt64(Limits.payloadByteCount),
    "largest block, decompressed": UInt64(Limits.blockByteCount),
    "longest LZ4 frame": UInt64(Limits.lz4FrameByteCount),
    "largest expansion, times": UInt64(Limits.expansion),
    "largest expansion, plus": UInt64(Limits.expansionAllowance),
    "largest edit or commit": UInt64(Limits.entryByteCount),
    "longest spans of a batch, together": UInt64(Limits.spansByteCount),
    "most spans of a batch": UInt64(Limits.spanCount),
    "most edits or commits of a batch": UInt64(Limits.batchEntryCount),
    "largest manifest": UInt64(Limits.manifestByteCount),
    "most attachments": UInt64(Limits.attachmentCount),
    "largest edit buffer": UInt64(Limits.editBufferByteCount),
    "longest attachment name": UInt64(Limits.nameByteCount),
    "largest number of a segment, frame, edit, commit or context, where one is stated": Limits
      .number,
    "largest window": UInt64(Limits.windowByteCount),
    "most zeros ahead": Limits.zerosByteCount,
  ]

  @Test(arguments: [("Constants", constants), ("Limits", limits)])
  func `the numbers in a table are those of the code`(
    heading: String, values: [String: UInt64]
  ) throws {
    let table = try #require(page.table(under: heading))
    #expect(table.rows.map { $0[0] }.sorted() == values.keys.sorted())
    for row in table.rows {
      let stated =
        row[1].hasPrefix("0x") ? UInt64(row[1].dropFirst(2), radix: 16) : UInt64(row[1])
      #expect(stated == values[row[0]], "\(row[0])")
    }
  }

  @Test func `the findings that a torn write may leave are those of the code`() throws {
    let number = FrameNumber(2)
    let ofCode: [String: Finding.Kind] = [
      "not a frame": .notAFrame, "seal damaged": .sealDamaged, "body damaged": .bodyDamaged,
      "frame cut short": .frameCutShort, "footer damaged": .footerDamaged,
      "foreign frame": .foreignFrame, "frames missing": .framesMissing(found: number),
      "frames swapped": .framesSwapped(found: number),
      "frame repeated": .frameRepeated(found: number), "link broken": .linkBroken,
      "frame malformed": .frameMalformed, "frame newer": .frameNewer(format: 2, flags: 0),
      "bytes after footer": .bytesAfterFooter,
    ]
    let table = try #require(page.tables.first { $0.columns.first == "Finding" })
    #expect(table.rows.map { $0[0] }.sorted() == ofCode.keys.sorted())
    for row in table.rows {
      let finding = Finding(try #require(ofCode[row[0]]), "segment", at: 128, expected: number)
      let verdict = TailVerdict(
        TailVerdict.Evidence(
          finding: finding, lost: finding, durableThrough: FrameNumber(1), badByteCount: 10,
          windowByteCount: 10, isSealed: false))
      let isTorn = if case .torn = verdict { true } else { false }
      #expect((row[1] == "yes") == isTorn, "\(row[0])")
    }
  }

  @Test func `the descriptors of an LZ4 frame are those of the code`() throws {
    let table = try #require(page.tables.first { $0.columns.first == "Descriptor" })
    let ofCode = LZ4Frame.BlockLimit.allCases.map { limit in
      let bytes = [LZ4Frame.flags, limit.rawValue, limit.prefixCheck]
      let text = bytes.map { HexDump.hexadecimal(UInt64($0), digits: 2).uppercased() }
      return ["`\(text.joined(separator: " "))`", String(limit.byteCount)]
    }
    #expect(table.rows == ofCode)
  }

  @Test func `the names of files are those of the code`() throws {
    let table = try #require(page.table(under: "The store's folder"))
    let ofCode = [
      JournalFiles.lock, JournalFiles.manifest, JournalFiles.newManifest, JournalFiles.edits,
      JournalFiles.newEdits, JournalFiles.journalFolder + "/", JournalFiles.recoveredFolder + "/",
      JournalFiles.copyMark,
    ]
    #expect(table.rows.map { $0[0] } == ofCode.map { "`\($0)`" })
  }
}
