// What a context has changed, put on what others have changed meanwhile.

import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct MergedChanges {
  private static let one = SharedValues.one
  private static let counter = ReferenceContext.counterKey
  private static let byKey = ReferenceContext.byKeyKey
  private static let transient = ReferenceContext.transientKey

  /// A fold on an object that a rival's commit 2 has changed.
  private struct Meeting {
    let store: ReferenceStore
    var fold = ContextHistory.begin(1)

    init(_ key: KeyNumber, base: Value?, theirs: Value?) {
      var (before, after) = (Row(), Row())
      before[key] = base
      after[key] = theirs
      store = ReferenceStore(states: [[:], [one: before], [one: after]])
    }

    mutating func apply(_ edits: Edit...) throws {
      for edit in edits { try fold.apply(edit) { store.row($0, $1) } }
    }

    mutating func undo() throws {
      let step = try #require(fold.openStep ?? fold.undoSteps.last)
      try apply(.undone(fold.restorations(of: step) { store.row($0, $1) }))
    }

    mutating func redo() throws {
      let step = try #require(fold.redoSteps.last)
      try apply(.redone(fold.restorations(of: step) { store.row($0, $1) }))
    }

    func value(_ key: KeyNumber) -> Value? { fold.objects[one]?.value(of: key) }
  }

  /// What is seen of ours after each way to come to theirs.
  private func moved(
    _ key: KeyNumber, base: Value?, ours: Value?, theirs: Value?
  ) throws -> [Value?] {
    try [
      Edit.refreshed([Self.one], keepingChanges: true, at: 2), .merged(2), .based(Self.one, on: 2),
    ]
    .map {
      var meeting = Meeting(key, base: base, theirs: theirs)
      try meeting.apply(.set(Self.one, key, ours), $0)
      #expect(meeting.fold.objects[Self.one]?.delta.keys.contains(key) == true)
      return meeting.value(key)
    }
  }

  private func expect(
    _ key: KeyNumber, base: Value?, ours: Value?, theirs: Value?, _ expected: Value?,
    at place: SourceLocation = #_sourceLocation
  ) throws {
    let values = try moved(key, base: base, ours: ours, theirs: theirs)
    #expect(values == [expected, expected, expected], sourceLocation: place)
  }

  @Test func `S32: a counter that both added to shows both amounts, and ours is what is saved`()
    throws
  {
    let (three, four) = (Value.counter(13), Value.counter(14))
    try expect(Self.counter, base: .counter(10), ours: three, theirs: four, .counter(17))
    try expect(Self.counter, base: nil, ours: .counter(3), theirs: .counter(4), .counter(7))
    // It was touched, and nothing was added.
    try expect(Self.counter, base: .counter(10), ours: .counter(10), theirs: four, four)
    // One that would grow too large stays as we have it, and so does one that is no counter any more.
    try expect(
      Self.counter, base: .counter(0), ours: .counter(.max), theirs: .counter(1), .counter(.max))
    try expect(Self.counter, base: .counter(0), ours: "ours", theirs: .counter(1), "ours")
    try expect(Self.counter, base: .counter(0), ours: .counter(2), theirs: "theirs", .counter(2))
    var meeting = Meeting(Self.counter, base: .counter(10), theirs: four)
    try meeting.apply(.set(Self.one, Self.counter, three), .merged(2))
    #expect(
      meeting.fold.changes().map(\.entries) == [[.init(Self.counter, .counted(3))]])
  }

  @Test func `S32: undo takes back one's own amount, redo adds it, whatever others add meanwhile`()
    throws
  {
    var meeting = Meeting(Self.counter, base: .counter(10), theirs: .counter(14))
    try meeting.apply(
      .set(Self.one, Self.counter, .counter(11)), .set(Self.one, Self.counter, .counter(13)),
      .refreshed([Self.one], keepingChanges: true, at: 2))
    try meeting.undo()
    #expect(meeting.fold.objects.isEmpty, "it is as they have it")
    try meeting.apply(.refreshed([Self.one], keepingChanges: true, at: 1))
    try meeting.redo()
    #expect(meeting.value(Self.counter) == .counter(13))
    try meeting.apply(.merged(2))
    #expect(meeting.value(Self.counter) == .counter(17))
  }

  @Test func `S32: amounts that are too large together are taken back by the first value`() throws {
    var meeting = Meeting(Self.counter, base: .counter(-5), theirs: .counter(-5))
    try meeting.apply(
      .set(Self.one, Self.counter, .counter(.max - 9)), .undoSwitched(isOn: false),
      .set(Self.one, Self.counter, .counter(-20)), .undoSwitched(isOn: true),
      .set(Self.one, Self.counter, .counter(.max - 30)))
    try meeting.undo()
    #expect(meeting.value(Self.counter) ?? .counter(-5) == .counter(-5))
    #expect(!meeting.fold.hasChanges)
  }

  @Test func `S33: members that either side inserted or removed are in or out, in sets and orders`()
    throws
  {
    let (a, b, c) = (
      Value.reference(object(11)), Value.reference(object(12)), Value.reference(object(13))
    )
    try expect(key(5), base: .set([a]), ours: .set([b]), theirs: .set([a, c]), .set([b, c]))
    try expect(key(5), base: nil, ours: .set([b]), theirs: .set([c]), .set([b, c]))
    try expect(key(5), base: .set([a]), ours: nil, theirs: .set([a, c]), .set([c]))
    try expect(
      key(5), base: .set([1]), ours: .set([1, 2]), theirs: .set([1, 3]), .set([1, 2, 3]))
    try expect(key(6), base: [a], ours: [b, a], theirs: [a, c], [b, a, c])
    try expect(key(6), base: [a, b], ours: [], theirs: [a, b, c], [c])
    // An array of anything else is one value.
    try expect(key(6), base: [1], ours: [1, 2], theirs: [1, 3], [1, 2])
    try expect(key(6), base: [a], ours: [a, 2], theirs: [a, c], [a, 2])
  }

  @Test func `S25: dictionaries that merge by key have what both set, and ours where both did`()
    throws
  {
    let base: Value = ["a": 1, "in": ["x": 1, "y": 1]]
    let ours: Value = ["a": 2, "in": ["x": 2, "y": 1], "o": 1]
    let theirs: Value = ["a": 3, "in": ["x": 1, "y": 3], "t": 1]
    try expect(
      Self.byKey, base: base, ours: ours, theirs: theirs,
      ["a": 2, "in": ["x": 2, "y": 3], "o": 1, "t": 1])
    try expect(key(4), base: base, ours: ours, theirs: theirs, ours)
    try expect(Self.byKey, base: base, ours: nil, theirs: theirs, nil)
  }

  @Test func `S31: a value that was set, undone and refreshed is as the store has it, unchanged`()
    throws
  {
    for (base, ours, theirs) in [
      (Value.counter(1), Value.counter(5), Value.counter(2)), (.set([1]), .set([2]), .set([3])),
      ("base", "ours", "theirs"),
    ] {
      var meeting = Meeting(key(8), base: base, theirs: theirs)
      try meeting.apply(.set(Self.one, key(8), ours))
      try meeting.undo()
      try meeting.apply(.refreshed([Self.one], keepingChanges: true, at: 2))
      #expect(meeting.fold.objects.isEmpty)
    }
  }

  @Test func `S56: a transient that was nil is forgotten by a refresh, and one that was not stays`()
    throws
  {
    for commit in [CommitNumber(rawValue: 1), 2] {
      var meeting = Meeting(key(1), base: 1, theirs: 2)
      let refreshed = Edit.refreshed([Self.one], keepingChanges: true, at: commit)
      try meeting.apply(.set(Self.one, Self.transient, nil), refreshed)
      #expect(!meeting.fold.hasChanges && meeting.fold.objects.isEmpty)
      #expect(meeting.fold.base(of: Self.one) == commit)
      try meeting.apply(.set(Self.one, Self.transient, "kept"), refreshed)
      #expect(meeting.value(Self.transient) == "kept" && meeting.fold.hasChanges)
      try meeting.apply(
        .set(Self.one, Self.transient, nil), .set(Self.one, key(1), nil), refreshed)
      #expect(meeting.fold.objects[Self.one]?.delta == [key(1): Value?.none])
    }
  }

  @Test
  func
    `S32: whatever contexts add, and in whatever order they refresh, merge, save, undo and redo`()
    throws
  {
    for seed in UInt64(1)...150 {
      var shared = SharedValues(seed: 7_000 + seed)
      let first = shared.row(0)[SharedValues.counter]?.counter ?? 0
      for move in 0..<80 {
        try shared.move()
        shared.expectViews("seed \(7_000 + seed), move \(move)")
      }
      for index in shared.contexts.indices { try shared.save(index) }
      let row = shared.store.row(Self.one, shared.store.head)
      let parts = shared.contexts.map(\.own)
      #expect(
        row?[SharedValues.counter]?.counter ?? 0 == parts.reduce(first) { $0 + $1.amount },
        "seed \(7_000 + seed)")
      #expect(
        row?[SharedValues.members]?.set ?? []
          == parts.reduce(into: []) { $0.formUnion($1.members) },
        "seed \(7_000 + seed)")
      #expect(
        Set(row?[SharedValues.ordered]?.array ?? [])
          == parts.reduce(into: []) { $0.formUnion($1.ordered) }, "seed \(7_000 + seed)")
      #expect(
        row?[SharedValues.entries]?.dictionary ?? [:]
          == parts.reduce(into: [:]) { $0.merge($1.entries) { $1 } }, "seed \(7_000 + seed)")
    }
  }

  @Test func `S46: steps beyond a bound are forgotten, and the edits fold to the same without it`()
    throws
  {
    var forgotten = 0
    for seed in UInt64(1)...60 {
      var history = ContextHistory(seed: 8_000 + seed)
      var bounded = history.fold
      for move in 0..<60 {
        let count = history.edits.count
        try history.move()
        for edit in history.edits[count...] { try bounded.apply(edit, row: history.row) }
        bounded.forgetSteps(beyond: 2)
        forgotten += history.fold.undoSteps.count - bounded.undoSteps.count
        let place: Comment = "seed \(8_000 + seed), move \(move)"
        #expect(bounded.undoSteps.count <= 2, place)
        #expect(
          history.fold.undoSteps.suffix(bounded.undoSteps.count) == bounded.undoSteps[...], place)
        #expect(history.fold.redoSteps.map(\.objects) == bounded.redoSteps.map(\.objects), place)
        #expect(history.fold.objects == bounded.objects, place)
        #expect(history.fold.openStep == bounded.openStep, place)
      }
      bounded.forgetSteps(beyond: 0)
      #expect(bounded.undoSteps.isEmpty)
    }
    #expect(forgotten > 1_000)
  }
}
