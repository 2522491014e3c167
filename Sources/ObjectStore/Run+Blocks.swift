internal import DiskAccess
internal import Journaling
internal import ObjectModel

// Blocks and columns: out of the cache, or read, checked and decompressed.
extension Run {
  @inline(__always)
  func block(_ index: Int) throws(RunError) -> Block {
    if let block = cache.block(index, of: slots) { return block }
    return try readBlock(index)
  }

  private func readBlock(_ block: Int) throws(RunError) -> Block {
    let offset = index.offsets[block] + RunIndex.directoryOffset
    let count = Int(index.entries[block].storedDirectoryByteCount)
    let directory = try file.withBytes(offset, count, name) { stored throws(RunError) in
      try readDirectory(stored, block)
    }
    return cache.keep(Block(block, directory, slots))
  }

  @inline(__always)
  func content(ofColumn place: Int, _ block: Block) throws(RunError) -> ColumnContent {
    if let content = block.content(place) { return content }
    return try readContent(ofColumn: place, block)
  }

  private func readContent(
    ofColumn place: Int, _ block: Block
  ) throws(RunError) -> ColumnContent {
    let column = block.directory.columns[place]
    let offset = index.offsets[block.index] + column.offset
    let read = try file.withBytes(offset, column.storedByteCount, name) {
      stored throws(RunError) in try readColumn(stored, column, block.directory, block.index)
    }
    return cache.keep(read, place, of: block)
  }

  /// Columns of so many bytes are read at once where the cache lacks one of them; larger ones by themselves.
  private static let readAtOnceByteCount: UInt64 = 1 << 20

  /// The columns of a block's keys.
  func contentsOfKeys(_ block: Block) throws(RunError) -> [ColumnContent] {
    let places = block.directory.placesOfKeys
    var contents: [ColumnContent] = []
    contents.reserveCapacity(places.count)
    for place in places {
      guard let content = block.content(place) else { break }
      contents.append(content)
    }
    return contents.count == places.count ? contents : try readContents(ofColumns: places, block)
  }

  /// Reads columns that follow one another.
  private func readContents(
    ofColumns places: Range<Int>, _ block: Block
  ) throws(RunError) -> [ColumnContent] {
    let columns = block.directory.columns
    guard let last = places.last else { return [] }
    let start = columns[places.lowerBound].offset
    let count = columns[last].offset + UInt64(columns[last].storedByteCount) - start
    guard count <= Self.readAtOnceByteCount else {
      return try places.map { place throws(RunError) in try content(ofColumn: place, block) }
    }
    return try file.withBytes(index.offsets[block.index] + start, Int(count), name) {
      all throws(RunError) in
      try places.map { place throws(RunError) in
        if let content = block.content(place) { return content }
        let first = Int(columns[place].offset - start)
        let stored = UnsafeRawBufferPointer(
          rebasing: all[first..<first + columns[place].storedByteCount])
        let read = try readColumn(stored, columns[place], block.directory, block.index)
        return cache.keep(read, place, of: block)
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
      throw damaged(.directoryDamaged, at: offset)
    }
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(entry.directoryByteCount), alignment: 16)
    defer { bytes.deallocate() }
    guard LZ4Frame.readBlocks(stored, into: bytes) else {
      throw damaged(.directoryMalformed, at: offset)
    }
    switch BlockDirectory.read(UnsafeRawBufferPointer(bytes), entry) {
    case .directory(let directory): return directory
    case .malformed: throw damaged(.directoryMalformed, at: offset)
    case .newer(let format):
      throw .newerFormat(RunFinding(.directoryNewer(format: format), name, at: offset))
    }
  }

  /// Reads a column out of its LZ4 blocks.
  func readColumn(
    _ stored: UnsafeRawBufferPointer, _ column: BlockDirectory.Column,
    _ directory: BlockDirectory, _ block: Int
  ) throws(RunError) -> ColumnContent {
    try check(stored, column, block)
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

  func check(
    _ stored: UnsafeRawBufferPointer, _ column: BlockDirectory.Column, _ block: Int
  ) throws(RunError) {
    guard Checksum.matches(column.check, Checksum.of(stored, salt: header.salt)) else {
      let offset = index.offsets[block] + column.offset
      throw damaged(.columnDamaged(column.key), at: offset)
    }
  }

  /// What is said of a column whose values cannot be read.
  func malformed(_ column: BlockDirectory.Column, _ block: Int) -> RunError {
    let offset = index.offsets[block] + column.offset
    return damaged(.columnMalformed(column.key), at: offset)
  }

  /// Damage that is met while a block is read; whoever has the run comes to know of it by the cache.
  private func damaged(_ kind: RunFinding.Kind, at offset: UInt64) -> RunError {
    let error = RunError.damaged(RunFinding(kind, name, at: offset))
    cache.note(damage: error, of: .rows)
    return error
  }
}
