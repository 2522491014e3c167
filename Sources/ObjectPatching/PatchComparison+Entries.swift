internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Which objects differ between two states, and what becomes of each.
extension PatchComparison {
  /// An object that may differ: what it is on both sides, or the patch where that is known already.
  private enum Candidate {
    case rows(old: (object: ObjectID, row: Row)?, new: (object: ObjectID, row: Row)?)
    case patch(ObjectID, ObjectPatch?)

    /// The object; the old one where it is taken for another.
    var object: ObjectID? { objects.before ?? objects.after }

    /// The object on both sides.
    var objects: (before: ObjectID?, after: ObjectID?) {
      switch self {
      case .rows(let old, let new): (old?.object, new?.object)
      case .patch(let object, _): (object, object)
      }
    }
  }

  func patch() throws -> Patch {
    var comparison = self
    return PatchNesting(try comparison.entries(), to.schema).patch
  }

  /// What becomes of each object, without nesting.
  private mutating func entries() throws -> [ObjectPatch] {
    var candidates = try isOneStore ? candidatesByCommits() : candidatesByIdentity()
    try pairRenamed(&candidates)
    if isOneStore { try addWhatLeadsElsewhere(&candidates) }
    var coming: [PatchIdentity: Int] = [:]
    return try candidates.enumerated().compactMap { index, candidate in
      let patch =
        switch candidate {
        case .rows(let old, let new): try patch(from: old, to: new)
        case .patch(_, let patch): patch
        }
      if let patch {
        if patch.kind == .creation {
          try refuseSecond(coming.updateValue(index, forKey: patch.identity), patch.identity)
        }
        let (before, after) = candidate.objects
        if isOneStore { try refuseNamesake(before: before, after: after, patch) }
      }
      return patch
    }
  }

  /// What comes, goes or is renamed is to have its names alone, or who follows takes another object for it.
  func refuseNamesake(before: ObjectID?, after: ObjectID?, _ patch: ObjectPatch) throws {
    if let before, patch.kind == .deletion || patch.identityAfter != patch.identity {
      try refuseNamesake(of: before, patch.identity, from)
    }
    guard let after, let key = to.identifierName(of: after) else { return }
    if patch.kind == .creation {
      try refuseNamesake(of: after, patch.identity, to)
    } else if let name = patch.new?[key], !name.isNull {
      try refuseNamesake(of: after, PatchIdentity(patch.identity.entityName, key, name), to)
    }
  }

  private func refuseNamesake(
    of object: ObjectID, _ identity: PatchIdentity, _ side: PatchSide
  ) throws {
    guard case .attribute(_, let name) = identity.identifier,
      try side.hasNamesake(of: object, name)
    else { return }
    try refuseSecond(0, identity)
  }

  /// What comes under the identifier of what goes is that.
  private mutating func pairRenamed(_ candidates: inout [Candidate]) throws {
    var gone: [PatchIdentity: Int] = [:]
    for (index, candidate) in candidates.enumerated() {
      // Nothing comes under the ID of what goes.
      if case .rows(let old?, nil) = candidate,
        let identity = from.identity(of: old.object, old.row), identity.isByAttribute
      {
        try refuseSecond(gone.updateValue(index, forKey: identity), identity)
      }
    }
    if gone.isEmpty { return }
    for index in candidates.indices {
      guard case .rows(nil, let new?) = candidates[index],
        let identity = to.identity(of: new.object, new.row), identity.isByAttribute,
        let place = gone.removeValue(forKey: identity), case .rows(let old?, _) = candidates[place]
      else { continue }
      counterparts[old.object] = new.object
      candidates[place] = .rows(old: old, new: new)
      candidates[index] = .patch(new.object, nil)
    }
  }

  private func refuseSecond(_ first: Int?, _ identity: PatchIdentity) throws(PatchError) {
    guard first != nil else { return }
    throw PatchError(
      .ambiguousObject,
      "there are several objects that are \(identity); give each an identifier of its own.")
  }

  /// Within one store: what was changed in between, and what the contexts do not show as it was saved.
  private func candidatesByCommits() throws -> [Candidate] {
    let saying = CommitPatches(isForward ? to : from, isForward: isForward, wholeNames)
    let changes = try changesInBetween()
    return try changes.keys.sorted().map { object in
      let change = changes[object] ?? .unknown
      if case .patch(let patch) = try saying.answer(object, change) { return .patch(object, patch) }
      if isNamedWhole(object) { return try rows(of: object) }
      return .rows(
        old: try from.row(of: object, changedBy: change).map { (object, $0) },
        new: try to.row(of: object, changedBy: change).map { (object, $0) })
    }
  }

  /// All that an object has on the two sides, also what was not changed.
  private func rows(of object: ObjectID) throws -> Candidate {
    .rows(
      old: try from.row(of: object).map { (object, $0) },
      new: try to.row(of: object).map { (object, $0) })
  }

  private func isNamedWhole(_ object: ObjectID) -> Bool {
    if wholeNames.isEmpty { return false }
    return from.entity(of: object).map { wholeNames.contains($0.name) } ?? false
  }

  /// Adds what leads to others on the two sides though nobody has led it there, so that no commit says it: to an object
  /// for which another is taken, as it is gone; or to one that comes again.
  private func addWhatLeadsElsewhere(_ candidates: inout [Candidate]) throws {
    var uncleared: [EntityNumber: [KeyNumber]] = [:]
    for info in from.schema.entities {
      let keys = from.unclearedRelationships(of: info).map(\.key)
      if !keys.isEmpty { uncleared[info.number] = keys }
    }
    if uncleared.isEmpty { return }
    var others = Set(counterparts.keys)
    for case .rows(let old, let new?) in candidates
    where try old?.object != new.object && from.hasKnown(new.object) {
      others.insert(new.object)
    }
    if others.isEmpty { return }
    var leading: Set<ObjectID> = []
    try from.forEach(of: Set(uncleared.keys)) { object, row in
      let isLeading = (uncleared[object.entity] ?? []).contains { key in
        row[key].destinations.contains { others.contains($0) }
      }
      if isLeading { leading.insert(object) }
    }
    for (index, candidate) in candidates.enumerated() {
      guard let object = candidate.object, leading.remove(object) != nil else { continue }
      if case .rows(_, let new) = candidate, new?.object != object { continue }
      candidates[index] = try rows(of: object)
    }
    for object in leading.sorted() { candidates.append(try rows(of: object)) }
  }

  private func changesInBetween() throws -> [ObjectID: NetChange] {
    var apart: [ObjectID: NetChange] = [:]
    for side in [from, to] { for object in side.objectsApart { apart[object] = .unknown } }
    if let changes = try changes ?? commitsInBetween() {
      return apart.isEmpty ? changes : changes.merging(apart) { $1 }
    }
    try from.forEach { object, _ in apart[object] = .unknown }
    try to.forEach { object, _ in apart[object] = .unknown }
    return apart
  }

  /// What commits between what two contexts show have done; nil where these cannot be told.
  private func commitsInBetween() throws -> [ObjectID: NetChange]? {
    let (old, new) = (try from.context().shownSnapshot, try to.context().shownSnapshot)
    guard old.eras.count == new.eras.count else { return nil }
    return try from.store.netChangesIfReadable(
      after: min(old.number, new.number), through: max(old.number, new.number))
  }

  private func candidatesByIdentity() throws -> [Candidate] {
    try pairsByIdentity().map { old, new in
      .rows(
        old: try old.flatMap { object in try from.row(of: object).map { (object, $0) } },
        new: try new.flatMap { object in try to.row(of: object).map { (object, $0) } })
    }
  }

  private func pairsByIdentity() throws -> [(ObjectID?, ObjectID?)] {
    func objects(_ side: PatchSide) throws -> [PatchIdentity: ObjectID] {
      var objects: [PatchIdentity: ObjectID] = [:]
      var second: PatchIdentity?
      try side.forEach { object, row in
        guard let identity = side.identity(of: object, row) else { return }
        if objects.updateValue(object, forKey: identity) != nil { second = identity }
      }
      if let second { try refuseSecond(0, second) }
      return objects
    }
    let (before, after) = (try objects(from), try objects(to))
    return Set(before.keys).union(after.keys).sorted().map { (before[$0], after[$0]) }
  }
}
