public import ObjectModel
public import ObjectQuery

// What is added here, and changes what a request is bound to, is compared in BoundQueries, too.

/// Which objects are wanted, in which order, and how many of them.
public struct FetchRequest: Sendable {
  /// The name of the entity; objects of entities that inherit from it are found, too.
  public var entityName: String
  /// Which of its objects.
  public var condition: Condition
  /// By what they are sorted, the most important first: `"title"`, `"-postDate"`, `"blog.name"`.
  public var sortKeys: [SortKey]
  /// How many at most; nil for all.
  public var limit: Int?
  /// How many of the first are left out.
  public var offset: Int
  /// Whether what is not saved counts: objects that were inserted here are found, those that were deleted here are
  /// not, and values are as they were changed here. Where it does not, computed keys are asked of other instances of
  /// the objects, which have what is saved.
  public var includesPendingChanges = true

  /// What objects must be like.
  public enum Condition: Hashable, Sendable {
    /// What a filter lets pass.
    case filter(Filter)
    /// What a filter lets pass that is written as text, as docs/query.md has it.
    case text(String)
  }

  /// All objects of an entity.
  public init(
    _ entityName: String, sortedBy sortKeys: [SortKey] = [], limit: Int? = nil, offset: Int = 0
  ) {
    self.init(entityName, where: .all, sortedBy: sortKeys, limit: limit, offset: offset)
  }

  /// The objects of an entity that a filter lets pass.
  public init(
    _ entityName: String, where filter: Filter, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) {
    self.entityName = entityName
    condition = .filter(filter)
    self.sortKeys = sortKeys
    self.limit = limit
    self.offset = offset
  }

  /// The objects of an entity that a filter lets pass: `"mood == 'sunny' AND likes > 3"`. It is read when the
  /// objects are fetched; what cannot be read is told then, with its line and column.
  public init(
    _ entityName: String, where text: String, sortedBy sortKeys: [SortKey] = [],
    limit: Int? = nil, offset: Int = 0
  ) {
    self.init(entityName, where: .all, sortedBy: sortKeys, limit: limit, offset: offset)
    condition = .text(text)
  }

  /// What a query says.
  public init(_ query: Query) {
    self.init(
      query.entity, where: query.filter, sortedBy: query.sort, limit: query.limit,
      offset: query.offset)
  }

  /// The request as a query.
  ///
  /// - Throws: `QueryError`, which points at what cannot be read.
  func query() throws(QueryError) -> (query: Query, text: String?) {
    let filter: Filter
    var text: String?
    switch condition {
    case .filter(let given): filter = given
    case .text(let given):
      filter = try Filter(given)
      text = given
    }
    let query = Query(
      entity: entityName, where: filter, sort: sortKeys, limit: limit, offset: offset)
    return (query, text)
  }
}

/// Values of an object that were fetched without making it.
public struct FetchedRow: Hashable, Sendable {
  /// The object.
  public let objectID: ObjectID
  /// Its values by the key paths that were asked for; null where it has none.
  public let values: [String: Value]

  /// The value of a key path; null where it has none, nil where it was not asked for.
  public subscript(path: String) -> Value? { values[path] }
}
