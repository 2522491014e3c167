internal import ByteCoding
internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The manifest of a journal that has lost its own, put together from what the segments say of themselves.
struct LostManifest {
  /// A segment whose header is sound.
  private struct Found {
    let header: SegmentHeader
    let footer: SegmentFooter?
    /// Where it ends by its own footer, or by its file.
    let byteCount: UInt64
  }

  private let folder: any ReadableFolder
  private var found: [Found] = []

  /// - Throws: where there is no segment to go by.
  static func make(in folder: any ReadableFolder) throws(ToolError) -> Manifest {
    var lost = LostManifest(folder: folder)
    do throws(DiskError) {
      try lost.findSegments()
    } catch {
      guard error.code == .notFound else { throw ToolError(error) }
    }
    return try lost.manifest()
  }

  private init(folder: any ReadableFolder) { self.folder = folder }

  private mutating func findSegments() throws(DiskError) {
    let segments = try folder.folderForReading(JournalFiles.journalFolder)
    var damaged: [(number: SegmentNumber, file: any ReadableFile)] = []
    for name in try segments.names() {
      guard let number = SegmentNumber(fileName: name),
        try segments.information(of: name)?.kind == .file
      else { continue }
      let file = try segments.fileForReading(name)
      let bytes = try file.wholeContent(SegmentHeader.byteCount)
      switch bytes.withUnsafeBytes({ SegmentHeader.read($0) }) {
      case .header(let header) where header.number == number: try add(file, header)
      case .damaged: damaged.append((number, file))
      default: continue
      }
    }
    // What the header said, the first frame tells as well, but for whose journal it is.
    var store = found.first?.header.store
    if store == nil { store = try storeOfEdits() }
    if let store {
      for (number, file) in damaged {
        if let header = try FirstFrame(in: file)?.header(of: number, of: store) {
          try add(file, header)
        }
      }
    }
    found.sort { $0.header.number < $1.header.number }
  }

  private mutating func add(_ file: any ReadableFile, _ header: SegmentHeader) throws(DiskError) {
    guard found.first.map({ $0.header.store == header.store }) ?? true else { return }
    let byteCount = max(1, try file.information().byteCount)
    let end = Self.end(of: file, header)
    found.append(
      Found(header: header, footer: end?.footer, byteCount: end?.byteCount ?? byteCount))
  }

  /// Whose edits they are that are in no frame yet; nil where there is no telling.
  private func storeOfEdits() throws(DiskError) -> StoreIdentity? {
    guard try folder.information(of: JournalFiles.edits)?.kind == .file else { return nil }
    let bytes = try folder.fileForReading(JournalFiles.edits)
      .wholeContent(EditBufferLayout.headerByteCount)
    guard bytes.count == EditBufferLayout.headerByteCount else { return nil }
    return bytes.withUnsafeBytes { bytes in
      func number(at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      }
      guard number(at: 0) == EditBufferLayout.name, Checksum.endsWithCheck(bytes, salt: 0) else {
        return nil
      }
      return StoreIdentity(high: number(at: 16), low: number(at: 24))
    }
  }

  /// A segment's footer, and where it ends; nil where it has none that is sound.
  private static func end(
    of file: any ReadableFile, _ header: SegmentHeader
  ) -> (footer: SegmentFooter, byteCount: UInt64)? {
    do throws(JournalError) {
      var scanner = try FrameScanner(file, header)
      while true {
        switch try scanner.next() {
        case .frame: continue
        case .footer(let footer):
          return (footer, scanner.place.offset + UInt64(SegmentFooter.byteCount))
        default: return nil
        }
      }
    } catch {
      // What is wrong with it is told by whoever reads it to its end.
      return nil
    }
  }

  private func manifest() throws(ToolError) -> Manifest {
    guard let first = found.first else {
      throw ToolError(
        .damage,
        "there is neither a manifest nor a segment that is sound; only a backup can have what was in it."
      )
    }
    guard var manifest = Manifest(of: first.header.store, naming: named()) else {
      throw Self.doesNotFollow()
    }
    do throws(StoreError) {
      manifest.attachments = try Checkpoint.attachmentsOfNewest(
        in: folder, of: first.header.store, manifest)
    } catch {
      // A journal that goes back to its beginning does without.
      guard first.header.firstFrame == FrameNumber(1), error.code == .disk else {
        throw ToolError(error)
      }
    }
    return manifest
  }

  /// The segments there are, and in the place of those that are missing among them some without content.
  private func named() -> [Manifest.Segment] {
    var named: [Manifest.Segment] = []
    for (segment, next) in zip(found, found.dropFirst()) {
      let (header, following) = (segment.header, next.header)
      let isNext = header.number.next == following.number
      let footer = isNext ? nil : segment.footer
      let last = footer?.lastFrame ?? following.firstFrame.previous
      // A header that was told by its first frame has half of the check.
      let check = segment.footer?.lastBodyCheck
      let isSame =
        check.map(UInt32.init(truncatingIfNeeded:))
        == UInt32(truncatingIfNeeded: following.previousBodyCheck)
      named.append(
        Manifest.Segment(
          header.number, salt: header.salt, firstFrame: header.firstFrame,
          Manifest.Sealing(
            lastFrame: last,
            lastBodyCheck: (isNext && !isSame ? nil : check) ?? following.previousBodyCheck,
            byteCount: segment.byteCount)))
      var (missing, first) = (header.number.next, last.next)
      while missing < following.number {
        named.append(
          Manifest.Segment(
            missing, salt: 0, firstFrame: first,
            Manifest.Sealing(
              lastFrame: following.firstFrame.previous, lastBodyCheck: following.previousBodyCheck,
              byteCount: 1)))
        (missing, first) = (missing.next, following.firstFrame)
      }
    }
    if let last = found.last { named.append(Manifest.Segment(last.header)) }
    return named
  }

  private static func doesNotFollow() -> ToolError {
    ToolError(.damage, "the manifest is damaged, and the segments do not follow one another.")
  }
}
