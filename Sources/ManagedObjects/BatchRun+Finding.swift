internal import ObjectModel
internal import ObjectStore

/// Which objects a batch is about.
struct BatchSelection {
  let request: FetchRequest
  /// Keys that neither the model nor a class has, by the names that the request has for them.
  var accessors: [String: KeyAccessor] = [:]

  /// The request as a query of a snapshot. Computed keys are asked of objects of that snapshot, which no context of
  /// the program's has.
  func query(_ store: ReadableStore, _ snapshot: Snapshot) throws -> ContextQuery {
    let context = ManagedObjectContext(
      StoreView(store, at: snapshot), EditWriter(refusing: .readOnly))
    return try ContextQuery(request, in: context, snapshot, accessors: accessors)
  }
}

extension BatchRun {
  /// Sets values of the objects that a request finds.
  mutating func update(_ selection: BatchSelection, _ values: [String: Value]) throws {
    let info = try entity(selection.request.entityName)
    let keys = try values.sorted { $0.key < $1.key }
      .map { (key: try key($0.key, of: info), value: $0.value) }
    try forEachChunk(of: selection) { rows, objects in
      for (key, given) in keys {
        let value = try key.taken(given, row: nil, info, &rows)
        for object in objects {
          if let value, let identifier = key.identifier,
            try rows.isTaken(value, identifier, by: object, info)
          {
            throw BatchError.identifierTaken(row: nil, entity: info.name, key: key.name, value)
          }
          if let relationship = key.relationship {
            try rows.relate(object, key.key, relationship, to: value)
          } else {
            try rows.put(value, for: key.key, of: object)
          }
        }
      }
      return objects
    }
  }

  /// Deletes the objects that a request finds.
  mutating func delete(_ selection: BatchSelection) throws {
    _ = try entity(selection.request.entityName)
    try forEachChunk(of: selection) { rows, objects in try rows.delete(objects) }
  }

  /// Commits what a closure makes of the objects that a request finds in the last state, so many at a time. Those that
  /// others change meanwhile are asked again whether they pass.
  private mutating func forEachChunk(
    of selection: BatchSelection, _ change: (inout BatchRows, [ObjectID]) throws -> [ObjectID]
  ) throws {
    let snapshot = store.head
    let query = try selection.query(store, snapshot)
    if selection.request.limit != nil || selection.request.offset > 0 {
      var left = try snapshot.objects(of: query.query, with: query.unsaved)[0...]
      while !left.isEmpty {
        try commit(Array(left.prefix(objectsPerCommit)), foundIn: snapshot, selection, change)
        left = left.dropFirst(objectsPerCommit)
      }
      return
    }
    var chunk: [ObjectID] = []
    var failure: (any Error)?
    try snapshot.forEachMatch(of: query.query, with: query.unsaved) { (object) throws(StoreError) in
      chunk.append(object.objectID)
      guard chunk.count == objectsPerCommit else { return true }
      do {
        try commit(chunk, foundIn: snapshot, selection, change)
      } catch {
        failure = error
      }
      chunk.removeAll(keepingCapacity: true)
      return failure == nil
    }
    if let failure { throw failure }
    if !chunk.isEmpty { try commit(chunk, foundIn: snapshot, selection, change) }
  }

  private mutating func commit(
    _ found: [ObjectID], foundIn start: Snapshot, _ selection: BatchSelection,
    _ change: (inout BatchRows, [ObjectID]) throws -> [ObjectID]
  ) throws {
    let found = found.sorted()
    let store = store
    try commit { rows in
      var objects = found
      if rows.snapshot.number > start.number {
        let snapshot = rows.snapshot
        var query: ContextQuery?
        objects = try found.filter { object in
          guard let stored = try snapshot.stored(object) else { return false }
          if stored.changed <= start.number { return true }
          let now = try query ?? selection.query(store, snapshot)
          query = now
          return try snapshot.passes(object, now.query, with: now.unsaved)
        }
      }
      let done = try change(&rows, objects)
      let failures = try rows.failures()
      if !failures.isEmpty { throw ValidationErrors(failures: failures) }
      return done
    }
  }
}
