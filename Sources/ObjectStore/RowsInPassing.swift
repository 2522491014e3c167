internal import EventFold
package import ObjectModel

/// Rows of objects whose commits do not say their values whole, while commits pass in order: those that were
/// needed lately, up to a bound. One that is needed again after that is counted back from the last state.
package struct RowsInPassing {
  private typealias Held = (row: Row?, byteCount: Int)

  /// What was needed since the older ones were let go.
  private var rows: [ObjectID: Held] = [:]
  private var older: [ObjectID: Held] = [:]
  private var newByteCount = 0
  private var olderByteCount = 0
  private let largestByteCount: Int
  /// The commit that the era began after whose commits pass.
  private var eraBeginning: CommitNumber?

  /// - Parameter largestByteCount: how many bytes of rows are held, roughly, besides the last one.
  package init(largestByteCount: Int = 8 << 20) { self.largestByteCount = largestByteCount }

  /// How many bytes of rows are held, roughly.
  package var byteCount: Int { newByteCount + olderByteCount }

  /// Goes on among the commits of an era. What is held of an earlier one is let go: a newer model reads it otherwise.
  mutating func enter(_ era: Era?) {
    guard era?.since != eraBeginning else { return }
    self = RowsInPassing(largestByteCount: largestByteCount)
    eraBeginning = era?.since
  }

  /// The row of an object before and after a commit, where one of its values needs it.
  package mutating func pass(
    _ change: ObjectChange, _ number: CommitNumber, of store: ReadableStore
  ) throws(StoreError) -> (before: Row?, after: Row?) {
    let isShort = change.entries.contains { entry in
      if case .replaced = entry.change { false } else { true }
    }
    let known = take(change.object)
    guard isShort || known != nil else { return (nil, nil) }
    // Counted back from after the commit, as before it the object may have been one of another era.
    var (before, after) = (known?.row, known?.row)
    if known == nil { after = try store.stored(change.object, at: number)?.row }
    do throws(FoldError) {
      if known == nil {
        before = try change.inverse.applied(to: after)
      } else {
        after = try change.applied(to: before)
      }
    } catch {
      throw .pastMisfit(error, number)
    }
    hold(change.object, after)
    return (before, after)
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
  private mutating func hold(_ object: ObjectID, _ row: Row?) {
    let byteCount = BlockAssembly.byteCount(of: row) + MemoryLayout<ObjectID>.size
    if newByteCount + byteCount > largestByteCount / 2 {
      (older, olderByteCount) = (rows, newByteCount)
      (rows, newByteCount) = ([:], 0)
    }
    rows[object] = (row, byteCount)
    newByteCount += byteCount
  }
}
