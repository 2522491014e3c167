internal import EventFold
package import ObjectModel

// What changes of the model made of the objects that there were.
extension ReadableStore {
  /// The states before a commit that is the first under another model than the commit before it, as the one and the
  /// other model had them; nil where the model did not change.
  ///
  /// Costs: reading the commits that came after it.
  package func modelChange(before content: CommitContent) throws(StoreError) -> StoredModelChange? {
    let head = head
    let number = content.number
    let (older, newer) = (head.eraCount(at: number.previous), head.eraCount(at: number))
    guard older < newer, newer <= head.eras.count else { return nil }
    let before = try snapshot(at: number.previous, countedBackFrom: head, isIndexed: false)
    let eras = head.eras[older..<newer]
    guard eras.contains(where: { !$0.conversions.values.allSatisfy(\.gathered.isEmpty) }) else {
      return StoredModelChange(before: before, head, newer - 1, nil, content)
    }
    // Where relationships led was stored when the model was adopted, and nothing but a state has it.
    let after = try snapshot(at: number, countedBackFrom: head, isIndexed: false)
    return StoredModelChange(before: before, head, newer - 1, after, content)
  }
}

/// What a change of the model made of the objects that there were.
package struct StoredModelChange {
  /// The last state under the model before.
  package let before: Snapshot
  private let head: Snapshot
  private let place: Int
  /// The state after the first commit under the newer model, where rows cannot be made without one.
  private let after: Snapshot?
  private let changes: [ObjectID: ObjectChange]

  fileprivate init(
    before: Snapshot, _ head: Snapshot, _ place: Int, _ after: Snapshot?, _ content: CommitContent
  ) {
    (self.before, self.head, self.place, self.after) = (before, head, place, after)
    changes =
      after == nil
      ? [:] : Dictionary(content.changes.map { ($0.object, $0) }) { first, _ in first }
  }

  /// The newer model.
  package var newer: Era { head.eras[place] }

  /// Calls a closure with each object, in order, and what it had before and after; nothing where the newer model does not
  /// have its entity.
  ///
  /// - Parameter body: returns whether to go on.
  package func forEach(
    _ body: (ObjectID, _ before: Row, _ after: Row?) throws(StoreError) -> Bool
  ) throws(StoreError) {
    let last = before.eras.count - 1
    var rows = LayeredRows(of: before)
    while let next = try rows.next() {
      let object = next.object
      guard let row = before.convert(next.stored.row, of: object, from: next.era, to: last)
      else { continue }
      guard try body(object, row, try self.after(row, of: object)) else { return }
    }
  }

  private func after(_ row: Row, of object: ObjectID) throws(StoreError) -> Row? {
    guard let after else {
      return head.convert(row, of: object, from: before.eras.count - 1, to: place)
    }
    let later = try after.row(of: object)
    guard let change = changes[object] else { return later }
    do throws(FoldError) {
      return try change.inverse.applied(to: later)
    } catch {
      throw .pastMisfit(error, after.number)
    }
  }
}
