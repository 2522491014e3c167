internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Compares what a checkpoint says of the store as a whole with what the journal says of it, while that passes: keys,
/// models, tags, contexts, numbers of objects.
///
/// Where compaction has dropped the beginning of the journal, what is left of it must be in the checkpoint, and what the
/// checkpoint says more is older.
struct CatalogueComparing {
  private let checkpoint: Checkpoint
  private let isWhole: Bool

  // What the journal says.
  private var names: [KeyNumber: String] = [:]
  private var models: [(since: CommitNumber?, entities: [NumberedEntity])] = []
  private var tags: [String: CommitNumber] = [:]
  private var contexts: [ContextNumber: Catalogue.OpenContext] = [:]
  private var next = ContextNumber(rawValue: 1)
  /// The last numbers of objects that were given, by origin and entity.
  private var given: [UInt64: UInt64] = [:]
  private var first: CommitNumber?
  private var last: CommitNumber?
  private var commitTime: RecordedTime?
  private var time = RecordedTime(rawValue: .min)

  /// Whether the journal has come to the checkpoint.
  private var isCompared = false
  /// Contexts of which the checkpoint has not been seen to be right yet. It may tell of them what they did just after it.
  private var unconfirmed: Set<ContextNumber> = []
  private(set) var findings: [StoreFinding] = []

  /// - Parameter isWhole: whether the journal goes back to its beginning.
  init(_ checkpoint: Checkpoint, isWhole: Bool) {
    self.checkpoint = checkpoint
    self.isWhole = isWhole
    if isWhole { last = CommitNumber.none }
  }

  /// Takes what the journal says next.
  mutating func take(_ entry: JournalEntry, in frame: FrameNumber) {
    if frame > checkpoint.frame, !isCompared { compare() }
    switch entry {
    case .event(let number, let event): take(event, number.rawValue)
    case .commit(let commit): take(commit.content)
    }
  }

  private mutating func take(_ event: Event, _ edit: UInt64) {
    switch event {
    case .keyNamed(let number, let name): names[number] = name
    case .modelAdopted(let entities): models.append((last, entities))
    case .timePassed(let passed): time = max(time, passed)
    case .tagged(let name, let commit): tags[name] = commit
    case .contextBegan(let number, let name, let base, let parent):
      next = max(next, ContextNumber(rawValue: number.rawValue + 1))
      begin(
        Catalogue.OpenContext(
          number: number, name: name, parent: parent, firstEdit: edit,
          standing: ContextStanding(on: base)))
    case .contextResumed(let number, let name, let base, let oldest, let firstEdit):
      begin(
        Catalogue.OpenContext(
          number: number, name: name, parent: nil, firstEdit: firstEdit,
          standing: ContextStanding(on: base, oldest: oldest)))
    case .contextEnded(let number), .draftDiscarded(let number):
      contexts[number] = nil
    case .edited(let number, let edited):
      if case .inserted(let object) = edited { note(object) }
      if case .renamed(let name) = edited { contexts[number]?.name = name }
      if edited.mayMove(contexts[number]?.standing) {
        change(number) { $0.note(edited, edit) }
      }
    case .numbersReserved, .unknown: break
    }
  }

  private mutating func begin(_ context: Catalogue.OpenContext) {
    contexts[context.number] = context
  }

  private mutating func take(_ commit: CommitContent) {
    first = first ?? commit.number
    (last, commitTime) = (commit.number, commit.time)
    time = max(time, commit.time)
    for change in commit.changes where change.kind == .inserted { note(change.object) }
    change(commit.context) { $0.settle(on: commit.number) }
  }

  private mutating func change(_ number: ContextNumber, _ change: (inout ContextStanding) -> Void) {
    guard var context = contexts.removeValue(forKey: number) else { return }
    change(&context.standing)
    contexts[number] = context
    confirm(number)
  }

  private mutating func note(_ object: ObjectID) {
    given[object.group] = max(given[object.group] ?? 0, object.number)
  }

  /// Compares what the journal has said up to the checkpoint's frame.
  private mutating func compare() {
    isCompared = true
    let catalogue = checkpoint.catalogue
    compareCommits(catalogue)
    for (number, name) in names where catalogue.keys[number] != name {
      find("key \(number.rawValue) is “\(name)”", "“\(catalogue.keys[number] ?? "")”")
    }
    if isWhole, catalogue.keys.names.count > names.count {
      find("there are \(names.count) names of keys", "\(catalogue.keys.names.count)")
    }
    compareModels(catalogue)
    for (name, commit) in tags where catalogue.tags[name] != commit {
      find("tag “\(name)” is at commit \(commit)", Self.words(catalogue.tags[name]))
    }
    if isWhole, catalogue.tags.count > tags.count {
      find("there are \(tags.count) tags", "\(catalogue.tags.count)")
    }
    if catalogue.nextContext < next || isWhole && catalogue.nextContext != next {
      find(
        "the next context is \(next.rawValue)", "\(catalogue.nextContext.rawValue)")
    }
    for (group, number) in given where catalogue.reserved[group] ?? 0 < number {
      find(
        "objects of entity \(group & 0xFFF) have numbers through \(number)",
        "\(catalogue.reserved[group] ?? 0)")
    }
    compareContexts(catalogue)
  }

  private mutating func compareCommits(_ catalogue: Catalogue) {
    if let last, last != checkpoint.number {
      find("the last commit is \(last)", "\(checkpoint.number)")
    } else if let commitTime, commitTime != checkpoint.time {
      find(
        "commit \(checkpoint.number) was made at \(commitTime.rawValue)",
        "\(checkpoint.time.rawValue)")
    }
    if catalogue.time < time {
      find("the time is \(time.rawValue)", "\(catalogue.time.rawValue)")
    }
    // Whatever is to be dropped stays as long as something else in its segment.
    let kept = first ?? checkpoint.number.next
    if catalogue.firstKept < kept || catalogue.firstKept > checkpoint.number.next {
      find("the first commit is \(kept)", "\(catalogue.firstKept)")
    }
  }

  private mutating func compareModels(_ catalogue: Catalogue) {
    guard catalogue.eras.count >= models.count, !isWhole || catalogue.eras.count == models.count
    else {
      return find("there are \(models.count) models", "\(catalogue.eras.count)")
    }
    let eras = catalogue.eras.suffix(models.count)
    for (model, era) in zip(models, eras)
    where model.entities != era.entities || model.since.map({ $0 != era.since }) ?? false {
      find("a model is adopted after commit \(Self.words(model.since))", "another")
    }
  }

  private mutating func compareContexts(_ catalogue: Catalogue) {
    for number in Set(contexts.keys).union(catalogue.contexts.keys).sorted() {
      let (ours, its) = (contexts[number], catalogue.contexts[number])
      guard let ours, let its else {
        // One that began in what compaction has dropped, and has not ended, is not dropped.
        find(
          "context \(number.rawValue) is \(ours == nil ? "not " : "")open",
          its == nil ? "not open" : "open")
        continue
      }
      if ours.parent != its.parent || ours.firstEdit != its.firstEdit {
        find("context \(number.rawValue) began with edit \(ours.firstEdit)", "\(its.firstEdit)")
      } else {
        unconfirmed.insert(number)
        confirm(number)
      }
    }
  }

  /// Sees whether the checkpoint is right about a context as that is now.
  private mutating func confirm(_ number: ContextNumber) {
    guard unconfirmed.contains(number), let ours = contexts[number],
      let its = checkpoint.catalogue.contexts[number], ours.name == its.name,
      its.standing.covers(ours.standing)
    else { return }
    unconfirmed.remove(number)
  }

  /// Says what is left where the journal ends.
  mutating func finish(at last: FrameNumber) {
    // The checkpoint may be of a later state than the one that is looked at.
    guard last >= checkpoint.frame else { return }
    if !isCompared { compare() }
    for number in unconfirmed.sorted() {
      guard let ours = contexts[number], let its = checkpoint.catalogue.contexts[number] else {
        continue
      }
      find("context \(number.rawValue) is \(ours.words)", its.words)
    }
    unconfirmed = []
  }

  /// Takes the next of the objects that there are, where the journal has come to its end: of many it may not have the
  /// commit that made them any more.
  mutating func take(_ object: ObjectID) {
    let group = object.group
    guard !isWhole, isCompared,
      object.number > max(given[group] ?? 0, checkpoint.catalogue.reserved[group] ?? 0)
    else { return }
    // One of each kind is enough.
    given[group] = .max
    find("there is \(object)", "that its number was not given yet")
  }

  private mutating func find(_ fact: String, _ claim: String) {
    findings.append(
      StoreFinding("by the journal \(fact), and the checkpoint says \(claim)."))
  }

  private static func words(_ commit: CommitNumber?) -> String {
    commit.map { "\($0)" } ?? "nothing"
  }
}

extension Edit {
  /// Whether a context may stand otherwise after it; of the most it is not so.
  fileprivate func mayMove(_ standing: ContextStanding?) -> Bool {
    switch self {
    case .set, .spliced, .setPrimitive: standing?.firstUnsavedEdit == nil
    default: true
    }
  }
}

extension Catalogue.OpenContext {
  /// What it is called, where it stands, and from which edit on it has something to save.
  fileprivate var words: String {
    let unsaved = standing.firstUnsavedEdit.map { ", with edit \($0) not saved" } ?? ""
    return "“\(name)” on commit \(standing.base)" + (standing.merged.map { " and \($0)" } ?? "")
      + ", once on \(standing.oldest)" + unsaved
  }
}

extension ContextStanding {
  /// Whether whoever begins with this finds everything unsaved of a context that stands as another says. What is about
  /// to be recorded is noted before it is.
  fileprivate func covers(_ other: ContextStanding) -> Bool {
    guard oldest <= other.oldest, latest == other.latest else { return false }
    guard let first = other.firstUnsavedEdit else { return true }
    return firstUnsavedEdit.map { $0 <= first && base == other.base } ?? false
  }
}
