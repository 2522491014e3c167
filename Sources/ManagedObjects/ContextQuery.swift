internal import EventFold
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// A query as a context asks it: virtual keys are computed by objects, and what is not saved lies over what the
/// store has.
struct ContextQuery {
  let query: SnapshotQuery
  let unsaved: PendingObjects?
  /// What else is to be read of each object.
  let paths: [BoundPath]

  /// - Parameters:
  ///   - paths: what else is to be read of each object.
  ///   - accessors: keys that neither the model nor a class has, by the names that the request has for them.
  init(
    _ request: FetchRequest, in context: ManagedObjectContext, _ snapshot: Snapshot,
    reading paths: [String] = [], accessors: [String: KeyAccessor] = [:]
  ) throws {
    let resolver = ContextKeys(context, accessors)
    let mayBeKept = paths.isEmpty && accessors.isEmpty
    if mayBeKept, let kept = context.boundQueries.query(of: request, in: snapshot) {
      (query, self.paths) = (kept, [])
    } else {
      var (query, text) = try request.query()
      guard let era = snapshot.era else { throw ContextError.noModel }
      // What is to be read is bound as what is sorted by is.
      let sortCount = query.sort.count
      query.sort += paths.map { SortKey(stringLiteral: $0) }
      let bound = try query.bound(to: era.model, resolver, text: text)
      self.paths = bound.sort.dropFirst(sortCount).map(\.path)
      self.query = SnapshotQuery(bound.sorted(byFirst: sortCount), in: snapshot)
      if mayBeKept, resolver.areAllStored {
        context.boundQueries.keep(self.query, of: request, in: snapshot)
      }
    }
    let pending = PendingObjects(
      context, resolver, counts: request.includesPendingChanges, over: snapshot)
    unsaved = pending.isNeeded ? pending : nil
  }
}

/// Computes a value of an object that no row has.
typealias KeyAccessor = (ManagedObject) -> Value?

/// Knows by which number the values of a key are found in a context's store.
final class ContextKeys: KeyResolver {
  private let context: ManagedObjectContext
  /// Keys that are not the model's, by a name that the query has for them.
  private let named: [String: KeyAccessor]
  private(set) var accessors: [KeyAccessor] = []
  /// Whether each key that was asked for has a number: none is computed, and none may be given one later.
  private(set) var areAllStored = true

  init(_ context: ManagedObjectContext, _ named: [String: KeyAccessor]) {
    self.context = context
    self.named = named
  }

  func resolve(_ key: String, of entity: ModelEntity) -> ObjectQuery.ResolvedKey? {
    if let accessor = named[key] { return .virtual(add(accessor)) }
    guard let info = context.schema.entity(named: entity.name) else {
      areAllStored = false
      return nil
    }
    // Of one key objects of the entity itself may have what is stored, and those of an heir what is not.
    let isForObjects = info.kinds.contains { kind in
      guard let kind = context.schema.entity(kind) else { return false }
      return kind.virtualAttributes[key] != nil || kind.property(key)?.isTransient ?? false
    }
    if isForObjects { return .virtual(add { $0[key] }) }
    if let property = info.property(key) { return .stored(property.key) }
    if let key = context.existingKey(key) { return .stored(key) }
    areAllStored = false
    return nil
  }

  func otherKeys(of entity: ModelEntity) -> [String] {
    context.schema.entity(named: entity.name).map { Array($0.virtualAttributes.keys) } ?? []
  }

  /// Any object may have dynamic attributes, which nobody need have set yet.
  var allowsUnusedKeys: Bool { true }

  private func add(_ accessor: @escaping KeyAccessor) -> Int {
    accessors.append(accessor)
    areAllStored = false
    return accessors.count - 1
  }
}

/// What a context has not saved, as a query sees it.
struct PendingObjects: UnsavedObjects {
  private let context: ManagedObjectContext
  private let keys: ContextKeys
  /// Whether what is not saved counts; virtual keys are computed in any case.
  private let counts: Bool
  /// Where virtual keys are computed if it does not: the context's own objects have what is not saved.
  private let saved: ManagedObjectContext?

  init(_ context: ManagedObjectContext, _ keys: ContextKeys, counts: Bool, over snapshot: Snapshot)
  {
    self.context = context
    self.keys = keys
    self.counts = counts
    saved =
      counts || keys.accessors.isEmpty
      ? nil
      : ManagedObjectContext(
        StoreView(context.store, at: snapshot), EditWriter(refusing: .readOnly))
  }

  /// Whether there is anything to lay over the store.
  var isNeeded: Bool { !keys.accessors.isEmpty || counts && context.hasPendingObjects }

  func contains(_ object: ObjectID) -> Bool { counts && context.pending(object) != nil }

  func hasObject(_ object: ObjectID) -> Bool { context.pending(object)?.isThere ?? false }

  func forEach(
    of entity: EntityNumber, _ body: (ObjectID) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard counts else { return }
    try context.forEachPending { (object, draft) throws(StoreError) in
      guard object.entity == entity, draft.isThere else { return true }
      return try body(object)
    }
  }

  func value(of key: KeyNumber, _ object: ObjectID) throws(StoreError) -> Value {
    context.pending(object)?.value(of: key) ?? Value.null
  }

  func virtualValue(_ number: Int, of object: ObjectID) throws(StoreError) -> Value {
    guard let instance = (saved ?? context).instance(ofFound: object) else { return .null }
    let value = keys.accessors[number](instance) ?? Value.null
    // Of what the context's own objects cannot read its next save tells.
    if let failure = saved?.readFailure as? StoreError { throw failure }
    return value
  }
}
