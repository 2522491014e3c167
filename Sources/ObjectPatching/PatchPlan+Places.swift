internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// What comes in the places of objects that go.
struct PlacesTaken {
  /// The steps that make something under the name of an object.
  fileprivate var comers: [ObjectID: [Int]] = [:]
  /// Objects from which all that takes them along was found.
  fileprivate var climbed: Set<ObjectID> = []

  init(_ plan: PatchPlan) {
    for (index, step) in plan.steps.enumerated() where step.effect == .creation {
      for case let name? in [step.patch.identity, step.newName] {
        if case .some(let object?) = plan.found[name] {
          comers[object, default: []].append(index)
        }
      }
    }
  }
}

// Deletions that stay as others do.
extension PatchPlan {
  /// Has nothing come in the place of an object that stays, and so nothing leave what goes for that. All is planned anew
  /// then; but what stays by this alone is found at once, or each plan would find one more.
  ///
  /// - Returns: the deletions that are to be looked at again.
  mutating func giveUpWhatComes(
    insteadOf object: ObjectID, _ places: inout PlacesTaken?
  ) throws -> [Int] {
    var again: [Int] = []
    for index in places?.comers[object] ?? [] {
      let stays = takenBack(index)
      losingNothing = []
      for (member, property) in stays {
        for case .existing(let owner) in try shown(member, property) {
          guard let inverse = property.relationship?.inverse,
            let taking = context.schema.entity(owner.entity)?.property(inverse.key),
            taking.relationship?.description.deleteRule == .cascade
          else { continue }
          let leaving = Leaving(member: member, owner: .existing(owner), property: taking)
          if try !whatStays(leaving).isEmpty {
            again += try deletions(taking: owner, &places)
          } else if let step = taken[owner], steps[step].effect == .deletion, steps[step].saysAll {
            again.append(step)
          }
        }
      }
    }
    return again
  }

  /// Has what was to come to an object that is not made stay with its owner, where no other is to have it.
  ///
  /// - Returns: what stays there, and the relationships to one by which it does.
  private mutating func takenBack(_ index: Int) -> [(member: Target, property: Property)] {
    let made = Target.made(index)
    var found: [(Target, Property)] = []
    for property in steps[index].info.properties {
      guard let inverse = property.relationship?.inverse, inverse.storage == .one else { continue }
      let members =
        links[made]?[property.key]?.targets
        ?? leading[LinkEnd(target: made, key: inverse.key)] ?? []
      for member in members {
        let end = LinkEnd(target: member, key: inverse.key)
        guard !contested.contains(end), let back = info(of: member)?.property(inverse.key) else {
          continue
        }
        if let link = links[member]?[inverse.key] {
          // What an object says of itself leads it to what stays then.
          guard link.isImplied, link.targets == [made] else { continue }
          links[member]?[inverse.key] = nil
        }
        if comers[end] == made { comers[end] = nil }
        found.append((member, back))
      }
    }
    links[made] = nil
    return found
  }

  /// The deletions that take an object along.
  private func deletions(
    taking object: ObjectID, _ places: inout PlacesTaken?
  ) throws -> [Int] {
    var (waiting, found) = ([object], [Int]())
    while let next = waiting.popLast() {
      guard places?.climbed.insert(next).inserted ?? false else { continue }
      if let step = taken[next], steps[step].effect == .deletion { found.append(step) }
      for property in context.schema.entity(next.entity)?.properties ?? [] {
        guard let relationship = property.relationship, let inverse = relationship.inverse,
          context.schema.entity(relationship.destination)?.property(inverse.key)?.relationship?
            .description.deleteRule == .cascade
        else { continue }
        waiting += try context.destinationsShown(of: next, property)
      }
    }
    return found
  }
}
