internal import ObjectModel
internal import ObjectStore

// Delete rules, as contexts have them.
extension BatchRows {
  /// Deletes objects, and what goes with them by the rules of their relationships; cascades end, as nothing is
  /// deleted twice.
  ///
  /// - Returns: those of them that were there.
  mutating func delete(_ objects: [ObjectID]) throws(StoreError) -> [ObjectID] {
    var deleted: [ObjectID] = []
    var pending: [ObjectID] = []
    for object in objects where try remove(object) {
      deleted.append(object)
      pending.append(object)
    }
    while let object = pending.popLast() {
      for property in schema.properties(of: object.entity) {
        guard let relationship = property.relationship else { continue }
        switch relationship.description.deleteRule {
        case .noAction, .deny: break
        case .cascade:
          for destination in try destinations(ofDeleted: object, property.key, relationship)
          where try leadsBack(destination, relationship, to: object) {
            if try remove(destination) { pending.append(destination) }
          }
        case .nullify:
          guard let inverse = relationship.inverse else { continue }
          for destination in try destinations(ofDeleted: object, property.key, relationship)
          where try hasObject(destination) {
            try unlink(destination, inverse, from: object)
          }
        }
      }
    }
    return deleted
  }

  /// What the destinations of deny rules are that are still there.
  mutating func deniedDeletions() throws(StoreError) -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    for object in rowsWhenDeleted.keys.sorted() {
      guard let info = schema.entity(object.entity) else { continue }
      for property in info.properties {
        guard let relationship = property.relationship,
          relationship.description.deleteRule == .deny
        else { continue }
        var left: [ObjectID] = []
        for destination in try destinations(ofDeleted: object, property.key, relationship)
        where try leadsBack(destination, relationship, to: object) {
          left.append(destination)
        }
        if left.isEmpty { continue }
        failures.append(
          ValidationFailure(
            objectID: object, entityName: info.name, key: property.name, kind: .denied(left)))
      }
    }
    return failures
  }

  private mutating func destinations(
    ofDeleted object: ObjectID, _ key: KeyNumber, _ relationship: RelationshipInfo
  ) throws(StoreError) -> [ObjectID] {
    if relationship.storage == .inverse {
      return try members(of: object, relationship).sorted()
    }
    return (rowsWhenDeleted[object]?[key]).destinations
  }

  /// Whether an object is there, and leads to one that is deleted, as far as it leads anywhere.
  private mutating func leadsBack(
    _ object: ObjectID, _ relationship: RelationshipInfo, to deleted: ObjectID
  ) throws(StoreError) -> Bool {
    guard try row(of: object) != nil else { return false }
    guard let inverse = relationship.inverse, inverse.storage != .inverse else { return true }
    return (try value(of: inverse.key, object)).destinations.contains(deleted)
  }
}
