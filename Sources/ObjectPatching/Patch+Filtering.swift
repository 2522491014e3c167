public import ObjectModel

extension Patch {
  /// Leaves out what the patch says of the objects of some entities, wherever it stands: what becomes of them, and that
  /// others come to lead to them, or do no more. What is nested in their patches stands at the top then.
  ///
  /// Places in an order count all that stand in it. Where the patch takes some of these objects out of an order, or puts
  /// some in, it says no places in that any more: what comes is put behind all others, and what goes is not put back by
  /// an inverse. That holds, with a model, of all orders that may lead to them, as others of them may stand there of
  /// which the patch does not speak.
  ///
  /// - Parameters:
  ///   - names: the names of the objects' own entities.
  ///   - model: says which orders may lead to them.
  public mutating func removeObjects(
    ofEntities names: Set<String>, model: ManagedObjectModel? = nil
  ) {
    var filter = PatchFilter(names: names, model: model)
    let kept = filter.without(objects)
    objects = kept + filter.freed
  }
}

private struct PatchFilter {
  let names: Set<String>
  let model: ManagedObjectModel?
  /// What was nested in what is left out.
  private(set) var freed: [ObjectPatch] = []

  mutating func without(_ patches: [ObjectPatch]) -> [ObjectPatch] {
    var kept: [ObjectPatch] = []
    for var patch in patches {
      let isLeftOut = names.contains(patch.entityName)
      for key in patch.relationships.keys.sorted() {
        guard var relationship = patch.relationships[key] else { continue }
        let nested = without(relationship.patches)
        if isLeftOut {
          freed += nested
          continue
        }
        relationship.patches = nested
        leaveOutMembers(of: &relationship, key, in: patch.entityName)
        if relationship != patch.relationships[key] {
          let isNothing =
            nested.isEmpty && relationship.removed.isEmpty && relationship.added.isEmpty
          patch.relationships[key] = isNothing ? nil : relationship
        }
      }
      if !isLeftOut { kept.append(patch) }
    }
    return kept
  }

  private func leaveOutMembers(
    of relationship: inout RelationshipPatch, _ key: String, in entityName: String
  ) {
    func isLeft(_ member: RelationshipPatch.Member) -> Bool {
      names.contains(member.identity.entityName)
    }
    let losesPlaces =
      relationship.kind == .ordered
      && ((relationship.removed + relationship.added).contains(where: isLeft)
        || mayLeadToThem(key, of: entityName))
    func kept(_ members: [RelationshipPatch.Member]) -> [RelationshipPatch.Member] {
      let kept = members.filter { !isLeft($0) }
      if !losesPlaces { return kept }
      return kept.sorted(by: RelationshipPatch.Member.precedes).map { .init($0.identity) }
    }
    relationship.removed = kept(relationship.removed)
    relationship.added = kept(relationship.added)
  }

  private func mayLeadToThem(_ key: String, of entityName: String) -> Bool {
    guard let model,
      let relationship = model.entity(named: entityName)?.relationship(key),
      let destination = model.entity(named: relationship.destination)
    else { return false }
    return names.contains(destination.name) || !names.isDisjoint(with: destination.heirs)
  }
}
