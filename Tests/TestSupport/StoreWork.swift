// A whole store on a simulated disk, driven by small steps, with a ledger of what was promised.

package import DiskSimulation
internal import EventFold
internal import Journaling
internal import ObjectModel
package import ObjectStore

/// A step of a program's work with a store.
package enum StoreStep: String, Sendable, CaseIterable {
  /// Two things done that are not saved, each by one of two contexts: an object made, some of its values set,
  /// deleted; steps undone and redone; everything given up, refreshed, or brought to the last commit.
  case edit
  /// One thing done, and a save of everything that its context has not saved.
  case save
  case roll
  case checkpoint
  /// Compaction that keeps some of the past, or nothing but what must be kept.
  case compact
  /// Closing with whatever is unsaved, and opening.
  case reopen
  case backup
  case tag
  /// Discarding the newest draft.
  case discard
}

/// What was begun and what was acknowledged, from which an oracle tells what must be there.
package struct StoreLedger: Sendable {
  /// The state after each commit that was begun; the first is that before any.
  package var states: [PlainState] = [[:]]
  /// How many of the commits were acknowledged.
  package var acknowledgedCount = 0
  /// The last commit that compaction may have dropped, and the last that it has.
  package var mayBeDropped = 0
  /// The tags that were begun, the last of a name last.
  package var tags: [Tag] = []
  /// All that was to happen to contexts, in its order.
  package var moments: [Moment] = []
  /// How many of these returned, and how many of them were there when something returned that had synced.
  package var returnedMomentCount = 0
  package var durableMomentCount = 0
  package var backups: [Backup] = []

  /// What was to become of a context.
  package struct Moment: Sendable {
    package let context: String
    /// The context from here on; nil where it is given up.
    let work: ContextWork?
    /// What its draft holds from here on; nil where it is none.
    package let content: DraftContent?
    /// Whether this is the next commit.
    package let isCommit: Bool

    init(_ context: String, _ work: ContextWork?, isCommit: Bool = false) {
      (self.context, self.work, self.isCommit) = (context, work, isCommit)
      content = work?.content
    }
  }

  /// A name that a commit was to have.
  package struct Tag: Sendable {
    package let name: String
    package let commit: Int
    package var isAcknowledged = false
  }

  /// A backup that was begun.
  package struct Backup: Sendable {
    package let path: String
    /// The commit that it is of.
    package let commit: Int
    package var isAcknowledged = false
    /// Whether it was there after a crash.
    package var isFound = false
  }

  package init() {}

  /// What was promised of what a crash has left.
  func after(_ remains: StoreOracle.Remains) -> StoreLedger {
    var ledger = self
    ledger.states.removeLast(states.count - 1 - remains.lastCommit)
    ledger.acknowledgedCount = remains.lastCommit
    ledger.tags = remains.tags.sorted { $0.key < $1.key }
      .map { Tag(name: $0.key, commit: $0.value, isAcknowledged: true) }
    ledger.moments.removeLast(moments.count - remains.momentCount)
    ledger.returnedMomentCount = remains.momentCount
    ledger.durableMomentCount = remains.momentCount
    for index in backups.indices where remains.backups.contains(backups[index].path) {
      ledger.backups[index].isFound = true
      if remains.areBackupsDurable { ledger.backups[index].isAcknowledged = true }
    }
    return ledger
  }
}

/// A program that works with a store.
package final class StoreWork {
  package let disk: SimulatedDisk
  package private(set) var ledger = StoreLedger()
  private var store: JournaledStore?
  /// How many drafts it has gone on with.
  package private(set) var resumedCount = 0
  private var contextCount = 0
  /// The contexts that are open.
  private var works: [ContextWork] = []
  /// Those of earlier lives that may be drafts.
  private var left: [String: ContextWork] = [:]
  private var dice: Dice

  package static let path = "Work.xjournal"

  /// - Parameter seed: decides what is edited.
  package init(_ disk: SimulatedDisk, seed: UInt64) {
    self.disk = disk
    dice = Dice(seed: seed)
  }

  package func open() throws {
    let store = try Self.open(on: disk)
    // Some go on with what was left; others begin anew.
    var opened: [ContextWork] = []
    for draft in store.unsavedDrafts where opened.count < 2 && dice.pick(2) == 0 {
      guard var work = left[draft.contextName] else { throw WorkError("\(draft) is none") }
      let resumed = try store.resume(draft)
      let content = try DraftContent(
        resumed.content, of: store, among: work.reference.objects.keys)
      guard content == work.content else {
        let meant = work.content.map { "\($0)" } ?? "nothing"
        throw WorkError("\(draft) holds \(content), and not \(meant)")
      }
      work.context = resumed.context
      resumedCount += 1
      opened.append(work)
    }
    while opened.count < 2 {
      contextCount += 1
      let context = try store.beginContext(
        name: "context \(contextCount)", on: store.head.number)
      opened.append(ContextWork(context, on: ledger.states))
    }
    for work in opened { left[work.context.name] = nil }
    (self.store, works) = (store, opened)
  }

  package static func open(
    on disk: SimulatedDisk, at path: String = path
  ) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: try StoreLife.model(), options: .tiny)
  }

  package func perform(_ step: StoreStep) throws {
    guard let store, isOpen else { preconditionFailure("work begins with opening") }
    let momentCount = ledger.moments.count
    switch step {
    case .edit:
      for _ in 1...2 { try edit(store, dice.pick(2)) }
    case .save:
      let place = dice.pick(2)
      try edit(store, place)
      try save(store, place)
    case .roll: try store.beginSegment()
    case .checkpoint: try store.checkpoint()
    case .compact:
      let first = 1 + dice.pick(2 * ledger.acknowledgedCount + 1)
      ledger.mayBeDropped = max(
        ledger.mayBeDropped, min(first - 1, ledger.acknowledgedCount))
      try store.compact(keeping: .commits(since: CommitNumber(rawValue: UInt64(first))))
    case .reopen:
      leave()
      try store.close()
      ledger.durableMomentCount = momentCount
      try open()
      return
    case .backup:
      // One that failed is tried again at the same place.
      if let last = ledger.backups.last, !last.isAcknowledged, !last.isFound {
        ledger.backups.removeLast()
      }
      let path = "Backup \(ledger.backups.count + 1).xjournal"
      ledger.backups.append(.init(path: path, commit: ledger.acknowledgedCount))
      try store.backup(to: path)
      ledger.backups[ledger.backups.count - 1].isAcknowledged = true
    case .tag:
      let name = "tag \(ledger.tags.count % 2)"
      ledger.tags.append(.init(name: name, commit: ledger.acknowledgedCount))
      try store.tag(name)
      ledger.tags[ledger.tags.count - 1].isAcknowledged = true
    case .discard: try discard(store)
    }
    // What returns by a sync takes all with it that came before.
    if [.checkpoint, .compact, .backup, .tag].contains(step) {
      ledger.durableMomentCount = momentCount
    }
  }

  /// Whether there is a store to work with.
  package var isOpen: Bool { store != nil && works.count == 2 }

  /// What the store that is open says its last state is.
  package func head() throws -> PlainState? { try store?.head.plain() }

  /// What the store that is open says a commit's state is that was acknowledged and is kept, one of them by chance;
  /// nil where none is.
  package func past(_ dice: inout Dice) throws -> (commit: Int, state: PlainState)? {
    guard let store else { return nil }
    let first = Int(store.firstKeptCommit.rawValue) - 1
    let number = first + dice.pick(ledger.acknowledgedCount - first + 1)
    return (number, try store.snapshot(at: CommitNumber(rawValue: UInt64(number))).plain())
  }

  /// Lets go of the store as a dead process does.
  package func abandon() { (store, works) = (nil, []) }

  /// The work that goes on with what a crash has left of another.
  ///
  /// - Parameters:
  ///   - ledger: what was begun and acknowledged when the crash came.
  ///   - remains: what was found then.
  package init(
    _ disk: SimulatedDisk, survivingFrom work: StoreWork, _ ledger: StoreLedger,
    _ remains: StoreOracle.Remains
  ) {
    self.disk = disk
    (dice, contextCount) = (work.dice, work.contextCount)
    self.ledger = ledger.after(remains)
    for moment in self.ledger.moments {
      left[moment.context] = moment.content == nil ? nil : moment.work
    }
  }

  /// The work that goes on with a store that is there, whose commits are all kept, and in which nothing is left unsaved.
  package init(_ disk: SimulatedDisk, seed: UInt64, goingOnWith store: StoreReader) throws {
    self.disk = disk
    dice = Dice(seed: seed)
    let last = Int(store.lastCommit.rawValue)
    ledger.states = try (0...last).map {
      try store.snapshot(at: CommitNumber(rawValue: UInt64($0))).plain()
    }
    ledger.acknowledgedCount = last
    ledger.tags = store.tags.sorted { $0.key < $1.key }
      .map { .init(name: $0.key, commit: Int($0.value.rawValue), isAcknowledged: true) }
    ledger.moments = (0..<last).map { _ in .init("", nil, isCommit: true) }
    ledger.returnedMomentCount = last
    ledger.durableMomentCount = last
  }

  /// A store that two contexts have worked with, whose commits are all kept, and in which nothing is left unsaved.
  package static func made(seed: UInt64, stepCount: Int) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: seed)
    let start: Int64 = 1_795_168_800_000_000_000
    disk.setWallClock(start)
    let work = StoreWork(disk, seed: seed)
    try work.open()
    var dice = Dice(seed: seed)
    let steps: [StoreStep] = [.edit, .edit, .save, .save, .save, .roll, .checkpoint, .tag, .reopen]
    for number in 1...stepCount {
      disk.setWallClock(start + Int64(number) * 60_000_000_000)
      try work.perform(steps[dice.pick(steps.count)])
    }
    work.abandon()
    let left = disk.imageAfterProcessDeath()
    let store = try open(on: left)
    for draft in store.unsavedDrafts { try store.discard(draft) }
    try store.close()
    return left
  }

  /// Lets go of the store, whose contexts are left as they are.
  private func leave() {
    for work in works { left[work.context.name] = work }
    abandon()
  }

  /// Has a context edit something, and often end a step.
  private func edit(_ store: JournaledStore, _ place: Int) throws {
    let edits = try works[place].nextEdits(&dice, ledger.states) {
      try store.newObject(of: EntityNumber(rawValue: 0))
    } key: {
      try store.key(named: $0)
    }
    for edit in edits { try record(edit, place, store) }
  }

  private func record(_ edit: Edit, _ place: Int, _ store: JournaledStore) throws {
    var next = works[place]
    next.follow(edit, ledger.states)
    try begin(next) { try store.record(edit, by: next.context) }
    works[place] = next
  }

  /// Does something that makes a context another, which it is not where that fails.
  private func begin(
    _ next: ContextWork, isCommit: Bool = false, _ body: () throws -> Void
  ) throws {
    ledger.moments.append(.init(next.context.name, next, isCommit: isCommit))
    do {
      try body()
    } catch {
      // After a failed sync nobody knows whether a commit is made.
      if !(isCommit && error.isStop) { ledger.moments.removeLast() }
      throw error
    }
    ledger.returnedMomentCount = ledger.moments.count
  }

  /// Saves what a context has changed; where others have changed the same, it is brought to that first.
  private func save(_ store: JournaledStore, _ place: Int) throws {
    do {
      try saveOnce(store, place)
    } catch CommitError.conflicts(let conflicts) {
      try record(.saveFailed("others were first"), place, store)
      let edit: Edit =
        dice.pick(2) == 0
        ? .merged(store.lastCommit)
        : .refreshed(
          conflicts.objects.map(\.object), keepingChanges: true, at: store.lastCommit)
      try record(edit, place, store)
      try saveOnce(store, place)
    }
  }

  private func saveOnce(_ store: JournaledStore, _ place: Int) throws {
    let (objects, state) = works[place].request(ledger.states)
    guard !objects.isEmpty else {
      // Nothing is different, and nothing is to be saved any more.
      return try record(.saved(store.lastCommit), place, store)
    }
    guard state != ledger.states[ledger.states.count - 1] else {
      // Others have done the same.
      guard try store.commit(CommitRequest(objects), by: works[place].context) == nil else {
        throw WorkError("\(objects) are there, and make a commit")
      }
      return try record(.saved(store.lastCommit), place, store)
    }
    ledger.states.append(state)
    var next = works[place]
    let number = CommitNumber(rawValue: UInt64(ledger.states.count - 1))
    next.follow(.saved(number), ledger.states)
    do {
      try begin(next, isCommit: true) {
        let commit = try store.commit(CommitRequest(objects), by: next.context)
        guard commit?.number == number else { throw WorkError("\(objects) make no commit") }
      }
    } catch {
      // After a failed sync nobody knows; otherwise it surely was not made.
      if !error.isStop { ledger.states.removeLast() }
      throw error
    }
    ledger.acknowledgedCount = ledger.states.count - 1
    ledger.durableMomentCount = ledger.moments.count
    works[place] = next
  }

  private func discard(_ store: JournaledStore) throws {
    guard let draft = store.unsavedDrafts.first else { return }
    ledger.moments.append(.init(draft.contextName, nil))
    do {
      try store.discard(draft)
    } catch {
      // It may be done, and not be durable yet.
      if store.unsavedDrafts.contains(draft) { ledger.moments.removeLast() }
      throw error
    }
    ledger.returnedMomentCount = ledger.moments.count
    ledger.durableMomentCount = ledger.moments.count
    left[draft.contextName] = nil
  }
}

/// Work that does not go as it should.
private struct WorkError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension Error {
  /// What the store says, also of a commit; nil where it is nothing of a store's.
  package var ofStore: StoreError? {
    if case .store(let cause)? = self as? CommitError { cause } else { self as? StoreError }
  }

  /// Whether the store has stopped after a failed sync.
  package var isStop: Bool { ofStore?.code == .stopped }
}

extension StoreOptions {
  /// As by default, but for what is made anew for each of many stores in memory: that is small.
  package static var light: StoreOptions {
    var options = StoreOptions()
    options.journal.halfByteCount = 64 << 10
    options.journal.preallocatedByteCount = 64 << 10
    return options
  }

  /// So small that halves turn and checkpoints are due within a few edits.
  package static var tiny: StoreOptions {
    var options = StoreOptions.small
    options.journal.segmentByteCount = 4 << 10
    options.unflushedByteCount = 2400
    options.rollingByteCount = 700
    return options
  }
}
