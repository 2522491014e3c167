internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// A key that a batch sets: an object, as each value that is set is handed on with it.
final class BatchKey {
  let name: String
  let key: KeyNumber
  /// Nil for a dynamic attribute.
  let property: Property?
  /// Set where setting it changes other objects: what leads back has to be kept right.
  let relationship: RelationshipInfo?
  /// Set where no two objects may have the same value.
  let identifier: Property?

  /// - Throws: `BatchError` where the entity has no such key, or no commit has it.
  init(
    _ name: String, of info: EntityInfo, _ schema: Schema, in store: JournaledStore,
    allowsDynamic: Bool
  ) throws {
    self.name = name
    if let property = info.property(name) {
      guard !property.isTransient else {
        throw BatchError.keyNotStored(entity: info.name, key: name)
      }
      self.property = property
      key = property.key
      identifier = property.attribute?.isIdentifier ?? false ? property : nil
      relationship = property.relationship.flatMap { $0.isPlain(schema) ? nil : $0 }
      return
    }
    guard info.virtualAttributes[name] == nil else {
      throw BatchError.keyNotStored(entity: info.name, key: name)
    }
    guard allowsDynamic || info.entity.description.allowsAnyKey else {
      throw BatchError.keyMissing(
        entity: info.name, key: name,
        nearest: Spelling.nearest(to: name, among: info.properties.map(\.name)))
    }
    for heir in info.kinds.sorted().compactMap(schema.entity)
    where heir.property(name) != nil || heir.virtualAttributes[name] != nil {
      throw BatchError.keyOfHeir(entity: info.name, key: name, heir: heir.name)
    }
    property = nil
    identifier = nil
    relationship = nil
    key = try store.key(named: name)
  }

  /// A value as the key holds it; nil for none.
  ///
  /// - Throws: `BatchError` where it does not take the value, or is to lead where it cannot.
  func taken(
    _ value: Value?, row: Int?, _ info: EntityInfo, _ rows: inout BatchRows
  ) throws -> Value? {
    guard let value, !value.isNull else { return nil }
    guard let property else {
      if value.isPropertyList { return value }
      throw BatchError.valueRefused(
        row: row, entity: info.name, key: name, value, takes: "property lists")
    }
    guard let taken = property.taken(value) else {
      throw BatchError.valueRefused(
        row: row, entity: info.name, key: name, value, takes: property.takenDescription)
    }
    if let relationship = property.relationship {
      for object in taken.value.destinations {
        let fits = rows.schema.isKind(object.entity, of: relationship.destination)
        if fits, try rows.hasObject(object) { continue }
        throw BatchError.destinationMissing(row: row, entity: info.name, key: name, object)
      }
      if taken.value.destinations.isEmpty { return nil }
      if relationship.storage == .array || relationship.storage == .one { return taken.value }
      // As the relationship holds them, whether they were given in an order or not.
      return .set(Set(taken.value.destinations.map { .reference($0) }))
    }
    return taken.value
  }
}

extension RelationshipInfo {
  /// Whether it is set like an attribute: where nothing leads back, or what does is answered from this and is
  /// not counted.
  fileprivate func isPlain(_ schema: Schema) -> Bool {
    guard let inverse else { return true }
    guard inverse.storage == .inverse else { return false }
    let back = schema.entity(destination)?.property(inverse.key)?.relationship
    return !(back?.isDemanding ?? false)
  }
}
