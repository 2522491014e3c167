package import DiskAccess
package import Journaling

/// A file of index entries in their order, added or removed, that never changes. Any thread may read it.
///
/// Opening reads header, footer and the index of its blocks. Blocks are read, checked and decompressed when
/// they are asked for, and are then in the cache.
package final class IndexRun: Sendable {
  /// The file's name in its folder.
  let name: String
  let store: StoreIdentity
  private let file: any ReadableFile
  private let ends: RunEnds
  private let blocks: IndexRunBlocks
  private let cache: BlockCache
  private let slots: BlockSlots

  /// How many entries there are, those that are removed included.
  package var entryCount: UInt64 { ends.footer.rowCount }
  /// How many of them are removed.
  package var removedCount: UInt64 { ends.footer.deletedCount }
  package var blockCount: Int { blocks.firsts.count }
  var byteCount: UInt64 { ends.byteCount }
  /// The check of its footer.
  var check: UInt64 { ends.footer.check(salt: ends.header.salt) }
  /// The indexes that its blocks begin with.
  var indexes: Set<IndexNumber> { Set(blocks.firsts.map(\.index)) }

  /// Opens a run.
  ///
  /// - Throws: `disk`, `newerFormat`, or `damaged` where header, footer or index are not sound, or of another
  ///   store.
  package init(
    _ name: String, in folder: any ReadableFolder, store: StoreIdentity, cache: BlockCache
  ) throws(RunError) {
    file = try onDisk { () throws(DiskError) in try folder.fileForReading(name) }
    (ends, blocks) = try Self.open(file, name, store)
    (self.name, self.store, self.cache) = (name, store, cache)
    slots = BlockSlots(count: blocks.firsts.count)
  }

  deinit { cache.removeAll(of: slots) }

  private static func open(
    _ file: any ReadableFile, _ name: String, _ store: StoreIdentity
  ) throws(RunError) -> (RunEnds, IndexRunBlocks) {
    var blocks: IndexRunBlocks?
    let ends = try RunEnds(
      file, name, .indexEntries, store: store, .indexOfEntries,
      largestBlockCount: IndexRunBlocks.largestCount, indexByteCount: nil
    ) { payload, footer in
      blocks = IndexRunBlocks(payload, count: Int(footer.blockCount))
      return blocks?.endOffset == footer.indexOffset && blocks?.entryCount == footer.rowCount
    }
    guard let blocks else { preconditionFailure("an index that was not read is not sound") }
    return (ends, blocks)
  }

  /// The first block that may have an entry not before one.
  func firstBlock(reaching entry: IndexEntry) -> Int { max(0, blocks.count(upTo: entry) - 1) }

  /// The last block that may have an entry before one; -1 for none.
  func lastBlock(before entry: IndexEntry) -> Int { blocks.count(before: entry) - 1 }

  /// Whether there is such a block, and it may have entries from one on that stand before another.
  func hasBlock(_ block: Int, from start: IndexEntry, before end: IndexEntry) -> Bool {
    guard blocks.firsts.indices.contains(block), blocks.firsts[block] < end else { return false }
    return block + 1 == blockCount || blocks.firsts[block + 1] > start
  }

  /// The entries of a block from one on that stand before another.
  package func entries(
    ofBlock block: Int, from start: IndexEntry, before end: IndexEntry
  ) throws(RunError) -> ContiguousArray<IndexEntry> {
    let content = try content(ofBlock: block)
    let next = block + 1 < blockCount ? blocks.firsts[block + 1] : nil
    let endsBefore = next.map { $0 <= end } ?? false
    guard
      let entries = content.entries(
        first: blocks.firsts[block], from: start, before: endsBefore ? nil : end),
      // Who goes over a run relies on its order, from block to block too.
      next.map({ next in entries.last.map { $0 < next } ?? true }) ?? true
    else { throw malformed(block) }
    return entries
  }

  private func content(ofBlock block: Int) throws(RunError) -> IndexBlock {
    if let entries = cache.block(block, of: slots)?.entries { return entries }
    let count = Int(blocks.sealedByteCounts[block])
    let read = try file.withBytes(blocks.offsets[block], count, name) { sealed throws(RunError) in
      try content(of: frame(in: sealed, block, after: nil), block)
    }
    _ = cache.keep(Block(block, read, slots))
    return read
  }

  private func frame(
    in sealed: UnsafeRawBufferPointer, _ block: Int, after previousBodyCheck: UInt64?
  ) throws(RunError) -> SealedFrame {
    let place = SealedFrame.Place(
      number: UInt64(block) + 1, kind: .entries, salt: ends.header.salt,
      previousBodyCheck: previousBodyCheck)
    switch SealedFrame.read(sealed, at: place) {
    case .frame(let frame): return frame
    case .damaged: throw damaged(.blockDamaged, block)
    case .newer(let format, let flags):
      throw .newerFormat(
        RunFinding(.blockNewer(format: format, flags: flags), name, at: blocks.offsets[block]))
    }
  }

  private func content(of frame: SealedFrame, _ block: Int) throws(RunError) -> IndexBlock {
    let byteCount = Int(frame.seal.payloadByteCount)
    guard byteCount <= IndexBlock.largestByteCount, frame.seal.unsyncedFrameCount == 0 else {
      throw malformed(block)
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: byteCount, alignment: 16)
    let content = IndexBlock(taking: memory, entryCount: Int(blocks.entryCounts[block]))
    guard LZ4Frame.read(frame.lz4Frame, into: memory) else { throw malformed(block) }
    return content
  }

  private func malformed(_ block: Int) -> RunError { damaged(.blockMalformed, block) }

  /// Damage that is met in a block; whoever has the run comes to know of it by the cache.
  private func damaged(_ kind: RunFinding.Kind, _ block: Int) -> RunError {
    let error = RunError.damaged(RunFinding(kind, name, at: blocks.offsets[block]))
    cache.note(damage: error, of: .entries)
    return error
  }

  /// Reads and checks every byte of the run: seals, links, and every entry.
  ///
  /// - Throws: what is wrong with the first block that is not sound.
  package func verify() throws(RunError) {
    // Header, footer and index were checked when the run was opened; they may have changed since.
    let (again, blocksAgain) = try Self.open(file, name, store)
    guard again.header == ends.header, again.footer == ends.footer, blocksAgain == blocks else {
      throw .damaged(RunFinding(.indexDamaged, name, at: ends.footer.indexOffset))
    }
    var previousBodyCheck: UInt64 = 0
    var removedCount: UInt64 = 0
    for block in 0..<blockCount {
      let count = Int(blocks.sealedByteCounts[block])
      try file.withBytes(blocks.offsets[block], count, name) { sealed throws(RunError) in
        let frame = try frame(in: sealed, block, after: previousBodyCheck)
        previousBodyCheck = frame.seal.bodyCheck
        let end = block + 1 < blockCount ? blocks.firsts[block + 1] : .greatest
        guard
          let entries = try content(of: frame, block).entries(
            first: blocks.firsts[block], from: .least, before: nil),
          entries.count == Int(blocks.entryCounts[block]), entries.allSatisfy({ $0 < end })
        else { throw malformed(block) }
        removedCount += UInt64(entries.count { $0.isRemoved })
      }
    }
    guard again.previousBodyCheck == UInt32(truncatingIfNeeded: previousBodyCheck),
      removedCount == ends.footer.deletedCount
    else { throw .damaged(RunFinding(.indexMalformed, name, at: ends.footer.indexOffset)) }
  }
}

extension FrameKind {
  /// A block of index entries.
  static let entries = FrameKind(rawValue: 34)
  /// The index of a run of index entries.
  static let indexOfEntries = FrameKind(rawValue: 35)
}
