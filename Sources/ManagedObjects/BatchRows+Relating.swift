internal import ObjectModel
internal import ObjectStore

// Relationships: setting one side sets the other, as it does in contexts.
extension BatchRows {
  /// The destinations of a relationship, in their order where they have one.
  mutating func destinations(
    of object: ObjectID, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) throws(StoreError) -> [ObjectID] {
    if relationship.storage == .inverse {
      return try members(of: object, relationship).sorted()
    }
    return (try value(of: key, object)).destinations
  }

  /// The destinations of a relationship that is answered from its inverse.
  mutating func members(
    of owner: ObjectID, _ relationship: RelationshipInfo
  ) throws(StoreError) -> Set<ObjectID> {
    guard let inverse = relationship.inverse else { return [] }
    // Another relationship of the owner may have an inverse of the same name in another entity.
    let schema = schema
    var found = arrivals[owner, default: []].filter {
      schema.isKind($0.entity, of: relationship.destination)
    }
    try snapshot.forEachObject(
      referringTo: owner, by: inverse.key, of: relationship.destination
    ) { (object) throws(StoreError) in
      found.insert(object)
      return true
    }
    var members: Set<ObjectID> = []
    for object in found {
      // What nobody has changed here is as the index has it.
      if entries[object] == nil {
        members.insert(object)
      } else if try value(of: inverse.key, object)?.reference == owner {
        members.insert(object)
      }
    }
    return members
  }

  /// Sets a relationship, and what leads back. The destinations are there.
  mutating func relate(
    _ object: ObjectID, _ key: KeyNumber, _ relationship: RelationshipInfo, to value: Value?
  ) throws(StoreError) {
    let old = try destinations(of: object, key, relationship)
    let new = value.destinations
    if old == new { return }
    let (before, after) = (Set(old), Set(new))
    let (coming, going) = (
      new.filter { !before.contains($0) }, old.filter { !after.contains($0) }
    )
    switch relationship.storage {
    case .one: try put(new.first.map { .reference($0) }, for: key, of: object)
    case .array:
      try put(new.isEmpty ? nil : .array(new.map { .reference($0) }), for: key, of: object)
    case .set:
      try put(new.isEmpty ? nil : .set(Set(new.map { .reference($0) })), for: key, of: object)
    case .inverse: break
    }
    guard let inverse = relationship.inverse else { return }
    let own = RelationshipInfo.Inverse(key: key, storage: relationship.storage)
    for member in going { try unlink(member, inverse, from: object) }
    for member in coming { try link(member, inverse, to: object, otherSide: own) }
  }

  /// Has the other side of a relationship lead back no more.
  mutating func unlink(
    _ object: ObjectID, _ back: RelationshipInfo.Inverse, from owner: ObjectID
  ) throws(StoreError) {
    touched.insert(object)
    switch back.storage {
    case .one:
      if try value(of: back.key, object)?.reference == owner {
        try put(nil, for: back.key, of: object)
      }
    case .set, .array:
      try changeMembers(of: object, back, removing: owner)
    case .inverse: break
    }
  }

  /// Has the other side of a relationship lead back, and gives up what it led to before where it leads to one.
  private mutating func link(
    _ object: ObjectID, _ back: RelationshipInfo.Inverse, to owner: ObjectID,
    otherSide own: RelationshipInfo.Inverse
  ) throws(StoreError) {
    touched.insert(object)
    switch back.storage {
    case .one:
      let former = try value(of: back.key, object)?.reference
      if former == owner { return }
      try put(.reference(owner), for: back.key, of: object)
      if let former, try hasObject(former) { try unlink(former, own, from: object) }
    case .set, .array:
      try changeMembers(of: object, back, inserting: owner)
    case .inverse: break
    }
  }
}
