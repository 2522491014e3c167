// Contexts that change one object's counter, members and entries by turns, and what each of them has done.

import EventFold
import ObjectModel
import TestSupport
import Testing

/// What a context has done to the values, as far as it is not undone.
struct OwnPart: Equatable {
  var amount = 0
  var members: Set<Value> = []
  var ordered: Set<Value> = []
  var entries: [String: Value] = [:]
}

struct SharingContext {
  var fold: ContextFold
  var own = OwnPart()
  /// What it had done at each border that can be undone to, and redone to.
  var undo: [OwnPart] = []
  var redo: [OwnPart] = []
  /// What it had done at the last border; nil where nothing came since.
  var open: OwnPart?
  /// What it had done when it was saved last.
  var saved = OwnPart()
}

/// Contexts, each of which puts in and takes out members and entries of its own, and adds to the same counter.
struct SharedValues {
  static let one = object(1)
  static let counter = ReferenceContext.counterKey
  static let members = key(5)
  static let ordered = key(6)
  static let entries = ReferenceContext.byKeyKey

  var dice: Dice
  var store: ReferenceStore
  var contexts: [SharingContext]

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    var row = Row([Self.ordered: [], Self.entries: [:]])
    if dice.pick(2) == 0 {
      row[Self.counter] = .counter(10)
      row[Self.members] = .set([])
    }
    store = ReferenceStore(states: [[:], [Self.one: row]])
    contexts = (0..<3).map { _ in SharingContext(fold: ContextHistory.begin(1)) }
  }

  mutating func apply(_ edit: Edit, _ index: Int) throws {
    let store = store
    try contexts[index].fold.apply(edit) { store.row($0, $1) }
  }

  /// What a context sees.
  func row(_ index: Int) -> Row {
    let fold = contexts[index].fold
    return fold.objects[Self.one]?.row ?? store.row(Self.one, fold.base(of: Self.one)) ?? Row()
  }

  private func member(_ index: Int, _ number: Int) -> ObjectID {
    object(UInt64(100 * (index + 1) + number))
  }

  mutating func move() throws {
    let index = dice.pick(contexts.count)
    switch dice.pick(16) {
    case 0, 1: try add(index)
    case 2..<5: try regroup(index)
    case 5, 6: try rekey(index)
    case 7: try endStep(index)
    case 8, 9: try undo(index)
    case 10: try redo(index)
    case 11, 12:
      let isMerge = dice.pick(2) == 0
      try apply(
        isMerge
          ? .merged(store.head) : .refreshed([Self.one], keepingChanges: true, at: store.head),
        index)
    default: try save(index)
    }
  }

  private mutating func note(_ index: Int, _ change: (inout OwnPart) -> Void) {
    if contexts[index].open == nil { contexts[index].open = contexts[index].own }
    contexts[index].redo = []
    change(&contexts[index].own)
  }

  private mutating func add(_ index: Int) throws {
    let amount = dice.pick(9) - 3
    let now = row(index)[Self.counter]?.counter ?? 0
    try apply(.set(Self.one, Self.counter, .counter(now + amount)), index)
    note(index) { $0.amount += amount }
  }

  private mutating func regroup(_ index: Int) throws {
    let (one, other) = (member(index, dice.pick(4)), member(index, dice.pick(4)))
    let isOrdered = dice.pick(2) == 0
    let key = isOrdered ? Self.ordered : Self.members
    let isPresent = row(index)[key]?.array?.contains(.reference(one)) ?? false
    let (inserted, removed) = isOrdered && isPresent ? ([], [one]) : ([one], [other])
    if dice.pick(2) == 0 {
      try apply(.membersChanged(Self.one, key, inserted: inserted, removed: removed), index)
    } else {
      let (ins, outs) = (inserted.map(Value.reference), removed.map(Value.reference))
      let now = row(index)[key]
      let value: Value =
        isOrdered
        ? .array(ins + (now?.array ?? []).filter { !outs.contains($0) })
        : .set((now?.set ?? []).subtracting(outs).union(ins))
      try apply(.set(Self.one, key, value), index)
    }
    note(index) {
      let part = isOrdered ? \OwnPart.ordered : \OwnPart.members
      $0[keyPath: part].subtract(removed.map(Value.reference))
      $0[keyPath: part].formUnion(inserted.map(Value.reference))
    }
  }

  private mutating func rekey(_ index: Int) throws {
    var now = row(index)[Self.entries]?.dictionary ?? [:]
    let name = "\(index) \(dice.pick(3))"
    now[name] = dice.pick(4) == 0 ? nil : .integer(dice.pick(5))
    try apply(.set(Self.one, Self.entries, .dictionary(now)), index)
    note(index) { $0.entries[name] = now[name] }
  }

  mutating func endStep(_ index: Int) throws {
    try apply(.stepEnded(name: nil), index)
    if let open = contexts[index].open { contexts[index].undo.append(open) }
    contexts[index].open = nil
  }

  private mutating func undo(_ index: Int) throws {
    try endStep(index)
    let (fold, store) = (contexts[index].fold, store)
    guard let step = fold.undoSteps.last, let before = contexts[index].undo.popLast() else {
      return
    }
    try apply(.undone(fold.restorations(of: step) { store.row($0, $1) }), index)
    contexts[index].redo.append(contexts[index].own)
    contexts[index].own = before
  }

  private mutating func redo(_ index: Int) throws {
    let (fold, store) = (contexts[index].fold, store)
    guard let step = fold.redoSteps.last, let after = contexts[index].redo.popLast() else { return }
    try apply(.redone(fold.restorations(of: step) { store.row($0, $1) }), index)
    contexts[index].undo.append(contexts[index].own)
    contexts[index].own = after
  }

  /// Saves as a program does: what rivals saved is merged, or the context is refreshed before.
  mutating func save(_ index: Int) throws {
    if dice.pick(2) == 0 {
      try apply(.refreshed([Self.one], keepingChanges: true, at: store.head), index)
    }
    try endStep(index)
    guard let unsaved = contexts[index].fold.unsaved().first else { return }
    let sides = ObjectConflict(
      Self.one, base: unsaved.baseRow, ours: unsaved.row, theirs: store.row(Self.one, store.head))
    let kinds: [KeyNumber: MergeKind] = [
      Self.counter: .counter, Self.members: .set, Self.ordered: .orderedSet,
      Self.entries: .byKey,
    ]
    let merge = ObjectMerge(sides, .objectWins) { kinds[$0] ?? .asWhole }
    guard case .merged(let row) = merge else {
      Issue.record("what merges by itself is in conflict: \(sides)")
      return
    }
    store.commit([Self.one: row])
    try apply(.saved(store.head), index)
    contexts[index].saved = contexts[index].own
  }

  /// What a context should see: what was saved where it stands, with what it has not saved.
  func expectViews(_ place: Comment) {
    for (index, context) in contexts.enumerated() {
      let row = row(index)
      let base = store.row(Self.one, context.fold.base(of: Self.one)) ?? Row()
      let unsaved = context.own.amount - context.saved.amount
      #expect(
        (row[Self.counter]?.counter ?? 0) == (base[Self.counter]?.counter ?? 0) + unsaved, place)
      let mine = Set((0..<4).map { Value.reference(member(index, $0)) })
      #expect(
        row[Self.members]?.set ?? []
          == (base[Self.members]?.set ?? []).subtracting(mine).union(context.own.members), place)
      let ordered = row[Self.ordered]?.array ?? []
      #expect(
        Set(ordered)
          == Set(base[Self.ordered]?.array ?? []).subtracting(mine).union(context.own.ordered),
        place)
      #expect(Set(ordered).count == ordered.count, place)
      let others = (base[Self.entries]?.dictionary ?? [:]).filter { !$0.key.hasPrefix("\(index)") }
      #expect(
        row[Self.entries]?.dictionary ?? [:] == others.merging(context.own.entries) { $1 }, place)
    }
  }
}
