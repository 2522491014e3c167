internal import EventFold
internal import ObjectModel

extension ManagedObjectContext {
  /// Checks everything that is to be saved, and does so anew where hooks that are asked have changed something: what
  /// is saved has been checked as it is. What they make of what was changed last belongs to the step that changed it.
  ///
  /// - Throws: all that is wrong.
  func validateUntilQuiet() throws {
    (marks.collectsSets, marks.collectsPrimitiveSets) = (true, true)
    _ = event.takeSet()
    let isApart = !fold.hasOpenStep && !fold.undoSteps.isEmpty
    var (isChanged, roundCount) = (false, 0)
    defer {
      isChanged = isChanged || !event.takeSet().isEmpty
      if isChanged { processPendingChanges(endingStep: true, ofHooks: isApart) }
      (marks.collectsSets, marks.collectsPrimitiveSets) = (false, false)
    }
    var before: [ObjectID: Row?] = [:]
    while true {
      let failures = failuresFound()
      let set = event.takeSet().sorted()
      guard let first = set.first else { return try refuse(failures) }
      // What is wrong may not be so any more.
      isChanged = true
      propagateDeletions()
      try storePending()
      try dropDeadReferences()
      // A hook that sets a value as it was changes nothing.
      let after = set.map { ($0, fold.objects[$0]?.row) }
      if after.allSatisfy({ before[$0.0] == .some($0.1) }) { return try refuse(failures) }
      for (object, row) in after { before.updateValue(row, forKey: object) }
      roundCount += 1
      if roundCount > 100 { throw ContextError.validationDoesNotEnd(first) }
    }
  }

  private func refuse(_ failures: [ValidationFailure]) throws {
    if !failures.isEmpty { throw ValidationErrors(failures: failures) }
  }

  /// Checks everything that is to be saved.
  ///
  /// - Returns: all that is wrong.
  private func failuresFound() -> [ValidationFailure] {
    var failures: [ValidationFailure] = []
    for object in objectsToSave {
      switch object.state.standing {
      case .unchanged: break
      case .inserted: validate(object, &failures) { try object.validateForInsert() }
      case .updated: validate(object, &failures) { try object.validateForUpdate() }
      case .deleted: refusal(of: object, nil, &failures) { try object.validateForDelete() }
      }
    }
    validateOwners(&failures)
    for denied in deniedDeletions() {
      failures.append(
        ValidationFailure(
          objectID: denied.object.objectID, entityName: denied.object.entity.name, key: denied.key,
          kind: .denied(denied.destinations)))
    }
    return failures
  }

  private func validate(
    _ object: ManagedObject, _ failures: inout [ValidationFailure], _ whole: () throws -> Void
  ) {
    let state = object.state
    for property in state.entity.properties {
      var value: Value?
      if property.type != nil {
        value = heldValue(of: state, property.key)
        validate(value, of: state, property, &failures)
      } else if let relationship = property.relationship {
        validateCount(of: state, property, relationship, &failures)
        // What is answered from its inverse and was not read here is not read for this.
        if relationship.storage == .inverse, state.members?[property.key] == nil { continue }
        value = primitiveValue(of: state, property)
      }
      refusal(of: object, property.name, &failures) {
        try object.validateValue(value, forKey: property.name)
      }
    }
    refusal(of: object, nil, &failures, whole)
  }

  /// Checks the value of an attribute.
  private func validate(
    _ value: Value?, of state: ObjectState, _ property: Property,
    _ failures: inout [ValidationFailure]
  ) {
    guard let value else {
      if !property.isOptional, isAnswerable(state, for: property) {
        failures.append(ValidationFailure(state, property, .missing))
      }
      return
    }
    for rule in property.rules where !rule.admits(value) {
      failures.append(ValidationFailure(state, property, .breaksRule(value, rule)))
    }
  }

  /// Whether a save can be refused because an object has no value of a property. It is not who has read the object that
  /// others have left it without what no save takes, but who makes it, or takes the value away.
  private func isAnswerable(_ state: ObjectState, for property: Property) -> Bool {
    if !property.isTransient || state.standing == .inserted && state.base == .none { return true }
    return fold.objects[state.objectID]?.delta[property.key] != nil
  }

  /// Checks how many lead to objects that are not saved themselves: of a relationship that is answered from its
  /// inverse the members are changed, and not the owner.
  private func validateOwners(_ failures: inout [ValidationFailure]) {
    var owners: [ObjectID: Set<KeyNumber>] = [:]
    var keys: [EntityNumber: [(one: KeyNumber, many: KeyNumber)]] = [:]
    for object in objectsToSave {
      let state = object.state
      let entity = state.objectID.entity
      let known = keys[entity]
      let counted = known ?? countedKeys(of: state.entity)
      if known == nil { keys[entity] = counted }
      for (one, many) in counted {
        let now = state.presence == .there ? reference(of: state, one) : nil
        let before = fold.objects[state.objectID]?.baseRow?[one]?.reference
        if now == before { continue }
        for owner in [before, now].compactMap(\.self) { owners[owner, default: []].insert(many) }
      }
    }
    for (id, keys) in owners.sorted(by: { $0.key < $1.key }) {
      guard let owner = instance(of: id) else { continue }
      fireQuietly(owner.state)
      guard owner.state.presence == .there,
        ![.inserted, .updated].contains(owner.state.standing)
      else { continue }
      for key in keys.sorted() {
        guard let property = owner.state.entity.property(key),
          let relationship = property.relationship
        else { continue }
        validateCount(of: owner.state, property, relationship, &failures)
      }
    }
  }

  /// The relationships to one of an entity on which it depends how many lead to another, where that matters.
  private func countedKeys(of info: EntityInfo) -> [(one: KeyNumber, many: KeyNumber)] {
    info.properties.compactMap { property in
      guard let relationship = property.relationship, let inverse = relationship.inverse,
        inverse.storage == .inverse,
        schema.entity(relationship.destination)?.property(inverse.key)?.isDemanding ?? false
      else { return nil }
      return (property.key, inverse.key)
    }
  }

  private func validateCount(
    of state: ObjectState, _ property: Property, _ relationship: RelationshipInfo,
    _ failures: inout [ValidationFailure]
  ) {
    guard relationship.isDemanding else { return }
    let count = destinations(of: state, property.key, relationship).count
    guard
      let kind = ValidationFailure.Kind(of: relationship.description, leadingTo: count),
      count > 0 || isAnswerable(state, for: property)
    else { return }
    failures.append(ValidationFailure(state, property, kind))
  }

  private func refusal(
    of object: ManagedObject, _ key: String?, _ failures: inout [ValidationFailure],
    _ check: () throws -> Void
  ) {
    do {
      try check()
    } catch let errors as ValidationErrors {
      failures += errors.failures
    } catch {
      failures.append(
        ValidationFailure(
          objectID: object.objectID, entityName: object.state.entity.name, key: key,
          kind: .refused("\(error)")))
    }
  }
}

extension ValidationFailure {
  fileprivate init(_ state: ObjectState, _ property: Property, _ kind: Kind) {
    self.init(
      objectID: state.objectID, entityName: state.entity.name, key: property.name, kind: kind)
  }
}
