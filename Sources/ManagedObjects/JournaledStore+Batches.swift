public import FoundationEssentials
public import ObjectModel
internal import ObjectQuery
public import ObjectStore

// Commits without contexts, of as many objects as there are. They are validated by what the model says, keep both
// sides of relationships and follow delete rules; hooks are methods of objects, and are not called. Contexts come to
// them as to any other commit, by refreshing and merging. Objects that others change while a batch is made do not make
// it fail: it is made anew of what there is then.
extension JournaledStore {
  // MARK: Inserting

  /// Inserts an object for each row, in one commit, or in several where the options say so.
  ///
  /// What a row does not name is as its default has it. To-one relationships are given as references, those to many
  /// as sets or arrays of references, to objects that are in the store.
  /// - Throws: `BatchError`, `ValidationErrors` or `StoreError`, and nothing is inserted; where the options ask for
  ///   several commits and some were made, `BatchInterrupted`, which says what is inserted.
  ///
  /// Costs: the rows of one commit are in memory. Rows that share their keys are quicker inserted by
  /// `batchInsert(_:keys:_:)`.
  @discardableResult
  public func batchInsert(
    _ entityName: String, _ rows: some Sequence<[String: Value]>, author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try BatchRun.run("batch insert", in: self, author, message, options) {
      try $0.insert(entityName, rows)
    }
  }

  /// Inserts an object of a class for each row.
  ///
  /// - Throws: as for an entity by name.
  @discardableResult
  public func batchInsert(
    _ type: ManagedObject.Type, _ rows: some Sequence<[String: Value]>, author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try batchInsert(
      try entityName(of: type), rows, author: author, message: message, options: options)
  }

  /// Inserts an object for each row, which has a value for each of some keys, nil for none.
  ///
  /// - Throws: as for rows that name their keys.
  @discardableResult
  public func batchInsert(
    _ entityName: String, keys: [String], _ rows: some Sequence<[Value?]>, author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try BatchRun.run("batch insert", in: self, author, message, options) {
      try $0.insert(entityName, keys, rows)
    }
  }

  // MARK: Updating

  /// Sets values of all objects that a request finds, null for none, in one commit, or in several where the options
  /// say so.
  ///
  /// - Throws: `QueryError`, `BatchError`, `ValidationErrors` or `StoreError`, and nothing is changed; where the options
  ///   ask for several commits and some were made, `BatchInterrupted`, which says what is changed.
  ///
  /// Costs: the rows of one commit are in memory; a request with a limit or an offset has the IDs of all that it finds
  /// there, too.
  @discardableResult
  public func batchUpdate(
    _ request: FetchRequest, setting values: [String: Value], author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try BatchRun.run("batch update", in: self, author, message, options) {
      try $0.update(BatchSelection(request: request), values)
    }
  }

  /// Sets values of all objects of a class that a text lets pass, as docs/query.md has it.
  ///
  /// - Throws: as for a request.
  @discardableResult
  public func batchUpdate(
    _ type: ManagedObject.Type, where text: String, setting values: [String: Value],
    author: String? = nil, message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try batchUpdate(
      FetchRequest(try entityName(of: type), where: text), setting: values, author: author,
      message: message, options: options)
  }

  /// Sets values of all objects of a class that a predicate is true of. Computed properties are asked of objects.
  ///
  /// - Throws: as for a request.
  @discardableResult
  public func batchUpdate<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, setting values: [String: Value],
    author: String? = nil, message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    let selection = try selection(type, predicate)
    return try BatchRun.run("batch update", in: self, author, message, options) {
      try $0.update(selection, values)
    }
  }

  // MARK: Deleting

  /// Deletes all objects that a request finds, with what goes with them by the delete rules, in one commit, or in
  /// several where the options say so.
  ///
  /// - Throws: as `batchUpdate`. What a deny rule keeps is told as `ValidationErrors`.
  @discardableResult
  public func batchDelete(
    _ request: FetchRequest, author: String? = nil, message: String? = nil,
    options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try BatchRun.run("batch delete", in: self, author, message, options) {
      try $0.delete(BatchSelection(request: request))
    }
  }

  /// Deletes all objects of a class that a text lets pass, as docs/query.md has it.
  ///
  /// - Throws: as for a request.
  @discardableResult
  public func batchDelete(
    _ type: ManagedObject.Type, where text: String, author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    try batchDelete(
      FetchRequest(try entityName(of: type), where: text), author: author, message: message,
      options: options)
  }

  /// Deletes all objects of a class that a predicate is true of. Computed properties are asked of objects.
  ///
  /// - Throws: as for a request.
  @discardableResult
  public func batchDelete<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>, author: String? = nil,
    message: String? = nil, options: BatchOptions = BatchOptions()
  ) throws -> BatchResult {
    let selection = try selection(type, predicate)
    return try BatchRun.run("batch delete", in: self, author, message, options) {
      try $0.delete(selection)
    }
  }

  private func entityName(of type: ManagedObject.Type) throws -> String {
    guard let info = Schema.of(self).entity(of: type) else {
      throw ContextError.classNotInModel("\(type)")
    }
    return info.name
  }

  private func selection<Object: ManagedObject>(
    _ type: Object.Type, _ predicate: Predicate<Object>
  ) throws -> BatchSelection {
    let names = KeyPathNames(ManagedObjectContext(reading: self))
    let filter = try Filter(predicate, names)
    return BatchSelection(
      request: FetchRequest(try entityName(of: type), where: filter), accessors: names.accessors)
  }
}
