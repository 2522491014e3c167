package import ObjectModel

/// Objects that are not as a snapshot has them, for whoever queries it: those of a context that has not saved
/// them yet. A query then finds what it would find if they had been saved.
package protocol UnsavedObjects {
  /// Whether an object differs from the snapshot's: changed, inserted or deleted.
  func contains(_ object: ObjectID) -> Bool

  /// Whether an object that differs is there, and not deleted.
  func hasObject(_ object: ObjectID) -> Bool

  /// Calls a closure with the objects of an entity, and of no heir, that differ and are there.
  ///
  /// - Parameter body: returns whether to go on.
  func forEach(
    of entity: EntityNumber, _ body: (ObjectID) throws(StoreError) -> Bool
  ) throws(StoreError)

  /// What an object that differs has for a key; null where it has nothing. Of a relationship to many that is
  /// answered from its inverse it is not asked.
  func value(of key: KeyNumber, _ object: ObjectID) throws(StoreError) -> Value

  /// What any object has for a virtual key, by the number that the resolver of the query gave.
  func virtualValue(_ number: Int, of object: ObjectID) throws(StoreError) -> Value
}
