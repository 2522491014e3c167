internal import ObjectModel

// What two patches that are joined make of a relationship.
extension PatchJoining {
  func renamed(_ patch: RelationshipPatch, isFirst: Bool) -> RelationshipPatch {
    var patch = patch
    if isFirst {
      patch.added = staying(patch.added) { _ in false }
        .map { .init(after($0.identity), position: $0.position) }
    } else {
      for index in patch.removed.indices {
        patch.removed[index].identity = before(patch.removed[index].identity)
      }
    }
    return patch
  }

  /// Of the members that come by the first patch those that the second does not delete, which it may do without saying
  /// so of the relationship: what leads to them leads nowhere.
  private func staying(
    _ members: [RelationshipPatch.Member], _ isSaid: (PatchIdentity) -> Bool
  ) -> [RelationshipPatch.Member] {
    var (staying, goneCount): ([RelationshipPatch.Member], Int) = ([], 0)
    for member in members.sorted(by: RelationshipPatch.Member.precedes) {
      if goes(member.identity), !isSaid(between(member.identity)) {
        goneCount += 1
      } else {
        staying.append(
          .init(member.identity, position: member.position.map { $0 - goneCount }))
      }
    }
    return goneCount == 0 ? members : staying
  }

  func relationship(
    _ one: RelationshipPatch?, _ other: RelationshipPatch?, _ path: PatchPath
  ) throws(PatchError) -> RelationshipPatch? {
    guard var one else { return other.map { renamed($0, isFirst: false) } }
    guard let other else { return renamed(one, isFirst: true) }
    guard one.kind == other.kind else {
      throw PatchError(
        .doesNotFollow, at: path,
        "the relationship is \(one.kind) in one patch and \(other.kind) in the other.")
    }
    let goneThen = Set(other.removed.map { between($0.identity) })
    one.added = staying(one.added, goneThen.contains)
    var joined = RelationshipPatch(one.kind)
    if one.kind == .toOne {
      guard goneThen.isEmpty || one.added.allSatisfy({ goneThen.contains(between($0.identity)) })
      else {
        throw PatchError(
          .doesNotFollow, at: path,
          "it leads elsewhere after the first patch than the other says; join patches of which one begins where the "
            + "other ends.")
      }
      // What is said at the other end only may not say what was there.
      joined.removed = one.removed
      joined.added = other.added
    } else if one.kind == .ordered,
      let order = RelationshipPatch.joined(one, other, before: before, after: after)
    {
      (joined.removed, joined.added) = order
    } else {
      if one.kind == .ordered { try refuseUnknownPlaces(one, other, path) }
      let come = Set(one.added.map { between($0.identity) })
      joined.removed =
        one.removed
        + other.removed.filter { !come.contains(between($0.identity)) }
        .map { .init(before($0.identity), position: $0.position) }
      joined.added =
        one.added.filter { !goneThen.contains(between($0.identity)) }
        .map { .init(after($0.identity), position: $0.position) } + other.added
    }
    try dropWhatIsBack(&joined)
    return joined.removed.isEmpty && joined.added.isEmpty ? nil : joined
  }

  /// Refuses two changes of an order of which one says places that depend on others which the other does not say: where
  /// those are is known when the first is applied.
  private func refuseUnknownPlaces(
    _ one: RelationshipPatch, _ other: RelationshipPatch, _ path: PatchPath
  ) throws(PatchError) {
    func havePlaces(_ members: [RelationshipPatch.Member]) -> Bool {
      members.contains { $0.position != nil }
    }
    // What is put behind all others moves none of them.
    func appends(_ patch: RelationshipPatch) -> Bool {
      patch.removed.isEmpty && !havePlaces(patch.added)
    }
    // What goes then is told by where it is before both, what comes first by where it is after both, and what comes then
    // stands before all that have come without a place.
    guard
      appends(one) || !havePlaces(other.removed), appends(other) || !havePlaces(one.added),
      one.added.isEmpty || !havePlaces(other.added)
    else {
      throw PatchError(
        .doesNotFollow, at: path,
        "one patch says places in the order that depend on what the other does not say a place of; give all of them "
          + "places, or apply one after the other.")
    }
  }

  /// What has gone and come back has done neither.
  private func dropWhatIsBack(_ patch: inout RelationshipPatch) throws(PatchError) {
    // By what tells each from others in the end.
    var gone: [RelationshipPatch.Member?] = []
    for member in patch.removed {
      let name = try finally(member.identity)
      gone.append(name.map { RelationshipPatch.Member($0, position: member.position) })
    }
    let come = patch.added.map {
      RelationshipPatch.Member(idsAfter[$0.identity] ?? $0.identity, position: $0.position)
    }
    if patch.kind == .ordered {
      if gone == come { (patch.removed, patch.added) = ([], []) }
      return
    }
    let back = Set(gone.compactMap(\.self)).intersection(come)
    if back.isEmpty { return }
    patch.removed = zip(patch.removed, gone)
      .filter { $1.map { !back.contains($0) } ?? true }.map(\.0)
    patch.added = zip(patch.added, come).filter { !back.contains($1) }.map(\.0)
  }

  /// What tells an object in the end that was named so before; nil where it is gone, whatever is named so then.
  private func finally(_ identity: PatchIdentity) throws(PatchError) -> PatchIdentity? {
    var identity = idsBefore[identity] ?? identity
    if let place = placesInFirst[identity] {
      let patch = first.entries[place].patch
      if patch.kind == .deletion { return try revival(of: patch) == nil ? nil : identity }
      guard let name = patch.identityAfter else { return nil }
      identity = name
    }
    if goes(identity) { return nil }
    let name = after(identity)
    return idsAfter[name] ?? name
  }
}
