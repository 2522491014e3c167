internal import ObjectModel

/// What comes, goes and moves between two orders of the same kind of members, each once in both.
struct MemberOrder {
  /// The places of members that go or move, among the old.
  private(set) var removed: [Int] = []
  /// The places of members that come or have moved, among the new.
  private(set) var added: [Int] = []

  /// Finds the longest row of members that keep their order; all others go, come, or both.
  init<Member: Hashable>(from old: [Member], to new: [Member]) {
    let places = Dictionary(firstOf: old.enumerated().map { ($1, $0) })
    let common = new.enumerated().compactMap { place, member in
      places[member].map { (new: place, old: $0) }
    }
    // The last of the longest rising row that ends with each place, and what stands before it there.
    var tails: [Int] = []
    var before = [Int?](repeating: nil, count: common.count)
    for (index, place) in common.enumerated() {
      let rank = tails.indices.firstPlace(inOrder: { common[tails[$0]].old >= place.old })
      before[index] = rank > 0 ? tails[rank - 1] : nil
      if rank == tails.count { tails.append(index) } else { tails[rank] = index }
    }
    var (keptOld, keptNew): (Set<Int>, Set<Int>) = ([], [])
    var last = tails.last
    while let index = last {
      keptOld.insert(common[index].old)
      keptNew.insert(common[index].new)
      last = before[index]
    }
    removed = old.indices.filter { !keptOld.contains($0) }
    added = new.indices.filter { !keptNew.contains($0) }
  }
}

extension RelationshipPatch {
  /// The change of one order after another: what both do together. Nil where positions are not known.
  ///
  /// - Parameters:
  ///   - before: gives the name that a member of the second has before the first.
  ///   - after: gives the name that a member of the first has after the second.
  static func joined(
    _ first: RelationshipPatch, _ second: RelationshipPatch,
    before: (PatchIdentity) -> PatchIdentity, after: (PatchIdentity) -> PatchIdentity
  ) -> (removed: [Member], added: [Member])? {
    let all = first.removed + first.added + second.removed + second.added
    guard all.allSatisfy({ $0.position != nil }) else { return nil }
    let gone = first.removed.compactMap(\.position).sorted()
    let come = first.added.compactMap(\.position).sorted()
    let goneThen = second.removed.compactMap(\.position).sorted()
    let comeThen = second.added.compactMap(\.position).sorted()
    var removed = first.removed
    for member in second.removed {
      // Where it was among those that the first has left alone, and so where it was before.
      guard let place = member.position, let old = moved(place, without: come, among: gone) else {
        continue
      }
      removed.append(Member(before(member.identity), position: old))
    }
    var added = second.added
    for member in first.added {
      guard let place = member.position,
        let new = moved(place, without: goneThen, among: comeThen)
      else { continue }
      added.append(Member(after(member.identity), position: new))
    }
    return (removed.sorted(by: Member.precedes), added.sorted(by: Member.precedes))
  }
}

/// Where what stands at a place stands without some others, and then among others; nil where it is itself one of those
/// that are left out. The places of both are in order.
private func moved(_ place: Int, without some: [Int], among others: [Int]) -> Int? {
  let before = some.indices.firstPlace(inOrder: { some[$0] >= place })
  if before < some.count, some[before] == place { return nil }
  let rest = place - before
  // The n-th of the others stands before it where no more than n fewer stand before that.
  return rest + others.indices.firstPlace(inOrder: { others[$0] - $0 > rest })
}

extension RelationshipPatch.Member {
  /// The order of members: by place, and without one by identity.
  static func precedes(_ one: Self, _ other: Self) -> Bool {
    switch (one.position, other.position) {
    case (let place?, let otherPlace?): place < otherPlace
    case (_?, nil): true
    case (nil, _?): false
    case (nil, nil): one.identity < other.identity
    }
  }
}
