internal import ByteCoding
internal import DiskAccess
internal import Journaling
internal import ObjectModel
internal import PropertyListCoding

// Reading everything, also what no lookup needs.
extension Run {
  /// Reads and checks every byte of the run: seals, links, bodies, directories against the index, columns, and
  /// every value in them.
  ///
  /// - Throws: what is wrong with the first block that is not sound.
  package func verify() throws(RunError) {
    // Header, footer and index were checked when the run was opened; they may have changed since.
    let again = try RunOpening(file, name, store: store)
    guard again.ends.header == header, again.ends.footer == footer,
      again.index.entries == index.entries
    else {
      throw .damaged(RunFinding(.indexDamaged, name, at: footer.indexOffset))
    }
    var previousBodyCheck: UInt64 = 0
    var deletedCount: UInt64 = 0
    for block in index.entries.indices {
      let count = Int(index.entries[block].sealedByteCount)
      try file.withBytes(index.offsets[block], count, name) { sealed throws(RunError) in
        previousBodyCheck = try verify(sealed, block, after: previousBodyCheck, &deletedCount)
      }
    }
    guard again.ends.previousBodyCheck == UInt32(truncatingIfNeeded: previousBodyCheck),
      deletedCount == footer.deletedCount
    else { throw .damaged(RunFinding(.indexMalformed, name, at: footer.indexOffset)) }
  }

  /// - Returns: the block's body check.
  private func verify(
    _ sealed: UnsafeRawBufferPointer, _ block: Int, after previousBodyCheck: UInt64,
    _ deletedCount: inout UInt64
  ) throws(RunError) -> UInt64 {
    let offset = index.offsets[block]
    let place = SealedFrame.Place(
      number: UInt64(block) + 1, kind: .rows, salt: header.salt,
      previousBodyCheck: previousBodyCheck)
    let frame: SealedFrame
    switch SealedFrame.read(sealed, at: place) {
    case .frame(let read): frame = read
    case .damaged: throw .damaged(RunFinding(.blockDamaged, name, at: offset))
    case .newer(let format, let flags):
      throw .newerFormat(RunFinding(.blockNewer(format: format, flags: flags), name, at: offset))
    }
    let directory = try readDirectory(storedDirectory(in: sealed, block), block)
    guard isWhole(frame, directory) else {
      throw .damaged(RunFinding(.blockMalformed, name, at: offset))
    }
    _ = try commits(of: directory, in: sealed, block)
    for column in directory.columns.dropFirst() {
      try verify(column, of: directory, in: sealed, block)
    }
    deletedCount += UInt64(directory.deletedCount)
    return frame.seal.bodyCheck
  }

  /// Whether a frame is, as a whole, what its directory says that it is made of.
  private func isWhole(_ frame: SealedFrame, _ directory: BlockDirectory) -> Bool {
    let payload = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(frame.seal.payloadByteCount), alignment: 16)
    defer { payload.deallocate() }
    return frame.seal.unsyncedFrameCount == 0
      && UInt64(frame.seal.payloadByteCount) == directory.payloadByteCount
      && LZ4Frame.read(frame.lz4Frame, into: payload)
  }

  private func verify(
    _ column: BlockDirectory.Column, of directory: BlockDirectory,
    in sealed: UnsafeRawBufferPointer, _ block: Int
  ) throws(RunError) {
    let content = try content(of: column, in: sealed, directory, block)
    var deletedHasValue = false
    do {
      try content.values.forEach(in: 0..<directory.rowCount) { place, value in
        deletedHasValue = directory.isDeleted(place) && !value.isNull
        return !deletedHasValue
      }
    } catch {
      throw malformed(column, block)
    }
    if deletedHasValue { throw malformed(column, block) }
  }
}
