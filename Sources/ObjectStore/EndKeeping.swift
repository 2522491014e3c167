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
  struct Referring {
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
  var referring: [ObjectID: [Referring]]?
  var disagreements: [Disagreement] = []
  /// The objects that have got another row than they were to have.
  var kept: Set<ObjectID> = []
  /// Objects that are to be deleted and that others lead to, of which who commits does not know.
  var stillLedTo: Set<ObjectID> = []
  /// Whether nothing leads to these any more then.
  var unlinksDeleted = false
  /// Relationships which, with that, lead to fewer objects than they must, or to more than they may.
  private(set) var miscounts: [CommitError.Miscount] = []

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
    for part in parts[..<askedCount] where kept.contains(part.object) { noteMiscounts(of: part) }
    for holder in try answeredHolders().sorted(by: { ($0.object, $0.key) < ($1.object, $1.key) }) {
      try noteMiscount(of: holder)
    }
  }

  /// Who commits has seen to it that what is asked for is as the model demands, and knows nothing of what was taken
  /// from it here, or put there.
  private mutating func noteMiscounts(of part: Part) {
    guard let row = part.new, let asked = part.asked else { return }
    for end in ends[part.object.entity] where end.form != .answered {
      let count = row[end.key].destinations.count
      guard end.isMiscounted(by: count),
        !end.isMiscounted(by: asked[end.key].destinations.count)
      else { continue }
      miscounts.append(CommitError.Miscount(object: part.object, key: end.key, count: count))
    }
  }

  /// The objects that are there whose relationships to many, which are answered from members, get others or lose some,
  /// and may not lead to any number.
  private mutating func answeredHolders() throws(StoreError) -> Set<Holder> {
    var holders: Set<Holder> = []
    for part in parts {
      for end in ends[part.object.entity] where end.form == .one {
        guard let back = end.back, back.form == .answered else { continue }
        let (old, new) = (part.old?[end.key]?.reference, part.new?[end.key]?.reference)
        if old == new { continue }
        for object in [old, new].compactMap(\.self) {
          guard let demands = self.end(of: object, back.key), demands.isDemanding else { continue }
          if try isThere(object) { holders.insert(Holder(object: object, key: back.key)) }
        }
      }
    }
    return holders
  }

  private func end(of object: ObjectID, _ key: KeyNumber) -> RelationshipEnds.End? {
    ends[object.entity].first { $0.key == key }
  }

  /// Counts the members that are to lead to an object.
  private mutating func noteMiscount(of holder: Holder) throws(StoreError) {
    guard let end = end(of: holder.object, holder.key), let member = end.back else { return }
    var members = Set(
      try head.objects(referringTo: holder.object, by: member.key, of: member.entity))
    for part in parts {
      guard self.end(of: part.object, member.key)?.back?.key == holder.key else { continue }
      if part.new?[member.key]?.reference == holder.object {
        members.insert(part.object)
      } else {
        members.remove(part.object)
      }
    }
    guard end.isMiscounted(by: members.count) else { return }
    miscounts.append(
      CommitError.Miscount(object: holder.object, key: holder.key, count: members.count))
  }
}
