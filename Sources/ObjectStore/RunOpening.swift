internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// Reads and checks what must be known of a run before its blocks can be.
struct RunOpening {
  let file: any ReadableFile
  let byteCount: UInt64
  let header: RunHeader
  let footer: RunFooter
  let index: RunIndex
  /// The link of the index to the last block.
  let previousBodyCheck: UInt32

  init(_ file: any ReadableFile, _ name: String, store: StoreIdentity) throws(RunError) {
    let byteCount = try onDisk { () throws(DiskError) in try file.information().byteCount }
    let finding = { (kind: RunFinding.Kind, offset: UInt64) in
      RunError.damaged(RunFinding(kind, name, at: offset))
    }
    let ends = UInt64(RunHeader.byteCount + RunFooter.byteCount)
    let header = try Self.header(of: file, name, min(byteCount, UInt64(RunHeader.byteCount)))
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
    let (index, link) = try file.withBytes(footer.indexOffset, Int(footer.indexByteCount), name) {
      sealed throws(RunError) in try Self.index(sealed, header, footer, name)
    }
    guard index.endOffset == footer.indexOffset, UInt64(index.entries.count) == footer.blockCount,
      index.entries.reduce(0, { $0 + UInt64($1.rowCount) }) == footer.rowCount,
      footer.deletedCount <= footer.rowCount
    else { throw finding(.indexMalformed, footer.indexOffset) }
    self.file = file
    self.byteCount = byteCount
    previousBodyCheck = link
    (self.header, self.footer, self.index) = (header, footer, index)
  }

  private static func header(
    of file: any ReadableFile, _ name: String, _ byteCount: UInt64
  ) throws(RunError) -> RunHeader {
    switch try file.withBytes(0, Int(byteCount), name, { RunHeader.read($0) }) {
    case .header(let header): return header
    case .damaged: throw .damaged(RunFinding(.headerDamaged, name))
    case .newer(let format, let features):
      throw .newerFormat(RunFinding(.newer(format: format, requiredFeatures: features), name))
    }
  }

  private static func index(
    _ sealed: UnsafeRawBufferPointer, _ header: RunHeader, _ footer: RunFooter, _ name: String
  ) throws(RunError) -> (RunIndex, UInt32) {
    let offset = footer.indexOffset
    let damaged = RunError.damaged(RunFinding(.indexDamaged, name, at: offset))
    guard footer.blockCount <= UInt64(RunIndex.largestBlockCount) else { throw damaged }
    let place = SealedFrame.Place(number: footer.blockCount + 1, kind: .runIndex, salt: header.salt)
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
    let payloadByteCount = Int(frame.seal.payloadByteCount)
    guard payloadByteCount == Int(footer.blockCount) * RunIndex.Entry.byteCount else {
      throw .damaged(RunFinding(.indexMalformed, name, at: offset))
    }
    let payload = UnsafeMutableRawBufferPointer.allocate(byteCount: payloadByteCount, alignment: 16)
    defer { payload.deallocate() }
    guard LZ4Frame.read(frame.lz4Frame, into: payload),
      let index = RunIndex(UnsafeRawBufferPointer(payload))
    else { throw .damaged(RunFinding(.indexMalformed, name, at: offset)) }
    return (index, frame.seal.previousBodyCheck)
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
