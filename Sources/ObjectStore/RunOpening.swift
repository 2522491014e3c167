internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// Reads and checks what must be known of a run before its blocks can be.
struct RunOpening {
  let ends: RunEnds
  let index: RunIndex

  init(_ file: any ReadableFile, _ name: String, store: StoreIdentity) throws(RunError) {
    var index: RunIndex?
    ends = try RunEnds(
      file, name, .rows, store: store, .runIndex, largestBlockCount: RunIndex.largestBlockCount,
      indexByteCount: { Int($0) * RunIndex.Entry.byteCount }
    ) { payload, footer in
      index = RunIndex(payload)
      guard let index else { return false }
      return index.endOffset == footer.indexOffset
        && UInt64(index.entries.count) == footer.blockCount
        && index.entries.reduce(0, { $0 + UInt64($1.rowCount) }) == footer.rowCount
    }
    guard let index else { preconditionFailure("an index that was not read is not sound") }
    self.index = index
  }
}
