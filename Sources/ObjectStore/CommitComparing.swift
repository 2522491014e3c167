internal import EventCoding
internal import EventFold
internal import Journaling
internal import ObjectModel

/// Compares the commits of a journal with what the edits of their contexts add up to, while both pass.
///
/// Contexts are followed that the journal has the beginning of and that have commits still to come. What
/// contexts within others saved is among the edits of those. Nothing is kept of what can be undone, and of the
/// objects that a context has saved not where they stand: the state that is folded beside knows it.
struct CommitComparing {
  /// A context that is followed.
  private struct Followed {
    var fold: ContextFold
    /// Its commits after this one have placed the objects that they changed.
    var lastMove: CommitNumber
    /// Both as they were when it was saved last, or began, where it goes on after it has ended.
    var saved: (fold: ContextFold, lastMove: CommitNumber)?
    /// Whether it has recorded an edit of an object; one that has not commits directly.
    var hasEdited = false

    mutating func noteSaved() {
      if saved != nil { saved = (fold, lastMove) }
    }

    /// What it had not saved when it ended is given up.
    mutating func end() {
      if fold.hasChanges, let saved { (fold, lastMove) = saved }
    }
  }

  private let store: ReadableStore
  private let saving: SavingContexts
  private let eras: [Era]
  /// The earliest state that can be counted back to.
  private let start: CommitNumber
  /// The place of the era that the walk has come to; -1 before the first.
  private(set) var era: Int
  private var contexts: [ContextNumber: Followed] = [:]

  private(set) var findings: [StoreFinding] = []
  /// How many commits were compared.
  private(set) var comparedCount = 0
  /// How many were made without edits.
  private(set) var directCount = 0
  /// How many could not be compared, because not all edits, or not all that they were made on, are there.
  private(set) var uncomparedCount = 0

  /// - Parameters:
  ///   - eras: the store's, of which the last are those that the journal tells of.
  ///   - start: the last commit before those that are compared.
  init(
    _ store: ReadableStore, _ saving: SavingContexts, _ eras: [Era], after start: CommitNumber
  ) {
    self.start = start
    self.store = store
    self.saving = saving
    self.eras = eras
    era = max(-1, eras.count - 1 - saving.adoptionCount)
  }

  /// Takes the next event.
  ///
  /// - Parameter state: the store's before the next commit.
  mutating func take(
    _ event: Event, in frame: FrameNumber, _ state: Snapshot
  ) throws(StoreError) {
    switch event {
    case .modelAdopted:
      guard era + 1 < eras.count else { return }
      era += 1
      guard era > 0 else { return }
      for number in contexts.keys {
        try contexts[number]?.fold.follow(era, of: eras, in: store, state)
        try contexts[number]?.saved?.fold.follow(era, of: eras, in: store, state)
      }
    case .contextBegan(let number, let name, let base, let parent):
      // One that began before the state is not followed: what it stood on may have been dropped.
      guard saving.lastCommit(of: number) != nil, era == state.eras.count - 1 else { return }
      let traits = eras.indices.contains(era) ? store.traits(of: eras[era]) : [:]
      let fold = ContextFold(
        number, name: name, on: base, parent: parent, traits: traits,
        isResumable: false)
      contexts[number] = Followed(
        fold: fold, lastMove: state.number,
        saved: saving.wasResumed(number) ? (fold, state.number) : nil)
    case .contextEnded(let number), .draftDiscarded(let number):
      if saving.wasResumed(number) { contexts[number]?.end() } else { contexts[number] = nil }
    case .edited(let number, let edit):
      if contexts[number] != nil { try follow(edit, of: number, in: frame, state) }
    default: break
    }
  }

  /// Compares the next commit with the edits of its context.
  ///
  /// - Parameter state: the store's before it.
  mutating func compare(_ commit: DecodedCommit, _ state: Snapshot) throws(StoreError) {
    guard let context = contexts[commit.content.context] else {
      uncomparedCount += 1
      return
    }
    guard context.hasEdited else {
      directCount += 1
      return
    }
    comparedCount += 1
    do throws(ContextFoldError<StoreError>) {
      let explanation = try CommitExplanation(
        of: commit, by: context.fold.unsaved(), after: state,
        eras.indices.contains(era) ? eras[era].mergeKinds : nil)
      if !explanation.differences.isEmpty {
        let store = store
        note(
          StoreFinding(unexplained: commit.content.number, explanation.differences) {
            store.name(of: $0)
          })
      }
    } catch {
      // One that does not fit the state is told by whoever folds it.
      if case .row(let error) = error { throw error }
    }
  }

  /// Gives up a context that has committed before what is compared.
  mutating func leave(_ number: ContextNumber) { contexts[number] = nil }

  /// Has the context of a commit go on from it.
  ///
  /// - Parameter state: the store's after it.
  mutating func goOn(
    after commit: CommitContent, in frame: FrameNumber, _ state: Snapshot
  ) throws(StoreError) {
    guard contexts[commit.context] != nil else { return }
    guard let last = saving.lastCommit(of: commit.context), last > commit.number else {
      contexts[commit.context] = nil
      return
    }
    try follow(.saved(commit.number), of: commit.context, in: frame, state)
    guard var context = contexts.removeValue(forKey: commit.context) else { return }
    if context.hasEdited {
      for change in commit.changes { context.fold.forgetPlace(of: change.object) }
    } else {
      // What it commits directly it does not hold, and so places nothing.
      context.lastMove = commit.number
    }
    context.noteSaved()
    contexts[commit.context] = context
  }

  private mutating func follow(
    _ edit: Edit, of number: ContextNumber, in frame: FrameNumber, _ state: Snapshot
  ) throws(StoreError) {
    // A fold that two hold would be copied.
    guard var context = contexts.removeValue(forKey: number) else { return }
    do throws(ContextFoldError<StoreError>) {
      for object in edit.changedObjects {
        context.hasEdited = true
        guard !context.fold.keepsPlace(of: object) else { continue }
        if let place = try self.place(of: object, in: context, state) {
          context.fold.putBack(object, on: place)
        }
      }
      try context.fold.apply(edit) { (object, commit) throws(StoreError) in
        guard commit >= start, commit <= state.number else { throw .commitDropped(commit) }
        return try store.row(of: object, at: commit, countedBackFrom: state, inEra: era)
      }
      switch edit {
      case .merged, .wasReset: context.lastMove = state.number
      case .saved: context.noteSaved()
      default: break
      }
    } catch {
      switch error {
      case .contradiction(let contradiction):
        note(
          StoreFinding(
            "the edits of context \(number.rawValue) contradict themselves in frame "
              + "\(frame.rawValue): \(contradiction) Its commits from there on were not compared.",
            matter: .contradiction))
      case .row(let error):
        // A commit that was never durable is gone, and one that compaction has dropped too.
        guard error.code == .commitMissing else { throw error }
      }
      return
    }
    contexts[number] = context
  }

  /// The last commit of a context that has changed an object since the context moved as a whole.
  private func place(
    of object: ObjectID, in context: Followed, _ state: Snapshot
  ) throws(ContextFoldError<StoreError>) -> CommitNumber? {
    do throws(StoreError) {
      var changed = try state.changed(object) ?? .none
      while changed > context.lastMove {
        if saving.context(of: changed) == context.fold.number { return changed }
        changed = try store.past(changed).change(of: object)?.previous ?? .none
      }
      return nil
    } catch {
      throw .row(error)
    }
  }

  private mutating func note(_ finding: StoreFinding) {
    // So many say as much as all.
    if findings.count < 1_000 { findings.append(finding) }
  }
}

extension Edit {
  /// The objects that the edit changes by itself.
  fileprivate var changedObjects: [ObjectID] {
    switch self {
    case .inserted(let object), .set(let object, _, _), .spliced(let object, _, _),
      .setPrimitive(let object, _, _),
      .membersChanged(let object, _, _, _), .deleted(let object):
      [object]
    case .undone(let restorations), .redone(let restorations): restorations.map(\.object)
    case .renamed, .based, .stepEnded, .undoSwitched, .refreshed, .merged, .rolledBack, .wasReset,
      .saved, .saveFailed, .reconciled:
      []
    }
  }
}
