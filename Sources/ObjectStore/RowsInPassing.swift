internal import EventFold
package import ObjectModel

/// Rows of objects whose commits do not say their values whole, while commits pass in one direction, all or some of
/// them: those that were needed lately, up to a bound. One that is needed again after that is counted back from the
/// last state.
package struct RowsInPassing {
  /// In which direction commits pass.
  package enum Direction {
    case forward, back
  }

  private typealias Held = (stored: StoredRow, byteCount: Int)

  /// What was needed since the older ones were let go.
  private var rows: [ObjectID: Held] = [:]
  private var older: [ObjectID: Held] = [:]
  private var newByteCount = 0
  private var olderByteCount = 0
  private let direction: Direction
  private let largestByteCount: Int
  /// The commit that the era began after whose commits pass.
  private var eraBeginning: CommitNumber?

  /// - Parameter largestByteCount: how many bytes of rows are held, roughly, besides the last one.
  package init(_ direction: Direction = .forward, largestByteCount: Int = 8 << 20) {
    self.direction = direction
    self.largestByteCount = largestByteCount
  }

  /// How many bytes of rows are held, roughly.
  package var byteCount: Int { newByteCount + olderByteCount }

  /// Goes on among the commits of an era. What is held of another one is let go: there a model reads it otherwise.
  mutating func enter(_ era: Era?) {
    guard era?.since != eraBeginning else { return }
    self = RowsInPassing(direction, largestByteCount: largestByteCount)
    eraBeginning = era?.since
  }

  /// Passes a commit that nobody wants to see, so that those that follow need not be counted back over it.
  mutating func leaveOut(_ content: CommitContent, of store: ReadableStore) throws(StoreError) {
    // Going back, what was left out is counted back over from what is held.
    guard direction == .forward, byteCount > 0 else { return }
    for change in content.changes where rows[change.object] ?? older[change.object] != nil {
      _ = try pass(change, content.number, of: store)
    }
  }

  /// The row of an object before and after a commit, where one of its values needs it.
  package mutating func pass(
    _ change: ObjectChange, _ number: CommitNumber, of store: ReadableStore
  ) throws(StoreError) -> (before: Row?, after: Row?) {
    let isShort = change.entries.contains { entry in
      if case .replaced = entry.change { false } else { true }
    }
    let known = take(change.object)?.stored
    guard isShort || known != nil else { return (nil, nil) }
    do throws(StoreError) {
      return try pass(change, number, known, of: store)
    } catch {
      // Of values that are all whole no row is needed.
      guard !isShort, error.isFinding else { throw error }
      return (nil, nil)
    }
  }

  /// - Parameter known: what is known of the object at a commit that was passed before.
  private mutating func pass(
    _ change: ObjectChange, _ number: CommitNumber, _ known: StoredRow?, of store: ReadableStore
  ) throws(StoreError) -> (before: Row?, after: Row?) {
    let isNext = direction == .forward && known?.changed == change.previous
    // Counted back from after the commit, as before it the object may have been one of another era.
    var after = isNext ? nil : try row(of: change.object, after: number, known, store)
    var before = isNext ? known?.row : nil
    do throws(FoldError) {
      if isNext {
        after = try change.applied(to: before)
      } else {
        before = try change.inverse.applied(to: after)
      }
    } catch {
      throw .pastMisfit(error, number)
    }
    hold(
      change.object,
      direction == .forward
        ? StoredRow(after, changed: number) : StoredRow(before, changed: change.previous))
    return (before, after)
  }

  /// The row of an object after a commit that has changed it.
  private func row(
    of object: ObjectID, after number: CommitNumber, _ known: StoredRow?, _ store: ReadableStore
  ) throws(StoreError) -> Row? {
    guard let known, known.changed >= number else {
      return try store.stored(object, at: number)?.row
    }
    return try store.stored(object, at: number, countedBackFrom: known, store.head)?.row
  }

  private mutating func take(_ object: ObjectID) -> Held? {
    if let held = rows.removeValue(forKey: object) {
      newByteCount -= held.byteCount
      return held
    }
    guard let held = older.removeValue(forKey: object) else { return nil }
    olderByteCount -= held.byteCount
    return held
  }

  /// Holds a row; where the newer half of what may be held is full, the older one is let go at once.
  private mutating func hold(_ object: ObjectID, _ stored: StoredRow) {
    let byteCount = BlockAssembly.byteCount(of: stored.row) + MemoryLayout<ObjectID>.size
    if newByteCount + byteCount > largestByteCount / 2 {
      (older, olderByteCount) = (rows, newByteCount)
      (rows, newByteCount) = ([:], 0)
    }
    rows[object] = (stored, byteCount)
    newByteCount += byteCount
  }
}

/// Commits with whole values, for whoever goes from one to the next in one direction and leaves out what is not wanted.
///
/// Costs: each commit of an object that is shown is read once, however many of them are.
package struct PassingCommits {
  private let store: ReadableStore
  private var rows: RowsInPassing

  package init(of store: ReadableStore, _ direction: RowsInPassing.Direction) {
    self.store = store
    rows = RowsInPassing(direction)
  }

  /// Calls a closure with what the next commit that is shown has changed, object by object.
  package mutating func show(
    _ content: CommitContent, _ body: (Commit.Change) -> Void
  ) throws(StoreError) {
    try store.forEachChange(of: content, store.head, &rows, body)
  }

  /// Passes a commit that is not shown.
  package mutating func leaveOut(_ content: CommitContent) throws(StoreError) {
    rows.enter(store.head.eras.last { $0.since < content.number })
    try rows.leaveOut(content, of: store)
  }
}
