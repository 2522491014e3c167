internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// One of two states that are compared: what a context shows.
final class PatchSide {
  let context: ManagedObjectContext
  private(set) lazy var lookup = PatchLookup(context)
  private var identities: [ObjectID: PatchIdentity?] = [:]
  private var identifiers: [EntityNumber: Property?] = [:]

  init(_ context: ManagedObjectContext) {
    context.processPendingChanges()
    self.context = context
  }

  func entity(of object: ObjectID) -> EntityInfo? { context.schema.entity(object.entity) }

  /// What an object has; nil where it is not there.
  func row(of object: ObjectID) throws(StoreError) -> Row? {
    entity(of: object) == nil ? nil : try context.rowShown(of: object)
  }

  /// What an object is named by; nil where it is not there.
  func identity(of object: ObjectID) throws(StoreError) -> PatchIdentity? {
    if let known = identities[object] { return known }
    let identity = try row(of: object).flatMap { self.identity(of: object, $0) }
    identities[object] = .some(identity)
    return identity
  }

  func identity(of object: ObjectID, _ row: Row) -> PatchIdentity? {
    entity(of: object).map { $0.identity(of: object, row, identifier(of: $0)) }
  }

  /// What an object was named by before a change that leads to this side, or away from it.
  func identity(
    of object: ObjectID, _ info: EntityInfo, before change: NetChange
  ) throws(StoreError) -> PatchIdentity {
    guard let identifier = identifier(of: info) else { return PatchIdentity(info.name, object) }
    var row = Row()
    if let entry = change.entries.first(where: { $0.key == identifier.key }) {
      row[identifier.key] = entry.old
    } else if let read = try self.row(of: object) {
      row = read
    }
    return info.identity(of: object, row, identifier)
  }

  private func identifier(of info: EntityInfo) -> Property? {
    if let known = identifiers[info.number] { return known }
    let identifier = info.identifierProperty
    identifiers[info.number] = .some(identifier)
    return identifier
  }

  /// All attributes that are kept, null where there is no value, and the dynamic ones.
  func attributes(of object: ObjectID, _ row: Row) -> [String: Value] {
    guard let info = entity(of: object) else { return [:] }
    var values: [String: Value] = [:]
    for property in info.properties where property.attribute != nil && !property.isTransient {
      values[property.name] = row[property.key] ?? .null
    }
    for entry in row.entries where info.property(entry.key) == nil {
      if let name = context.store.name(of: entry.key) { values[name] = entry.value }
    }
    return values
  }

  /// The relationships that objects hold, and where these lead.
  func relationships(of object: ObjectID, _ row: Row) -> [(property: Property, to: [ObjectID])] {
    guard let info = entity(of: object) else { return [] }
    return info.properties.compactMap { property in
      guard let relationship = property.relationship, relationship.storage != .inverse,
        !property.isTransient
      else { return nil }
      return (property, row[property.key].destinations)
    }
  }

  /// The relationships that objects of an entity hold, and that nobody clears when what they lead to goes.
  func unclearedRelationships(of info: EntityInfo) -> [Property] {
    info.properties.filter { property in
      guard let relationship = property.relationship, relationship.storage != .inverse,
        !property.isTransient
      else { return false }
      return !context.schema.isCleared(relationship)
    }
  }

  /// Calls a closure with each object and its row.
  ///
  /// - Parameter entities: those whose objects are asked for; nil for all.
  func forEach(
    of entities: Set<EntityNumber>? = nil, _ body: (ObjectID, Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    let (apart, snapshot) = (context.objectsApart, context.shownSnapshot)
    for info in context.schema.entities where entities?.contains(info.number) ?? true {
      try snapshot.forEach(info.number) { (object, row) throws(StoreError) in
        if !apart.contains(object) { try body(object, row) }
        return true
      }
    }
    for object in apart.sorted() where entities?.contains(object.entity) ?? true {
      if let row = try row(of: object) { try body(object, row) }
    }
  }
}

extension Schema {
  /// Whether relationships are cleared when what they lead to goes.
  func isCleared(_ relationship: RelationshipInfo) -> Bool {
    let back = relationship.inverse.flatMap {
      entity(relationship.destination)?.property($0.key)?.relationship
    }
    return back.map { $0.description.deleteRule != .noAction } ?? false
  }
}

extension RelationshipInfo {
  /// What the relationship is in a patch.
  var patchKind: RelationshipPatch.Kind {
    if !isToMany { return .toOne }
    return description.isOrdered ? .ordered : .toMany
  }
}
