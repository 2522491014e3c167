internal import ObjectModel

/// Finds objects of a state that lead to others by relationships which both hold themselves, and that these do not lead
/// back to.
///
/// The two ends of a link stand far apart among the rows, and lie here in one of many parts, by its hash. Of each part
/// the hashes of the one end are added up and those of the other subtracted: where nothing is left over, both are there.
/// The links of a few other parts are looked at one by one, so that it takes no more memory for a large store.
struct EndComparing {
  /// A link between two objects, the same whichever of its ends says so.
  private struct Link: Hashable {
    let object: ObjectID
    let key: KeyNumber
    let other: ObjectID
    let otherKey: KeyNumber

    /// Its part among so many.
    func part(of count: Int) -> Int { Int(UInt(bitPattern: hashValue) >> 20) % count }
  }

  private static let partCount = 4_096
  private static let largestOpenedCount = 16
  private static let largestToldCount = 100

  private let head: Snapshot
  private let era: Era

  /// What is wrong with the ends of a state's relationships.
  static func findings(in head: Snapshot, name: (KeyNumber) -> String) throws(StoreError)
    -> [StoreFinding]
  {
    guard let era = head.era else { return [] }
    let comparing = EndComparing(head: head, era: era)
    var sums = [UInt](repeating: 0, count: partCount)
    try comparing.forEachLink { link, isFirstEnd in
      let hash = UInt(bitPattern: link.hashValue)
      if isFirstEnd {
        sums[link.part(of: partCount)] &+= hash
      } else {
        sums[link.part(of: partCount)] &-= hash
      }
    }
    let unequal = sums.indices.filter { sums[$0] != 0 }
    if unequal.isEmpty { return [] }
    let opened = Set(unequal.prefix(largestOpenedCount))
    var ends: [Link: Int] = [:]
    try comparing.forEachLink { link, isFirstEnd in
      guard opened.contains(link.part(of: partCount)) else { return }
      let count = (ends[link] ?? 0) + (isFirstEnd ? 1 : -1)
      ends[link] = count == 0 ? nil : count
    }
    let links = ends.sorted {
      ($0.key.object, $0.key.key, $0.key.other) < ($1.key.object, $1.key.key, $1.key.other)
    }
    var findings = links.prefix(largestToldCount).map { link, count in
      comparing.finding(link, isFirstEnd: count > 0, name)
    }
    if unequal.count > opened.count || links.count > largestToldCount {
      findings.append(
        StoreFinding(
          "there are more objects that others lead to and that do not lead back.",
          matter: .contradiction))
    }
    return findings
  }

  /// Calls a closure with each end of each link.
  private func forEachLink(_ body: (Link, _ isFirstEnd: Bool) -> Void) throws(StoreError) {
    var rows = LayeredRows(of: head)
    while let next = try rows.next() {
      let (object, ends) = (next.object, era.ends[next.object.entity])
      guard ends.contains(where: { $0.storedBack != nil }),
        let row = head.convert(
          next.stored.row, of: object, from: next.era, to: head.eras.count - 1)
      else { continue }
      for end in ends {
        guard let back = end.storedBack else { continue }
        for other in row[end.key].destinations where other.store == head.store {
          // One that leads to itself is both ends of the link.
          if (object, end.key) == (other, back.key) { continue }
          if try isLeft(other, back) { continue }
          if (object, end.key) < (other, back.key) {
            body(Link(object: object, key: end.key, other: other, otherKey: back.key), true)
          } else {
            body(Link(object: other, key: back.key, other: object, otherKey: end.key), false)
          }
        }
      }
    }
  }

  /// Whether an object is gone, and a rule of no action has left what led to it.
  private func isLeft(_ other: ObjectID, _ back: RelationshipEnds.Back) throws(StoreError) -> Bool {
    guard
      era.ends[other.entity].contains(where: { $0.key == back.key && $0.deleteRule == .noAction })
    else { return false }
    return try head.handle(of: other)?.isDeleted != false
  }

  private func finding(_ link: Link, isFirstEnd: Bool, _ name: (KeyNumber) -> String)
    -> StoreFinding
  {
    let (object, key) = isFirstEnd ? (link.object, link.key) : (link.other, link.otherKey)
    let (other, back) = isFirstEnd ? (link.other, link.otherKey) : (link.object, link.key)
    return StoreFinding(
      "\(name(key)) of \(object) leads to \(other), which does not lead back by \(name(back)); set one of the "
        + "two anew.", matter: .contradiction)
  }
}
