import ObjectModel

/// The steps that a naive context can undo and redo, as old values.
struct NaiveHistory {
  typealias Values = NaiveWorld.Values

  /// What a step did to one object.
  struct Entry {
    /// What each key was and became, change by change.
    var changes: [String: [(old: Value?, new: Value?)]] = [:]
    /// Whether the object came to be or went; then `whole` is all it had before the step.
    var isWhole = false
    var whole: Values?
    /// Over which reading its keys had been set before: of those that were changed, or of all.
    var over: [String: Int] = [:]

    /// What a key was before the step: what the step did is taken back from what it is now. What it did and undid
    /// itself it did not do; where it had nothing stay nothing, it was just that.
    func before(_ key: String, of entity: String, now: Value?) -> Value? {
      let changes = changes[key] ?? []
      if let first = changes.first, changes.contains(where: { $0.old == nil && $0.new == nil }) {
        return first.old
      }
      var runs: [(old: Value?, new: Value?)] = []
      for change in changes {
        if let last = runs.last, last.new == change.old {
          runs[runs.count - 1].new = change.new
        } else {
          runs.append(change)
        }
      }
      return runs.reversed().reduce(now) { value, change in
        NaiveKey.of(entity, key).put(change.old, madeOf: change.new, on: value)
      }
    }
  }

  typealias Step = [ObjectID: Entry]

  var open: Step = [:]
  var undoSteps: [Step] = []
  var redoSteps: [Step] = []
  /// How many steps are kept; 0 for all.
  var levels = 0
  /// How many groups are open: all that comes until they end is one step.
  var groupDepth = 0

  var canUndo: Bool { !open.isEmpty || !undoSteps.isEmpty }
  var canRedo: Bool { open.isEmpty && !redoSteps.isEmpty }

  mutating func note(
    _ id: ObjectID, _ entity: String, _ key: String?, _ object: NaiveContext.Object,
    _ after: Values?
  ) {
    redoSteps = []
    let before = object.now
    var entry = open[id] ?? Entry()
    if let key, !entry.isWhole {
      if entry.changes[key] == nil { entry.over[key] = object.over[key] }
      entry.changes[key, default: []].append((before?[key], after?[key]))
    } else if key == nil, !entry.isWhole {
      entry.isWhole = true
      entry.whole = before
      for (key, reading) in object.over where entry.changes[key] == nil {
        entry.over[key] = reading
      }
      for key in entry.changes.keys {
        let old = entry.before(key, of: entity, now: before?[key])
        entry.whole?[key] = old
      }
    }
    open[id] = entry
  }

  mutating func endStep() {
    guard !open.isEmpty else { return }
    undoSteps.append(open)
    open = [:]
    if levels > 0, undoSteps.count > levels { undoSteps.removeFirst(undoSteps.count - levels) }
  }
}

extension NaiveContext {
  func beginGroup() {
    if history.groupDepth == 0 { processPendingChanges() }
    history.groupDepth += 1
  }

  /// Ends a group, unless undoing, redoing or giving up has ended it.
  func endGroup() {
    guard history.groupDepth > 0 else { return }
    history.groupDepth -= 1
    if history.groupDepth == 0 { processPendingChanges() }
  }

  func undo() {
    history.groupDepth = 0
    processPendingChanges()
    guard let step = history.undoSteps.popLast() else { return }
    history.redoSteps.append(restore(step))
    tell()
  }

  func redo() {
    history.groupDepth = 0
    processPendingChanges()
    guard let step = history.redoSteps.popLast() else { return }
    history.undoSteps.append(restore(step))
    tell()
  }

  /// Brings back what was before a step, and gives the step that does the opposite. What is as in the store then
  /// does not count as set any more.
  private func restore(_ step: NaiveHistory.Step) -> NaiveHistory.Step {
    var opposite: NaiveHistory.Step = [:]
    for (id, entry) in step {
      var object = read(id)
      touch(id)
      var back = NaiveHistory.Entry()
      if entry.isWhole {
        back.isWhole = true
        back.whole = object.now
        (back.over, object.over) = (object.over, entry.over)
        if entry.whole == nil, object.snapshot != nil { object.remains = object.now }
        object.now = entry.whole
        late[id] = nil
        let keys = Set((object.now ?? [:]).keys).union((object.snapshot ?? [:]).keys)
        (object.set, object.quiet) = (object.now == nil ? [] : keys, [])
      } else {
        // Values do not come back to an object that is gone.
        guard object.isThere else { continue }
        for key in entry.changes.keys {
          let now = object.now?[key]
          let new = entry.before(key, of: world.entity(id), now: now)
          object.now?[key] = new
          back.changes[key] = [(now, new)]
          (back.over[key], object.over[key]) = (object.over[key], entry.over[key])
        }
        object.set.formUnion(entry.changes.keys)
        object.quiet.subtract(entry.changes.keys)
      }
      object.set = object.set.filter { key in
        let isRestored = entry.isWhole || entry.changes[key] != nil
        return !isRestored || object.now?[key] != object.snapshot?[key]
      }
      object.quiet.formIntersection(object.set)
      object.isDirty = object.asksForSave
      put(id, object)
      opposite[id] = back
    }
    return opposite
  }

  /// Has everything as it was read; nothing is read for it, and nothing can be undone.
  func rollback() {
    processPendingChanges()
    for (id, object) in objects {
      if object.differs || object.isCovering { touch(id) }
      var committed = Object(base: object.base, object.snapshot).given(asBy: object)
      committed.over = [:]
      put(id, committed)
    }
    history = NaiveHistory(levels: history.levels)
    tell()
  }
}
