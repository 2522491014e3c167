internal import ByteCoding
internal import DiskAccess
internal import Journaling
internal import ObjectPatching
internal import ObjectStore

/// Writes out the files of a journal that are no segments, field by field. Nothing else of the journal need be sound.
struct FileDumper {
  private static let shownByteCount = 256

  private let folder: any ReadableFolder
  private let output: Output
  private let printer: FieldPrinter
  private let withBytes: Bool

  init(_ request: Request) throws(ToolError) {
    let path = try request.path()
    try request.refuseNoFolder(path)
    var isJournal = false
    do throws(DiskError) {
      folder = try request.disk.folderForReading(at: path)
      for name in [JournalFiles.manifest, JournalFiles.edits, JournalFiles.journalFolder] {
        if try folder.information(of: name) != nil { isJournal = true }
      }
    } catch {
      throw ToolError(
        StoreError(error.code == .notFound ? .storeMissing(path: path) : JournalError.disk(error)))
    }
    guard isJournal else { throw ToolError(StoreError(JournalError.storeMissing(path: path))) }
    output = request.output
    printer = FieldPrinter(output: output)
    withBytes = request.has("hex")
  }

  /// Writes a file; what is not as it should be ends it, and is shown as it is.
  func dump(_ name: String) throws(ToolError) -> ExitStatus {
    let (inner, file) = try open(name)
    let length = try SegmentWalk.byteCount(of: file)
    if !output.isJSON {
      output.line("\("\(inner), \(Wording.count(length, "byte"))", .heading)")
    }
    var walk = Walk(file: file, name: inner, length: length, dumper: self)
    let isWhole: Bool
    switch inner.split(separator: ".").last {
    case "MANIFEST": isWhole = try walk.manifest()
    case "edits": isWhole = try walk.editBuffer()
    case "xc": isWhole = try walk.checkpoint()
    case "xr", "xi": isWhole = try walk.run()
    default: isWhole = false
    }
    for part in walk.misfits {
      output.tell(
        ToolError(.damage, "the check of \(part) does not fit: something there is not what it was.")
      )
    }
    guard !isWhole else { return walk.misfits.isEmpty ? .fine : .damage }
    let rest = Int(clamping: min(length - min(length, walk.offset), UInt64(Self.shownByteCount)))
    printer.showBytes(try SegmentWalk.bytes(of: file, at: walk.offset, rest), at: walk.offset)
    guard inner != JournalFiles.lock else { return .fine }
    output.tell(
      ToolError(.damage, "\(inner) is not what it should be from byte \(walk.offset) on."))
    return .damage
  }

  private func open(_ name: String) throws(ToolError) -> (name: String, file: any ReadableFile) {
    let isOurs = [JournalFiles.manifest, JournalFiles.edits, JournalFiles.lock].contains(name)
    let inner = name.hasPrefix("snapshots/") ? String(name.dropFirst("snapshots/".count)) : name
    guard isOurs || JournalFiles.isAllowed(inner) else {
      throw .usage("‘\(name)’ is no file of a journal: MANIFEST, edits, LOCK, or one in snapshots.")
    }
    do throws(DiskError) {
      let file =
        isOurs
        ? try folder.fileForReading(name)
        : try folder.folderForReading("snapshots").fileForReading(inner)
      return (inner, file)
    } catch {
      guard !error.meetsNoFolder else { throw ToolError(.damage, "snapshots is no folder.") }
      guard error.code == .notFound else { throw ToolError(error) }
      throw .no("there is no file \(name).")
    }
  }

  /// A walk over a file, from front to back.
  private struct Walk {
    let file: any ReadableFile
    let name: String
    let length: UInt64
    let dumper: FileDumper
    private(set) var offset: UInt64 = 0
    /// What has another check than its bytes.
    private(set) var misfits: [String] = []

    init(file: any ReadableFile, name: String, length: UInt64, dumper: FileDumper) {
      (self.file, self.name, self.length, self.dumper) = (file, name, length, dumper)
    }

    func bytes(_ count: Int) throws(ToolError) -> [UInt8] {
      try SegmentWalk.bytes(of: file, at: offset, count)
    }

    /// Shows a part and passes it; nil where the file ends before.
    @discardableResult
    mutating func show(_ layout: FieldLayout, _ number: Int? = nil) throws(ToolError) -> [UInt8]? {
      try show(bytes(layout.byteCount), layout, number)
    }

    private mutating func show(
      _ bytes: [UInt8], _ layout: FieldLayout, _ number: Int?
    ) -> [UInt8]? {
      guard bytes.count == layout.byteCount, dumper.output.isOpen else { return nil }
      let part = layout.name + (number.map { " \($0)" } ?? "")
      if dumper.output.isJSON {
        dumper.output.json(
          .document(
            "filePart",
            [
              ("file", .string(name)), ("part", .string(part)), ("offset", .count(offset)),
              ("fields", dumper.printer.fields(bytes, layout)),
            ]))
      } else {
        dumper.output.line("\(part, .heading)")
        dumper.printer.rows(bytes, at: offset, layout)
      }
      offset += UInt64(bytes.count)
      return bytes
    }

    /// Notes a part whose last bytes are not the check of those before.
    private mutating func compareCheck(of bytes: [UInt8], _ part: String, salt: UInt64 = 0) {
      if !bytes.withUnsafeBytes({ Checksum.endsWithCheck($0, salt: salt) }) { misfits.append(part) }
    }

    /// The same of all that was passed.
    private mutating func compareCheckOfAll() throws(ToolError) {
      compareCheck(of: try SegmentWalk.bytes(of: file, at: 0, Int(offset)), name)
    }

    private static func salt(_ bytes: [UInt8], at offset: Int) -> UInt64 {
      UInt64(bitPattern: Int64(number(bytes, at: offset, 8)))
    }

    static func number(_ bytes: [UInt8], at offset: Int, _ count: Int) -> Int {
      Int(
        truncatingIfNeeded: bytes[offset..<offset + count].reversed().reduce(UInt64(0)) {
          $0 << 8 | UInt64($1)
        })
    }

    mutating func manifest() throws(ToolError) -> Bool {
      let name = try bytes(8)
      guard name == Array("XJ-MANIF".utf8), length <= UInt64(Limits.manifestByteCount),
        let head = try show(.manifest)
      else { return false }
      for _ in 0..<Self.number(head, at: 52, 4) {
        guard try show(.manifestSegment) != nil else { return false }
      }
      for _ in 0..<Self.number(head, at: 56, 4) {
        let start = try bytes(2)
        guard start.count == 2 else { return false }
        let name = Int(start[1])
        let rest = try bytes(6 + name)
        guard rest.count == 6 + name else { return false }
        let content = Self.number(rest, at: 2 + name, 4)
        guard UInt64(content) <= length - offset,
          try show(.attachment(name: name, content: content)) != nil
        else { return false }
      }
      guard try show(.check) != nil else { return false }
      try compareCheckOfAll()
      return offset == length
    }

    mutating func checkpoint() throws(ToolError) -> Bool {
      guard try bytes(8) == Array("XJ-CHECK".utf8), length >= 36 + 32 + 8 + 8 else { return false }
      try show(.checkpoint)
      let list = length - offset - 40
      if dumper.withBytes {
        while offset < length - 40, dumper.output.isOpen {
          let part = try bytes(Int(min(4096, length - 40 - offset)))
          guard !part.isEmpty else { return false }
          dumper.printer.showBytes(part, at: offset)
          offset += UInt64(part.count)
        }
      } else {
        if !dumper.output.isJSON {
          dumper.output.line("a binary property list of \(Wording.count(list, "byte"))")
        }
        offset += list
      }
      try show(.listTrailer)
      guard try show(.check) != nil else { return false }
      try compareCheckOfAll()
      return true
    }

    mutating func run() throws(ToolError) -> Bool {
      guard let head = try show(.run), head[..<11].elementsEqual(LZ4Frame.empty) else {
        return false
      }
      compareCheck(of: head, "the header of \(name)")
      let salt = Self.salt(head, at: 55)
      let footer = length - min(length, UInt64(FieldLayout.runFooter.byteCount))
      while offset < footer, dumper.output.isOpen {
        let seal = try bytes(Seal.byteCount)
        guard seal.count == Seal.byteCount,
          case .seal(let read) = seal.withUnsafeBytes({ Seal.read($0, salt: salt) }),
          offset + UInt64(read.sealedByteCount) <= footer
        else { return false }
        try show(.seal)
        let frame = try bytes(Int(read.lz4FrameByteCount))
        if frame.withUnsafeBytes({ Checksum.of($0, salt: salt) }) != read.bodyCheck {
          misfits.append("what follows byte \(offset) of \(name)")
        }
        if dumper.withBytes, !dumper.output.isJSON {
          dumper.printer.showBytes(Array(frame.prefix(FileDumper.shownByteCount)), at: offset)
        }
        offset += UInt64(read.lz4FrameByteCount)
      }
      guard let bytes = try show(.runFooter) else { return false }
      compareCheck(of: bytes, "the footer of \(name)", salt: salt)
      return true
    }

    mutating func editBuffer() throws(ToolError) -> Bool {
      guard try bytes(8) == Array("XJ-EDITS".utf8), let head = try show(.editBuffer) else {
        return false
      }
      compareCheck(of: head, "the header of edits")
      let half = Self.number(head, at: 40, 4)
      guard half >= EditBufferLayout.halfHeaderByteCount, half <= Limits.largestHalfByteCount else {
        return false
      }
      for (place, slot) in EditBufferLayout.slotOffsets.enumerated() {
        offset = UInt64(slot)
        guard try show(.slot, place) != nil else { return false }
      }
      for place in 0...1 {
        offset = UInt64(EditBufferLayout.offset(ofHalf: place, halfByteCount: half))
        let end = offset + UInt64(half)
        let salt = Self.salt(head, at: 32)
        guard let header = show(try settledHalf(salt), .half, place) else { return false }
        if !Self.isBeginning(header, salt) { misfits.append("half \(place) of edits") }
        try entries(from: Self.number(header, at: 8, 8), to: end)
      }
      return true
    }

    /// The header of a half, once nobody is storing it any more, who may do so while it is read.
    private func settledHalf(_ salt: UInt64) throws(ToolError) -> [UInt8] {
      var bytes = try bytes(FieldLayout.half.byteCount)
      while !Self.isBeginning(bytes, salt) {
        let read = try self.bytes(bytes.count)
        if read == bytes { break }
        bytes = read
      }
      return bytes
    }

    /// Whether a half begins so: one that was never begun has nothing but zeros.
    private static func isBeginning(_ bytes: [UInt8], _ salt: UInt64) -> Bool {
      bytes.withUnsafeBytes { Checksum.endsWithCheck($0, salt: salt) }
        || bytes.allSatisfy { $0 == 0 }
    }

    /// The entries of a half, up to where nothing was written. Whether they are left over from before, their checks say.
    private mutating func entries(from first: Int, to end: UInt64) throws(ToolError) {
      var number = first
      while offset + 8 <= end, dumper.output.isOpen {
        let head = try bytes(8)
        guard head.count == 8, head.contains(where: { $0 != 0 }) else { return }
        let length = Self.number(head, at: 4, 4) & 0x7FFF_FFFF
        guard length > 0, offset + 8 + UInt64(length) <= end else { return }
        try show(.bufferEntry, number)
        let content = try bytes(length)
        if !dumper.output.isJSON {
          content.withUnsafeBytes {
            dumper.printer.rows(EntryFields.event($0), of: $0, at: offset)
          }
        }
        offset += UInt64((length + 7) / 8 * 8)
        number &+= 1
      }
    }
  }
}
