internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Finds the objects of a context by their identities.
final class PatchLookup {
  let context: ManagedObjectContext
  private let snapshot: Snapshot
  /// Objects that may not be as the snapshot has them, and those of them that are there, by identifier.
  private let apart: Set<ObjectID>
  private var tablesApart: [EntityNumber: [Value: [ObjectID]]] = [:]
  /// All objects by identifier, of entities without an index.
  private var tables: [EntityNumber: [Value: [ObjectID]]] = [:]
  private var lastIdentifier: (entity: EntityNumber, property: Property?)?

  init(_ context: ManagedObjectContext) {
    self.context = context
    snapshot = context.shownSnapshot
    apart = context.objectsApart
  }

  /// The object of an identity; nil where there is none.
  ///
  /// - Throws: where the model has no such entity, it is not what its objects are named by, or several objects have
  ///   it.
  func object(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    let info = try entity(of: identity, at: path)
    switch identity.identifier {
    case .objectID(let object):
      guard object.store == context.store.tag, object.entity == info.number else { return nil }
      return try context.isShown(object) ? object : nil
    case .attribute(_, let value):
      guard let key = identifier(of: info)?.key else { return nil }
      let found = try objects(of: info, key, value)
      guard found.count < 2 else {
        throw PatchError(
          .ambiguousObject, at: path,
          "there are \(found.count) objects that are \(identity); give each an identifier of its own."
        )
      }
      return found.first
    }
  }

  /// The attribute that an entity's objects are named by.
  func identifier(of info: EntityInfo) -> Property? {
    // Most objects of a patch are of the entity of the one before.
    if let known = lastIdentifier, known.entity == info.number { return known.property }
    let property = info.identifierProperty
    lastIdentifier = (info.number, property)
    return property
  }

  /// The entity of an identity, which names an object as that entity's are named.
  func entity(of identity: PatchIdentity, at path: PatchPath) throws(PatchError) -> EntityInfo {
    guard let info = context.schema.entity(named: identity.entityName) else {
      throw PatchError(
        .unknownEntity, at: path,
        "the model has no entity ‘\(identity.entityName)’; patch a store that has it.")
    }
    if case .attribute(let key, let value) = identity.identifier {
      guard let attribute = identifier(of: info)?.attribute, attribute.name == key else {
        let wanted = identifier(of: info).map { "their ‘\($0.name)’" } ?? "their IDs"
        throw PatchError(
          .wrongIdentifier, at: path,
          "objects of \(info.name) are named by \(wanted), not by ‘\(key)’; name it by that.")
      }
      guard !value.isNull, attribute.type.admits(value) else {
        throw PatchError(
          .wrongType, at: path.appending(key),
          "\(info.name) objects are told apart by values of type \(attribute.type), and this is \(value.kind)."
        )
      }
    }
    return info
  }

  /// All objects that are named by a value.
  func objects(
    of info: EntityInfo, _ key: KeyNumber, _ value: Value
  ) throws(StoreError) -> [ObjectID] {
    var found: [ObjectID] = try tableApart(of: info, key)[value] ?? []
    let (snapshot, apart) = (snapshot, apart)
    let isAnswered = try snapshot.forEachObject(
      of: [info.number], indexedBy: key, .equal(to: value)
    ) { (hit) throws(StoreError) in
      guard !apart.contains(hit.object) else { return true }
      if hit.isCertain {
        found.append(hit.object)
      } else if try snapshot.row(of: hit.object)?[key] == value {
        found.append(hit.object)
      }
      return true
    }
    if !isAnswered { found += try table(of: info, key)[value] ?? [] }
    return found
  }

  private func tableApart(
    of info: EntityInfo, _ key: KeyNumber
  ) throws(StoreError) -> [Value: [ObjectID]] {
    if let table = tablesApart[info.number] { return table }
    var table: [Value: [ObjectID]] = [:]
    for object in apart where object.entity == info.number {
      if let value = try context.rowShown(of: object)?[key] {
        table[value, default: []].append(object)
      }
    }
    tablesApart[info.number] = table
    return table
  }

  private func table(
    of info: EntityInfo, _ key: KeyNumber
  ) throws(StoreError) -> [Value: [ObjectID]] {
    if let table = tables[info.number] { return table }
    var table: [Value: [ObjectID]] = [:]
    try snapshot.forEach(info.number) { (object, row) throws(StoreError) in
      if let value = row[key], !apart.contains(object) { table[value, default: []].append(object) }
      return true
    }
    tables[info.number] = table
    return table
  }
}

extension EntityInfo {
  /// The attribute that its objects are named by.
  var identifierProperty: Property? { properties.first { $0.attribute?.isIdentifier ?? false } }

  /// What an object is named by that has a row.
  func identity(of object: ObjectID, _ row: Row, _ identifier: Property?) -> PatchIdentity {
    if let identifier, let value = row[identifier.key] {
      PatchIdentity(name, identifier.name, value)
    } else {
      PatchIdentity(name, object)
    }
  }
}
