internal import ByteCoding
package import DiskAccess

/// Reads a journal without changing anything, also one that another process is writing.
package final class JournalReader {
  package let manifest: Manifest
  /// The store's folder.
  package let folder: any ReadableFolder
  /// Nil where it is gone, and with it every segment: what the rooms above have attached can be read all the same.
  let journalFolder: (any ReadableFolder)?
  /// The pieces that were not named yet, on a walk.
  var unnamedPieces: UnnamedPieces?
  var piecePlaces = PiecePlaces()
  var pieceWalk: PieceWalk?

  /// Reads the manifest of the store in a folder.
  package convenience init(
    at path: String, on disk: any ReadableDisk
  ) throws(JournalError) {
    try self.init(in: try Self.folder(at: path, on: disk), path: path)
  }

  static func folder(
    at path: String, on disk: any ReadableDisk
  ) throws(JournalError) -> any ReadableFolder {
    do throws(DiskError) {
      return try disk.folderForReading(at: path)
    } catch {
      throw error.code == .notFound ? .storeMissing(path: path) : .disk(error)
    }
  }

  /// Reads the manifest of the store in an open folder, wherever that has been moved to since.
  package init(in folder: any ReadableFolder, path: String) throws(JournalError) {
    self.folder = folder
    manifest = try Self.manifest(in: folder, path: path)
    journalFolder = try findJournalFolder { () throws(DiskError) in
      try folder.folderForReading(JournalFiles.journalFolder)
    }
  }

  private static func manifest(
    in folder: any ReadableFolder, path: String
  ) throws(JournalError) -> Manifest {
    // A store that is being made when it is looked for may have its manifest at the second look.
    for _ in 1...2 {
      switch try ManifestFile.read(in: folder) {
      case .manifest(let manifest): return manifest
      case .missing: if try folder.hasLostManifest() { throw .manifestLost }
      case .unreadable(let finding): throw JournalError(refusing: finding)
      }
    }
    throw .storeMissing(path: path)
  }

  /// A frame as a reader hands it out.
  package struct Frame {
    package let number: FrameNumber
    package let kind: FrameKind
    package let segment: SegmentNumber
    /// Where in the segment's file its seal begins.
    package let offset: UInt64
    /// The newest frame that was known to be durable when this one was written.
    package let durableThrough: FrameNumber
    /// Valid until the closure returns.
    package let payload: UnsafeRawBufferPointer

    /// Decompresses a frame into memory that is used again for the next one; nil where it is malformed.
    init?(_ sealed: SealedFrame, in segment: SegmentNumber, _ memory: inout ByteWriter) {
      guard let payload = sealed.payload(in: &memory) else { return nil }
      number = sealed.seal.number
      kind = sealed.seal.kind
      self.segment = segment
      offset = sealed.offset
      durableThrough = sealed.seal.durableThrough
      self.payload = payload
    }
  }

  /// Where reading came to its end.
  package struct Ending: Hashable, Sendable {
    /// The frame after the last that was handed out.
    package var next: FrameNumber
    /// What stands there, where it is neither the end of the file nor zeros.
    package var finding: Finding?
    /// How many bytes of the files the frames have that were handed out.
    package var byteCount: UInt64 = 0
    /// The first edit of the next batch, where it is known.
    var nextEdit: EditNumber?

    package init(next: FrameNumber) { self.next = next }
  }

  /// Calls a closure with every whole frame from a number on, in order, up to the first place where
  /// there is none. Every byte passed is checked.
  ///
  /// - Parameters:
  ///   - first: The first frame that is wanted; without it, the first there is.
  ///   - body: Takes a frame; returns whether to go on.
  /// - Throws: where the disk fails, a segment's header is not what the manifest says, or the first frame has
  ///   been dropped.
  package func forEachFrame(
    from wanted: FrameNumber? = nil, _ body: (Frame) -> Bool
  ) throws(JournalError) -> Ending {
    let oldest = manifest.segments[0].firstFrame
    let first = wanted ?? oldest
    guard first >= oldest else { throw .framesDropped(before: oldest) }
    // A closure may walk too: what this walk has passed is still its own then.
    let outer = unnamedPieces
    unnamedPieces = UnnamedPieces(from: first)
    defer { unnamedPieces = outer }
    var ending = Ending(next: first)
    var previous: Manifest.Sealing?
    for segment in manifest.segments {
      let isBefore = segment.sealing.map { $0.lastFrame < first } ?? false
      if !isBefore {
        let goesOn = try read(segment, after: previous, from: first, &ending, body)
        if !goesOn { break }
      }
      previous = segment.sealing
    }
    return ending
  }

  /// Reads one segment; returns whether to go on with the next.
  private func read(
    _ segment: Manifest.Segment, after previous: Manifest.Sealing?, from first: FrameNumber,
    _ ending: inout Ending, _ body: (Frame) -> Bool
  ) throws(JournalError) -> Bool {
    var scanner = try scanner(of: segment, after: previous)
    if ending.nextEdit == nil, first <= segment.firstFrame {
      ending.nextEdit = scanner.header.firstEdit
    }
    // Of this call alone, so that a closure may read on while it holds a payload.
    var memory = ByteWriter(capacity: 64 << 10)
    defer { extendLifetime(memory) }
    while true {
      let place = scanner.place
      let step = try scanner.next()
      guard case .frame(let sealed) = step else {
        ending.finding = segment.finding(atEnd: step, place)
        return ending.finding == nil && segment.sealing != nil
      }
      if sealed.seal.number < first { continue }
      pass(sealed, at: place, in: segment.number)
      let frame: Frame
      switch Self.opened(sealed, in: segment, &ending.nextEdit, &memory) {
      case .finding(let finding):
        ending.finding = finding
        return false
      case .frame(let opened): frame = opened
      }
      ending.next = frame.number.next
      ending.byteCount += scanner.place.offset - place.offset
      guard body(frame) else { return false }
    }
  }

  /// A whole frame, or why there is nothing to be made of it.
  enum Opened {
    case frame(Frame)
    case finding(Finding)
  }

  /// Opens a whole frame, of which a batch must go on with the edits where the one before it has ended.
  ///
  /// - Parameter nextEdit: the edit that is next, where that is known; then the one that comes next.
  static func opened(
    _ sealed: SealedFrame, in segment: Manifest.Segment, _ nextEdit: inout EditNumber?,
    _ memory: inout ByteWriter
  ) -> Opened {
    guard let frame = Frame(sealed, in: segment.number, &memory) else {
      return .finding(segment.malformed(sealed))
    }
    guard frame.kind == .batch else { return .frame(frame) }
    guard let batch = Batch(frame.payload) else {
      return .finding(segment.malformed(sealed, .batchMalformed))
    }
    if let expected = nextEdit, batch.firstEdit != expected {
      let kind = Finding.Kind.editsMissing(expected: expected, found: batch.firstEdit)
      return .finding(segment.malformed(sealed, kind))
    }
    nextEdit = batch.nextEdit
    return .frame(frame)
  }

  /// Notes where a piece stands that a walk passes, and that it may be named from now on.
  func pass(_ frame: SealedFrame, at place: FrameScanner.Place, in segment: SegmentNumber) {
    guard frame.seal.kind == .piece else { return }
    unnamedPieces?.add(frame.seal.number)
    piecePlaces.note(place, in: segment)
  }

  /// Says where frames follow one another again behind damage, so that pieces are found there.
  package func resume(at place: FrameScanner.Place, in segment: SegmentNumber) {
    piecePlaces.noteResumption(place, in: segment)
  }

  /// The first frame of the segment in which an edit was sealed, or of the first segment.
  package func firstFrame(
    ofSegmentWith edit: EditNumber
  ) throws(JournalError) -> FrameNumber {
    var frame = manifest.segments[0].firstFrame
    var previous: Manifest.Sealing?
    for segment in manifest.segments {
      let header = try scanner(of: segment, after: previous).header
      guard header.firstEdit <= edit else { break }
      frame = segment.firstFrame
      previous = segment.sealing
    }
    return frame
  }

  /// The first edit that the journal has, or will have.
  package func firstEdit() throws(JournalError) -> EditNumber {
    try scanner(of: manifest.segments[0], after: nil).header.firstEdit
  }

  /// When the segment at a place was begun, in nanoseconds since 1970; in a copy of the store it may be when the copy
  /// was made.
  package func creationTime(ofSegmentAt place: Int) throws(JournalError) -> Int64 {
    let previous = place > 0 ? manifest.segments[place - 1].sealing : nil
    return try scanner(of: manifest.segments[place], after: previous).header.creationTime
  }

  /// Opens a segment for a walk over its frames.
  func scanner(
    of segment: Manifest.Segment, after previous: Manifest.Sealing?,
    from place: FrameScanner.Place? = nil, windowByteCount: Int? = nil
  ) throws(JournalError) -> FrameScanner {
    do throws(JournalError) {
      let file = try segment.file(in: journalFolder)
      let header = try segment.header(in: file, of: manifest.store, after: previous)
      return try FrameScanner(file, header, from: place, windowByteCount: windowByteCount)
    } catch {
      if let oldest = try Self.oldestFrame(in: folder, afterDropping: segment.number) {
        throw .framesDropped(before: oldest)
      }
      throw error
    }
  }

  /// The first frame of a journal, where it has dropped a segment by now.
  static func oldestFrame(
    in folder: any ReadableFolder, afterDropping segment: SegmentNumber
  ) throws(JournalError) -> FrameNumber? {
    guard case .manifest(let manifest) = try ManifestFile.read(in: folder),
      segment < manifest.segments[0].number
    else { return nil }
    return manifest.segments[0].firstFrame
  }

  /// The newest frame that is known to be durable without reading the frames themselves.
  func durableThrough() throws(JournalError) -> FrameNumber {
    let (folder, store) = (self.folder, manifest.store)
    let noted = try onDisk { () throws(DiskError) in
      try EditBufferContents.durableThrough(in: folder, store: store)
    }
    return max(manifest.durableThrough, noted ?? .none)
  }
}
