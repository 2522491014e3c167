// A store whose model changes, driven by the names of entities and keys, as a program sees it.

package import DiskSimulation
package import ObjectModel
package import ObjectStore

/// What objects hold by the names of keys.
package typealias NamedState = [ObjectID: [String: Value]]

/// A store on a simulated disk that is opened with one model after another.
package struct ModelLife {
  package private(set) var disk: SimulatedDisk
  package private(set) var store: JournaledStore
  /// The state after each commit, as the model of its time had it; the first is that before any.
  package private(set) var states: [NamedState] = [[:]]
  package let options: StoreOptions

  package static let path = "Model.xjournal"

  package init(
    _ model: ManagedObjectModel?, seed: UInt64 = 1, options: StoreOptions = .small
  ) throws {
    disk = SimulatedDisk(seed: seed)
    self.options = options
    store = try JournaledStore(on: disk, at: Self.path, model: model, options: options)
  }

  /// Closes the store and opens it with another model.
  package mutating func reopen(_ model: ManagedObjectModel?) throws {
    try store.close()
    store = try JournaledStore(on: disk, at: Self.path, model: model, options: options)
  }

  /// Opens what the end of the process would leave, with a model.
  package mutating func crash(_ model: ManagedObjectModel?) throws {
    disk = disk.imageAfterProcessDeath()
    store = try JournaledStore(on: disk, at: Self.path, model: model, options: options)
  }

  /// Makes a new object of an entity, and commits it.
  package mutating func insert(_ entity: String, _ values: [String: Value]) throws -> ObjectID {
    guard let number = store.head.era?.number(of: entity) else { throw NoSuchEntity(name: entity) }
    let object = try store.newObject(of: number)
    try save([object: values])
    return object
  }

  package struct NoSuchEntity: Error { let name: String }

  /// Commits objects as they are to be; nil where they are to be deleted.
  package mutating func save(_ objects: [ObjectID: [String: Value]?]) throws {
    let context = try store.beginContext(name: "life", on: store.lastCommit)
    var changes: [CommitRequest.Object] = []
    var state = try head
    for (object, values) in objects {
      state[object] = values
      let old = try store.head.row(of: object)
      let new = try values.map(row)
      changes.append(.init(object, base: store.lastCommit, old, to: new))
    }
    _ = try store.commit(CommitRequest(changes), by: context)
    try store.endContext(context)
    states.append(state)
  }

  package func row(_ values: [String: Value]) throws -> Row {
    var row = Row()
    for (name, value) in values { row[try store.key(named: name)] = value }
    return row
  }

  /// All that a snapshot has, by names.
  package func named(_ snapshot: Snapshot) throws -> NamedState {
    let state = try snapshot.plain()
    let batches = try snapshot.plainByBatches(keyCount: 64)
    precondition(batches == state, "batches tell another state")
    return state.mapValues { row in
      Dictionary(
        uniqueKeysWithValues: row.entries.map { (store.name(of: $0.key) ?? "?", $0.value) })
    }
  }

  package var head: NamedState { get throws { try named(store.head) } }

  /// The first kept state that is not what it was, in words; nil where all are.
  package func fault() throws -> String? {
    var dice = Dice(seed: UInt64(states.count))
    for number in Int(store.firstKeptCommit.rawValue) - 1..<states.count {
      let commit = CommitNumber(rawValue: UInt64(number))
      let snapshot = try store.snapshot(at: commit)
      let past = try named(snapshot)
      // A state that compaction has made the first may be in a newer form only where its era is gone.
      if past != states[number] { return "commit \(number) is \(past), was \(states[number])" }
      if let fault = try IndexOracle(snapshot, store.existingKey).fault(&dice) {
        return "commit \(number): \(fault)"
      }
      for (object, values) in states[number] {
        let stored = try store.stored(object, at: commit)?.row
        if stored != (try row(values)) { return "\(object) at commit \(number)" }
      }
    }
    let findings = try store.verify(deep: true)
    return findings.first.map { "verification: \($0)" }
  }
}
