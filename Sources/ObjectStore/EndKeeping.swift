internal import ObjectModel

/// Keeps both ends of relationships in step in what a commit makes of objects: one leads to another if and only if that
/// one leads back, and none that is changed is led to what is not there.
///
/// Where the ends disagree:
/// - A relationship to one says where it leads, and the one to many follows; but where only the latter was changed,
///   by who commits, it says so.
/// - Of two to one, or two to many, that of an object which rivals have changed, too, says so, as the policy has
///   decided what that object is; and else that which was changed by who commits.
///
/// What objects had before is the state that the commit follows, whatever who commits has seen of them.
struct EndKeeping {
  /// What a commit makes of an object.
  struct Part {
    let object: ObjectID
    /// What it had when it was seen; nil where it was not there.
    let base: Row?
    /// What it is to have by who commits; nil where it is to be deleted.
    let asked: Row?
    /// What it had just before the commit, and which commit has made it so.
    let old: Row?
    let changed: CommitNumber
    /// What it gets, also by what others have made of it.
    var new: Row?

    /// Whether others have made it another than it was seen.
    var isRuled: Bool { old != base }
  }

  /// Two objects, of which one leads to the other and that does not lead back, and what is to be.
  struct Disagreement {
    let object: ObjectID
    let end: RelationshipEnds.End
    let other: ObjectID
    let isLink: Bool
    let isRuled: Bool

    /// Where it stands among others: the same, whichever of the two is changed.
    var place: (Int, ObjectID, ObjectID) {
      (isRuled ? 1 : 0, min(object, other), max(object, other))
    }
  }

  /// An object, and a relationship that it has.
  struct Holder: Hashable {
    let object: ObjectID
    let key: KeyNumber
  }

  /// An object that refers to another, and by which end.
  private struct Referring {
    let object: ObjectID
    let end: RelationshipEnds.End
  }

  let ends: RelationshipEnds
  /// The state before the commit.
  let head: Snapshot
  /// What becomes of objects, first of those that are asked for, and then of those at the other ends that were looked
  /// at.
  var parts: [Part]
  let askedCount: Int
  var places: [ObjectID: Int] = [:]
  var presence: [ObjectID: Bool] = [:]
  /// Where relationships to many are to lead that many others are asked for, or that are changed.
  var gathered: [Holder: GatheredDestinations] = [:]
  /// Where who commits has led objects by ordered relationships, or away.
  var edited: [Holder: Set<ObjectID>] = [:]
  private var referring: [ObjectID: [Referring]]?
  private var disagreements: [Disagreement] = []
  /// The objects that have got another row than they were to have.
  var kept: Set<ObjectID> = []
  /// Objects that are to be deleted and that others lead to, of which who commits does not know.
  private(set) var stillLedTo: Set<ObjectID> = []

  init(_ ends: RelationshipEnds, _ parts: [Part], at head: Snapshot) {
    self.ends = ends
    self.head = head
    self.parts = parts
    askedCount = parts.count
    for (place, part) in parts.enumerated() { places[part.object] = place }
  }

  /// What becomes of the objects that are asked for, and of the others that have got another row.
  var outcome: [Part] {
    parts[..<askedCount] + parts[askedCount...].filter { kept.contains($0.object) }
  }

  /// Has all ends be in step, unless something is to be deleted that is still led to.
  mutating func keep() throws(StoreError) {
    for place in 0..<askedCount { try compare(parts[place]) }
    if !stillLedTo.isEmpty { return }
    for each in disagreements where !each.isLink { try unlink(each) }
    // What the policy has decided comes last, and so displaces what was decided without it.
    let links = disagreements.filter(\.isLink).sorted { $0.place < $1.place }
    for each in links { try link(each) }
    setGathered()
  }

  // MARK: Comparing

  /// Finds where others do not lead back as an object is to lead to them.
  private mutating func compare(_ part: Part) throws(StoreError) {
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
    let isForced = part.asked != nil
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
