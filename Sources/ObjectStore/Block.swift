internal import ObjectModel
internal import Synchronization

/// A block of a run as far as it has been read: its directory, and those columns that the cache keeps.
///
/// A column that is kept stays as long as the block does, so that whoever has the block reads its columns
/// without a lock.
final class Block: @unchecked Sendable {
  /// A column: whose values it has, beside these, so that a value is found by few looks at memory.
  private struct Cell: ~Copyable {
    /// By what it is found: they ascend, that of the commits first.
    let order: UInt64
    /// What it holds, retained; 0 where it is not kept. A content is put there once.
    let content = Atomic<UInt>(0)

    init(_ key: KeyNumber?) { order = key.map(Self.order) ?? 0 }

    @inline(__always)
    static func order(_ key: KeyNumber) -> UInt64 { UInt64(key.rawValue) + 1 }

    @inline(__always)
    var kept: Unmanaged<ColumnContent>? {
      UnsafeRawPointer(bitPattern: content.load(ordering: .acquiring))
        .map { Unmanaged.fromOpaque($0) }
    }
  }

  /// Those of the directory's columns, in its order.
  private let cells: UnsafeMutablePointer<Cell>
  private let cellCount: Int
  let directory: BlockDirectory
  /// What it has where its run is one of index entries; the directory then is empty.
  let entries: IndexBlock?
  /// Which block of its run it is.
  let index: Int
  /// Where the cache finds it. Its run lets go of the slots only when the cache has forgotten the block.
  unowned(unsafe) let slots: BlockSlots

  // For the cache.
  /// How many bytes it takes with its columns; guarded by the cache's lock.
  var byteCount: Int
  /// Whether the cache holds it; guarded by the cache's lock.
  var isKept = false

  init(_ index: Int, _ directory: BlockDirectory, _ slots: BlockSlots) {
    self.index = index
    self.directory = directory
    self.slots = slots
    entries = nil
    cellCount = directory.columns.count
    cells = .allocate(capacity: cellCount)
    for column in directory.columns.indices {
      (cells + column).initialize(to: Cell(directory.columns[column].key))
    }
    byteCount = 96 + directory.memoryByteCount + MemoryLayout<Cell>.stride * cellCount
  }

  /// A block of index entries.
  init(_ index: Int, _ entries: IndexBlock, _ slots: BlockSlots) {
    self.index = index
    self.entries = entries
    self.slots = slots
    directory = .empty
    (cells, cellCount) = (.allocate(capacity: 0), 0)
    byteCount = 96 + entries.memoryByteCount
  }

  deinit {
    for column in 0..<cellCount { cells[column].kept?.release() }
    cells.deinitialize(count: cellCount)
    cells.deallocate()
  }

  /// The place of a key's column; nil where no row has a value for it.
  @inline(__always)
  func column(of key: KeyNumber) -> Int? {
    let order = Cell.order(key)
    let place = (0..<cellCount).firstPlace(inOrder: { cells[$0].order >= order })
    return place < cellCount && cells[place].order == order ? place : nil
  }

  /// What a column holds; nil where it is not kept.
  @inline(__always)
  func content(_ column: Int) -> ColumnContent? {
    unmanagedContent(column)?.takeUnretainedValue()
  }

  /// The same, and nobody counts who has it: as long as there is the block.
  @inline(__always)
  func unmanagedContent(_ column: Int) -> Unmanaged<ColumnContent>? {
    precondition(column >= 0 && column < cellCount, "there is no such column")
    return cells[column].kept
  }

  /// Keeps what a column holds. Only for the cache, which counts it, and once a column.
  func keep(_ content: ColumnContent, _ column: Int) {
    let address = Unmanaged.passRetained(content).toOpaque()
    cells[column].content.store(UInt(bitPattern: address), ordering: .releasing)
  }
}

/// Where the cache finds the blocks of a run.
final class BlockSlots: @unchecked Sendable {
  /// What the cache knows of a block; each slot is guarded by a lock of the cache.
  struct Slot {
    /// The block, which the cache retains.
    var block: Unmanaged<Block>?
    /// The block's own, which is here so that what has no row in it is told without a look at the block.
    var map: PlaceMap?
    /// Whether any of its rows is deleted.
    var hasDeletions = false
    /// Whether it has been asked for since the cache looked last.
    var isUsed = false
  }

  let count: Int
  private let slots: UnsafeMutablePointer<Slot>

  init(count: Int) {
    self.count = count
    slots = .allocate(capacity: max(1, count))
    slots.initialize(repeating: Slot(), count: max(1, count))
  }

  deinit { slots.deallocate() }

  /// Only for the cache.
  @inline(__always)
  subscript(index: Int) -> Slot {
    unsafeAddress {
      precondition(index >= 0 && index < count, "there is no such block")
      return UnsafePointer(slots + index)
    }
    unsafeMutableAddress {
      precondition(index >= 0 && index < count, "there is no such block")
      return slots + index
    }
  }
}
