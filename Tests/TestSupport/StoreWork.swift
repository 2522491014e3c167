// A whole store on a simulated disk, driven by small steps, with a ledger of what was promised.

package import DiskSimulation
internal import EventFold
internal import Journaling
internal import ObjectModel
package import ObjectStore

/// A step of a program's work with a store.
package enum StoreStep: String, Sendable, CaseIterable {
  /// Two edits that are not saved.
  case edit
  /// An edit, and a save of everything edited.
  case save
  case roll
  case checkpoint
  /// Compaction that keeps nothing but what must be kept.
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
  /// The tags that were begun, the last of a name last, and how many were acknowledged.
  package var tags: [(name: String, commit: Int)] = []
  package var acknowledgedTagCount = 0
  /// What each context was to hold after each of its edits that was begun, since it last saved.
  package var edited: [String: [PlainState]] = [:]
  /// How many of them returned.
  package var returnedEditCounts: [String: Int] = [:]
  /// The contexts whose drafts are being discarded, or are.
  package var mayBeDiscarded: Set<String> = []
  package var discarded: Set<String> = []
  /// The states that a backup may have, once it was begun; and whether it was acknowledged.
  package var backups: [ClosedRange<Int>] = []
  package var acknowledgedBackups: Set<Int> = []

  package init() {}
}

/// A program that works with a store.
package final class StoreWork {
  package let disk: SimulatedDisk
  package private(set) var ledger = StoreLedger()
  private var store: JournaledStore?
  private var context: LiveContext?
  private var contextCount = 0
  /// What the context holds that is not saved: its objects, and what it saw of them.
  private var unsaved: PlainState = [:]
  private var bases: [ObjectID: (commit: CommitNumber, row: Row?)] = [:]
  private var editCount = 0

  package static let path = "Work.xjournal"

  package init(_ disk: SimulatedDisk) { self.disk = disk }

  package func open() throws {
    let store = try Self.open(on: disk)
    self.store = store
    try beginContext(store)
  }

  package static func open(
    on disk: SimulatedDisk, at path: String = path
  ) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: try StoreLife.model(), options: .tiny)
  }

  private func beginContext(_ store: JournaledStore) throws {
    contextCount += 1
    context = try store.beginContext(name: "context \(contextCount)", on: store.head.number)
    (unsaved, bases) = ([:], [:])
  }

  package func perform(_ step: StoreStep) throws {
    guard let store, let context else { preconditionFailure("work begins with opening") }
    switch step {
    case .edit:
      try edit(store, context)
      try edit(store, context)
    case .save:
      try edit(store, context)
      try save(store, context)
    case .roll: try store.beginSegment()
    case .checkpoint: try store.checkpoint()
    case .compact:
      ledger.mayBeDropped = ledger.acknowledgedCount
      try store.compact(keeping: .latest)
    case .reopen:
      abandon()
      try store.close()
      try open()
    case .backup:
      let states = ledger.acknowledgedCount...ledger.acknowledgedCount
      // One that failed is tried again at the same place.
      if ledger.acknowledgedBackups.count < ledger.backups.count { ledger.backups.removeLast() }
      ledger.backups.append(states)
      let index = ledger.backups.count
      try store.backup(to: "Backup \(index).xjournal")
      ledger.acknowledgedBackups.insert(index)
    case .tag:
      ledger.tags.append(("tag \(ledger.tags.count % 2)", ledger.acknowledgedCount))
      try store.tag("tag \((ledger.tags.count - 1) % 2)")
      ledger.acknowledgedTagCount += 1
    case .discard:
      guard let draft = store.unsavedDrafts.first else { return }
      ledger.mayBeDiscarded.insert(draft.contextName)
      try store.discard(draft)
      ledger.discarded.insert(draft.contextName)
    }
  }

  /// Whether there is a store to work with.
  package var isOpen: Bool { store != nil && context != nil }

  /// What the store that is open says its last state is.
  package func head() throws -> PlainState? { try store?.head.plain() }

  /// Lets go of the store as a dead process does.
  package func abandon() { (store, context) = (nil, nil) }

  /// Sets the title of a note, which is made every other time.
  private func edit(_ store: JournaledStore, _ context: LiveContext) throws {
    editCount += 1
    let key = try store.key(named: "title")
    let known = Set(ledger.states[ledger.acknowledgedCount].keys).union(unsaved.keys).sorted()
    let object: ObjectID
    if editCount % 2 == 1 || known.isEmpty {
      object = try store.newObject(of: EntityNumber(rawValue: 0))
      try record(.inserted(object), object, Row(), context, store)
      bases[object] = (.none, nil)
    } else {
      object = known[editCount % known.count]
    }
    if bases[object] == nil {
      let base = CommitNumber(rawValue: UInt64(ledger.acknowledgedCount))
      try store.record(.based(object, on: base), by: context)
      bases[object] = (base, ledger.states[ledger.acknowledgedCount][object])
    }
    var row = unsaved[object] ?? bases[object]?.row ?? Row()
    let text = editCount % 3 == 0 ? String(repeating: "long ", count: 60) : "title"
    let value = Value.string("\(text) \(editCount)")
    row[key] = value
    try record(.set(object, key, value), object, row, context, store)
  }

  private func record(
    _ edit: Edit, _ object: ObjectID, _ row: Row, _ context: LiveContext, _ store: JournaledStore
  ) throws {
    let before = unsaved
    unsaved[object] = row
    ledger.edited[context.name, default: []].append(unsaved)
    do {
      try store.record(edit, by: context)
    } catch {
      unsaved = before
      ledger.edited[context.name]?.removeLast()
      throw error
    }
    ledger.returnedEditCounts[context.name, default: 0] += 1
  }

  private func save(_ store: JournaledStore, _ context: LiveContext) throws {
    var state = ledger.states[ledger.acknowledgedCount]
    var objects: [CommitRequest.Object] = []
    for (object, row) in unsaved {
      guard let base = bases[object] else { continue }
      objects.append(.init(object, base: base.commit, base.row, to: row))
      state[object] = row
    }
    ledger.states.append(state)
    do {
      _ = try store.commit(CommitRequest(objects), by: context)
    } catch {
      // After a failed sync nobody knows; otherwise it surely was not made.
      if case .store(let cause) = error, cause.code == .stopped { throw error }
      ledger.states.removeLast()
      throw error
    }
    ledger.acknowledgedCount = ledger.states.count - 1
    ledger.edited[context.name] = nil
    ledger.returnedEditCounts[context.name] = nil
    (unsaved, bases) = ([:], [:])
  }
}

extension StoreOptions {
  /// So small that halves turn and checkpoints are due within a few edits.
  package static var tiny: StoreOptions {
    var options = StoreOptions.small
    options.journal.segmentByteCount = 4 << 10
    options.unflushedByteCount = 2400
    options.rollingByteCount = 700
    return options
  }
}
