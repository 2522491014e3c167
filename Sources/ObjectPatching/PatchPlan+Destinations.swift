internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Where relationships lead once the patch has led them, and before what goes is gone.
extension PatchPlan {
  /// Where a relationship leads then, but to what the patch deletes itself.
  func destinations(ofGoing owner: Target, _ property: Property) throws -> [Target] {
    let back = property.relationship?.inverse?.key
    let held = try shown(owner, property)
    let said = links[owner]?[property.key].map { Set($0.targets) }
    let comer =
      property.relationship?.storage == .one
      ? comers[LinkEnd(target: owner, key: property.key)] : nil
    let staying = held.filter { target in
      if let said, !said.contains(target) { return false }
      if let comer, comer != target { return false }
      if let back {
        if let link = links[target]?[back], !link.targets.contains(owner) { return false }
        if let other = comers[LinkEnd(target: target, key: back)], other != owner { return false }
      }
      return true
    }
    let known = Set(held)
    let coming = arrivals(at: owner, property, back).filter { !known.contains($0) }
    return try (staying + coming).filter { target in
      guard case .existing(let member) = target else { return true }
      if let step = taken[member] {
        // That it is not as the patch says has been told of; it is kept by one policy alone.
        let goes = steps[step].effect == .deletion || policy != .keepOurs
        if goes, steps[step].patch.kind == .deletion { return false }
      }
      return try context.rowShown(of: member) != nil
    }
  }

  /// Where a relationship leads before the patch.
  func shown(_ owner: Target, _ property: Property) throws -> [Target] {
    guard case .existing(let object) = owner else { return [] }
    return try context.destinationsShown(of: object, property).map(Target.existing)
  }

  /// What the patch has come to something, said at either end.
  private func arrivals(at owner: Target, _ property: Property, _ back: KeyNumber?) -> [Target] {
    let said = links[owner]?[property.key]?.targets ?? []
    guard let back, let leading = leading[LinkEnd(target: owner, key: back)] else { return said }
    let known = Set(said)
    return said
      + leading.filter { target in
        !known.contains(target) && links[target]?[back]?.targets.contains(owner) == true
      }
  }

  /// What leads to objects by the patch and did not before, by these and the keys by which it does.
  func newLinks() -> [LinkEnd: [Target]] {
    var found: [LinkEnd: [Target]] = [:]
    for end in linkOrder {
      guard let link = links[end.target]?[end.key] else { continue }
      let former = Set(link.former)
      for target in link.targets where !former.contains(target) {
        found[LinkEnd(target: target, key: end.key), default: []].append(end.target)
      }
    }
    return found
  }
}
