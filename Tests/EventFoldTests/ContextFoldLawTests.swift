import EventFold
import ObjectModel
import TestSupport
import Testing

@Suite struct ContextFoldLaws {
  @Test func `S76: after every edit, a fold holds what a context with whole copies of all holds`()
    throws
  {
    var counts: [String: Int] = [:]
    for seed in UInt64(1)...120 {
      var history = ContextHistory(seed: seed)
      for move in 0..<60 {
        try history.move()
        history.expectAgreement("seed \(seed), move \(move)")
        counts["draft", default: 0] += history.fold.hasChanges ? 1 : 0
        counts["undo", default: 0] += history.fold.undoSteps.count
        counts["redo", default: 0] += history.fold.redoSteps.count
        counts["open", default: 0] += history.fold.openStep == nil ? 0 : 1
        for draft in history.fold.objects.values { counts["\(draft.kind)", default: 0] += 1 }
      }
    }
    // The histories have everything in them that they are to have.
    for name in ["draft", "undo", "redo", "inserted", "updated", "deleted", "unchanged", "open"] {
      #expect(counts[name, default: 0] > 300, "\(name)")
    }
  }

  @Test func `S76: a history folds in pieces as at once, and leaves copies alone`() throws {
    for seed in UInt64(1)...50 {
      var history = ContextHistory(seed: 1_000 + seed)
      let first = history.fold
      for _ in 0..<40 { try history.move() }
      let (middle, count) = (history.fold, history.edits.count)
      for _ in 0..<40 { try history.move() }
      var whole = first
      for (index, edit) in history.edits.enumerated() {
        try whole.apply(edit, row: history.row)
        if index + 1 == count { #expect(whole == middle, "seed \(seed)") }
      }
      #expect(whole == history.fold, "seed \(seed)")
      // What was folded later has left the copy alone, which goes on as well.
      var again = middle
      for edit in history.edits[count...] { try again.apply(edit, row: history.row) }
      #expect(again == history.fold, "seed \(seed)")
    }
  }

  @Test func `S50: undoing every step leaves a fold with nothing to save, redoing brings all back`()
    throws
  {
    for seed in UInt64(1)...100 {
      var history = ContextHistory(seed: 2_000 + seed, [])
      for _ in 0..<60 { try history.move() }
      try history.apply(.stepEnded(name: nil))
      let changes = history.fold.changes()
      let count = try history.undoAll()
      #expect(!history.fold.hasChanges, "seed \(seed)")
      #expect(history.fold.objects.isEmpty, "seed \(seed)")
      #expect(history.fold.changes().isEmpty && history.fold.undoSteps.isEmpty, "seed \(seed)")
      for _ in 0..<count { try history.redoByItself() }
      #expect(history.fold.changes() == changes, "seed \(seed)")
      history.expectAgreement("seed \(seed)")
    }
  }

  @Test func `S49: undoing everything after a save is the exact inverse of what was saved`() throws
  {
    var saved = 0
    for seed in UInt64(1)...100 {
      var history = ContextHistory(seed: 3_000 + seed, [])
      for _ in 0..<60 { try history.move() }
      let changes = history.fold.changes()
      saved += changes.count
      try history.save()
      #expect(!history.fold.hasChanges, "seed \(seed)")
      let count = try history.undoAll()
      #expect(history.fold.changes() == changes.map(\.inverse), "seed \(seed)")
      for _ in 0..<count { try history.redoByItself() }
      #expect(history.fold.changes().isEmpty, "seed \(seed)")
    }
    #expect(saved > 300)
  }

  @Test func `S75: what was saved is what the edits add up to`() throws {
    for seed in UInt64(1)...100 {
      var history = ContextHistory(seed: 4_000 + seed, [.unnoticed, .rivals])
      for _ in 0..<50 { try history.move() }
      let fold = history.fold
      for change in fold.changes() {
        let draft = try #require(fold.objects[change.object])
        var current = draft.row
        current?[ReferenceContext.transientKey] = nil
        #expect(try change.applied(to: draft.baseRow) == current, "seed \(seed)")
        #expect(draft.baseRow == history.reference.store.row(change.object, draft.base))
      }
    }
  }
}

extension ContextHistory {
  /// Undoes as a context does that was brought back: by what the fold says.
  mutating func undoAll() throws -> Int {
    var count = 0
    while let step = fold.openStep ?? fold.undoSteps.last {
      try apply(.undone(fold.restorations(of: step, row: row)))
      count += 1
    }
    return count
  }

  mutating func redoByItself() throws {
    let step = try #require(fold.redoSteps.last)
    try apply(.redone(fold.restorations(of: step, row: row)))
  }

  func expectAgreement(_ place: Comment) {
    #expect(fold.name == reference.name && fold.base == reference.base, place)
    #expect(fold.registersUndo == reference.registersUndo, place)
    #expect(fold.hasChanges == reference.hasChanges, place)
    #expect(fold.editCount == reference.editCount, place)
    for object in Set(reference.objects.keys).union(fold.objects.keys) {
      let expected = reference.state(object)
      #expect(fold.base(of: object) == expected.base, place)
      guard let draft = fold.objects[object] else {
        #expect(expected.isUntouched, place)
        continue
      }
      #expect(!expected.isUntouched, place)
      let delta = Dictionary(uniqueKeysWithValues: draft.delta.map(\.self))
      #expect(delta == expected.delta && draft.row == expected.now, place)
      #expect(draft.isDirty == expected.isDirty && draft.isThere == (expected.now != nil), place)
    }
    #expect(fold.changes() == reference.changes(), place)
    expectSteps(fold.undoSteps, reference.undoSteps, place)
    expectSteps(fold.redoSteps, reference.redoSteps, place)
    let open = reference.open.changes.isEmpty ? [] : [reference.open]
    expectSteps(fold.openStep.map { [$0] } ?? [], open, place)
  }

  private func expectSteps(
    _ steps: [UndoStep], _ expected: [ReferenceContext.Step], _ place: Comment
  ) {
    #expect(steps.map(\.name) == expected.map(\.name), place)
    for (step, expected) in zip(steps, expected) {
      let restorations = fold.restorations(of: step, row: row)
      #expect(restorations == reference.restorations(expected), place)
    }
  }
}
