internal import ObjectModel

extension ManagedObjectContext {
  /// Checks everything that is to be saved.
  ///
  /// - Throws: all that is wrong.
  func validate() throws {
    var failures: [ValidationFailure] = []
    for object in objectsToSave {
      switch object.state.standing {
      case .unchanged: break
      case .inserted: validate(object, &failures) { try object.validateForInsert() }
      case .updated: validate(object, &failures) { try object.validateForUpdate() }
      case .deleted: refusal(of: object, nil, &failures) { try object.validateForDelete() }
      }
    }
    for denied in deniedDeletions() {
      failures.append(
        ValidationFailure(
          objectID: denied.object.objectID, entityName: denied.object.entity.name, key: denied.key,
          kind: .denied(denied.destinations)))
    }
    if !failures.isEmpty { throw ValidationErrors(failures: failures) }
  }

  private func validate(
    _ object: ManagedObject, _ failures: inout [ValidationFailure], _ whole: () throws -> Void
  ) {
    let state = object.state
    for property in state.entity.properties {
      func fail(_ kind: ValidationFailure.Kind) {
        failures.append(
          ValidationFailure(
            objectID: state.objectID, entityName: state.entity.name, key: property.name, kind: kind)
        )
      }
      switch property.kind {
      case .attribute(let attribute):
        let value = heldValue(of: state, property.key)
        if let value {
          for rule in attribute.validation where !rule.admits(value) {
            fail(.breaksRule(value, rule))
          }
        } else if !attribute.isOptional {
          fail(.missing)
        }
        refusal(of: object, property.name, &failures) {
          try object.validateValue(value, forKey: property.name)
        }
      case .relationship(let relationship):
        guard relationship.isDemanding else { continue }
        let description = relationship.description
        let count = destinations(of: state, property.key, relationship).count
        if count == 0 {
          if !description.isOptional { fail(.missing) }
        } else if description.isToMany {
          if let minimum = description.minCount, count < minimum {
            fail(.tooFew(count, minimum: minimum))
          }
          if let maximum = description.maxCount, count > maximum {
            fail(.tooMany(count, maximum: maximum))
          }
        }
      }
    }
    refusal(of: object, nil, &failures, whole)
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
