// A context that is edited by seed, and what its draft must hold: by a context that keeps whole rows of everything.

package import EventFold
package import ObjectModel
package import ObjectStore

/// What the draft of a context holds, and what can be undone in it.
package struct DraftContent: Hashable, Sendable {
  package struct Object: Hashable, Sendable {
    package let base: CommitNumber
    package let baseRow: Row?
    package let row: Row?
  }

  /// What objects stand on that are new to the context.
  package let base: CommitNumber
  /// The objects that have to be saved.
  package let objects: [ObjectID: Object]
  /// Where the others stand that do not stand on the base.
  package let places: [ObjectID: CommitNumber]
  package let editCount: Int
  /// What undoing and redoing would bring back, what came since the last border last.
  package let undo: [[Restoration]]
  package let redo: [[Restoration]]
  /// Whether what comes next belongs to the last of the steps that can be undone.
  package let hasOpenStep: Bool

  /// What a context should hold; nil where it has nothing to save.
  init?(_ reference: ReferenceContext) {
    guard reference.hasChanges else { return nil }
    base = reference.base
    objects = reference.objects.filter(\.value.isDirty).mapValues {
      Object(base: $0.base, baseRow: $0.baseRow, row: $0.now)
    }
    places = reference.objects.filter { !$1.isDirty && $1.base != reference.base }
      .mapValues(\.base)
    editCount = reference.editCount
    let open = reference.open.changes.isEmpty ? [] : [reference.open]
    undo = (reference.undoSteps + open).map { reference.restorations($0) }
    redo = reference.redoSteps.map { reference.restorations($0) }
    hasOpenStep = !open.isEmpty
  }

  /// What a context holds.
  ///
  /// - Parameter known: all objects that it may know.
  package init(
    _ fold: ContextFold, of store: JournaledStore, among known: some Sequence<ObjectID>
  ) throws {
    func restorations(_ step: UndoStep) throws -> [Restoration] {
      try fold.restorations(of: step) { try store.row(of: $0, at: $1) }
    }
    base = fold.base
    let changed = fold.objects.filter(\.value.isDirty)
    objects = changed.mapValues { Object(base: $0.base, baseRow: $0.baseRow, row: $0.row) }
    places = known.reduce(into: [:]) { places, object in
      let place = fold.base(of: object)
      if changed[object] == nil, place != fold.base { places[object] = place }
    }
    editCount = fold.editCount
    undo = try (fold.undoSteps + [fold.openStep].compactMap(\.self)).map(restorations)
    redo = try fold.redoSteps.map(restorations)
    hasOpenStep = fold.openStep != nil
  }

  /// The objects that a save would change.
  package var changedObjects: [ObjectID] {
    objects.filter { $0.value.baseRow != nil || $0.value.row != nil }.keys.sorted()
  }
}

/// A context at work, and what it should hold.
struct ContextWork {
  var context: LiveContext
  private(set) var reference: ReferenceContext
  /// The objects of which it was said where they stand since the context last had nothing unsaved.
  private var placed: Set<ObjectID> = []

  init(_ context: LiveContext, on states: [PlainState]) {
    self.context = context
    reference = ReferenceContext(ReferenceStore(states: states))
  }

  /// What its draft must hold; nil where it must not be one.
  var content: DraftContent? { DraftContent(reference) }

  /// Follows an edit that was made while these were the states of the store.
  mutating func follow(_ edit: Edit, _ states: [PlainState]) {
    reference.store = ReferenceStore(states: states)
    reference.apply(edit)
    switch edit {
    case .inserted(let object), .based(let object, _): placed.insert(object)
    case .saved, .rolledBack, .wasReset: placed = []
    default: break
    }
  }

  /// What it is to do next: edits that follow each other, of which each is made when the one before was.
  mutating func nextEdits(
    _ dice: inout Dice, _ states: [PlainState], new: () throws -> ObjectID,
    key: (String) throws -> KeyNumber
  ) throws -> [Edit] {
    reference.store = ReferenceStore(states: states)
    let there = known(states).filter { stands(at: $0, states) != nil }
    var edits: [Edit] = []
    switch dice.pick(20) {
    case 3..<9 where !there.isEmpty:
      let object = there[dice.pick(there.count)]
      edits = place([object], &dice, states)
      for _ in 0...dice.pick(3) { edits.append(try set(object, &dice, key)) }
    case 9 where !there.isEmpty, 10 where !there.isEmpty:
      let object = there[dice.pick(there.count)]
      edits = place([object], &dice, states) + [.deleted(object)]
    case 11, 12, 13:
      if let step = reference.open.changes.isEmpty ? reference.undoSteps.last : reference.open {
        edits = restore(step, &dice, states) { .undone($0) }
      }
    case 14, 15:
      if let step = reference.redoSteps.last {
        edits = restore(step, &dice, states) { .redone($0) }
      }
    case 16: edits = [dice.pick(3) == 0 ? .wasReset : .rolledBack]
    case 17 where !there.isEmpty:
      let some = there.filter { _ in dice.pick(2) == 0 }
      edits = [
        .refreshed(some, keepingChanges: dice.pick(2) == 0, at: reference.store.head)
      ]
    case 18: edits = [.merged(reference.store.head)]
    default: break
    }
    if edits.isEmpty {
      let object = try new()
      edits = [.inserted(object)]
      for _ in 0...dice.pick(2) { edits.append(try set(object, &dice, key)) }
    }
    if dice.pick(2) == 0 { edits.append(.stepEnded(name: nil)) }
    return edits
  }

  private func known(_ states: [PlainState]) -> [ObjectID] {
    Set(reference.objects.keys).union(states[states.count - 1].keys).sorted()
  }

  /// What an object is for the context, which reads it where it has not before.
  private func stands(at object: ObjectID, _ states: [PlainState]) -> Row? {
    reference.objects[object] == nil
      ? states[states.count - 1][object] : reference.state(object).now
  }

  /// Says where objects stand that are edited next, unless that is said or need not be.
  private func place(
    _ objects: [ObjectID], _ dice: inout Dice, _ states: [PlainState]
  ) -> [Edit] {
    var edits: [Edit] = []
    for object in objects where !placed.contains(object) {
      let isNew = reference.objects[object] == nil
      let commit = isNew ? reference.store.head : reference.state(object).base
      let needsNone = commit == context.base && reference.state(object).base == commit
      if !needsNone || dice.pick(3) == 0 { edits.append(.based(object, on: commit)) }
    }
    return edits
  }

  private func set(
    _ object: ObjectID, _ dice: inout Dice, _ key: (String) throws -> KeyNumber
  ) throws -> Edit {
    let name = ["title", "text", "rank", "mood"][dice.pick(4)]
    let value: Value? =
      switch dice.pick(8) {
      case 0, 1: .none
      case 2 where name == "rank": .integer(dice.pick(100))
      case 2: .string(String(repeating: "long ", count: 60) + "\(dice.pick(100))")
      case 3 where name == "mood": .null
      default: name == "rank" ? .integer(dice.pick(5)) : .string("\(name) \(dice.pick(5))")
      }
    return .set(object, try key(name), value)
  }

  /// Undoing or redoing a step; what it brings back is told of the objects where they stand.
  private func restore(
    _ step: ReferenceContext.Step, _ dice: inout Dice, _ states: [PlainState],
    _ edit: ([Restoration]) -> Edit
  ) -> [Edit] {
    var edits = place(Set(step.changes.map(\.object)).sorted(), &dice, states)
    var later = reference
    for edit in edits { later.apply(edit) }
    edits.append(edit(later.restorations(step)))
    return edits
  }

  /// What a save asks for, and the state it leads to.
  func request(_ states: [PlainState]) -> (objects: [CommitRequest.Object], state: PlainState) {
    var state = states[states.count - 1]
    var objects: [CommitRequest.Object] = []
    for (object, changed) in reference.objects.sorted(by: { $0.key < $1.key })
    where changed.isDirty && changed.now != changed.baseRow {
      objects.append(.init(object, base: changed.base, changed.baseRow, to: changed.now))
      state[object] = changed.now
    }
    return (objects, state)
  }
}
