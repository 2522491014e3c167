internal import ObjectModel
internal import Synchronization

/// A block of a run as far as it has been read: its directory, and those columns that the cache keeps.
///
/// A column that is kept stays as long as the block does, so that whoever has the block reads its columns
/// without a lock.
final class Block: @unchecked Sendable {
  /// Which block of its run it is.
  let index: Int
  let directory: BlockDirectory
  /// What it has where its run is one of index entries; the directory then is empty.
  let entries: IndexBlock?
  /// Where the cache finds it. Its run lets go of the slots only when the cache has forgotten the block.
  unowned(unsafe) let slots: BlockSlots
  /// The contents of the columns, retained; 0 where there is none. A content is put there once.
  private let contents: UnsafeMutablePointer<Atomic<UInt>>

  // For the cache.
  /// How many bytes it takes with its columns; guarded by the cache's lock.
  var byteCount: Int
  /// Whether the cache holds it; guarded by the cache's lock.
  var isKept = false
  /// Whether it has been asked for since the cache looked last; guarded by the lock of its slot.
  var isUsed = false

  init(_ index: Int, _ directory: BlockDirectory, _ slots: BlockSlots) {
    self.index = index
    self.directory = directory
    self.slots = slots
    entries = nil
    contents = .allocate(capacity: directory.columns.count)
    for column in directory.columns.indices { (contents + column).initialize(to: Atomic(0)) }
    byteCount = 96 + directory.memoryByteCount + 8 * directory.columns.count
  }

  /// A block of index entries.
  init(_ index: Int, _ entries: IndexBlock, _ slots: BlockSlots) {
    self.index = index
    self.entries = entries
    self.slots = slots
    directory = .empty
    contents = .allocate(capacity: 0)
    byteCount = 96 + entries.memoryByteCount
  }

  deinit {
    for column in directory.columns.indices { unmanagedContent(column)?.release() }
    contents.deinitialize(count: directory.columns.count)
    contents.deallocate()
  }

  @inline(__always)
  private func unmanagedContent(_ column: Int) -> Unmanaged<ColumnContent>? {
    UnsafeRawPointer(bitPattern: contents[column].load(ordering: .acquiring))
      .map { Unmanaged.fromOpaque($0) }
  }

  /// What a column holds; nil where it is not kept.
  @inline(__always)
  func content(_ column: Int) -> ColumnContent? {
    precondition(directory.columns.indices.contains(column), "there is no such column")
    return unmanagedContent(column)?.takeUnretainedValue()
  }

  /// Keeps what a column holds. Only for the cache, which counts it, and once a column.
  func keep(_ content: ColumnContent, _ column: Int) {
    let address = Unmanaged.passRetained(content).toOpaque()
    contents[column].store(UInt(bitPattern: address), ordering: .releasing)
  }
}

/// Where the cache finds the blocks of a run.
final class BlockSlots: @unchecked Sendable {
  let count: Int
  private let blocks: UnsafeMutablePointer<Unmanaged<Block>?>

  init(count: Int) {
    self.count = count
    blocks = .allocate(capacity: max(1, count))
    blocks.initialize(repeating: nil, count: max(1, count))
  }

  deinit { blocks.deallocate() }

  /// A block that the cache retains. Only for the cache, which guards each slot with a lock.
  @inline(__always)
  subscript(index: Int) -> Unmanaged<Block>? {
    get {
      precondition(index >= 0 && index < count, "there is no such block")
      return blocks[index]
    }
    set {
      precondition(index >= 0 && index < count, "there is no such block")
      blocks[index] = newValue
    }
  }
}
