import EventFold
import ObjectModel
import TestSupport
import Testing

/// A fold over a store of two commits, whose edits are given one by one.
struct SmallFold {
  static let one = object(1)
  static let two = object(2)
  static let new = object(9)
  let store = ReferenceStore(states: [
    [:],
    [one: Row([key(1): 1, key(2): "two"]), two: Row([key(1): 2])],
    [one: Row([key(1): 1, key(2): "rival"])],
  ])
  var fold = ContextHistory.begin(1)

  init(_ edits: Edit...) throws { try apply(edits) }

  mutating func apply(_ edits: Edit...) throws { try apply(edits) }

  private mutating func apply(_ edits: [Edit]) throws {
    for edit in edits { try fold.apply(edit) { store.row($0, $1) } }
  }

  mutating func undo() throws {
    let step = try #require(fold.openStep ?? fold.undoSteps.last)
    try apply(.undone(fold.restorations(of: step) { store.row($0, $1) }))
  }

  var one: ObjectDraft? { fold.objects[Self.one] }
}

/// A newer model that calls one key otherwise.
private struct Renaming: RowConverting {
  func convert(_ row: Row, of object: ObjectID) -> Row? {
    var converted = row
    converted[key(1)] = nil
    converted[key(7)] = row[key(1)]
    return converted
  }

  func newerKeys(of number: KeyNumber, of object: ObjectID) -> [KeyNumber] {
    [number == key(1) ? key(7) : number]
  }
}

@Suite struct ContextFolds {
  private let one = SmallFold.one
  private let two = SmallFold.two
  private let new = SmallFold.new

  @Test func `S46, S76: a step that is open while the model changes is as it would have been`()
    throws
  {
    var open = try SmallFold(
      .set(one, key(1), 5), .refreshed([one], keepingChanges: false, at: CommitNumber(rawValue: 2)),
      .set(two, key(1), 6))
    var ended = open
    try ended.apply(.stepEnded(name: nil))
    ended.fold.convert(by: Renaming(), traits: [:])
    open.fold.convert(by: Renaming(), traits: [:])
    try open.apply(.stepEnded(name: nil))
    let left = try #require(ended.fold.undoSteps.last?.objects.first?.entries.first)
    #expect(left.key == key(7) && left.left == .some(.some(5)))
    #expect(open.fold.undoSteps == ended.fold.undoSteps)
  }

  @Test func `S61: what is said anew of a context is what it holds, wherever that stands`() throws {
    let traits = [one.entity: KeyTraits(transient: [key(3)], defaults: Row([key(3): 1]))]
    let store = try SmallFold().store
    func begin(_ commit: CommitNumber) -> ContextFold {
      ContextFold(ContextNumber(rawValue: 1), name: "", on: commit, traits: traits)
    }
    let (first, second) = (CommitNumber(rawValue: 1), CommitNumber(rawValue: 2))
    let works: [(CommitNumber, [Edit])] = [
      // To be saved for a value that a refresh has taken away.
      (
        first,
        [
          .setPrimitive(one, key(1), 8), .set(one, key(3), 1),
          .refreshed([one], keepingChanges: true, at: second),
        ]
      ),
      (first, [.deleted(one), .inserted(new), .set(new, key(1), 4)]),
      // Of a context that had not begun.
      (.none, [.inserted(new), .set(new, key(1), 4)]),
    ]
    for (commit, edits) in works {
      var fold = begin(commit)
      for edit in edits { try fold.apply(edit) { store.row($0, $1) } }
      var again = begin(second)
      for edit in fold.restatement(on: second) {
        if case .based(_, let commit) = edit { #expect(commit != .none) }
        try again.apply(edit) { object, _ in fold.objects[object]?.baseRow }
      }
      #expect(again.unsaved().map(\.object) == fold.unsaved().map(\.object), "\(edits)")
      #expect(again.unsaved().map(\.row) == fold.unsaved().map(\.row), "\(edits)")
      #expect(!again.hasOpenStep && again.undoSteps.isEmpty)
    }
  }

  @Test func `S33: members are put to those that a key has by itself`() throws {
    var fold = ContextFold(
      ContextNumber(rawValue: 1), name: "", on: CommitNumber(rawValue: 1),
      traits: [
        one.entity: KeyTraits(
          transient: [key(3), key(4)],
          defaults: Row([
            key(3): .set([.reference(two)]), key(4): .array([.reference(two)]),
          ]))
      ])
    let store = try SmallFold().store
    for number: UInt32 in 3...4 {
      try fold.apply(.membersChanged(one, key(number), inserted: [new], removed: [])) {
        store.row($0, $1)
      }
    }
    #expect(fold.objects[one]?.value(of: key(3)) == .set([.reference(two), .reference(new)]))
    #expect(fold.objects[one]?.value(of: key(4)) == .array([.reference(two), .reference(new)]))
  }

  @Test func `S1: a value set to nothing is in the delta, and one that was not set is not`() throws
  {
    let fold = try SmallFold(.set(one, key(1), nil), .set(one, key(2), .null))
    let draft = try #require(fold.one)
    #expect(draft.delta == [key(1): Value?.none, key(2): Value?.none])
    #expect(draft.row == Row() && draft.kind == .updated)
    #expect(Row()[key(1)] == Value?.none, "a row has nothing where it has no value, and not null")
  }

  @Test func `S2: a transient value makes the object dirty, and no save takes it`() throws {
    var fold = try SmallFold(.set(one, ReferenceContext.transientKey, 7))
    #expect(fold.fold.hasChanges && fold.fold.changes().isEmpty)
    try fold.undo()
    #expect(!fold.fold.hasChanges)
  }

  @Test func `S3: an equal value makes the object dirty, and is no change`() throws {
    var fold = try SmallFold(.set(one, key(1), 1))
    #expect(fold.fold.hasChanges && fold.one?.kind == .updated)
    #expect(fold.fold.changes().isEmpty)
    try fold.undo()
    #expect(!fold.fold.hasChanges && fold.fold.objects.isEmpty)
  }

  @Test func `S4: a transient value outlives a save, and the object is not dirty then`() throws {
    let transient = ReferenceContext.transientKey
    let fold = try SmallFold(.set(one, transient, 7), .set(one, key(1), 2), .saved(2))
    #expect(!fold.fold.hasChanges)
    #expect(fold.one?.delta == [transient: 7] && fold.one?.base == 2)
    #expect(fold.one?.row == Row([key(1): 1, key(2): "rival", transient: 7]))
    let none = try SmallFold(.set(one, transient, nil), .saved(2))
    #expect(none.fold.objects.isEmpty && none.fold.base(of: one) == 2)
  }

  @Test func `S18: a primitive value is there, and neither dirties nor can be undone`() throws {
    var fold = try SmallFold(.setPrimitive(one, key(1), 5))
    #expect(fold.one?.value(of: key(1)) == 5)
    #expect(fold.one?.kind == .unchanged && !fold.fold.hasChanges)
    #expect(fold.fold.openStep == nil && fold.fold.changes().isEmpty)
    try fold.apply(.set(one, key(2), "2"))
    #expect(fold.fold.changes().first?.entries.map(\.key) == [key(1), key(2)], "now it is saved")
    try fold.apply(.rolledBack, .setPrimitive(one, key(1), 5), .setPrimitive(one, key(1), 1))
    #expect(fold.fold.objects.isEmpty)
  }

  @Test func `S45: an object that came to be and is gone again leaves nothing but its undo`() throws
  {
    var fold = try SmallFold(
      .inserted(new), .set(new, key(1), 1), .stepEnded(name: nil), .deleted(new))
    #expect(!fold.fold.hasChanges && fold.fold.objects.isEmpty)
    try fold.undo()
    #expect(fold.fold.objects[new]?.kind == .inserted)
    #expect(fold.fold.objects[new]?.row == Row([key(1): 1]))
  }

  @Test func `S46: in a step the first old value of a key is kept, and the step has its name`()
    throws
  {
    let fold = try SmallFold(
      .set(one, key(1), 10), .set(one, key(1), 11), .stepEnded(name: "count"),
      .stepEnded(name: "nothing"), .set(one, key(1), 12))
    #expect(fold.fold.undoSteps.map(\.name) == ["count"])
    let objects = fold.fold.undoSteps.first?.objects
    #expect(objects?.map(\.object) == [one] && objects?.first?.kind == .updated)
    #expect(objects?.first?.entries.map(\.key) == [key(1)])
    #expect(objects?.first?.entries.map(\.before) == [.value(1)])
    #expect(fold.fold.openStep?.objects.first?.entries.first?.before == .value(11))
  }

  @Test func `S46: a new change takes away what could be redone, and a primitive value does not`()
    throws
  {
    var fold = try SmallFold(.set(one, key(1), 10))
    try fold.undo()
    try fold.apply(.setPrimitive(one, key(2), "p"), .undoSwitched(isOn: false))
    try fold.apply(.set(one, key(2), "off"), .undoSwitched(isOn: true))
    #expect(fold.fold.redoSteps.count == 1)
    try fold.apply(.set(one, key(2), "q"))
    #expect(fold.fold.redoSteps.isEmpty)
  }

  @Test func `S46: a step of a large set holds what came and went, and not the set`() throws {
    var fold = try SmallFold(.set(one, key(5), .set([])), .set(one, key(6), .array([])))
    let count = 20_000
    for number in 0..<UInt64(count) {
      let member = object(1_000 + number)
      try fold.apply(
        .membersChanged(one, key(5), inserted: [member], removed: []),
        .membersChanged(one, key(6), inserted: [member], removed: []), .stepEnded(name: nil))
    }
    #expect(fold.one?.value(of: key(5))?.set?.count == count)
    // Copies of the set in each step would be two hundred million members.
    let entries = fold.fold.undoSteps.dropFirst().flatMap { $0.objects.flatMap(\.entries) }
    #expect(entries.count == 2 * (count - 1))
    #expect(
      entries.allSatisfy { entry in
        switch entry.before {
        case .members(let members): members.gained.count == 1 && members.lost.isEmpty
        case .appended(let members): members.count == 1
        default: false
        }
      })
  }

  @Test func `S33: undoing members takes back one's own, and leaves what a merge brought`() throws {
    let (a, b) = (Value.reference(one), Value.reference(two))
    let store = ReferenceStore(states: [
      [:], [one: Row([key(5): .set([])])], [one: Row([key(5): .set([a, b])])],
    ])
    var fold = ContextHistory.begin(1)
    let row = { store.row($0, $1) }
    let edits: [Edit] = [
      .membersChanged(one, key(5), inserted: [one], removed: []), .stepEnded(name: nil),
      .saved(1), .merged(2),
    ]
    for edit in edits { try fold.apply(edit, row: row) }
    let step = try #require(fold.undoSteps.last)
    let restorations = fold.restorations(of: step, row: row)
    #expect(restorations == [Restoration(one, .updated, [.init(key(5), .set([b]))])])
  }

  @Test func `S47: what is changed while registration is off cannot be undone`() throws {
    var fold = try SmallFold(
      .undoSwitched(isOn: false), .set(one, key(1), 5), .deleted(two), .undoSwitched(isOn: true))
    #expect(fold.fold.hasChanges && fold.fold.openStep == nil)
    try fold.apply(.set(one, key(2), "on"))
    try fold.undo()
    #expect(fold.one?.delta == [key(1): 5])
  }

  @Test func `S49: after a save, undoing an insertion is a deletion and the other way round`()
    throws
  {
    var fold = try SmallFold(.deleted(two), .stepEnded(name: "delete"), .saved(2))
    #expect(!fold.fold.hasChanges && fold.fold.undoSteps.count == 1)
    try fold.undo()
    #expect(fold.fold.objects[two]?.kind == .inserted && fold.fold.objects[two]?.base == 2)
    #expect(fold.fold.objects[two]?.row == Row([key(1): 2]))
    #expect(fold.fold.redoSteps.first?.name == "delete")
    #expect(fold.fold.redoSteps.first?.objects.first?.kind == .deleted)
  }

  @Test func `S53: rolling back gives up what is unsaved and all steps, and keeps the bases`()
    throws
  {
    var fold = try SmallFold(
      .refreshed([two], keepingChanges: false, at: 2), .set(one, key(1), 5),
      .stepEnded(name: nil), .set(one, key(1), 6), .rolledBack)
    #expect(!fold.fold.hasChanges && fold.fold.editCount == 0)
    #expect(fold.fold.undoSteps.isEmpty && fold.fold.openStep == nil)
    #expect(fold.fold.base(of: two) == 2)
    try fold.apply(.wasReset)
    #expect(fold.fold.base(of: two) == 1)
  }
}
