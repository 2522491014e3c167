internal import EventFold
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// A batch that is being made: commits of a context without edits.
struct BatchRun {
  let store: JournaledStore
  let schema: Schema
  let options: BatchOptions
  private let author: String?
  private let message: String?
  private let live: LiveContext
  private(set) var result = BatchResult()

  /// Runs a batch, in a context that begins and ends with it.
  static func run(
    _ name: String, in store: JournaledStore, _ author: String?, _ message: String?,
    _ options: BatchOptions, _ body: (inout BatchRun) throws -> Void
  ) throws -> BatchResult {
    guard store.model != nil else { throw ContextError.noModel }
    let live = try store.beginContext(name: name, on: store.lastCommit)
    defer { store.giveUp(live) }
    var run = BatchRun(
      store: store, schema: Schema.of(store), options: options, author: author, message: message,
      live: live)
    do {
      try body(&run)
    } catch {
      if run.result.commits.isEmpty { throw error }
      throw BatchInterrupted(done: run.result, reason: error)
    }
    return run.result
  }

  private init(
    store: JournaledStore, schema: Schema, options: BatchOptions, author: String?,
    message: String?, live: LiveContext
  ) {
    self.store = store
    self.schema = schema
    self.options = options
    self.author = author
    self.message = message
    self.live = live
  }

  /// How many objects one commit takes.
  var objectsPerCommit: Int { max(1, options.objectsPerCommit ?? .max) }

  /// The entity of a name.
  func entity(_ name: String) throws -> EntityInfo {
    if let info = schema.entity(named: name) { return info }
    throw BatchError.entityMissing(
      name, nearest: Spelling.nearest(to: name, among: schema.entities.map(\.name)))
  }

  func key(_ name: String, of info: EntityInfo) throws -> BatchKey {
    try BatchKey(name, of: info, schema, in: store, allowsDynamic: options.allowsDynamicKeys)
  }

  /// Makes one commit; where others have changed the same objects meanwhile, makes it anew of what there is then.
  ///
  /// - Parameter make: makes the changes, and gives the objects that count as done.
  mutating func commit(_ make: (inout BatchRows) throws -> [ObjectID]) throws {
    var tryCount = 0
    while true {
      var rows = BatchRows(schema, of: store, on: store.head)
      let objects = try make(&rows)
      var request = CommitRequest(rows.changes())
      request.author = author
      request.message = message
      request.userInfo = options.userInfo
      request.keepsEnds = true
      do throws(CommitError) {
        let commit = try store.commit(request, by: live, durability: options.durability)
        if let commit { result.commits.append(commit.number) }
        result.objectIDs += objects
        return
      } catch {
        var isFinal = tryCount == CommitError.largestTryCount
        if case .store = error { isFinal = true }
        if isFinal { throw error.told(in: store, schema) }
        tryCount += 1
        store.catchUp()
      }
    }
  }
}
