internal import ObjectModel

extension JournaledStore {
  /// Stores the destinations of relationships that a newer model does not answer from their inverses any more,
  /// while the older one still does.
  ///
  /// It is a commit of the older era, made before the newer model is adopted: where the process ends in between,
  /// it is found to be made already.
  func gatherDestinations(for newer: ManagedObjectModel) throws(StoreError) {
    guard let era = head.era, let change = try? ModelChange(from: era.model, to: newer) else {
      return
    }
    var rows: [ObjectID: Row] = [:]
    for entity in change.entities {
      for property in entity.properties where property.isGathered {
        try gather(property, of: entity.older, in: era, &rows)
      }
    }
    let base = head
    var objects: [CommitRequest.Object] = []
    for (object, row) in rows {
      objects.append(.init(object, base: base.number, try base.row(of: object), to: row))
    }
    guard !objects.isEmpty else { return }
    let context = try beginContext(name: "", on: base.number)
    var request = CommitRequest(objects)
    request.message = "Relationships gathered for another model"
    do throws(CommitError) {
      _ = try commit(request, by: context)
    } catch {
      // Nobody else has the store yet, and so nobody has changed an object.
      guard case .store(let error) = error else {
        preconditionFailure("a store that is being opened has a rival")
      }
      throw error
    }
    try endContext(context)
  }

  /// Gathers the destinations of one relationship of an entity's objects into their rows.
  private func gather(
    _ property: PropertyChange, of entityName: String, in era: Era, _ rows: inout [ObjectID: Row]
  ) throws(StoreError) {
    guard let name = property.older, let key = existingKey(named: name),
      let relationship = era.model.entity(named: entityName)?.relationship(name),
      let inverse = relationship.inverse.flatMap({ existingKey(named: $0) }),
      let owner = era.number(of: entityName),
      let destination = era.model.entity(named: relationship.destination)
    else { return }
    var members: [ObjectID: Set<Value>] = [:]
    for name in [destination.name] + destination.heirs {
      guard let number = era.number(of: name) else { continue }
      try head.forEach(number) { object, row in
        if case .reference(let target)? = row[inverse], target.entity == owner {
          members[target, default: []].insert(.reference(object))
        }
        return true
      }
    }
    for (object, members) in members {
      var row = rows[object]
      if row == nil { row = try head.row(of: object) }
      // A destination may refer to an owner that is no more.
      guard var row else { continue }
      row[key] = .set(members)
      rows[object] = row
    }
  }
}
