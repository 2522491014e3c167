internal import ByteCoding
internal import DiskAccess
internal import Journaling
internal import ObjectModel

/// A block of a run as it lies in the file: checked, and not decompressed but for its directory. So it can go
/// into another run, whose salt differs.
package struct SealedBlock: ~Copyable {
  let store: StoreIdentity
  let entry: RunIndex.Entry
  let directory: BlockDirectory
  /// The block with its seal.
  private let memory: UnsafeMutableRawBufferPointer

  package var hasDeletions: Bool { directory.hasDeletions }

  /// Reads a block of a run.
  ///
  /// - Throws: `disk`, `newerFormat`, or `damaged` where a check does not fit.
  package init(_ index: Int, of run: Run) throws(RunError) {
    let entry = run.index.entries[index]
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(entry.sealedByteCount), alignment: 16)
    let directory: BlockDirectory
    do throws(RunError) {
      directory = try run.read(index, into: memory)
    } catch {
      memory.deallocate()
      throw error
    }
    (self.store, self.entry, self.directory, self.memory) = (run.store, entry, directory, memory)
  }

  deinit { memory.deallocate() }

  /// Writes the block's LZ4 frame with another salt.
  ///
  /// - Returns: what the index says of it, but for its length, and how long it is decompressed.
  borrowing func writeFrame(
    with lz4: borrowing LZ4FrameWriter, salt: UInt64, to writer: inout ByteWriter
  ) -> (entry: RunIndex.Entry, payloadByteCount: Int) {
    var salted = directory.columns
    for place in salted.indices {
      salted[place].check = Checksum.of(bytes(ofColumn: place), salt: salt)
    }
    var list = ByteWriter()
    let objects = (0..<directory.rowCount).map { directory.object($0) }
    BlockDirectory.write(
      objects: objects, deletions: directory.deletions, columns: salted, to: &list)
    let largest = salted.reduce(list.byteCount) { max($0, $1.byteCount) }
    LZ4Frame.writePrefix(LZ4Frame.BlockLimit(payloadByteCount: largest), to: &writer)
    let start = writer.byteCount
    lz4.writeBlocks(of: list.unsafeBytes, .mebibytes4, to: &writer)
    var entry = entry
    entry.directoryByteCount = UInt32(list.byteCount)
    entry.storedDirectoryByteCount = UInt32(writer.byteCount - start)
    let stored = UnsafeRawBufferPointer(rebasing: writer.unsafeBytes[start...])
    entry.directoryCheck = Checksum.of(stored, salt: salt)
    let columns = Int(salted[0].offset)..<Int(directory.endOffset)
    writer.write(UnsafeRawBufferPointer(rebasing: memory[columns]))
    LZ4Frame.writeEndMark(to: &writer)
    let payload = salted.reduce(list.byteCount) { $0 + $1.byteCount }
    return (entry, payload)
  }

  private borrowing func bytes(ofColumn place: Int) -> UnsafeRawBufferPointer {
    let column = directory.columns[place]
    let start = Int(column.offset)
    return UnsafeRawBufferPointer(rebasing: memory[start..<start + column.storedByteCount])
  }
}

extension Run {
  /// Reads a block as it lies in the file, and checks its directory and columns.
  fileprivate func read(
    _ block: Int, into memory: UnsafeMutableRawBufferPointer
  ) throws(RunError) -> BlockDirectory {
    let offset = index.offsets[block]
    let found = try onDisk { () throws(DiskError) in try file.read(into: memory, at: offset) }
    guard found == memory.count else {
      throw .damaged(RunFinding(.cutShort, name, at: offset + UInt64(found)))
    }
    let sealed = UnsafeRawBufferPointer(memory)
    let directory = try readDirectory(storedDirectory(in: sealed, block), block)
    for column in directory.columns {
      let start = Int(column.offset)
      let stored = UnsafeRawBufferPointer(rebasing: sealed[start..<start + column.storedByteCount])
      try check(stored, column, block)
    }
    return directory
  }
}
