internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

// What the model demands of objects. The program's own hooks are methods of objects, of which there are none here.
extension BatchRows {
  /// Everything that is wrong with the objects that the batch changes.
  ///
  /// - Parameter new: those that were checked when they were taken in; what others have done to them since was not.
  mutating func failures(except new: Set<ObjectID> = []) throws(StoreError) -> [ValidationFailure] {
    var failures = try deniedDeletions()
    settle()
    let changed = entries.filter { $0.value.row != nil && $0.value.base != $0.value.row }
    for object in changed.keys.sorted() where !new.contains(object) || touched.contains(object) {
      guard let info = schema.entity(object.entity), let row = try row(of: object) else { continue }
      failures += try self.failures(of: row, object, info)
    }
    return failures
  }

  /// What is wrong with an object.
  mutating func failures(
    of row: Row, _ object: ObjectID, _ info: EntityInfo
  ) throws(StoreError) -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    func fail(_ property: Property, _ kind: ValidationFailure.Kind) {
      failures.append(
        ValidationFailure(
          objectID: object, entityName: info.name, key: property.name, kind: kind))
    }
    for property in info.demanding {
      switch property.kind {
      case .attribute(let attribute):
        guard let value = row[property.key] else {
          if !attribute.isOptional { fail(property, .missing) }
          continue
        }
        for rule in attribute.validation where !rule.admits(value) {
          fail(property, .breaksRule(value, rule))
        }
      case .relationship(let relationship):
        let count =
          relationship.storage == .inverse
          ? try members(of: object, relationship).count : row[property.key].destinations.count
        let kind = ValidationFailure.Kind(of: relationship.description, leadingTo: count)
        if let kind { fail(property, kind) }
      }
    }
    return failures
  }

  // MARK: Identifiers

  /// Whether another object has an identifier that one is to have. If not, it is the object's from here on.
  mutating func isTaken(
    _ value: Value, _ property: Property, by object: ObjectID, _ info: EntityInfo
  ) throws(StoreError) -> Bool {
    let root = schema.declaringEntity(of: property, info)
    let identifier = Identifier(key: property.key, entity: root.number, value: value)
    if let other = identifiers[identifier] { return other != object }
    var isTaken = false
    try snapshot.forEachObject(
      of: root.kinds, indexedBy: property.key, IndexRange.equal(to: value)
    ) { (found) throws(StoreError) in
      if found.object == object { return true }
      let entry = entries[found.object]
      let row = if let entry { entry.row } else { try snapshot.row(of: found.object) }
      isTaken = row?[property.key] == value
      return !isTaken
    }
    if !isTaken { identifiers[identifier] = object }
    return isTaken
  }
}

extension Schema {
  /// The entity that a property comes from: all that inherit from it share its values.
  fileprivate func declaringEntity(of property: Property, _ info: EntityInfo) -> EntityInfo {
    info.entity.line.reversed().lazy.compactMap { self.entity(named: $0) }
      .first { $0.property(property.name) != nil } ?? info
  }
}
