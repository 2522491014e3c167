/// Which objects of an entity are wanted, in which order, and how many of them.
public struct Query: Hashable, Sendable {
  /// The entity's name.
  public var entity: String
  /// Which of its objects.
  public var filter: Filter
  /// By what they are sorted, the most important first.
  public var sort: [SortKey]
  /// How many at most; nil for all.
  public var limit: Int?
  /// How many of the first are left out.
  public var offset: Int

  /// Makes a query.
  public init(
    entity: String, where filter: Filter = .all, sort: [SortKey] = [], limit: Int? = nil,
    offset: Int = 0
  ) {
    self.entity = entity
    self.filter = filter
    self.sort = sort
    self.limit = limit
    self.offset = offset
  }

  /// Reads a query: `Post where likes > 3 sort -postDate, title limit 20 offset 5`.
  ///
  /// - Throws: `QueryError`, which points at what cannot be read.
  public init(_ text: String) throws(QueryError) { self = try QueryParser.query(text) }
}

extension Filter {
  /// Reads a filter: `score > 10 AND mood == "sunny"`.
  ///
  /// - Throws: `QueryError`, which points at what cannot be read.
  public init(_ text: String) throws(QueryError) { self = try QueryParser.filter(text) }
}
