import ObjectModel
import ObjectQuery
import ObjectStore
import TestSupport

/// All objects there are at a time, in memory, to be asked the slow way.
final class PlainWorld {
  let rows: PlainState
  let model: ManagedObjectModel
  private let entityName: (EntityNumber) -> String?
  private let number: (String) -> KeyNumber?
  private let name: (KeyNumber) -> String?

  init(
    _ rows: PlainState, _ era: Era, _ number: @escaping (String) -> KeyNumber?,
    _ name: @escaping (KeyNumber) -> String?
  ) {
    self.rows = rows
    self.number = number
    self.name = name
    model = era.model
    entityName = era.name
  }

  /// What a query finds, by looking at every object.
  func objects(of query: BoundQuery) throws -> [PlainObject] {
    var found: [(object: PlainObject, values: [Value])] = []
    for id in rows.keys {
      guard let name = entityName(id.entity), let entity = model.entity(named: name),
        entity.isKind(of: query.entity)
      else { continue }
      let object = PlainObject(objectID: id, world: self)
      guard try query.filter.admits(object) else { continue }
      found.append((object, try query.sort.map { try $0.value(of: object) }))
    }
    found.sort { one, other in
      for (index, key) in query.sort.enumerated() {
        let order = one.values[index].sortOrder(other.values[index])
        if order != 0 { return key.isDescending ? order > 0 : order < 0 }
      }
      return one.object.objectID < other.object.objectID
    }
    return found.dropFirst(query.offset).prefix(query.limit ?? .max).map(\.object)
  }

  /// The objects of a relationship to many, and whether they are found at the other end.
  func destinations(of id: ObjectID, by key: KeyNumber) -> [ObjectID] {
    guard let entity = entityName(id.entity).flatMap({ model.entity(named: $0) }),
      let relationship = name(key).flatMap({ entity.relationship($0) })
    else { return [] }
    if let inverse = relationship.inverse.flatMap(number), model.isAnsweredFromInverse(relationship)
    {
      return rows.keys.filter { other in
        let isKind = entityName(other.entity).flatMap { model.entity(named: $0) }?
          .isKind(of: relationship.destination)
        return isKind == true && rows[other]?[inverse] == .reference(id)
      }
    }
    switch rows[id]?[key] {
    case .set(let members)?: return members.compactMap(\.reference)
    case .array(let members)?: return members.compactMap(\.reference)
    default: return []
    }
  }
}

/// An object as its plain row has it.
struct PlainObject: QueryObject {
  struct Unreadable: Error {}

  let objectID: ObjectID
  let world: PlainWorld

  func value(of key: KeyNumber) throws(Unreadable) -> Value {
    world.rows[objectID]?[key] ?? .null
  }

  func virtualValue(_ number: Int) throws(Unreadable) -> Value {
    .integer(Int(objectID.number) % number)
  }

  func related(by key: KeyNumber) throws(Unreadable) -> PlainObject? {
    guard let id = try value(of: key).reference, world.rows[id] != nil else { return nil }
    return PlainObject(objectID: id, world: world)
  }

  func forEachRelated(
    by key: KeyNumber, _ body: (PlainObject) throws(Unreadable) -> Bool
  ) throws(Unreadable) {
    for id in world.destinations(of: objectID, by: key) {
      guard try body(PlainObject(objectID: id, world: world)) else { return }
    }
  }

  func countOfRelated(by key: KeyNumber) throws(Unreadable) -> Int {
    world.destinations(of: objectID, by: key).count
  }
}

/// Objects that are not saved, as a context would have them.
struct PlainChanges: UnsavedObjects {
  /// What objects are like now; nil where they were deleted.
  let rows: [ObjectID: Row?]

  func contains(_ object: ObjectID) -> Bool { rows[object] != nil }
  func hasObject(_ object: ObjectID) -> Bool { (rows[object] ?? nil) != nil }

  func forEach(
    of entity: EntityNumber, _ body: (ObjectID) throws(StoreError) -> Bool
  ) throws(StoreError) {
    for (object, row) in rows where object.entity == entity && row != nil {
      guard try body(object) else { return }
    }
  }

  func value(of key: KeyNumber, _ object: ObjectID) throws(StoreError) -> Value {
    (rows[object] ?? nil)?[key] ?? .null
  }

  func virtualValue(_ number: Int, of object: ObjectID) throws(StoreError) -> Value {
    .integer(Int(object.number) % number)
  }
}
