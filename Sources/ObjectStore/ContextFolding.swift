internal import EventCoding
internal import EventFold
internal import Journaling
package import ObjectModel

/// Folds contexts from their edits, while the journal passes. Where the model changes meanwhile, they go on under
/// the newer one.
struct ContextFolding {
  private let store: ReadableStore
  /// The last edit that is looked at.
  private let lastEdit: UInt64
  /// The store's eras as of that edit.
  private let eras: [Era]
  /// The place of the era that the walk has come to; -1 before the first.
  private var era: Int
  private var time: RecordedTime
  /// The last commit before the place that the walk has come to.
  private var lastCommit = CommitNumber.none
  private let tellsDamage: Bool
  /// The context that is folded from its beginning on.
  private var whole: ContextNumber?
  private var savesReturnedTo: Set<Int> = []
  /// Those of which only what is not saved is folded, until it begins.
  private var waiting: [ContextNumber: Catalogue.OpenContext] = [:]
  private var contexts: [ContextNumber: FoldedContext] = [:]
  /// What they hold.
  private var account: HoldingAccount

  /// Folds what some contexts have not saved, without what they can undo. Nothing is read of the journal from
  /// before the segment with the first of these edits.
  ///
  /// - Parameters:
  ///   - eras: the store's eras as of the last edit that is to be looked at.
  ///   - lastTime: a time that is not before that of the first of these edits, where nothing else tells it.
  ///   - tellsDamage: whether damage of what a context stands on is told as what is wrong with it, and not thrown.
  ///   - lastFrame: the last frame that is looked at, where not all are.
  ///   - later: what comes behind the last edit and is in no frame yet.
  static func unsaved(
    _ open: [ContextNumber: Catalogue.OpenContext], through lastEdit: UInt64, _ eras: [Era],
    before lastTime: RecordedTime, of store: ReadableStore, tellingDamage tellsDamage: Bool,
    in lastFrame: FrameNumber? = nil, then later: UnsealedEvents = UnsealedEvents()
  ) throws(StoreError) -> [ContextNumber: FoldedContext] {
    guard let first = open.values.compactMap(\.standing.firstUnsavedEdit).min() else { return [:] }
    let (reader, frame) = try store.reader(fromSegmentWith: first)
    // Which era the walk begins in is known from the end.
    var adoptedCount = 0
    if eras.count > 1 {
      try reader.forEachModelEvent(from: frame, store.decoder) { (edit, event) throws(StoreError) in
        if case .modelAdopted = event, edit.rawValue <= lastEdit { adoptedCount += 1 }
      }
    }
    var folding = ContextFolding(
      store, lastEdit, eras, era: eras.count - 1 - adoptedCount, time: lastTime,
      tellingDamage: tellsDamage)
    folding.waiting = open
    try folding.walk(reader, from: frame, through: lastFrame)
    for (edit, event) in later.events { try folding.take(event, edit, in: .none) }
    if let (edit, context, error) = later.end { folding.leaveOut(edit, of: context, error) }
    return folding.contexts
  }

  /// Folds a context from its first edit on, which the journal has.
  static func whole(
    _ number: ContextNumber, from firstEdit: UInt64, through lastEdit: UInt64, _ eras: [Era],
    of store: ReadableStore, tellingDamage tellsDamage: Bool = false
  ) throws(StoreError) -> FoldedContext? {
    let (reader, frame) = try store.reader(fromSegmentWith: firstEdit)
    var survey = ContextSurvey(of: number)
    try reader.forEachEntry(from: frame, store.decoder) {
      (_, batch, entry) throws(StoreError) in
      if case .event(let place) = entry, batch.number(place).rawValue > lastEdit { return false }
      try survey.take(entry, of: batch)
      return true
    }
    var folding = ContextFolding(
      store, lastEdit, eras, era: eras.count - 1 - survey.adoptedCount,
      time: RecordedTime(rawValue: .min), tellingDamage: tellsDamage)
    folding.whole = number
    folding.savesReturnedTo = survey.savesReturnedTo
    try folding.walk(reader, from: frame)
    return folding.contexts[number]
  }

  private init(
    _ store: ReadableStore, _ lastEdit: UInt64, _ eras: [Era], era: Int, time: RecordedTime,
    tellingDamage tellsDamage: Bool
  ) {
    self.store = store
    self.lastEdit = lastEdit
    self.eras = eras
    self.era = era
    self.time = time
    self.tellsDamage = tellsDamage
    account = HoldingAccount(store.limits)
  }

  private mutating func walk(
    _ reader: JournalReader, from frame: FrameNumber, through lastFrame: FrameNumber? = nil
  ) throws(StoreError) {
    var last: UInt64 = 0
    lastCommit = store.headNumber
    try reader.forEachEntry(from: frame, store.decoder) { (_, batch, entry) throws(StoreError) in
      guard case .commit(let place) = entry else { return true }
      lastCommit = try batch.head(place).number.previous
      return false
    }
    let ending = try reader.forEachEntry(from: frame, through: lastFrame, store.decoder) {
      (place, batch, entry) throws(StoreError) in
      switch entry {
      case .event(let event):
        let edit = batch.number(event).rawValue
        guard edit <= lastEdit else { return false }
        last = edit
        if let context = try batch.contextOfSet(event), !isWanted(context) { return true }
        do throws(StoreError) {
          try take(try batch.event(event), edit, in: place.number)
        } catch {
          guard error.code == .tooLarge, let context = try batch.contextOfSet(event) else {
            throw error
          }
          leaveOut(edit, of: context, error)
        }
      case .commit(let commit):
        let head = try batch.head(commit)
        (time, lastCommit) = (head.time, head.number)
        guard contexts[head.context] != nil else { return true }
        try contexts[head.context]?.apply(
          try batch.commit(commit).content, inEra: era, of: store, in: place.number)
      }
      return true
    }
    if let finding = ending.finding, last < lastEdit {
      throw StoreError(refusing: finding)
    }
  }

  private func isWanted(_ context: ContextNumber) -> Bool {
    whole == context || waiting[context] != nil || contexts[context] != nil
  }

  private mutating func take(
    _ event: Event, _ number: UInt64, in frame: FrameNumber
  ) throws(StoreError) {
    switch event {
    case .timePassed(let passed): time = max(time, passed)
    case .modelAdopted:
      guard era + 1 < eras.count else { return }
      era += 1
      guard era > 0 else { return }
      for number in contexts.keys { try contexts[number]?.follow(era, of: eras, in: store) }
    case .contextBegan(let context, let name, let base, let parent) where whole == context:
      let fold = ContextFold(
        context, name: name, on: base, parent: parent, traits: traits)
      contexts[context] = FoldedContext(
        fold, at: time, savesReturnedTo: savesReturnedTo, tellingDamage: tellsDamage)
    case .contextEnded(let context), .draftDiscarded(let context): contexts[context]?.end()
    case .edited(let context, let edit):
      begin(context, at: number)
      guard contexts[context] != nil else { return }
      let before = contexts[context]?.fold.objects.count ?? 0
      if let error = account.take(edit) { return leaveOut(number, of: context, error) }
      try contexts[context]?.apply(
        edit, number, at: time, after: lastCommit, inEra: era, of: store, in: frame)
      account.take((contexts[context]?.fold.objects.count ?? 0) - before)
    default: break
    }
  }

  /// Leaves out what a context did from an edit on, which is more than is to be held.
  private mutating func leaveOut(_ edit: UInt64, of context: ContextNumber, _ error: StoreError) {
    begin(context, at: edit)
    contexts[context]?.leaveOut(edit, error)
  }

  /// Begins a context where its first edit is that may not be saved.
  private mutating func begin(_ number: ContextNumber, at edit: UInt64) {
    guard let open = waiting[number], edit >= open.standing.firstUnsavedEdit ?? .max else {
      return
    }
    waiting[number] = nil
    let fold = ContextFold(
      number, name: open.name, on: open.standing.base, parent: open.parent,
      traits: traits, hasEarlierSteps: true)
    contexts[number] = FoldedContext(fold, at: time, tellingDamage: tellsDamage)
  }

  /// What the model says of keys in the era that the walk has come to.
  private var traits: [EntityNumber: KeyTraits] {
    eras.indices.contains(era) ? store.traits(of: eras[era]) : [:]
  }
}

/// What is to be known of a journal before a context is folded from its beginning on.
private struct ContextSurvey {
  /// How many models were adopted.
  private(set) var adoptedCount = 0
  /// After which of its saves the context did something that it gave up when it ended; 0 for its beginning.
  private(set) var savesReturnedTo: Set<Int> = []
  private let number: ContextNumber
  private var saveCount = 0
  private var hasWork = false

  init(of number: ContextNumber) { self.number = number }

  mutating func take(
    _ entry: BatchContent.Entry, of batch: BatchContent
  ) throws(StoreError) {
    switch entry {
    case .event(let place):
      if let context = try batch.contextOfSet(place) {
        if context == number { hasWork = true }
      } else {
        take(try batch.event(place))
      }
    case .commit(let place):
      if try batch.head(place).context == number { noteSave() }
    }
  }

  private mutating func take(_ event: Event) {
    switch event {
    case .modelAdopted: adoptedCount += 1
    case .edited(number, .saved): noteSave()
    case .edited(number, let edit): hasWork = hasWork || edit.isWork
    case .contextEnded(number), .draftDiscarded(number):
      if hasWork { savesReturnedTo.insert(saveCount) }
    default: break
    }
  }

  private mutating func noteSave() {
    saveCount += 1
    hasWork = false
  }
}

extension ReadableStore {
  /// A reader of the journal, and the first frame of the segment in which an edit is.
  func reader(
    fromSegmentWith edit: UInt64
  ) throws(StoreError) -> (JournalReader, FrameNumber) {
    let reader = try journalReader()
    return try onJournal { () throws(JournalError) in
      (reader, try reader.firstFrame(ofSegmentWith: EditNumber(edit)))
    }
  }
}

extension ReadableStore {
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
    var row = try stored(object, at: commit, countedBackFrom: latest)?.row
    var place = max(0, latest.eras.lastIndex { $0.since < commit } ?? 0)
    let last = min(era, latest.eras.count - 1)
    for next in latest.eras.indices.prefix(max(0, last + 1)).dropFirst(place + 1) where row != nil {
      let gathered = latest.eras[next].conversions[object.entity]?.gathered ?? []
      guard !gathered.isEmpty else { continue }
      // Before, it led where its inverse said.
      let before = try self.row(
        of: object, at: latest.eras[next].since, countedBackFrom: latest, inEra: next - 1)
      row = latest.convert(row, of: object, from: place, to: next - 1)
      for key in gathered { row?[key] = before?[key] }
      place = next - 1
    }
    return latest.convert(row, of: object, from: place, to: last)
  }
}
