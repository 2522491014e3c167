package import ObjectModel

/// How the objects of a query are found: what indexes are asked for, and what is then tested.
package struct QueryPlan: Sendable {
  /// Where the objects come from.
  package enum Access: Hashable, Sendable {
    /// All of the entity.
    case all
    /// Nowhere: none can pass.
    case nothing
    /// What an index finds.
    case index(IndexScan)
    /// What several scans find, an object only once though several may find it.
    case union([IndexScan])
  }

  package let access: Access
  /// What is to be tested of each object that was found; nil where all pass.
  package let rest: BoundFilter?

  /// In which order of an index the first objects are looked for at first; nil where in none.
  package let walk: IndexWalk?

  /// Decides how a query is answered. What is likely to find least is asked: nothing at all, one value,
  /// several values, texts by their beginning, a range with two ends, one with a single end; of equals what
  /// the filter names first. Of an OR each part must have an index, and it counts as its widest part.
  ///
  /// - Parameter hasIndex: whether there is an index of a key of the entity.
  package init(_ query: BoundQuery, hasIndex: (KeyNumber) -> Bool) {
    (access, rest) = Self.answer(query.filter, hasIndex)
    walk = IndexWalk(query, access, hasIndex: hasIndex)
  }

  private static func answer(
    _ filter: BoundFilter, _ hasIndex: (KeyNumber) -> Bool
  ) -> (Access, rest: BoundFilter?) {
    let conjuncts = filter.conjuncts
    guard let best = IndexCandidate.best(conjuncts, hasIndex) else {
      return (
        filter.constant == false ? .nothing : .all, filter.constant == nil ? filter : nil
      )
    }
    if best.breadth == .nothing { return (.nothing, nil) }
    let left = conjuncts.indices.filter { !best.covered.contains($0) }.map { conjuncts[$0] }
    let node: BoundFilter.Node = left.count == 1 ? left[0] : .and(left)
    return (
      best.scans.count == 1 ? .index(best.scans[0]) : .union(best.scans),
      left.isEmpty ? nil : BoundFilter(node, node.filter)
    )
  }
}

/// Scans that find all that some parts of a filter let pass.
struct IndexCandidate {
  var scans: [IndexScan]
  /// The parts that need not be tested any more, by their place.
  var covered: Set<Int>

  var breadth: IndexScan.Breadth { scans.map(\.breadth).max() ?? .nothing }

  /// What is likely to find least; nil where no index can be asked.
  static func best(
    _ conjuncts: [BoundFilter.Node], _ hasIndex: (KeyNumber) -> Bool
  ) -> IndexCandidate? {
    if conjuncts.contains(where: { if case .constant(false) = $0 { true } else { false } }) {
      return IndexCandidate(scans: [], covered: Set(conjuncts.indices))
    }
    // Stable: of equals the first.
    return all(conjuncts, hasIndex).reduce(nil) { best, candidate in
      guard let best else { return candidate }
      return candidate.breadth < best.breadth ? candidate : best
    }
  }

  /// One for each key, with all that is said of it, and one for each OR.
  private static func all(
    _ conjuncts: [BoundFilter.Node], _ hasIndex: (KeyNumber) -> Bool
  ) -> [IndexCandidate] {
    var candidates: [IndexCandidate] = []
    var places: [KeyNumber: Int] = [:]
    for (index, conjunct) in conjuncts.enumerated() {
      switch conjunct {
      case .test(let key, let test):
        guard hasIndex(key), let scan = IndexScan(key, test) else { continue }
        let covered: Set<Int> = scan.isExact ? [index] : []
        if let place = places[key], let other = candidates[place].scans.first {
          candidates[place].scans = [other.intersection(scan)]
          candidates[place].covered.formUnion(covered)
        } else {
          places[key] = candidates.count
          candidates.append(IndexCandidate(scans: [scan], covered: covered))
        }
      case .or(let parts):
        guard let union = union(parts, hasIndex) else { continue }
        candidates.append(
          IndexCandidate(scans: union.scans, covered: union.isExact ? [index] : []))
      default: continue
      }
    }
    return candidates
  }

  private static func union(
    _ parts: [BoundFilter.Node], _ hasIndex: (KeyNumber) -> Bool
  ) -> (scans: [IndexScan], isExact: Bool)? {
    var scans: [IndexScan] = []
    var isExact = true
    for part in parts {
      let conjuncts = part.conjuncts
      guard let best = best(conjuncts, hasIndex) else { return nil }
      isExact = isExact && best.covered.count == conjuncts.count
      for scan in best.scans {
        if let place = scans.firstIndex(where: { $0.key == scan.key }) {
          scans[place] = scans[place].union(scan)
        } else {
          scans.append(scan)
        }
      }
    }
    return (scans.filter { !$0.ranges.isEmpty }, isExact)
  }
}

extension IndexScan {
  fileprivate func intersection(_ other: IndexScan) -> IndexScan {
    IndexScan(
      key: key, name: name, ranges: ValueRange.common(ranges, other.ranges),
      isExact: isExact && other.isExact,
      isPrefix: breadth == .prefix || other.breadth == .prefix)
  }

  fileprivate func union(_ other: IndexScan) -> IndexScan {
    IndexScan(
      key: key, name: name, ranges: ValueRange.joined(ranges + other.ranges),
      isExact: isExact && other.isExact,
      isPrefix: breadth == .prefix || other.breadth == .prefix)
  }
}
