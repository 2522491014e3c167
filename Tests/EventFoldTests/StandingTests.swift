import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct Standing {
  private let one = SmallFold.one
  private let two = SmallFold.two
  private let new = SmallFold.new

  @Test func `S54: a refresh without keeping changes leaves a clean object as it is in the commit`()
    throws
  {
    let fold = try SmallFold(
      .set(one, key(1), 5), .inserted(new), .refreshed([one, new], keepingChanges: false, at: 2))
    #expect(!fold.fold.hasChanges && fold.fold.objects.isEmpty)
    #expect(fold.fold.base(of: one) == 2 && fold.fold.base(of: two) == 1)
    #expect(fold.fold.openStep != nil, "what can be undone stays")
  }

  @Test func `S55: a refresh that keeps changes puts them on the commit's row, also equal ones`()
    throws
  {
    let fold = try SmallFold(
      .set(one, key(1), 1), .set(one, key(3), 3),
      .refreshed([one, two], keepingChanges: true, at: 2))
    #expect(fold.one?.base == 2 && fold.one?.delta == [key(1): 1, key(3): 3])
    #expect(fold.one?.row == Row([key(1): 1, key(2): "rival", key(3): 3]))
    #expect(fold.fold.changes().first?.entries.map(\.key) == [key(3)])
    #expect(fold.fold.base(of: two) == 2)
  }

  @Test func `S58: a merge moves every object to the commit, and own edits stay on it`() throws {
    let fold = try SmallFold(.set(one, key(1), 5), .inserted(new), .merged(2))
    #expect(fold.fold.base == 2 && fold.fold.base(of: two) == 2)
    #expect(fold.one?.row == Row([key(1): 5, key(2): "rival"]))
    #expect(fold.fold.changes().map(\.kind) == [.updated, .inserted])
  }

  @Test
  func `S58: an object that a merge finds deleted is gone with its changes, and no undo fails`()
    throws
  {
    var fold = try SmallFold(.set(two, key(1), 5), .stepEnded(name: nil), .merged(2))
    #expect(!fold.fold.hasChanges && fold.fold.objects.isEmpty)
    try fold.undo()
    #expect(!fold.fold.hasChanges && fold.fold.objects.isEmpty)
    #expect(fold.fold.redoSteps.count == 1)
  }

  @Test func `S76: what is not saved folds by itself, also where it undoes what came before`()
    throws
  {
    let store = ReferenceStore(states: [
      [:], [one: Row([key(1): 1]), two: Row([key(1): 2])],
      [one: Row([key(1): 5]), two: Row([key(1): 6])],
    ])
    let row: (ObjectID, CommitNumber) -> Row? = { store.row($0, $1) }
    var whole = ContextHistory.begin(1)
    let edits: [Edit] = [
      .set(one, key(1), 5), .stepEnded(name: nil), .set(two, key(1), 6), .stepEnded(name: nil),
      .saved(2),
    ]
    for edit in edits { try whole.apply(edit, row: row) }
    var unsaved = ContextFold(whole.number, name: "", on: 2, hasEarlierSteps: true)
    for _ in 1...2 {
      let step = try #require(whole.undoSteps.last)
      let edit = Edit.undone(whole.restorations(of: step, row: row))
      try whole.apply(edit, row: row)
      try unsaved.apply(edit, row: row)
    }
    let step = try #require(whole.redoSteps.last)
    let edit = Edit.redone(whole.restorations(of: step, row: row))
    try whole.apply(edit, row: row)
    try unsaved.apply(edit, row: row)
    #expect(unsaved.objects == whole.objects && unsaved.objects.count == 1)
    #expect(unsaved.editCount == whole.editCount)
    try unsaved.apply(.rolledBack, row: row)
    #expect(throws: ContextFoldError<Never>.contradiction(.nothingToUndo(unsaved.number))) {
      try unsaved.apply(.undone([]), row: row)
    }
  }

  @Test func `S61: a save that failed changes nothing`() throws {
    var fold = try SmallFold(.set(one, key(1), 5), .stepEnded(name: nil))
    let before = fold.fold
    try fold.apply(.saveFailed("the disk is full"))
    #expect(fold.fold == before)
  }

  @Test func `S76: an object stands where it was based, and a save moves only what it saves`()
    throws
  {
    var fold = try SmallFold(.based(one, on: 2), .set(one, key(1), 5))
    #expect(fold.one?.baseRow == Row([key(1): 1, key(2): "rival"]))
    try fold.apply(.set(two, key(1), 5), .refreshed([two], keepingChanges: false, at: 2))
    try fold.apply(.based(two, on: 1), .saved(2))
    #expect(fold.fold.base(of: one) == 2 && fold.fold.base(of: two) == 1)
    #expect(fold.fold.base == 1)
  }

  @Test func `S76: neighbours stand where each of them was put, and are forgotten one by one`() {
    var fold = ContextFold(ContextNumber(rawValue: 1), name: "", on: 1)
    let others = (UInt64(1)...40).filter { $0 % 3 > 0 }
    for number in others { fold.putBack(object(number), on: CommitNumber(rawValue: 1 + number)) }
    for number in UInt64(0)...41 {
      let isOther = others.contains(number)
      #expect(fold.keepsPlace(of: object(number)) == isOther)
      #expect(fold.base(of: object(number)).rawValue == (isOther ? 1 + number : 1))
    }
    for number in others { fold.forgetPlace(of: object(number)) }
    #expect(fold == ContextFold(ContextNumber(rawValue: 1), name: "", on: 1))
  }

  @Test func `S76: a draft has its name, its parent and how much was changed`() throws {
    var fold = try SmallFold(
      .renamed("editor"), .set(one, key(1), 5), .setPrimitive(one, key(1), 6),
      .stepEnded(name: nil))
    #expect(fold.fold.name == "editor" && fold.fold.editCount == 2)
    try fold.undo()
    #expect(fold.fold.editCount == 3)
    try fold.apply(.saved(2))
    #expect(fold.fold.editCount == 0)
    let parent = ContextNumber(rawValue: 7)
    let child = ContextFold(ContextNumber(rawValue: 8), name: "child", on: 1, parent: parent)
    #expect(child.parent == parent && child.number.rawValue == 8 && !child.hasChanges)
  }
}
