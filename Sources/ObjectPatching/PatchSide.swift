internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// One of two states that are compared: what a context shows, or a moment of a store of which no state is made.
final class PatchSide {
  private enum Source {
    case context(ManagedObjectContext)
    case moment(PatchMoment)
  }

  let store: ReadableStore
  let schema: Schema
  private let source: Source
  /// The context, or what is made of the moment where all objects of it are asked for.
  private var madeContext: ManagedObjectContext?
  private var madeLookup: PatchLookup?
  private var identities: [ObjectID: PatchIdentity?] = [:]
  private var identifiers: [EntityNumber: Property?] = [:]
  private var kept: [EntityNumber: Kept] = [:]
  private var lastKept: Kept?

  init(_ context: ManagedObjectContext) {
    context.processForLooking()
    (store, schema) = (context.store, context.schema)
    source = .context(context)
  }

  init(_ moment: PatchMoment) {
    (store, schema) = (moment.store, Schema.of(moment.store))
    source = .moment(moment)
  }

  /// A context that shows all of it.
  ///
  /// Costs: of a moment, reading the commits that came after it.
  func context() throws(StoreError) -> ManagedObjectContext {
    switch source {
    case .context(let context): return context
    case .moment(let moment):
      if let madeContext { return madeContext }
      let context = try moment.context()
      madeContext = context
      return context
    }
  }

  /// Finds its objects by their identities.
  func lookup() throws(StoreError) -> PatchLookup {
    if let madeLookup { return madeLookup }
    let lookup = PatchLookup(try context())
    madeLookup = lookup
    return lookup
  }

  /// The objects that may not be as they were saved.
  var objectsApart: Set<ObjectID> {
    guard case .context(let context) = source else { return [] }
    return context.objectsApart
  }

  /// Whether an object is there, or was before.
  func hasKnown(_ object: ObjectID) throws(StoreError) -> Bool {
    switch source {
    case .context(let context): try context.hasKnown(object)
    case .moment(let moment): try moment.hasKnown(object)
    }
  }

  func entity(of object: ObjectID) -> EntityInfo? { schema.entity(object.entity) }

  /// What an object has; nil where it is not there.
  func row(of object: ObjectID) throws(StoreError) -> Row? {
    if entity(of: object) == nil { return nil }
    switch source {
    case .context(let context): return try context.rowShown(of: object)
    case .moment(let moment): return try moment.row(of: object)
    }
  }

  /// What an object has of the keys that were changed between the two moments, and what it is named by; nil where it is
  /// not there. Contexts tell all.
  ///
  /// - Parameter change: what was done to it between the two.
  func row(of object: ObjectID, changedBy change: NetChange) throws(StoreError) -> Row? {
    guard case .moment(let moment) = source, let info = entity(of: object) else {
      return try row(of: object)
    }
    return try moment.row(of: object, changedBy: change, namedBy: identifier(of: info)?.key)
  }

  /// What an object is named by; nil where it is not there.
  func identity(of object: ObjectID) throws(StoreError) -> PatchIdentity? {
    if let known = identities[object] { return known }
    let identity = try nameRow(of: object).flatMap { self.identity(of: object, $0) }
    identities[object] = .some(identity)
    return identity
  }

  /// What tells what an object is named by; nil where it is not there.
  private func nameRow(of object: ObjectID) throws(StoreError) -> Row? {
    guard case .moment(let moment) = source, let info = entity(of: object) else {
      return try row(of: object)
    }
    return try moment.row(of: object, withKey: identifier(of: info)?.key)
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
    } else if let read = try nameRow(of: object) {
      row = read
    }
    return info.identity(of: object, row, identifier)
  }

  /// The attribute that an object is named by.
  func identifierName(of object: ObjectID) -> String? {
    entity(of: object).flatMap(identifier(of:))?.name
  }

  /// Whether another object is named as one is.
  func hasNamesake(of object: ObjectID, _ value: Value) throws -> Bool {
    guard let info = entity(of: object), let key = identifier(of: info)?.key else { return false }
    switch source {
    case .context: return try lookup().objects(of: info, key, value).contains { $0 != object }
    case .moment(let moment): return try moment.hasNamesake(of: object, key, value)
    }
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
    let kept = kept(by: info)
    var values: [String: Value] = [:]
    values.reserveCapacity(max(kept.attributes.count, row.entries.count))
    for property in kept.attributes { values[property.name] = row[property.key] ?? .null }
    for entry in row.entries where info.property(entry.key) == nil {
      if let name = store.name(of: entry.key) { values[name] = entry.value }
    }
    return values
  }

  /// What an attribute that is kept is called, also a dynamic one; nil for a relationship.
  func name(ofAttribute key: KeyNumber, of object: ObjectID) -> String? {
    guard let property = entity(of: object)?.property(key) else { return store.name(of: key) }
    return property.attribute == nil || property.isTransient ? nil : property.name
  }

  /// The relationships that objects hold, and where these lead.
  func relationships(of object: ObjectID, _ row: Row) -> [(property: Property, to: [ObjectID])] {
    relationships(of: object).map { ($0, row[$0.key].destinations) }
  }

  /// The relationships that an object holds.
  func relationships(of object: ObjectID) -> [Property] {
    entity(of: object).map { kept(by: $0).relationships } ?? []
  }

  /// What an entity has its objects keep.
  private final class Kept {
    let entity: EntityNumber
    let attributes: [Property]
    let relationships: [Property]

    init(_ info: EntityInfo) {
      entity = info.number
      attributes = info.properties.filter { $0.attribute != nil && !$0.isTransient }
      relationships = info.properties.filter { property in
        guard let relationship = property.relationship else { return false }
        return relationship.storage != .inverse && !property.isTransient
      }
    }
  }

  private func kept(by info: EntityInfo) -> Kept {
    // Mostly it is the entity of the object before.
    if let lastKept, lastKept.entity == info.number { return lastKept }
    let kept = kept[info.number] ?? Kept(info)
    self.kept[info.number] = kept
    lastKept = kept
    return kept
  }

  /// The relationships that objects of an entity hold, and that nobody clears when what they lead to goes.
  func unclearedRelationships(of info: EntityInfo) -> [Property] {
    kept(by: info).relationships.filter { property in
      property.relationship.map { !schema.isCleared($0) } ?? false
    }
  }

  /// Calls a closure with each object and its row.
  ///
  /// - Parameter entities: those whose objects are asked for; nil for all.
  func forEach(
    of entities: Set<EntityNumber>? = nil, _ body: (ObjectID, Row) throws(StoreError) -> Void
  ) throws(StoreError) {
    let context = try context()
    let (apart, snapshot) = (context.objectsApart, context.shownSnapshot)
    for info in schema.entities where entities?.contains(info.number) ?? true {
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
