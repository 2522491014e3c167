internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// What stands at both ends of a run, of rows or of index entries: header, footer, and the index of its blocks.
struct RunEnds {
  let byteCount: UInt64
  let header: RunHeader
  let footer: RunFooter
  /// The link of the index to the last block.
  let previousBodyCheck: UInt32

  /// Reads and checks them.
  ///
  /// - Parameters:
  ///   - largestBlockCount: more blocks a run cannot have.
  ///   - indexByteCount: how long the index of a number of blocks is; nil for any length.
  ///   - readIndex: reads the index; returns whether it is sound.
  init(
    _ file: any ReadableFile, _ name: String, _ content: RunHeader.Content, store: StoreIdentity,
    _ indexKind: FrameKind, largestBlockCount: Int, indexByteCount: ((UInt64) -> Int)?,
    readIndex: (UnsafeRawBufferPointer, RunFooter) -> Bool
  ) throws(RunError) {
    let byteCount = try onDisk { () throws(DiskError) in try file.information().byteCount }
    let finding = { (kind: RunFinding.Kind, offset: UInt64) in
      RunError.damaged(RunFinding(kind, name, at: offset))
    }
    let ends = UInt64(RunHeader.byteCount + RunFooter.byteCount)
    let header = try Self.header(
      of: file, name, content, min(byteCount, UInt64(RunHeader.byteCount)))
    guard header.store == store else { throw finding(.foreign, 0) }
    guard byteCount >= ends else { throw finding(.cutShort, byteCount) }
    let footerOffset = byteCount - UInt64(RunFooter.byteCount)
    let footer = try file.withBytes(footerOffset, RunFooter.byteCount, name) {
      RunFooter.read($0, salt: header.salt)
    }
    guard let footer else { throw finding(.footerDamaged, footerOffset) }
    // The index lies between the blocks and the footer; every length that follows is below the file's.
    guard footer.indexOffset >= UInt64(RunHeader.byteCount), footer.indexOffset <= footerOffset,
      footer.indexByteCount == footerOffset - footer.indexOffset,
      footer.indexByteCount <= UInt64(Seal.byteCount + Limits.lz4FrameByteCount)
    else { throw finding(.footerDamaged, footerOffset) }
    guard footer.blockCount <= UInt64(largestBlockCount) else {
      throw finding(.indexDamaged, footer.indexOffset)
    }
    previousBodyCheck = try file.withBytes(footer.indexOffset, Int(footer.indexByteCount), name) {
      sealed throws(RunError) in
      let frame = try Self.indexFrame(sealed, header, footer, name, indexKind)
      let payloadByteCount = Int(frame.seal.payloadByteCount)
      if let indexByteCount, payloadByteCount != indexByteCount(footer.blockCount) {
        throw finding(.indexMalformed, footer.indexOffset)
      }
      let payload = UnsafeMutableRawBufferPointer.allocate(
        byteCount: payloadByteCount, alignment: 16)
      defer { payload.deallocate() }
      guard LZ4Frame.read(frame.lz4Frame, into: payload),
        readIndex(UnsafeRawBufferPointer(payload), footer), footer.deletedCount <= footer.rowCount
      else { throw finding(.indexMalformed, footer.indexOffset) }
      return frame.seal.previousBodyCheck
    }
    (self.byteCount, self.header, self.footer) = (byteCount, header, footer)
  }

  static func header(
    of file: any ReadableFile, _ name: String, _ content: RunHeader.Content, _ byteCount: UInt64
  ) throws(RunError) -> RunHeader {
    switch try file.withBytes(0, Int(byteCount), name, { RunHeader.read($0, content) }) {
    case .header(let header): return header
    case .damaged: throw .damaged(RunFinding(.headerDamaged, name))
    case .newer(let format, let features):
      throw .newerFormat(RunFinding(.newer(format: format, requiredFeatures: features), name))
    }
  }

  private static func indexFrame(
    _ sealed: UnsafeRawBufferPointer, _ header: RunHeader, _ footer: RunFooter, _ name: String,
    _ kind: FrameKind
  ) throws(RunError) -> SealedFrame {
    let offset = footer.indexOffset
    let damaged = RunError.damaged(RunFinding(.indexDamaged, name, at: offset))
    let place = SealedFrame.Place(number: footer.blockCount + 1, kind: kind, salt: header.salt)
    let frame: SealedFrame
    switch SealedFrame.read(sealed, at: place) {
    case .frame(let read): frame = read
    case .damaged: throw damaged
    case .newer(let format, let flags):
      throw .newerFormat(RunFinding(.blockNewer(format: format, flags: flags), name, at: offset))
    }
    guard frame.seal.bodyCheck == footer.indexCheck, frame.seal.unsyncedFrameCount == 0 else {
      throw damaged
    }
    return frame
  }
}

extension ReadableFile {
  /// Hands out bytes that the file had when it was opened.
  ///
  /// - Throws: `disk`, or `damaged` where the file has become shorter.
  func withBytes<Answer>(
    _ offset: UInt64, _ count: Int, _ name: String,
    _ body: (UnsafeRawBufferPointer) throws(RunError) -> Answer
  ) throws(RunError) -> Answer {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
    defer { memory.deallocate() }
    let target = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
    let found = try onDisk { () throws(DiskError) in try read(into: target, at: offset) }
    guard found == count else {
      throw .damaged(RunFinding(.cutShort, name, at: offset + UInt64(found)))
    }
    return try body(UnsafeRawBufferPointer(target))
  }
}
