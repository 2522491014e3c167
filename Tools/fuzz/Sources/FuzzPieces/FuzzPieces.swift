// Feeds segments to the reader of a journal, and puts together the edits and commits that are in pieces.

internal import ByteCoding
internal import DiskAccess
internal import FuzzSupport
internal import Journaling

/// The first byte: bit 0, whether pieces are read while the frames are walked over, as a store is opened, or from
/// the last to the first afterwards; bit 1, whether only those are wanted that begin with an even byte; the upper
/// half, the frame that the walk begins at. What follows are the frames of a segment.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPieces(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let disk = MemoryDisk(segment: soundHeader + input.bytes)
  do throws(JournalError) {
    let reader = try JournalReader(at: "store", on: disk)
    try walk(reader, input)
  } catch {
    expect(false, "a journal in memory gives no failure: \(error)")
  }
  return 0
}

private func walk(_ reader: JournalReader, _ input: FuzzInput) throws(JournalError) {
  var (pieceBytes, read) = (0, 0)
  var spans: [Span] = []
  func take(_ entry: Batch.Entry) {
    guard case .spanning(let span) = entry else { return }
    if input.has(0) {
      read += put(span, together: reader, input)
    } else {
      spans.append(span)
    }
  }
  let first = FrameNumber(UInt64(max(1, input.control >> 4)))
  let ending = try reader.forEachFrame(from: first) { frame in
    switch frame.kind {
    case .piece:
      pieceBytes += frame.payload.count
    case .batch:
      let batch = Batch(frame.payload)
      batch?.forEachEdit { _, entry in take(entry) }
      batch?.forEachCommit { take($0) }
    default: break
    }
    return true
  }
  expect(ending.next >= first, "a walk ends behind its beginning")
  if input.has(0), first == FrameNumber(1) {
    expect(read <= pieceBytes, "each piece is put together once")
  }
  for span in spans.reversed() { _ = put(span, together: reader, input) }
}

/// - Returns: how many bytes there were.
private func put(_ span: Span, together reader: JournalReader, _ input: FuzzInput) -> Int {
  do throws(JournalError) {
    let bytes = try reader.bytes(of: span) { !input.has(1) || $0 & 1 == 0 }
    expect(
      bytes.count == span.byteCount || (bytes.isEmpty && input.has(1)),
      "what is put together is as long as it is said to be")
    return bytes.count
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    return 0
  }
}

/// A store of one active segment.
private final class MemoryDisk: ReadableDisk {
  private let store: MemoryFolder

  init(segment: [UInt8]) {
    let number = SegmentNumber(1)
    store = MemoryFolder(
      [JournalFiles.manifest: MemoryFile(Self.manifest, name: JournalFiles.manifest)],
      folders: [
        JournalFiles.journalFolder: MemoryFolder([
          number.fileName: MemoryFile(segment, name: number.fileName)
        ])
      ])
  }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder { store }

  func wallClock() -> Int64 { 0 }

  func steadyClock() -> UInt64 { 0 }

  func processNumber() -> Int32 { 1 }

  /// As docs/format.md has it: the features, the store, the generation, what is durable, the counts, the one
  /// segment, and the check, which passes in this build.
  private static let manifest: [UInt8] = {
    var writer = ByteWriter()
    writer.write(Manifest.name)
    writer.write(Manifest.currentFormat)
    writer.write(UInt16(0))
    for _ in 0..<2 { writer.write(UInt32(0)) }
    for field: UInt64 in [0, 0, 1, 0] { writer.write(field) }
    for count: UInt32 in [1, 0] { writer.write(count) }
    for field: UInt64 in [1, 0, 1, 0, 0, 0, 0] { writer.write(field) }
    return writer.withBytes { Array($0) }
  }()
}
