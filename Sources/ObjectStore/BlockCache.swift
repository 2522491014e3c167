internal import DiskAccess
internal import Journaling

/// What has been decompressed of runs: blocks, with those of their columns that were asked for, up to a number
/// of bytes. Those that have not been used for long go first. Any thread may use it.
///
/// What a reader is using stays in memory until it has done, even where it has left the cache meanwhile.
///
/// Costs: finding takes about 20 ns, and threads wait for one another only where they want the same blocks, or
/// where something is read. A block or column of more bytes than the cache may hold is not kept.
package final class BlockCache: @unchecked Sendable {
  /// The most bytes it holds.
  package let largestByteCount: Int
  /// Guards what is kept. Whoever holds it may take the lock of a slot, and not the other way round.
  private let lock = Lock()
  /// Guard the slots of runs, each one many.
  private let slotLocks = (0..<16).map { _ in Lock() }
  /// The blocks that are kept. Those in front have been there longest, or have been asked for longest ago.
  private var queue: [Block?] = []
  /// The front of the queue.
  private var first = 0
  private var heldByteCount = 0
  private var metDamage: [FrameKind: RunError] = [:]

  package init(largestByteCount: Int) {
    precondition(largestByteCount >= 0, "a cache cannot hold fewer than no bytes")
    self.largestByteCount = largestByteCount
  }

  /// The first damage that was met in a block of a kind, until it is taken: who has the runs may have them made anew.
  func damage(of kind: FrameKind) -> RunError? { lock.withLock { metDamage[kind] } }

  func note(damage: RunError, of kind: FrameKind) {
    lock.withLock { metDamage[kind] = metDamage[kind] ?? damage }
  }

  func takeDamage(of kind: FrameKind) -> RunError? {
    lock.withLock { metDamage.removeValue(forKey: kind) }
  }

  /// How many bytes it holds.
  package var byteCount: Int { lock.withLock { heldByteCount } }

  /// Of how many blocks it holds something.
  package var blockCount: Int { lock.withLock { queue.count - first } }

  @inline(__always)
  private func slotLock(_ index: Int) -> Lock { slotLocks[index & 15] }

  /// A block; nil where the cache has none.
  func block(_ index: Int, of slots: BlockSlots) -> Block? {
    let lock = slotLock(index)
    lock.lock()
    defer { lock.unlock() }
    guard let block = slots[index].block?.takeUnretainedValue() else { return nil }
    slots.use(index)
    return block
  }

  /// What the cache knows of an object's row.
  enum Found {
    /// The block that may have it is not there.
    case unread
    case absent
    case row(place: Int, isDeleted: Bool)
  }

  /// Where in a block the row of an object is.
  func row(of object: UInt64, _ index: Int, of slots: BlockSlots) -> Found {
    let lock = slotLock(index)
    lock.lock()
    defer { lock.unlock() }
    guard let block = slots[index].block else { return .unread }
    slots.use(index)
    let place =
      if let map = slots[index].map {
        map.place(of: object)
      } else {
        block._withUnsafeGuaranteedRef { $0.directory.place(of: object) }
      }
    guard let place else { return .absent }
    guard slots[index].hasDeletions else { return .row(place: place, isDeleted: false) }
    let isDeleted = block._withUnsafeGuaranteedRef { $0.directory.isDeleted(place) }
    return .row(place: place, isDeleted: isDeleted)
  }

  /// Keeps a block, unless there is one already.
  ///
  /// - Returns: the one that is kept, or the one given.
  func keep(_ block: Block) -> Block {
    lock.lock()
    defer { lock.unlock() }
    if let kept = block.slots[block.index].block?.takeUnretainedValue() { return kept }
    guard makeRoom(block.byteCount) else { return block }
    slotLock(block.index).withLock {
      block.slots[block.index] = .init(
        block: .passUnretained(block), map: block.directory.map,
        hasDeletions: block.directory.hasDeletions)
    }
    block.isKept = true
    queue.append(block)
    heldByteCount += block.byteCount
    return block
  }

  /// Keeps what a column of a block holds, unless it is kept already, or the block is not.
  ///
  /// - Returns: what is kept, or what was given.
  func keep(_ content: ColumnContent, _ column: Int, of block: Block) -> ColumnContent {
    lock.lock()
    defer { lock.unlock() }
    if let kept = block.content(column) { return kept }
    let byteCount = content.memoryByteCount
    guard block.isKept, makeRoom(byteCount, sparing: block) else { return content }
    block.keep(content, column)
    block.byteCount += byteCount
    heldByteCount += byteCount
    return content
  }

  /// Lets blocks go until there is room for so many bytes. What is let go is freed while the lock is held: that
  /// takes no longer than finding it.
  ///
  /// - Returns: whether there is room.
  private func makeRoom(_ byteCount: Int, sparing spared: Block? = nil) -> Bool {
    guard byteCount <= largestByteCount - (spared?.byteCount ?? 0) else { return false }
    // Others may use blocks again and again; in the third round none is asked any more.
    var chances = 2 * (queue.count - first)
    while heldByteCount > largestByteCount - byteCount {
      guard let block = takeFirst() else { return false }
      chances -= 1
      if block === spared || hasSecondChance(block) && chances > 0 {
        queue.append(block)
        continue
      }
      letGo(block)
    }
    return true
  }

  private func takeFirst() -> Block? {
    guard first < queue.count else { return nil }
    defer {
      queue[first] = nil
      first += 1
      if first > 1024, first * 2 > queue.count {
        queue.removeFirst(first)
        first = 0
      }
    }
    return queue[first]
  }

  /// Whether a block has been used since it was asked last.
  private func hasSecondChance(_ block: Block) -> Bool {
    slotLock(block.index).withLock {
      defer { block.slots[block.index].isUsed = false }
      return block.slots[block.index].isUsed
    }
  }

  /// Forgets a block that has been taken out of the queue.
  private func letGo(_ block: Block) {
    slotLock(block.index).withLock { block.slots[block.index] = .init() }
    block.isKept = false
    heldByteCount -= block.byteCount
  }

  /// Forgets what it holds of a run.
  func removeAll(of slots: BlockSlots) {
    lock.lock()
    defer { lock.unlock() }
    let kept = queue[first...].compactMap(\.self)
    queue = kept.filter { $0.slots !== slots }
    first = 0
    for block in kept where block.slots === slots { letGo(block) }
  }
}

extension BlockSlots {
  /// Notes that a block has been asked for.
  @inline(__always)
  fileprivate func use(_ index: Int) {
    // Memory that is not written to is shared by processors.
    if !self[index].isUsed { self[index].isUsed = true }
  }
}
