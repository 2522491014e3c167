public import FoundationEssentials
public import ObjectModel
public import ObjectQuery
internal import ObjectStore

extension ManagedObjectContext {
  // MARK: Fetching

  /// The objects that a request asks for, in its order.
  ///
  /// An object that there is an instance of is that instance, with the values it has. Others are faults; nothing of
  /// them is read but what the filter and the sort keys look at.
  /// - Throws: `QueryError` where the request cannot be read or names what is not there; `StoreError` where the store
  ///   cannot be read.
  public func fetch(_ request: FetchRequest) throws -> [ManagedObject] {
    try objectIDs(request).compactMap { instance(ofFound: $0) }
  }

  /// The objects of a class that a request asks for.
  ///
  /// - Throws: as `fetch(_:)`.
  public func fetch<Object: ManagedObject>(
    _ request: FetchRequest, as type: Object.Type
  ) throws -> [Object] {
    try fetch(request).compactMap { $0 as? Object }
  }

  /// The objects of a class, and of those that inherit from it, that a filter lets pass.
  ///
  /// - Throws: as `fetch(_:)`.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where filter: Filter = .all, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object] {
    let request = FetchRequest(
      try entityName(of: type), where: filter, sortedBy: sortKeys, limit: limit, offset: offset)
    return try fetch(request, as: type)
  }

  /// The objects of a class that a filter lets pass which is written as text.
  ///
  /// - Throws: as `fetch(_:)`.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where text: String, sortedBy sortKeys: [SortKey] = [], limit: Int? = nil,
    offset: Int = 0
  ) throws -> [Object] {
    let request = FetchRequest(
      try entityName(of: type), where: text, sortedBy: sortKeys, limit: limit, offset: offset)
    return try fetch(request, as: type)
  }

  /// The objects of a class that a predicate is true of: `#Predicate { $0.likes > 10 }`. It is read once, and what it
  /// says is found as a filter finds it. Computed properties are asked of objects.
  ///
  /// - Throws: as `fetch(_:)`, and `QueryError` where the predicate says what no filter can.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [Object] {
    try objectIDs(type, where: predicate, sortedBy: sortKeys, limit: limit, offset: offset)
      .compactMap { instance(ofFound: $0) as? Object }
  }

  /// What asks for the objects of a class that a predicate is true of, and what computes the keys that it is read with.
  private func request<Object: ManagedObject>(
    _ type: Object.Type, _ predicate: Predicate<Object>, _ sortKeys: [SortKey] = [],
    _ limit: Int? = nil, _ offset: Int = 0
  ) throws -> (request: FetchRequest, accessors: [String: KeyAccessor]) {
    let names = KeyPathNames(self)
    let filter = try Filter(predicate, names)
    let request = FetchRequest(
      try entityName(of: type), where: filter, sortedBy: sortKeys, limit: limit, offset: offset)
    return (request, names.accessors)
  }

  /// The key that a key path of a class of the model leads to; nil where it is computed, or leads elsewhere.
  ///
  /// A property that can be set is read for that, on objects that are in no store. One that is computed and gives
  /// what a key holds, whatever that is, leads to that key.
  public func key(of path: AnyKeyPath) -> String? { key(of: path, provingByObjects: false) }

  /// The key that sorts as a key path does; nil where it is computed, or where there is no object to be sorted.
  package func sortingKey(of path: AnyKeyPath) -> String? {
    key(of: path, provingByObjects: true)
  }

  private func key(of path: AnyKeyPath, provingByObjects provesByObjects: Bool) -> String? {
    guard let root = type(of: path).rootType as? ManagedObject.Type,
      let info = schema.entity(of: root)
    else { return nil }
    return storedKey(of: path, info, provingByObjects: provesByObjects)
  }

  /// The objects of a class that a closure lets pass. Each is read and asked: a filter or a predicate finds them with
  /// less.
  ///
  /// - Throws: as `fetch(_:)`, and what the closure throws.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, sortedBy sortKeys: [SortKey] = [], limit: Int? = nil, offset: Int = 0,
    matching isWanted: (Object) throws -> Bool
  ) throws -> [Object] {
    let all = try fetch(type, sortedBy: sortKeys)
    var found: [Object] = []
    var left = max(0, offset)
    for object in all where try isWanted(object) {
      if left > 0 {
        left -= 1
      } else if found.count < limit ?? .max {
        found.append(object)
      } else {
        break
      }
    }
    return found
  }

  /// The IDs of the objects that a request asks for, in its order. No object is made.
  ///
  /// - Throws: as `fetch(_:)`.
  public func objectIDs(_ request: FetchRequest) throws -> [ObjectID] {
    try objectIDs(request, [:])
  }

  /// The IDs of the objects of a class that a predicate is true of. No object is made but for what is computed.
  ///
  /// - Throws: as `fetch(_:where:)` with a predicate.
  public func objectIDs<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> [ObjectID] {
    let asked = try request(type, predicate, sortKeys, limit, offset)
    return try objectIDs(asked.request, asked.accessors)
  }

  private func objectIDs(
    _ request: FetchRequest, _ accessors: [String: KeyAccessor]
  ) throws -> [ObjectID] {
    if request.includesPendingChanges { processForFetch() }
    let snapshot = view.snapshot
    let query = try ContextQuery(request, in: self, snapshot, accessors: accessors)
    return try snapshot.objects(of: query.query, with: query.unsaved)
  }

  /// How many objects a request asks for. No object is made.
  ///
  /// - Throws: as `fetch(_:)`.
  public func count(_ request: FetchRequest) throws -> Int { try count(request, [:]) }

  /// How many objects of a class a predicate is true of. No object is made but for what is computed.
  ///
  /// - Throws: as `fetch(_:where:)` with a predicate.
  public func count<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>
  ) throws -> Int {
    let asked = try request(type, predicate)
    return try count(asked.request, asked.accessors)
  }

  private func count(
    _ request: FetchRequest, _ accessors: [String: KeyAccessor]
  ) throws -> Int {
    if request.includesPendingChanges { processForFetch() }
    let snapshot = view.snapshot
    let query = try ContextQuery(request, in: self, snapshot, accessors: accessors)
    return try snapshot.count(of: query.query, with: query.unsaved)
  }

  /// Values of the objects that a request asks for, in its order. No object is made.
  ///
  /// - Parameter paths: keys, and keys at the end of relationships to one.
  /// - Throws: as `fetch(_:)`.
  public func values(of paths: [String], _ request: FetchRequest) throws -> [FetchedRow] {
    try values(of: paths, request, [:])
  }

  /// Values of the objects of a class that a predicate is true of. No object is made but for what is computed.
  ///
  /// - Parameter paths: keys, and keys at the end of relationships to one.
  /// - Throws: as `fetch(_:where:)` with a predicate.
  public func values<Object: ManagedObject>(
    of paths: [String], _ type: Object.Type, where predicate: Predicate<Object>,
    sortedBy sortKeys: [SortKey] = [], limit: Int? = nil, offset: Int = 0
  ) throws -> [FetchedRow] {
    let asked = try request(type, predicate, sortKeys, limit, offset)
    return try values(of: paths, asked.request, asked.accessors)
  }

  private func values(
    of paths: [String], _ request: FetchRequest, _ accessors: [String: KeyAccessor]
  ) throws -> [FetchedRow] {
    if request.includesPendingChanges { processForFetch() }
    let snapshot = view.snapshot
    let query = try ContextQuery(
      request, in: self, snapshot, reading: paths, accessors: accessors)
    return try snapshot.values(of: query.paths, in: query.query, with: query.unsaved).map { row in
      FetchedRow(
        objectID: row.object,
        values: Dictionary(firstOf: zip(paths, row.values)))
    }
  }

  /// What is done to answer a request: which index is asked, what is tested, how it is sorted.
  ///
  /// - Throws: as `fetch(_:)`.
  public func explain(_ request: FetchRequest) throws -> String {
    try ContextQuery(request, in: self, view.snapshot).query.explanation
  }

  /// What is done to find the objects of a class that a predicate is true of.
  ///
  /// - Throws: as `fetch(_:where:)` with a predicate.
  public func explain<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) throws -> String {
    let asked = try request(type, predicate, sortKeys, limit, offset)
    return try ContextQuery(asked.request, in: self, view.snapshot, accessors: asked.accessors)
      .query.explanation
  }

  private func entityName(of type: ManagedObject.Type) throws -> String {
    guard let info = schema.entity(of: type) else { throw ContextError.classNotInModel("\(type)") }
    return info.name
  }
}
