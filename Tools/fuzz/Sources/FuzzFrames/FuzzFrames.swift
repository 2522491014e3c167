// Feeds segments to the scanner, to payloads and batches, and to the examination that recovery rests on.

internal import ByteCoding
internal import DiskAccess
internal import FuzzSupport
internal import Journaling

/// The first byte: bit 0, whether the bytes follow a header that is always sound; bit 1, whether the file
/// claims to be longer than it is; the upper half, the newest frame that others know to be durable.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let content = input.has(0) ? soundHeader + input.bytes : input.bytes
  let reading = content.withUnsafeBytes { SegmentHeader.read($0) }
  guard case .header(let header) = reading else { return 0 }
  let announced = UInt64(content.count) + (input.has(1) ? 5000 : 0)
  let file = MemoryFile(content, announcing: announced)
  do {
    let end = try walk(file, header, fileByteCount: UInt64(content.count))
    try examine(
      file, header, end: end, announced: announced,
      durableThrough: FrameNumber(UInt64(input.control >> 4)))
  } catch .damaged {
    // What the examination says of a last batch that is none.
  } catch {
    expect(false, "a file in memory gives no other failure: \(error)")
  }
  return 0
}

/// Walks the frames.
///
/// - Returns: where they end.
private func walk(
  _ file: MemoryFile, _ header: SegmentHeader, fileByteCount: UInt64
) throws(JournalError) -> UInt64 {
  var scanner = try FrameScanner(file, header)
  var expected = header.firstFrame
  while true {
    let before = scanner.place
    let step = try scanner.next()
    guard case .frame(let frame) = step else {
      expect(scanner.place == before, "a walk stays where it ends")
      if case .finding(let finding) = step {
        expect(finding.offset >= before.offset, "a finding is not before the place it is found at")
        expect(!finding.description.isEmpty, "a finding has words")
      }
      return before.offset
    }
    expect(frame.seal.number == expected, "frames come in the order of their numbers")
    expect(frame.offset == before.offset, "a frame begins where the one before it ends")
    expect(scanner.place.offset > before.offset, "offsets grow")
    expect(scanner.place.offset <= fileByteCount, "no byte is examined that is not there")
    expected = expected.next
    // Just as much memory as there must be, so that the sanitizer sees the first byte too many.
    var memory = ByteWriter(capacity: max(1, Int(frame.seal.payloadByteCount)))
    if let payload = frame.payload(in: &memory) {
      expect(payload.count == Int(frame.seal.payloadByteCount), "a payload is as long as sealed")
      expect(payload.count <= Limits.payloadByteCount, "a payload is within the limits")
      if let batch = Batch(payload) { walk(batch, within: payload.count) }
    }
  }
}

/// Reads every entry of a batch.
private func walk(_ batch: Batch, within byteCount: Int) {
  var (edits, commits, bytes) = (UInt64(0), 0, 0)
  func measure(_ entry: Batch.Entry) {
    switch entry {
    case .whole(let content):
      bytes += content.count
      expect(
        content.reduce(0) { $0 &+ UInt64($1) } <= 255 * UInt64(content.count), "bytes are bytes")
    case .spanning(let span):
      bytes += 1
      expect(span.firstFrame > .none, "pieces have a first frame")
      expect(span.pieceCount > 0 && span.pieceCount <= span.byteCount, "pieces have bytes")
      expect(span.byteCount <= Limits.entryByteCount, "an entry is within the limits")
    }
  }
  batch.forEachEdit { number, entry in
    expect(number == batch.firstEdit + edits, "edits come in the order of their numbers")
    edits += 1
    measure(entry)
  }
  batch.forEachCommit { entry in
    commits += 1
    measure(entry)
  }
  expect(edits == UInt64(batch.editCount), "a batch has as many edits as it counts")
  expect(commits == batch.commitCount, "a batch has as many commits as it counts")
  expect(bytes <= byteCount, "entries are within their payload")
}

/// Examines the segment as an active one, and as a sealed one where it has a footer.
private func examine(
  _ file: MemoryFile, _ header: SegmentHeader, end: UInt64, announced: UInt64,
  durableThrough: FrameNumber
) throws(JournalError) {
  let folder = MemoryFolder([header.number.fileName: file])
  var segment = Manifest.Segment(header)
  let examination = try SegmentExamination(
    segment, after: nil, of: header.store, in: folder, durableThrough: durableThrough)
  expect(examination.end == end, "the examination ends where the walk does")
  expect(examination.fileByteCount == announced, "the file is as long as it says")
  if case .torn(_, let byteCount) = examination.verdict {
    expect(byteCount <= UInt64(header.windowByteCount), "what is torn is within the window")
    expect(end + byteCount <= announced, "what is torn is within the file")
  }
  guard let sealing = examination.sealing else { return }
  segment.sealing = sealing
  let again = try SegmentExamination(
    segment, after: nil, of: header.store, in: folder, durableThrough: .none)
  expect(again.verdict == .whole, "a segment with a sound footer is whole when it is sealed")
}
