import ObjectModel

/// A pair of rows, and the steps by which it came to be what it is: each with the pair as it was before.
struct PairSteps {
  private(set) var now: [Row?]
  private var undo: [[Row?]] = []
  private var redo: [[Row?]] = []

  init(_ rows: [Row?]) { now = rows }

  /// Makes a step.
  mutating func step(to next: [Row?]) {
    undo.append(now)
    redo = []
    now = next
  }

  /// Takes the last step back; gives what that restores, or nil where there is none.
  mutating func takeBack(_ objects: [ObjectID]) -> [Restoration]? {
    guard let before = undo.popLast() else { return nil }
    redo.append(now)
    return move(to: before, objects)
  }

  /// Makes the step again that was taken back last.
  mutating func makeAgain(_ objects: [ObjectID]) -> [Restoration]? {
    guard let after = redo.popLast() else { return nil }
    undo.append(now)
    return move(to: after, objects)
  }

  private mutating func move(to rows: [Row?], _ objects: [ObjectID]) -> [Restoration] {
    defer { now = rows }
    return objects.indices.compactMap { Self.restoration(objects[$0], from: now[$0], to: rows[$0]) }
  }

  private static func restoration(
    _ object: ObjectID, from old: Row?, to new: Row?
  ) -> Restoration? {
    guard old != new else { return nil }
    guard let new else { return Restoration(object, .deleted, []) }
    let entries = new.entries.map { Restoration.Entry($0.key, $0.value) }
    guard let old else { return Restoration(object, .inserted, entries) }
    let changed = entries.filter { old[$0.key] != new[$0.key] }
    let gone = old.entries.filter { new[$0.key] == nil }.map { Restoration.Entry($0.key, nil) }
    return Restoration(object, .updated, changed + gone)
  }
}
