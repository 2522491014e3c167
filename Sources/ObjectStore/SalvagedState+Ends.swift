internal import ObjectModel

// Both ends of the relationships of a state of which not all can be read.
extension SalvagedState {
  /// Has objects lead back to those that lead to them where nothing else is known of that; what leads to an object that is
  /// lost, or that leads elsewhere, is lost as well.
  mutating func bringEndsInStep() {
    guard let era = checkpoint?.catalogue.eras.dropLast(laterModels.count).last else { return }
    for object in known.keys.sorted() {
      for end in era.ends[object.entity] {
        guard let back = end.storedBack else { continue }
        for other in (known[object]?.row[end.key]).destinations where other.store == store.tag {
          let theirs = known[other]?.row[back.key]
          if theirs.destinations.contains(object) { continue }
          if known[other] == nil {
            // A rule of no action leaves what leads nowhere.
            let leavesLinks = era.ends[other.entity].contains {
              $0.key == back.key && $0.deleteRule == .noAction
            }
            if leavesLinks { continue }
          } else if let value = back.form.value(theirs, with: object) {
            known[other]?.row[back.key] = value
            continue
          }
          let left = end.form.value(known[object]?.row[end.key], without: other)
          known[object]?.row[end.key] = left
          losses.append(.value(end.key, object))
        }
      }
    }
  }
}

extension RelationshipEnds.Form {
  /// What leads to one object more; nil where it leads to as many as it can.
  fileprivate func value(_ value: Value?, with object: ObjectID) -> Value? {
    let references = (value.destinations + [object]).map { Value.reference($0) }
    return switch self {
    case .one: value.destinations.isEmpty ? .reference(object) : .none
    case .set: .set(Set(references))
    case .array: .array(references)
    case .answered: .none
    }
  }

  /// What leads to one object less.
  fileprivate func value(_ value: Value?, without object: ObjectID) -> Value? {
    let references = value.destinations.filter { $0 != object }.map { Value.reference($0) }
    return switch self {
    case .one, .answered: .none
    case .set: references.isEmpty ? .none : .set(Set(references))
    case .array: references.isEmpty ? .none : .array(references)
    }
  }
}
