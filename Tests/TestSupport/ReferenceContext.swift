// A context that keeps whole rows of everything, before and after each edit: slow, and plainly right.

internal import EventFold
internal import FoundationEssentials
package import ObjectModel

/// A store that remembers all its rows at every commit.
package struct ReferenceStore: Equatable {
  package var states: [[ObjectID: Row]]

  package init(states: [[ObjectID: Row]]) { self.states = states }

  package var head: CommitNumber { CommitNumber(rawValue: UInt64(states.count - 1)) }

  package func row(_ object: ObjectID, _ commit: CommitNumber) -> Row? {
    states[Int(commit.rawValue)][object]
  }

  package mutating func commit(_ rows: [ObjectID: Row?]) {
    var state = states[states.count - 1]
    for (object, row) in rows { state[object] = row }
    states.append(state)
  }
}

package struct ReferenceContext {

  package struct Object {
    package var base: CommitNumber
    package var baseRow: Row?
    package var now: Row?
    package var setKeys: Set<KeyNumber> = []
    /// Those of them that do not ask for a save.
    package var quietKeys: Set<KeyNumber> = []
    package var isDirty = false

    init(_ base: CommitNumber, _ row: Row?) {
      (self.base, baseRow, now) = (base, row, row)
    }

    package var isUntouched: Bool {
      !isDirty && setKeys.isEmpty && (now == nil) == (baseRow == nil)
    }
    package var asksForSave: Bool {
      (now == nil) != (baseRow == nil) || !setKeys.isSubset(of: quietKeys)
    }
    package var delta: [KeyNumber: Value?] {
      var delta: [KeyNumber: Value?] = [:]
      for key in setKeys { delta.updateValue(now?[key], forKey: key) }
      return delta
    }
  }

  /// One registered change, with the whole object before and after it.
  package struct Change {
    package enum Extent: Equatable {
      case all
      case value(KeyNumber)
      case members(KeyNumber, removed: [ObjectID])
    }
    package let object: ObjectID
    package let extent: Extent
    package let before: Row?
    package let after: Row?
  }

  package struct Step {
    package var name: String?
    package var changes: [Change] = []
  }

  package var store: ReferenceStore
  package private(set) var base: CommitNumber
  package private(set) var name = "reference"
  package private(set) var objects: [ObjectID: Object] = [:]
  package private(set) var registersUndo = true
  package private(set) var editCount = 0
  package private(set) var open = Step()
  package private(set) var undoSteps: [Step] = []
  package private(set) var redoSteps: [Step] = []
  /// The key whose values no save takes.
  private let transientKey: KeyNumber?
  /// The key whose dictionaries merge key by key.
  let byKeyKey: KeyNumber?

  package init(
    _ store: ReferenceStore, transientKey: KeyNumber? = nil, byKeyKey: KeyNumber? = nil
  ) {
    self.store = store
    self.transientKey = transientKey
    self.byKeyKey = byKeyKey
    base = store.head
  }

  package func state(_ object: ObjectID) -> Object {
    objects[object] ?? Object(base, store.row(object, base))
  }

  package var hasChanges: Bool { objects.values.contains { $0.isDirty } }

  package func changes() -> [ObjectChange] {
    objects.filter(\.value.isDirty).sorted { $0.key < $1.key }.compactMap { object, state in
      ObjectChange.difference(of: object, from: state.baseRow, to: saved(state))
    }
  }

  package func saved(_ state: Object) -> Row? {
    var row = state.now
    if let transientKey { row?[transientKey] = nil }
    return row
  }
}

extension ReferenceContext {
  package mutating func apply(_ edit: Edit) {
    switch edit {
    case .renamed(let name): self.name = name
    case .based(let object, let commit): move(object, to: commit)
    case .inserted(let object): change(object, .all) { $0.become(Row(), isDirty: true) }
    case .deleted(let object):
      change(object, .all) { $0.become(nil, isDirty: $0.baseRow != nil) }
    case .set(let object, let key, let value):
      change(object, .value(key)) { $0.set(key, value) }
    case .spliced(let object, let key, let splice):
      let value = Self.spliced(state(object).now?[key], splice)
      change(object, .value(key)) { $0.set(key, value) }
    case .setPrimitive(let object, let key, let value): setPrimitive(object, key, value)
    case .membersChanged(let object, let key, let inserted, let removed):
      change(object, .members(key, removed: removed)) {
        $0.set(key, Self.members($0.now?[key], inserted, removed))
      }
    case .stepEnded(let name): endStep(name)
    case .undoSwitched(let isOn): registersUndo = isOn
    case .undone(let restorations):
      endStep(nil)
      let step = undoSteps.removeLast()
      redoSteps.append(restore(restorations, step.name))
    case .redone(let restorations):
      let step = redoSteps.removeLast()
      undoSteps.append(restore(restorations, step.name))
    case .refreshed(let refreshed, let keepingChanges, let commit):
      for object in refreshed {
        if keepingChanges {
          move(object, to: commit)
        } else {
          objects[object] = Object(commit, store.row(object, commit))
        }
      }
    case .merged(let commit):
      base = max(base, commit)
      for (object, state) in objects where state.isUntouched || state.base < commit {
        let place = state.isUntouched ? base : commit
        let isAsItWas = store.row(object, place) == state.baseRow
        move(object, to: place, keepingNothings: isAsItWas)
      }
    case .rolledBack:
      for (object, state) in objects { objects[object] = Object(state.base, state.baseRow) }
      forget()
    case .wasReset:
      objects = [:]
      forget()
    case .saved(let commit): save(commit)
    case .saveFailed: break
    case .reconciled(let object, let keys):
      var state = state(object)
      let equal = Set(keys.filter { state.now?[$0] == state.baseRow?[$0] })
      state.setKeys.subtract(equal)
      state.quietKeys.subtract(equal)
      state.isDirty = state.isDirty && state.asksForSave
      objects[object] = state
    }
  }

  private mutating func change(
    _ object: ObjectID, _ extent: Change.Extent, _ body: (inout Object) -> Void
  ) {
    var state = state(object)
    let before = state.now
    body(&state)
    objects[object] = state
    editCount += 1
    guard registersUndo else { return }
    open.changes.append(
      Change(object: object, extent: extent, before: before, after: state.now))
    redoSteps = []
  }

  private mutating func setPrimitive(_ object: ObjectID, _ key: KeyNumber, _ value: Value?) {
    editCount += 1
    var state = state(object)
    guard state.now != nil else { return }
    state.now?[key] = value
    if state.isDirty || state.now?[key] != state.baseRow?[key] {
      if !state.setKeys.contains(key) { state.quietKeys.insert(key) }
      state.setKeys.insert(key)
    } else {
      state.setKeys.remove(key)
      state.quietKeys.remove(key)
    }
    objects[object] = state
  }

  static func members(_ value: Value?, _ inserted: [ObjectID], _ removed: [ObjectID]) -> Value? {
    let (inserted, removed) = (inserted.map(Value.reference), removed.map(Value.reference))
    if case .array(let array)? = value {
      return .array(array.filter { !removed.contains($0) } + inserted)
    }
    if value == nil, inserted.isEmpty { return nil }
    return .set((value?.set ?? []).subtracting(removed).union(inserted))
  }

  private mutating func move(
    _ object: ObjectID, to commit: CommitNumber, keepingNothings: Bool = false
  ) {
    let old = state(object)
    var new = Object(commit, store.row(object, commit))
    let isGone = old.baseRow != nil && new.baseRow == nil
    if !old.isUntouched, !isGone {
      new.now = old.now == nil ? nil : new.baseRow ?? Row()
      new.setKeys = old.setKeys.filter {
        $0 != transientKey || old.now?[$0] != nil || keepingNothings
      }
      for key in new.setKeys {
        let (base, ours) = (old.baseRow?[key], old.now?[key])
        // What has come back on both sides nobody has added to anything.
        let isWhole = old.baseRow == nil && ours?.kind == .counter
        new.now?[key] =
          isWhole
          ? ours
          : Self.put(ours, madeFrom: base, on: new.baseRow?[key], isByKey: key == byKeyKey)
      }
      new.quietKeys = old.quietKeys.intersection(new.setKeys)
      let isForgotten = new.setKeys.isEmpty && !old.setKeys.isEmpty
      new.isDirty = old.isDirty && !(isForgotten && (new.now == nil) == (new.baseRow == nil))
    }
    objects[object] = new
  }

  /// Saves without a rival: the store has what the context has.
  private mutating func save(_ commit: CommitNumber) {
    for (object, state) in objects where state.isDirty {
      var new = Object(commit, store.row(object, commit))
      if let transientKey, let value = state.now?[transientKey], new.now != nil {
        new.now?[transientKey] = value
        if state.setKeys.contains(transientKey) {
          (new.setKeys, new.quietKeys) = ([transientKey], [transientKey])
        }
      }
      objects[object] = new
    }
    editCount = 0
  }

  private mutating func forget() {
    (open, undoSteps, redoSteps, editCount) = (Step(), [], [], 0)
  }

  private mutating func endStep(_ name: String?) {
    guard !open.changes.isEmpty else { return }
    undoSteps.append(Step(name: name, changes: open.changes))
    open = Step()
  }

  /// A value with other middles, put together from the back of its bytes.
  private static func spliced(_ value: Value?, _ splice: Splice) -> Value? {
    guard let value else { return nil }
    var end = count(value) - splice.suffixCount
    var made = value
    for part in splice.parts.reversed() {
      let begin = end - count(part.old)
      made = replacing(begin..<end, of: made, by: part.new)
      end = begin - part.keptCount
    }
    return made
  }

  /// How many bytes a value has, or elements.
  private static func count(_ value: Value) -> Int {
    value.string?.utf8.count ?? value.data?.count ?? value.array?.count ?? 0
  }

  private static func replacing(_ range: Range<Int>, of value: Value, by new: Value) -> Value {
    switch (value, new) {
    case (.string(let whole), .string(let new)):
      var bytes = Array(whole.utf8)
      bytes.replaceSubrange(range, with: new.utf8)
      return .string(String(decoding: bytes, as: UTF8.self))
    case (.data(let whole), .data(let new)):
      var bytes = Array(whole)
      bytes.replaceSubrange(range, with: new)
      return .data(Data(bytes))
    case (.array(var whole), .array(let new)):
      whole.replaceSubrange(range, with: new)
      return .array(whole)
    default: return value
    }
  }

  private static func value(of entry: Restoration.Entry, _ before: Row?) -> Value? {
    switch entry.content {
    case .value(let value): value
    case .splice(let splice): spliced(before?[entry.key], splice)
    }
  }

  private mutating func restore(_ restorations: [Restoration], _ name: String?) -> Step {
    var opposite = Step(name: name)
    editCount += 1
    for restoration in restorations {
      var state = state(restoration.object)
      let before = state.now
      switch restoration.kind {
      case .updated:
        guard state.now != nil else { continue }
        for entry in restoration.entries { state.set(entry.key, Self.value(of: entry, before)) }
        let equal = restoration.entries.map(\.key).filter { state.now?[$0] == state.baseRow?[$0] }
        state.setKeys.subtract(equal)
      case .inserted:
        state.become(Row(), isDirty: true)
        for entry in restoration.entries { state.set(entry.key, Self.value(of: entry, before)) }
        state.setKeys = state.setKeys.filter { state.now?[$0] != state.baseRow?[$0] }
      case .deleted: state.become(nil, isDirty: true)
      }
      state.quietKeys.formIntersection(state.setKeys)
      state.isDirty = state.asksForSave
      objects[restoration.object] = state
      let extents: [Change.Extent] =
        restoration.kind == .updated ? restoration.entries.map { .value($0.key) } : [.all]
      opposite.changes += extents.map {
        Change(object: restoration.object, extent: $0, before: before, after: state.now)
      }
    }
    return opposite
  }
}

extension ReferenceContext.Object {
  mutating func set(_ key: KeyNumber, _ value: Value?) {
    now?[key] = value
    setKeys.insert(key)
    quietKeys.remove(key)
    isDirty = true
  }

  mutating func become(_ row: Row?, isDirty: Bool) {
    now = row
    quietKeys = []
    self.isDirty = isDirty
    setKeys = row == nil ? [] : Set((baseRow?.entries ?? []).map(\.key))
  }
}
