// A store on a simulated disk, driven by small steps, with a ledger of every state it should have had.

internal import DiskAccess
package import DiskSimulation
internal import FoundationEssentials
internal import Journaling
package import ObjectModel
package import ObjectStore

/// The state of a store as a plain dictionary.
package typealias PlainState = [ObjectID: Row]

extension StoreOptions {
  /// Small sizes, so that every border is met within a few steps.
  package static var small: StoreOptions {
    var options = StoreOptions()
    options.journal = .small
    options.run.blockRowCount = 8
    options.unflushedByteCount = 8 << 10
    options.closingByteCount = 400
    options.rollingByteCount = 1 << 10
    options.cacheByteCount = 16 << 10
    return options
  }
}

/// A store that a program with one or two contexts edits and saves at random.
package struct StoreLife {
  package let disk: SimulatedDisk
  package private(set) var store: JournaledStore
  /// The state after each commit; the first is that before any.
  package private(set) var states: [PlainState] = [[:]]
  /// Whether the last save changed anything.
  package private(set) var didCommit = false
  private var contexts: [LiveContext] = []
  /// The edits of the next save that have set values.
  private var edits: [ObjectID: [KeyNumber: EditNumber]] = [:]
  private var dice: Dice
  private let options: StoreOptions

  package static let path = "Life.xjournal"

  package static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Note",
        attributes: [
          AttributeDescription("title", .string, isIndexed: true),
          AttributeDescription("text", .string, isIndexed: true),
          AttributeDescription("likes", .counter, isIndexed: true),
          AttributeDescription("rank", .integer, isIndexed: true),
        ],
        relationships: [
          RelationshipDescription("folder", to: "Folder", inverse: "notes")
        ]),
      EntityDescription(
        "Folder", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("notes", to: "Note", inverse: "folder", isToMany: true)
        ]),
    ])
  }

  package init(seed: UInt64, options: StoreOptions = .small) throws {
    disk = SimulatedDisk(seed: seed)
    dice = Dice(seed: seed)
    self.options = options
    store = try JournaledStore(
      on: disk, at: Self.path, model: try Self.model(), options: options)
    try beginContexts()
  }

  private mutating func beginContexts() throws {
    contexts = try ["one", "two"].map {
      try store.beginContext(name: $0, on: store.head.number)
    }
  }

  /// Ends the contexts, and begins others.
  package mutating func endContexts() throws {
    for context in contexts { try store.endContext(context) }
    try beginContexts()
  }

  /// Opens another store on the same disk, or on another.
  package func store(
    at path: String = path, on other: SimulatedDisk? = nil
  ) throws -> JournaledStore {
    try JournaledStore(
      on: other ?? disk, at: path, model: try Self.model(), options: options)
  }

  /// Closes the store and opens it again.
  package mutating func reopen() throws {
    try store.close()
    store = try store(at: Self.path)
    try beginContexts()
  }

  /// Seals the active segment and begins the next.
  package func roll() throws { try store.beginSegment() }

  /// The state of the last commit.
  package var state: PlainState { states[states.count - 1] }

  /// Edits some objects and commits them.
  package mutating func save() throws {
    let place = dice.pick(2)
    let context = contexts[place]
    edits = [:]
    let base = store.head.number
    try store.record(.merged(base), by: context)
    var changed: PlainState = [:]
    var gone: Set<ObjectID> = []
    for _ in 0...dice.pick(4) {
      switch dice.pick(5) {
      case 0, 1: try insert(by: context, &changed)
      case 2: try delete(by: context, changed, &gone)
      default: try update(by: context, &changed, gone)
      }
    }
    var next = state
    var objects: [CommitRequest.Object] = []
    for (object, row) in changed where !gone.contains(object) {
      objects.append(.init(object, base: base, state[object], to: row))
      next[object] = row
    }
    for object in gone {
      objects.append(.init(object, base: base, state[object], to: nil))
      next[object] = nil
    }
    var request = CommitRequest(objects)
    request.author = ["ann", "bob", nil][dice.pick(3)]
    // Of the two contexts one names its edits in its commits.
    if place == 0 { request.edit = { [edits] object, key, _ in edits[object]?[key] } }
    didCommit = try store.commit(request, by: context) != nil
    if didCommit {
      states.append(next)
    } else {
      try store.record(.rolledBack, by: context)
    }
  }

  private mutating func insert(
    by context: LiveContext, _ changed: inout PlainState
  ) throws {
    let entity = EntityNumber(rawValue: UInt16(dice.pick(2)))
    let object = try store.newObject(of: entity)
    try store.record(.inserted(object), by: context)
    changed[object] = Row()
    for _ in 0..<dice.pick(4) { try set(object, by: context, &changed) }
  }

  private mutating func update(
    by context: LiveContext, _ changed: inout PlainState, _ gone: Set<ObjectID>
  ) throws {
    let known = Set(state.keys).subtracting(gone).sorted()
    guard !known.isEmpty else { return }
    let object = known[dice.pick(known.count)]
    for _ in 0...dice.pick(3) { try set(object, by: context, &changed) }
  }

  private mutating func delete(
    by context: LiveContext, _ changed: PlainState, _ gone: inout Set<ObjectID>
  ) throws {
    let known = Set(state.keys).subtracting(gone).sorted()
    guard !known.isEmpty else { return }
    let object = known[dice.pick(known.count)]
    try store.record(.deleted(object), by: context)
    gone.insert(object)
  }

  private mutating func set(
    _ object: ObjectID, by context: LiveContext, _ changed: inout PlainState
  ) throws {
    let keys =
      object.entity.rawValue == 0
      ? ["title", "text", "likes", "rank", "mood", "folder"] : ["name", "mood"]
    let name = keys[dice.pick(keys.count)]
    let key = try store.key(named: name)
    var row = changed[object] ?? state[object] ?? Row()
    let value = value(for: name, row[key])
    edits[object, default: [:]][key] = try store.record(.set(object, key, value), by: context)
    row[key] = value
    changed[object] = row
  }

  private mutating func value(for name: String, _ old: Value?) -> Value? {
    if dice.pick(8) == 0 { return nil }
    switch name {
    case "folder":
      let folders = state.keys.filter { $0.entity.rawValue == 1 }.sorted()
      if folders.isEmpty { return nil }
      return .reference(folders[dice.pick(folders.count)])
    case "likes": return .counter((old?.counter ?? 0) + dice.pick(5) - 1)
    case "rank": return .integer(dice.pick(1_000))
    case "text":
      var words = (old?.string ?? String(repeating: "lorem ipsum ", count: 12)).split(
        separator: " ")
      if words.isEmpty { words = ["empty"] }
      words[dice.pick(words.count)] = "word\(dice.pick(50))"
      return .string(words.joined(separator: " "))
    case "mood":
      return .set(Set((0..<dice.pick(4)).map { _ in Value.integer(dice.pick(6)) }))
    default: return .string("\(name) \(dice.pick(100))")
    }
  }
}

extension Snapshot {
  /// All objects of all entities.
  package func plain() throws -> PlainState {
    var state: PlainState = [:]
    for entity in era?.entities ?? [] {
      try forEach(entity.number) { object, row in
        state[object] = row
        return true
      }
    }
    return state
  }

  /// All objects of all entities, come by in batches.
  package func plainByBatches(keyCount: UInt32 = 12) throws -> PlainState {
    var state: PlainState = [:]
    for entity in era?.entities ?? [] {
      try forEachBatch(of: entity.number) { batch throws(StoreError) in
        let columns = try (0..<keyCount).map { number throws(StoreError) in
          try batch.column(KeyNumber(rawValue: number))
        }
        for place in 0..<batch.count where batch.hasRow(place) {
          var row = Row()
          for (number, column) in columns.enumerated() {
            row[KeyNumber(rawValue: UInt32(number))] = try column.value(place)
          }
          // An object that comes twice is none that any state has.
          let object = batch.object(place)
          state[object] = state[object] == nil ? row : Row()
        }
        return true
      }
    }
    return state
  }
}
