internal import ObjectModel

// Both ends of the relationships of a state of which not all can be read.
extension SalvagedState {
  /// Has objects lead back to those that lead to them where nothing else is known of that; what leads to an object that is
  /// lost, or that leads elsewhere, is lost as well.
  mutating func bringEndsInStep() {
    guard let era = checkpoint?.catalogue.eras.dropLast(laterModels.count).last else { return }
    var many = ToMany()
    for object in known.keys.sorted() {
      for end in era.ends[object.entity] {
        guard let back = end.storedBack else { continue }
        var isLost = false
        for other in (known[object]?.row[end.key]).destinations where other.store == store.tag {
          if leads(other, by: back.key, back.form, to: object, &many) { continue }
          if known[other] == nil {
            // A rule of no action leaves what leads nowhere.
            let leavesLinks = era.ends[other.entity].contains {
              $0.key == back.key && $0.deleteRule == .noAction
            }
            if leavesLinks { continue }
          } else if lead(other, by: back.key, back.form, to: object, &many) {
            continue
          }
          isLost = true
          if end.form == .one {
            known[object]?.row[end.key] = Value?.none
          } else {
            many.change(object, end.key, end.form, in: known) { $0.remove(other) }
          }
        }
        if isLost { losses.append(.value(end.key, object)) }
      }
    }
    for (holder, destinations) in many.gathered where destinations.isChanged {
      known[holder.object]?.row[holder.key] = destinations.value
    }
  }

  private func leads(
    _ object: ObjectID, by key: KeyNumber, _ form: RelationshipEnds.Form, to other: ObjectID,
    _ many: inout ToMany
  ) -> Bool {
    if form == .one { return known[object]?.row[key] == .reference(other) }
    return many.change(object, key, form, in: known) { $0.contains(other) }
  }

  /// - Returns: whether an object leads to another now; it does not where it leads to as many as it can.
  private mutating func lead(
    _ object: ObjectID, by key: KeyNumber, _ form: RelationshipEnds.Form, to other: ObjectID,
    _ many: inout ToMany
  ) -> Bool {
    if form == .one {
      guard (known[object]?.row[key]).destinations.isEmpty else { return false }
      known[object]?.row[key] = .reference(other)
    } else {
      many.change(object, key, form, in: known) { $0.append(other) }
    }
    return true
  }

  /// Where relationships to many lead by now, of those that were looked at.
  private struct ToMany {
    private(set) var gathered: [EndKeeping.Holder: GatheredDestinations] = [:]

    mutating func change<Answer>(
      _ object: ObjectID, _ key: KeyNumber, _ form: RelationshipEnds.Form,
      in known: [ObjectID: Known], _ body: (inout GatheredDestinations) -> Answer
    ) -> Answer {
      func stored() -> GatheredDestinations {
        GatheredDestinations(known[object]?.row[key], isOrdered: form == .array)
      }
      return body(&gathered[EndKeeping.Holder(object: object, key: key), default: stored()])
    }
  }
}
