internal import EventCoding
internal import EventFold
internal import Journaling
internal import ObjectModel

/// The contexts that had begun and not ended when the store was opened: those of processes that ended in
/// disorder, or let them go.
struct LeftContexts {
  /// A context folded from its edits.
  struct Left {
    var fold: ContextFold
    var firstEdit: UInt64
    /// The time of its last edit.
    var time: RecordedTime
    /// What is wrong with an edit; it and those after it are left out.
    var problem: StoreError?

    /// Whether there is something to offer, or to tell.
    var isDraft: Bool { fold.hasChanges || problem != nil }
  }

  /// Those that are neither ended nor resumed yet.
  private(set) var open: [ContextNumber: Catalogue.OpenContext]
  /// The last edit of the journal when the store was opened.
  private let lastEdit: UInt64
  /// What they hold, once they are folded.
  private(set) var contents: [ContextNumber: Left] = [:]
  private var isFolded = false

  init(_ catalogue: Catalogue, lastEdit: UInt64) {
    open = catalogue.contexts
    self.lastEdit = lastEdit
  }

  /// Whether any of them may have work that is not saved.
  var mayHaveDrafts: Bool { open.values.contains { $0.firstUnsavedEdit != nil } }

  /// Those that have changes, or have lost some, the one edited last first.
  var drafts: [Draft] {
    contents.values.filter(\.isDraft).map { left in
      Draft(
        contextName: left.fold.name, date: left.time.date, editCount: left.fold.editCount,
        objectIDs: left.fold.objects.filter { $0.value.kind != .unchanged }.keys.sorted(),
        problem: left.problem, context: left.fold.number)
    }.sorted { ($0.date, $0.context) > ($1.date, $1.context) }
  }

  mutating func remove(_ number: ContextNumber) {
    open[number] = nil
    contents[number] = nil
  }

  /// Folds the edits of all of them, from where the first one began, unless that was done.
  mutating func fold(_ store: JournaledStore) throws(StoreError) {
    if isFolded { return }
    contents = try folded(store)
    isFolded = true
  }

  private func folded(_ store: JournaledStore) throws(StoreError) -> [ContextNumber: Left] {
    guard let first = open.values.map(\.firstEdit).min() else { return [:] }
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: store.path, on: store.disk)
    }
    let frame = try onJournal { () throws(JournalError) in
      try reader.firstFrame(ofSegmentWith: EditNumber(first))
    }
    var left: [ContextNumber: Left] = [:]
    var time = RecordedTime(rawValue: .min)
    let transientKeys = store.transientKeys
    try reader.forEachEntry(from: frame, store.decoder) { (place, entry) throws(StoreError) in
      switch entry {
      case .event(let edit, _) where edit.rawValue > lastEdit: return false
      case .event(_, .timePassed(let passed)): time = passed
      case .event(let edit, .contextBegan(let number, let name, let base, let parent))
      where open[number] != nil:
        left[number] = Left(
          fold: ContextFold(
            number, name: name, on: base, parent: parent, transientKeys: transientKeys),
          firstEdit: edit.rawValue, time: time)
      case .event(_, .edited(let number, let edit)) where left[number] != nil:
        left[number]?.time = time
        try left[number]?.apply(edit, of: store, in: place.number)
      case .commit(let commit):
        time = commit.content.time
        let number = commit.content.context
        try left[number]?.apply(.saved(commit.content.number), of: store, in: place.number)
      default: break
      }
      return true
    }
    return left
  }
}

extension LeftContexts.Left {
  /// Takes an edit in, with the rows of a store.
  fileprivate mutating func apply(
    _ edit: Edit, of store: JournaledStore, in frame: FrameNumber
  ) throws(StoreError) {
    guard problem == nil else { return }
    do throws(ContextFoldError<StoreError>) {
      try fold.apply(edit) { (object, commit) throws(StoreError) in
        try store.stored(object, at: commit)?.row
      }
    } catch {
      switch error {
      case .contradiction(let contradiction):
        problem = StoreError(contradiction: "\(contradiction)", in: frame)
      case .row(let error):
        // A commit that was never durable is gone, and an edit that was made on it may be there.
        guard error.code == .commitMissing else { throw error }
        problem = error
      }
    }
  }
}
