internal import EventCoding
internal import EventFold
internal import Journaling
package import ObjectModel

/// A context folded from its edits.
struct FoldedContext {
  var fold: ContextFold
  /// The commit it began on.
  let base: CommitNumber
  let firstEdit: UInt64
  /// The time of its last edit.
  var time: RecordedTime
  /// As it was when it was saved last, or began.
  fileprivate var saved: ContextFold
  /// What is wrong with an edit; it and those after it are left out.
  var problem: StoreError?

  fileprivate init(_ fold: ContextFold, firstEdit: UInt64, time: RecordedTime) {
    (self.fold, saved, base) = (fold, fold, fold.base)
    self.firstEdit = firstEdit
    self.time = time
  }

  /// Whether there is something to offer, or to tell.
  var isDraft: Bool { fold.hasChanges || problem != nil }

  /// Notes that the context has ended: what it had not saved is given up, and with it the steps since then.
  fileprivate mutating func end() {
    if fold.hasChanges { fold = saved }
  }
}

/// Folds some contexts from their edits, from the first one's beginning on. Where the model changes meanwhile,
/// they go on under the newer one.
struct ContextFolding {
  private let store: JournaledStore
  private let wanted: Set<ContextNumber>
  /// The store's eras, as far as they are to be followed.
  private let eras: [Era]
  /// The place of the era that the walk has come to; -1 before the first.
  private var era: Int
  private var time = RecordedTime(rawValue: .min)
  private var contexts: [ContextNumber: FoldedContext] = [:]

  /// Folds contexts.
  ///
  /// - Parameters:
  ///   - firstEdit: an edit that is not after the first one of any of them.
  ///   - lastEdit: the last one that is looked at.
  ///   - eras: the store's eras as of that edit.
  static func contexts(
    _ wanted: Set<ContextNumber>, from firstEdit: UInt64, through lastEdit: UInt64, _ eras: [Era],
    of store: JournaledStore
  ) throws(StoreError) -> [ContextNumber: FoldedContext] {
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(at: store.path, on: store.disk)
    }
    let frame = try onJournal { () throws(JournalError) in
      try reader.firstFrame(ofSegmentWith: EditNumber(firstEdit))
    }
    // Which era the walk begins in is known from the end.
    var adoptedCount = 0
    if eras.count > 1 {
      try reader.forEachModelEvent(from: frame, store.decoder) { (edit, event) throws(StoreError) in
        if case .modelAdopted = event, edit.rawValue <= lastEdit { adoptedCount += 1 }
      }
    }
    var folding = ContextFolding(
      store: store, wanted: wanted, eras: eras, era: eras.count - 1 - adoptedCount)
    try reader.forEachEntry(from: frame, store.decoder) { (place, entry) throws(StoreError) in
      if case .event(let edit, _) = entry, edit.rawValue > lastEdit { return false }
      try folding.take(entry, in: place.number)
      return true
    }
    return folding.contexts
  }

  private init(store: JournaledStore, wanted: Set<ContextNumber>, eras: [Era], era: Int) {
    self.store = store
    self.wanted = wanted
    self.eras = eras
    self.era = era
  }

  private mutating func take(_ entry: JournalEntry, in frame: FrameNumber) throws(StoreError) {
    switch entry {
    case .event(_, .timePassed(let passed)): time = passed
    case .event(_, .modelAdopted):
      guard eras.count > 1, era + 1 < eras.count else { return }
      era += 1
      guard era > 0 else { return }
      for number in contexts.keys { contexts[number]?.convert(to: eras[era], of: store) }
    case .event(let edit, .contextBegan(let number, let name, let base, let parent))
    where wanted.contains(number):
      let transientKeys = eras.indices.contains(era) ? store.transientKeys(of: eras[era]) : [:]
      let fold = ContextFold(
        number, name: name, on: base, parent: parent, transientKeys: transientKeys)
      contexts[number] = FoldedContext(fold, firstEdit: edit.rawValue, time: time)
    case .event(_, .contextEnded(let number)), .event(_, .draftDiscarded(let number)):
      contexts[number]?.end()
    case .event(_, .edited(let number, let edit)) where contexts[number] != nil:
      contexts[number]?.time = time
      try apply(edit, of: number, in: frame)
    case .commit(let commit):
      time = commit.content.time
      guard contexts[commit.content.context] != nil else { return }
      try apply(.saved(commit.content.number), of: commit.content.context, in: frame)
    default: break
    }
  }

  private mutating func apply(
    _ edit: Edit, of number: ContextNumber, in frame: FrameNumber
  ) throws(StoreError) {
    guard var context = contexts[number], context.problem == nil else { return }
    // A fold that two hold would be copied.
    contexts[number] = nil
    defer { contexts[number] = context }
    do throws(ContextFoldError<StoreError>) {
      try context.fold.apply(edit) { (object, commit) throws(StoreError) in
        try store.row(of: object, at: commit, inEra: era)
      }
      if case .saved = edit { context.saved = context.fold }
    } catch {
      switch error {
      case .contradiction(let contradiction):
        context.problem = StoreError(contradiction: "\(contradiction)", in: frame)
      case .row(let error):
        // A commit that was never durable is gone, and an edit that was made on it may be there.
        guard error.code == .commitMissing else { throw error }
        context.problem = error
      }
    }
  }
}

extension FoldedContext {
  /// Has the context go on under the next model.
  mutating func convert(to era: Era, of store: JournaledStore) {
    fold.follow(era, of: store)
    saved.follow(era, of: store)
  }
}

extension ContextFold {
  /// Goes on under the next model of the store.
  mutating func follow(_ era: Era, of store: JournaledStore) {
    convert(
      by: EraConversion(era: era, store: store.store), transientKeys: store.transientKeys(of: era))
  }
}

/// How rows of the era before one are read as rows of it.
private struct EraConversion: RowConverting {
  let era: Era
  let store: StoreTag

  func convert(_ row: Row, of object: ObjectID) -> Row? {
    guard let conversion = era.conversions[object.entity] else { return nil }
    var row = row
    conversion.apply(to: &row, in: store)
    return row
  }

  func newerKeys(of key: KeyNumber, of object: ObjectID) -> [KeyNumber] {
    era.conversions[object.entity]?.newerKeys(of: key) ?? []
  }
}

extension JournaledStore {
  /// What an object had at a commit, as the store's model has it now; nil where it was not there, or is of an
  /// entity that is no more.
  package func row(of object: ObjectID, at commit: CommitNumber) throws(StoreError) -> Row? {
    try row(of: object, at: commit, inEra: .max)
  }

  func row(
    of object: ObjectID, at commit: CommitNumber, inEra era: Int
  ) throws(StoreError) -> Row? {
    let head = head
    try refuseDropped(commit, head)
    return try row(of: object, at: commit, countedBackFrom: head, inEra: era)
  }

  /// The same, known from a state that is not earlier, where the journal has all commits between them.
  func row(
    of object: ObjectID, at commit: CommitNumber, countedBackFrom latest: Snapshot, inEra era: Int
  ) throws(StoreError) -> Row? {
    let row = try stored(object, at: commit, countedBackFrom: latest)?.row
    let own = max(0, latest.eras.lastIndex { $0.since < commit } ?? 0)
    return latest.convert(row, of: object, from: own, to: min(era, latest.eras.count - 1))
  }

  /// The keys whose values no save takes, by entity.
  func transientKeys(of era: Era) -> [EntityNumber: Set<KeyNumber>] {
    var keys: [EntityNumber: Set<KeyNumber>] = [:]
    for entity in era.entities {
      let transient = era.model.entity(named: entity.description.name)?.attributes.filter(
        \.isTransient)
      keys[entity.number] = Set((transient ?? []).compactMap { existingKey(named: $0.name) })
    }
    return keys
  }
}
