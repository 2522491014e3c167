public import ObjectModel
internal import ObjectStore

// References into other stores: attributes of type reference, and sets of them.
extension ManagedObjectContext {
  /// The object of a reference, which may be one of another store: that context is asked whose store it is of.
  ///
  /// - Parameters:
  ///   - reference: the object's ID; `ObjectID(uri:)` reads one from its URI.
  ///   - others: contexts of other stores.
  /// - Throws: `ContextError.storeMissing` where none of the contexts is of the object's store, `objectMissing` where
  ///   the store has no such object, and what reading it throws.
  public func resolve(
    _ reference: ObjectID, in others: [ManagedObjectContext]
  ) throws -> ManagedObject {
    guard let context = ([self] + others).first(where: { $0.store.tag == reference.store }) else {
      throw ContextError.storeMissing(reference)
    }
    return try context.existingObject(with: reference)
  }

  /// The objects of references, in the order of their IDs.
  ///
  /// - Throws: as `resolve(_:in:)` for one.
  public func resolve(
    _ references: Set<ObjectID>, in others: [ManagedObjectContext]
  ) throws -> [ManagedObject] {
    try references.sorted().map { try resolve($0, in: others) }
  }
}
