internal import ObjectModel

// Finding where the ends of relationships disagree, and deciding which of them is right.
extension EndKeeping {
  /// Finds where others do not lead back as an object is to lead to them.
  mutating func compare(_ part: Part) throws(StoreError) {
    for end in ends[part.object.entity] {
      if end.form == .answered {
        if part.new == nil, part.old != nil { try compareMembers(of: part, end) }
        continue
      }
      let (old, new) = (part.old?[end.key], part.new?[end.key])
      if old == new { continue }
      let (coming, going) = Self.difference(from: old, to: new)
      for other in coming where other.store == head.store {
        if try !isThere(other) {
          note(part.object, end, other, isLink: false)
        } else if let back = end.storedBack,
          try !leads(other, back, to: part.object)
        {
          decide(part, end, back, other, leads: true)
        }
      }
      guard let back = end.storedBack else { continue }
      for other in going where other.store == head.store {
        guard try isThere(other), try leads(other, back, to: part.object) else { continue }
        if part.new == nil {
          leave(part, end, back, other)
        } else {
          decide(part, end, back, other, leads: false)
        }
      }
    }
  }

  /// What a relationship comes to lead to, and what it leads to no more.
  private static func difference(
    from old: Value?, to new: Value?
  ) -> (coming: [ObjectID], going: [ObjectID]) {
    if case .set(let old)? = old, case .set(let new)? = new {
      let (coming, going) = (Value.set(new.subtracting(old)), Value.set(old.subtracting(new)))
      return (Value?(coming).destinations, Value?(going).destinations)
    }
    let (before, after) = (old.destinations, new.destinations)
    let (wasLedTo, isLedTo) = (Set(before), Set(after))
    return (
      after.filter { !wasLedTo.contains($0) }, before.filter { !isLedTo.contains($0) }
    )
  }

  /// Finds what still refers to an object that goes, and that does not know it.
  private mutating func compareMembers(
    of part: Part, _ end: RelationshipEnds.End
  ) throws(StoreError) {
    guard let back = end.back, end.deleteRule != .noAction else { return }
    let members: [ObjectID]
    // Who verifies has no index. All that a commit could have changed is among what was asked for, but for what nobody
    // could follow.
    if part.asked == nil, !head.hasIndex(of: back.key, back.entity) {
      members = referringParts()[part.object, default: []].filter {
        $0.end.key == back.key && $0.end.back?.key == end.key
      }
      .map(\.object)
    } else {
      members = try head.objects(referringTo: part.object, by: back.key, of: back.entity)
    }
    for member in members where try leads(member, back, to: part.object) {
      leave(part, end, back, member)
    }
  }

  /// What is asked for and refers to objects whose relationships to many are answered from that, by these.
  private mutating func referringParts() -> [ObjectID: [Referring]] {
    if let referring { return referring }
    var found: [ObjectID: [Referring]] = [:]
    for part in parts[..<askedCount] {
      for end in ends[part.object.entity] where end.back?.form == .answered {
        guard let owner = part.new?[end.key]?.reference else { continue }
        found[owner, default: []].append(Referring(object: part.object, end: end))
      }
    }
    referring = found
    return found
  }

  /// Notes that an object goes to which another leads.
  private mutating func leave(
    _ part: Part, _ end: RelationshipEnds.End, _ back: RelationshipEnds.Back, _ other: ObjectID
  ) {
    if end.deleteRule == .noAction { return }
    // What rivals, or a program's policy, have decided about an object is nothing that its context could follow. But
    // what has to lead somewhere is not left leading nowhere: its context has the save refused.
    let isForced = part.asked != nil || unlinksDeleted
    let isDecided =
      asked(other).map {
        $0.asked == nil || end.deleteRule == .nullify && !back.isRequired
          || $0.asked?[back.key] != $0.base?[back.key]
      } ?? false
    if isForced || isDecided {
      note(part.object, end, other, isLink: false)
    } else {
      stillLedTo.insert(part.object)
    }
  }

  /// Decides which of two ends is right that disagree.
  ///
  /// - Parameter leads: whether the object leads to the other.
  private mutating func decide(
    _ part: Part, _ end: RelationshipEnds.End, _ back: RelationshipEnds.Back, _ other: ObjectID,
    leads: Bool
  ) {
    let partner = asked(other)
    let isEdited = isEdited(part, end.key, other)
    let isPartnerEdited = self.isEdited(partner, back.key, part.object)
    let (isRuled, isPartnerRuled) = (part.isRuled, partner?.isRuled ?? false)
    let isLink: Bool
    switch (end.form == .one, back.form == .one) {
    case (true, false): isLink = isEdited || isRuled || !isPartnerEdited ? leads : !leads
    case (false, true): isLink = isPartnerEdited || isPartnerRuled || !isEdited ? !leads : leads
    default:
      if isRuled != isPartnerRuled {
        isLink = isRuled == leads
      } else {
        isLink = isEdited != isPartnerEdited && isEdited == leads
      }
    }
    note(part.object, end, other, isLink: isLink, isRuled: isRuled || isPartnerRuled)
  }

  private mutating func note(
    _ object: ObjectID, _ end: RelationshipEnds.End, _ other: ObjectID, isLink: Bool,
    isRuled: Bool = false
  ) {
    disagreements.append(
      Disagreement(object: object, end: end, other: other, isLink: isLink, isRuled: isRuled))
  }
}
