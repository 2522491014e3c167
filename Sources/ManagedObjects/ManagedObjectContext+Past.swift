package import ObjectModel
public import ObjectStore

extension ManagedObjectContext {
  /// A context for looking only, on a store that may be open for reading only. It shows what is saved, object by
  /// object as each is read; to change anything is a mistake of the program's and ends it, and `save` throws.
  public convenience init(reading store: ReadableStore) {
    self.init(StoreView(store), EditWriter(refusing: .readOnly))
  }

  /// Whether the context is for looking only.
  public var isReadOnly: Bool { writer.refusal == .readOnly }
}

extension ReadableStore {
  /// The store as it was at a moment: a context for looking only, which stays as it is whatever is saved, under the
  /// model of that time. To change anything in it is a mistake of the program's and ends it, and `save` throws.
  ///
  /// - Throws: where there is no such moment, or compaction has dropped it.
  ///
  /// Costs: reading the commits that came after it.
  public func asOf(_ moment: Moment) throws -> ManagedObjectContext {
    ManagedObjectContext(
      StoreView(self, at: try snapshot(at: moment)), EditWriter(refusing: .readOnly))
  }

  /// The same under the model that the store has now; nil where that cannot be told.
  package func asOfUnderLatestModel(_ moment: Moment) throws(StoreError) -> ManagedObjectContext? {
    try snapshotUnderLatestModel(at: moment).map {
      ManagedObjectContext(StoreView(self, at: $0), EditWriter(refusing: .readOnly))
    }
  }

  /// The same for whoever reads objects and searches none.
  ///
  /// - Parameter later: what the store was at a moment that is not earlier, where that is known.
  ///
  /// Costs: reading the commits that came after it, or those between the two; about half of what `asOf(_:)` costs.
  package func objects(
    at commit: CommitNumber, countedBackFrom later: Snapshot
  ) throws(StoreError) -> ManagedObjectContext {
    let snapshot = try snapshot(at: commit, countedBackFrom: later, isIndexed: false)
    return ManagedObjectContext(StoreView(self, at: snapshot), EditWriter(refusing: .readOnly))
  }
}
