internal import ByteCoding
internal import DiskAccess

/// The segment that frames are appended to. Only the thread that leads a write may use it.
final class ActiveSegment {
  let file: any DiskFile
  let header: SegmentHeader
  /// Where the next frame goes.
  private(set) var end: UInt64
  private(set) var lastFrame: FrameNumber
  private(set) var lastBodyCheck: UInt64
  private(set) var unsyncedByteCount = 0
  /// What is known of the segment once its footer is durable.
  private(set) var sealing: Manifest.Sealing?
  private var fileByteCount: UInt64
  private let preallocatedByteCount: Int

  /// Goes on with a segment whose frames end at a position, and whose file ends there or in zeros.
  init(
    _ file: any DiskFile, _ header: SegmentHeader, end: UInt64, fileByteCount: UInt64,
    lastFrame: FrameNumber, lastBodyCheck: UInt64, sealing: Manifest.Sealing?,
    preallocatedByteCount: Int
  ) {
    self.file = file
    self.header = header
    self.end = end
    self.fileByteCount = fileByteCount
    self.lastFrame = lastFrame
    self.lastBodyCheck = lastBodyCheck
    self.sealing = sealing
    self.preallocatedByteCount = preallocatedByteCount
  }

  /// Makes a segment's file, durable with its name. It does not belong to the journal before a manifest
  /// names it; a file left by an earlier attempt is emptied.
  convenience init(
    making header: SegmentHeader, in folder: any DiskFolder, preallocatedByteCount: Int
  ) throws(DiskError) {
    let file = try folder.file(header.number.fileName, .emptied)
    try header.encoded().withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
    try file.sync()
    try folder.sync()
    self.init(
      file, header, end: UInt64(SegmentHeader.byteCount),
      fileByteCount: UInt64(SegmentHeader.byteCount), lastFrame: header.firstFrame.previous,
      lastBodyCheck: header.previousBodyCheck, sealing: nil,
      preallocatedByteCount: preallocatedByteCount)
  }

  /// Appends a sealed frame. Where the disk is full, nothing of it stays and the call may be made again.
  func append(
    _ frame: UnsafeRawBufferPointer, _ number: FrameNumber, bodyCheck: UInt64
  ) throws(DiskError) {
    assert(number == lastFrame.next, "frames are appended in the order of their numbers")
    assert(sealing == nil, "a sealed segment takes no frames")
    try preallocate(for: frame.count)
    try write(frame)
    unsyncedByteCount += frame.count
    lastFrame = number
    lastBodyCheck = bodyCheck
  }

  /// Waits until every frame appended is durable.
  func sync() throws(DiskError) {
    try file.syncData()
    unsyncedByteCount = 0
  }

  /// Seals the segment: once its frames are durable it gets its footer and loses its zeros.
  func finish(lastEdit: EditNumber) throws(DiskError) {
    assert(unsyncedByteCount == 0, "a footer testifies that every frame before it is durable")
    let sealing = Manifest.Sealing(
      lastFrame: lastFrame, lastBodyCheck: lastBodyCheck,
      byteCount: end + UInt64(SegmentFooter.byteCount))
    let footer = SegmentFooter(of: Manifest.Segment(header), sealing, lastEdit: lastEdit)
    try footer.encoded(salt: header.salt).withBytes { (bytes) throws(DiskError) in
      try write(bytes)
    }
    try file.resize(to: end)
    fileByteCount = end
    try file.sync()
    self.sealing = sealing
  }

  /// Writes zeros ahead of small frames, because a sync of a file that does not grow is a third cheaper.
  /// A large frame is written where it belongs, as zeros before it would only double the work.
  private func preallocate(for byteCount: Int) throws(DiskError) {
    let needed = end + UInt64(byteCount)
    guard needed > fileByteCount, byteCount <= preallocatedByteCount / 4 else { return }
    do throws(DiskError) {
      try file.write(Zeros.bytes(preallocatedByteCount), at: fileByteCount)
      fileByteCount += UInt64(preallocatedByteCount)
    } catch {
      guard error.isOutOfSpace else { throw error }
      // There may be room for the frame all the same.
      try file.resize(to: fileByteCount)
    }
  }

  /// Makes sure of room for frames to come. Where the disk has too little, the file is left as it was.
  func makeRoom(for byteCount: Int) throws(DiskError) {
    assert(sealing == nil, "a sealed segment takes no frames")
    let needed = end + UInt64(byteCount)
    guard needed > fileByteCount else { return }
    do throws(DiskError) {
      try file.allocate(needed - fileByteCount, at: fileByteCount)
      fileByteCount = needed
    } catch {
      // What cannot be made sure of may be there all the same.
      if [.notSupported, .invalid].contains(error.code) { return }
      if error.isOutOfSpace { try file.resize(to: fileByteCount) }
      throw error
    }
  }

  /// Gives back room that was made and not needed.
  func giveBackRoom() throws(DiskError) {
    guard fileByteCount > end + UInt64(preallocatedByteCount) else { return }
    try file.resize(to: end)
    fileByteCount = end
  }

  private func write(_ bytes: UnsafeRawBufferPointer) throws(DiskError) {
    do throws(DiskError) {
      try file.write(bytes, at: end)
    } catch {
      if error.isOutOfSpace {
        try file.resize(to: end)
        fileByteCount = end
        // Or a loss of power might bring back what was refused, or put it behind a footer.
        try sync()
      }
      throw error
    }
    end += UInt64(bytes.count)
    fileByteCount = max(fileByteCount, end)
  }
}

/// Zeros to write files full of.
enum Zeros {
  static let largestByteCount = 1 << 20

  // Never written to, and never given back.
  private nonisolated(unsafe) static let shared = {
    let zeros = UnsafeMutableRawBufferPointer.allocate(
      byteCount: largestByteCount, alignment: 4096)
    zeros.initializeMemory(as: UInt8.self, repeating: 0)
    return UnsafeRawBufferPointer(zeros)
  }()

  static func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: shared[..<count])
  }
}
