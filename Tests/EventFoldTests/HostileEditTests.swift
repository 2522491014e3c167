import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct HostileEdits {
  private let one = SmallFold.one
  private let new = SmallFold.new

  private func expectRefusal(
    _ error: FoldError, _ sentence: String, of edit: Edit, after edits: Edit...
  ) throws {
    var small = try SmallFold()
    for edit in edits { try small.apply(edit) }
    let before = small.fold
    #expect(throws: ContextFoldError<Never>.contradiction(error)) { try small.apply(edit) }
    #expect(small.fold == before)
    #expect("\(ContextFoldError<Never>.contradiction(error))" == sentence)
  }

  @Test
  func `an edit that contradicts those before is refused by name, and leaves the fold as it was`()
    throws
  {
    try expectRefusal(
      .objectDoesNotFit(one, .inserted), "The object \(one) is inserted a second time.",
      of: .inserted(one))
    try expectRefusal(
      .objectDoesNotFit(new, .updated), "The object \(new) is updated and is not there.",
      of: .set(new, key(1), 1))
    try expectRefusal(
      .objectDoesNotFit(one, .deleted), "The object \(one) is deleted and is not there.",
      of: .deleted(one), after: .deleted(one))
    try expectRefusal(
      .objectDoesNotFit(one, .updated), "The object \(one) is updated and is not there.",
      of: .membersChanged(one, key(1), inserted: [new], removed: []), after: .deleted(one))
    try expectRefusal(
      .valueDoesNotFit(one, key(1)),
      "The value of key 1 of \(one) is not what its change was made of.",
      of: .membersChanged(one, key(1), inserted: [new], removed: []))
    try expectRefusal(
      .nothingToUndo(ContextNumber(rawValue: 3)), "Context 3 undoes a step and has none.",
      of: .undone([Restoration(one, .deleted, [])]))
    try expectRefusal(
      .nothingToRedo(ContextNumber(rawValue: 3)),
      "Context 3 redoes a step and has none that was undone.", of: .redone([]),
      after: .set(one, key(1), 5), .undone([]), .set(one, key(1), 6))
  }

  @Test func `a primitive value of an object that is not there is passed over`() throws {
    let fold = try SmallFold(
      .deleted(one), .setPrimitive(one, key(1), 1), .setPrimitive(new, key(1), 1))
    #expect(fold.one?.kind == .deleted && fold.one?.row == nil)
    #expect(fold.fold.objects[new] == nil)
  }

  @Test func `restorations say all, whatever the step was and whatever is there`() throws {
    var fold = try SmallFold(.set(one, key(1), 5))
    try fold.apply(
      .undone([
        Restoration(one, .inserted, [.init(key(3), 3)]), Restoration(new, .deleted, []),
        Restoration(object(77), .updated, [.init(key(1), 1)]),
      ]))
    #expect(fold.one?.row == Row([key(3): 3]) && fold.fold.objects.count == 1)
    #expect(fold.one?.delta == [key(1): Value?.none, key(2): Value?.none, key(3): 3])
    let step = try #require(fold.fold.redoSteps.last)
    #expect(step.objects.map(\.kind) == [.inserted, .deleted])
    try fold.apply(.redone([]))
    #expect(fold.one?.row == Row([key(3): 3]) && fold.fold.undoSteps.count == 1)
  }

  @Test func `no order of edits crashes, and the changes always lead from the bases to the rows`()
    throws
  {
    var refused = 0
    for seed in UInt64(1)...150 {
      var dice = Dice(seed: 5_000 + seed)
      var states: [[ObjectID: Row]] = []
      for _ in 0..<4 {
        var state: [ObjectID: Row] = [:]
        for number in UInt64(1)...3 where dice.pick(3) > 0 { state[object(number)] = dice.row() }
        states.append(state)
      }
      let store = ReferenceStore(states: states)
      var fold = ContextHistory.begin(1)
      for number in 0..<80 {
        let before = fold
        do {
          try fold.apply(dice.edit()) { store.row($0, $1) }
        } catch {
          refused += 1
          #expect(fold == before, "seed \(seed), edit \(number): \(error)")
        }
        for change in fold.changes() {
          let draft = try #require(fold.objects[change.object])
          var row = draft.row
          row?[ReferenceContext.transientKey] = nil
          #expect(try change.applied(to: draft.baseRow) == row, "seed \(seed), edit \(number)")
        }
        for step in fold.undoSteps { _ = fold.restorations(of: step) { store.row($0, $1) } }
      }
    }
    #expect(refused > 500)
  }

  @Test func `a row that cannot be read stops an edit, which can be folded again later`() throws {
    struct Unreadable: Error, Equatable {}
    var stopped = 0
    for seed in UInt64(1)...40 {
      var history = ContextHistory(seed: 6_000 + seed)
      var fold = history.fold
      for _ in 0..<60 { try history.move() }
      var dice = Dice(seed: seed)
      for edit in history.edits {
        let before = fold
        var left = dice.pick(3)
        do {
          try fold.apply(edit) { (object, commit) throws(Unreadable) in
            left -= 1
            if left < 0 { throw Unreadable() }
            return history.reference.store.row(object, commit)
          }
        } catch {
          stopped += 1
          #expect(error == .row(Unreadable()) && fold == before, "seed \(seed)")
          #expect("\(error)".hasPrefix("A row could not be read: "))
          try fold.apply(edit, row: history.row)
        }
      }
      #expect(fold == history.fold, "seed \(seed)")
    }
    #expect(stopped > 100)
  }
}

extension Dice {
  /// Any edit of a few objects, whether it fits or not.
  fileprivate mutating func edit() -> Edit {
    let object = object(UInt64(1 + pick(4)))
    let key = key(UInt32(1 + pick(7)))
    let commit = CommitNumber(rawValue: UInt64(pick(4)))
    return switch pick(20) {
    case 0: .based(object, on: commit)
    case 1: .inserted(object)
    case 2..<5: .set(object, key, value(depth: 1))
    case 5: .setPrimitive(object, key, value(depth: 1))
    case 6..<9: .membersChanged(object, key, inserted: references(), removed: references())
    case 9: .set(object, key, memberValue())
    case 10: .deleted(object)
    case 11, 12: .stepEnded(name: nil)
    case 13: .undoSwitched(isOn: pick(3) > 0)
    case 14: .undone(restorations())
    case 15: .redone(restorations())
    case 16: .refreshed([object, object], keepingChanges: pick(2) == 0, at: commit)
    case 17: .merged(commit)
    case 18: pick(4) == 0 ? .rolledBack : .saveFailed("")
    default: pick(4) == 0 ? .wasReset : .saved(commit)
    }
  }

  private mutating func restorations() -> [Restoration] {
    (0..<pick(4)).map { _ in
      let entries = (0..<pick(3)).map { _ in
        Restoration.Entry(key(UInt32(1 + pick(7))), pick(3) == 0 ? nil : value(depth: 1))
      }
      return Restoration(
        object(UInt64(1 + pick(4))), Restoration.Kind.allCases[pick(3)], entries)
    }
  }
}
