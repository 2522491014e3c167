internal import DiskAccess
internal import Journaling
internal import ObjectModel

// Directories and columns: out of the cache, or read, checked and decompressed.
extension Run {
  func directory(ofBlock block: Int) throws(RunError) -> BlockDirectory {
    let key = SectionKey.directory(block, ofRun: number)
    if case .directory(let directory) = cache.section(key) { return directory }
    let entry = index.entries[block]
    let offset = index.offsets[block] + RunIndex.directoryOffset
    let read = try file.withBytes(offset, Int(entry.storedDirectoryByteCount), name) {
      stored throws(RunError) in try readDirectory(stored, block)
    }
    if case .directory(let directory) = cache.keep(.directory(read), key) { return directory }
    return read
  }

  func content(
    ofColumn place: Int, _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> ColumnContent {
    let key = SectionKey.column(place, block, ofRun: number)
    if case .column(let content) = cache.section(key) { return content }
    let column = directory.columns[place]
    let offset = index.offsets[block] + column.offset
    let read = try file.withBytes(offset, column.storedByteCount, name) {
      stored throws(RunError) in try readColumn(stored, column, directory, block)
    }
    if case .column(let content) = cache.keep(.column(read), key) { return content }
    return read
  }

  /// Columns of so many bytes are read at once where the cache lacks one of them; larger ones by themselves.
  private static let readAtOnceByteCount: UInt64 = 1 << 20

  /// Columns of a block that follow one another.
  func contents(
    ofColumns places: Range<Int>, _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> [ColumnContent] {
    guard let last = places.last else { return [] }
    let first = SectionKey.column(places.lowerBound, block, ofRun: number)
    if let contents = cache.columns(from: first, count: places.count) { return contents }
    let columns = directory.columns
    let start = columns[places.lowerBound].offset
    let count = columns[last].offset + UInt64(columns[last].storedByteCount) - start
    guard count <= Self.readAtOnceByteCount else {
      return try places.map { place throws(RunError) in
        try content(ofColumn: place, directory, block)
      }
    }
    return try file.withBytes(index.offsets[block] + start, Int(count), name) {
      all throws(RunError) in
      try places.map { place throws(RunError) in
        let key = SectionKey.column(place, block, ofRun: number)
        if case .column(let content) = cache.section(key) { return content }
        let first = Int(columns[place].offset - start)
        let stored = UnsafeRawBufferPointer(
          rebasing: all[first..<first + columns[place].storedByteCount])
        let read = try readColumn(stored, columns[place], directory, block)
        if case .column(let content) = cache.keep(.column(read), key) { return content }
        return read
      }
    }
  }

  /// Reads a directory out of its LZ4 blocks.
  func readDirectory(
    _ stored: UnsafeRawBufferPointer, _ block: Int
  ) throws(RunError) -> BlockDirectory {
    let entry = index.entries[block]
    let offset = index.offsets[block] + RunIndex.directoryOffset
    guard Checksum.matches(entry.directoryCheck, Checksum.of(stored, salt: header.salt)) else {
      throw .damaged(RunFinding(.directoryDamaged, name, at: offset))
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(entry.directoryByteCount), alignment: 16)
    defer { bytes.deallocate() }
    guard LZ4Frame.readBlocks(stored, into: bytes) else {
      throw .damaged(RunFinding(.directoryMalformed, name, at: offset))
    }
    switch BlockDirectory.read(UnsafeRawBufferPointer(bytes), entry) {
    case .directory(let directory): return directory
    case .malformed: throw .damaged(RunFinding(.directoryMalformed, name, at: offset))
    case .newer(let format):
      throw .newerFormat(RunFinding(.directoryNewer(format: format), name, at: offset))
    }
  }

  /// Reads a column out of its LZ4 blocks.
  func readColumn(
    _ stored: UnsafeRawBufferPointer, _ column: BlockDirectory.Column,
    _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> ColumnContent {
    guard Checksum.matches(column.check, Checksum.of(stored, salt: header.salt)) else {
      let offset = index.offsets[block] + column.offset
      throw .damaged(RunFinding(.columnDamaged(column.key), name, at: offset))
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: column.byteCount, alignment: 16)
    guard LZ4Frame.readBlocks(stored, into: memory) else {
      memory.deallocate()
      throw malformed(column, block)
    }
    guard let content = ColumnContent(taking: memory, valueCount: directory.rowCount) else {
      throw malformed(column, block)
    }
    return content
  }

  /// What is said of a column whose values cannot be read.
  func malformed(_ column: BlockDirectory.Column, _ block: Int) -> RunError {
    let offset = index.offsets[block] + column.offset
    return .damaged(RunFinding(.columnMalformed(column.key), name, at: offset))
  }
}
