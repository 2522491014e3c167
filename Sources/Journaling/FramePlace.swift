internal import ByteCoding
package import DiskAccess

/// Where a frame lies, so that it can be read without the frames before it.
package struct FramePlace: Hashable, Sendable {
  package let number: FrameNumber
  package let segment: SegmentNumber
  /// Where in the segment's file its seal begins.
  package let offset: UInt64

  package init(number: FrameNumber, segment: SegmentNumber, offset: UInt64) {
    self.number = number
    self.segment = segment
    self.offset = offset
  }
}

extension JournalReader.Frame {
  /// Where the frame lies.
  package var place: FramePlace { FramePlace(number: number, segment: segment, offset: offset) }
}

/// A frame in memory of its own.
package final class LoadedFrame: @unchecked Sendable {
  package let number: FrameNumber
  package let kind: FrameKind
  // Written by the initialiser alone.
  private let memory: ByteWriter

  init(_ seal: Seal, _ memory: consuming ByteWriter) {
    number = seal.number
    kind = seal.kind
    self.memory = memory
  }

  /// Hands the payload to a closure.
  package func withPayload<Answer, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    try memory.withBytes(body)
  }
}

/// Reads single frames of a journal, by their places. Any thread may use it.
///
/// Costs: two reads of the file for a frame, and none to find it. Some files stay open.
package final class FrameFiles: @unchecked Sendable {
  private let storeFolder: any ReadableFolder
  /// That of the segments; nil where it is gone.
  private let folder: (any ReadableFolder)?
  private let lock = Lock()
  // Guarded by `lock`.
  private var generation: UInt64?
  private var salts: [SegmentNumber: UInt64] = [:]
  private var files: [SegmentNumber: any ReadableFile] = [:]

  /// How many files stay open.
  private static let largestFileCount = 32

  /// - Parameter folder: the folder of the store.
  package init(in folder: any ReadableFolder, _ manifest: Manifest) throws(JournalError) {
    storeFolder = folder
    self.folder = try findJournalFolder { () throws(DiskError) in
      try folder.folderForReading(JournalFiles.journalFolder)
    }
    update(manifest)
  }

  /// Goes by another manifest of the store; segments it does not name are given up. One that is older than what is gone
  /// by already is left: whoever has it took it before another thread took the newer one.
  package func update(_ manifest: Manifest) {
    lock.withLock {
      if let generation, manifest.generation <= generation { return }
      generation = manifest.generation
      salts = Dictionary(uniqueKeysWithValues: manifest.segments.map { ($0.number, $0.salt) })
      files = files.filter { salts[$0.key] != nil }
    }
  }

  /// Reads and checks a frame.
  ///
  /// - Throws: where the frame has been dropped, or is not whole.
  package func frame(at place: FramePlace) throws(JournalError) -> LoadedFrame {
    do throws(JournalError) {
      return try readFrame(at: place)
    } catch {
      if let oldest = try JournalReader.oldestFrame(
        in: storeFolder, afterDropping: place.segment)
      {
        throw .framesDropped(before: oldest)
      }
      throw error
    }
  }

  private func readFrame(at place: FramePlace) throws(JournalError) -> LoadedFrame {
    guard place.offset <= Limits.number else { throw .damaged(place.finding(.sealDamaged)) }
    let (file, salt) = try self.file(of: place)
    var memory = ByteWriter(capacity: Seal.byteCount)
    defer { extendLifetime(memory) }
    let head = try read(Seal.byteCount, of: file, at: place.offset, into: &memory)
    let start = place.offset + UInt64(Seal.byteCount)
    guard head.count == Seal.byteCount, case .seal(let seal) = Seal.read(head, salt: salt),
      seal.number == place.number
    else { throw .damaged(place.finding(.sealDamaged)) }
    if let kind = seal.newerKind { throw .newerFormat(place.finding(kind)) }
    guard Limits.allow(payload: UInt64(seal.payloadByteCount), in: UInt64(seal.lz4FrameByteCount))
    else { throw .damaged(place.finding(.frameMalformed)) }
    let end = try onDisk { () throws(DiskError) in try file.information().byteCount }
    guard end >= start, UInt64(seal.lz4FrameByteCount) <= end - start else {
      throw .damaged(place.finding(.frameCutShort))
    }
    let bytes = try read(Int(seal.lz4FrameByteCount), of: file, at: start, into: &memory)
    guard bytes.count == Int(seal.lz4FrameByteCount),
      Checksum.matches(seal.bodyCheck, Checksum.of(bytes, salt: salt))
    else { throw .damaged(place.finding(.bodyDamaged)) }
    var payload = ByteWriter(capacity: max(1, Int(seal.payloadByteCount)))
    let frame = SealedFrame(seal: seal, offset: place.offset, lz4Frame: bytes)
    guard frame.payload(in: &payload) != nil else {
      throw .damaged(place.finding(.frameMalformed))
    }
    return LoadedFrame(seal, payload)
  }

  /// Reads as many bytes as there are of those wanted, valid until the memory is used again.
  private func read(
    _ byteCount: Int, of file: any ReadableFile, at offset: UInt64, into memory: inout ByteWriter
  ) throws(JournalError) -> UnsafeRawBufferPointer {
    memory.removeAll()
    let target = UnsafeMutableRawBufferPointer(
      start: memory.reserve(byteCount), count: byteCount)
    memory.advance(
      by: try onDisk { () throws(DiskError) in try file.read(into: target, at: offset) })
    return memory.unsafeBytes
  }

  private func file(
    of place: FramePlace
  ) throws(JournalError) -> (file: any ReadableFile, salt: UInt64) {
    try lock.withLock { () throws(JournalError) in
      guard let folder, let salt = salts[place.segment] else {
        throw .damaged(place.finding(.segmentMissing))
      }
      if let file = files[place.segment] { return (file, salt) }
      let file: any ReadableFile
      do throws(DiskError) {
        file = try folder.fileForReading(place.segment.fileName)
      } catch {
        throw error.code == .notFound ? .damaged(place.finding(.segmentMissing)) : .disk(error)
      }
      // Any will do: who goes through the past comes back to the same few.
      if files.count >= Self.largestFileCount, let other = files.first?.key { files[other] = nil }
      files[place.segment] = file
      return (file, salt)
    }
  }
}

extension FramePlace {
  fileprivate func finding(_ kind: Finding.Kind) -> Finding {
    Finding(kind, segment.path, at: offset, expected: number)
  }
}
