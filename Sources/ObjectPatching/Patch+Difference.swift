public import ManagedObjects
internal import ObjectModel
public import ObjectStore

extension Patch {
  /// What leads from what one context shows to what another does, with what is not saved in them: from one moment of
  /// a store to another with contexts of the past, `difference(from: store.asOf(.commit(10)), to: store.asOf(.head))`.
  ///
  /// Within one store objects are the same that have the same ID, and one that takes the identifier of another that
  /// goes is that one. In two stores those are the same that have the same identifier, or where an entity has none,
  /// the same ID.
  ///
  /// Costs: between two moments of one store, reading the commits between them; between two stores, or where the
  /// model changed meanwhile, reading all objects of both.
  ///
  /// - Throws: `StoreError` where a store cannot be read; `PatchError` where two objects have one identifier.
  public static func difference(
    from old: ManagedObjectContext, to new: ManagedObjectContext,
    options: PatchOptions = PatchOptions()
  ) throws -> Patch {
    var comparison = PatchComparison(old, new, options)
    return PatchNesting(try comparison.entries(), new.schema).patch
  }

  /// What happened in a store between two moments.
  ///
  /// - Throws: where there is no such moment, or compaction has dropped it.
  ///
  /// Costs: reading the commits that came after the first moment.
  public static func difference(
    in store: ReadableStore, from old: Moment, to new: Moment = .head,
    options: PatchOptions = PatchOptions()
  ) throws -> Patch {
    try difference(from: try store.asOf(old), to: try store.asOf(new), options: options)
  }

  /// What commits of a store have done together, which follow each other: those of `commits(since:)`, for a store
  /// that follows another. Without commits nothing.
  ///
  /// - Throws: `PatchError` where the commits do not follow each other; and as `difference(in:from:to:options:)`.
  public init(
    _ commits: [Commit], of store: ReadableStore, options: PatchOptions = PatchOptions()
  ) throws {
    guard let first = commits.first, let last = commits.last else {
      self.init()
      return
    }
    for (commit, next) in zip(commits, commits.dropFirst())
    where next.number.rawValue != commit.number.rawValue + 1 {
      throw PatchError(
        .doesNotFollow,
        "commit \(next.number) does not follow commit \(commit.number); give commits without gaps.")
    }
    let before = CommitNumber(rawValue: first.number.rawValue - 1)
    self = try .difference(
      in: store, from: .commit(before), to: .commit(last.number), options: options)
  }
}

extension PatchComparison {
  /// What becomes of each object, without nesting.
  fileprivate mutating func entries() throws -> [ObjectPatch] {
    let pairs: [(ObjectID?, ObjectID?)]
    if isOneStore {
      pairs = try objectsThatMayDiffer().sorted().map { ($0, $0) }
    } else {
      pairs = try pairsByIdentity()
    }
    var both: [(old: (object: ObjectID, row: Row)?, new: (object: ObjectID, row: Row)?)] = []
    var gone: [PatchIdentity: Int] = [:]
    for (before, after) in pairs {
      let old = try before.flatMap { object in try from.row(of: object).map { (object, $0) } }
      let new = try after.flatMap { object in try to.row(of: object).map { (object, $0) } }
      guard old != nil || new != nil else { continue }
      if new == nil, let old, let identity = from.identity(of: old.0, old.1) {
        try refuseSecond(gone.updateValue(both.count, forKey: identity), identity)
      }
      both.append((old, new))
    }
    // What comes under the identifier of what goes is that.
    for (index, pair) in both.enumerated() where pair.old == nil {
      guard let new = pair.new, let identity = to.identity(of: new.object, new.row),
        let place = gone.removeValue(forKey: identity), let old = both[place].old
      else { continue }
      counterparts[old.object] = new.object
      both[place].new = new
      both[index].new = nil
    }
    return try both.compactMap { try patch(from: $0.old, to: $0.new) }
  }

  private func refuseSecond(_ first: Int?, _ identity: PatchIdentity) throws(PatchError) {
    guard first != nil else { return }
    throw PatchError(
      .ambiguousObject,
      "there are several objects that are \(identity); give each an identifier of its own.")
  }

  /// Within one store: what was changed in between, and what the contexts do not show as it was saved.
  private func objectsThatMayDiffer() throws -> Set<ObjectID> {
    let (old, new) = (from.context.shownSnapshot, to.context.shownSnapshot)
    var objects = from.context.objectsApart.union(to.context.objectsApart)
    if old.eras.count == new.eras.count,
      let changed = try from.context.store.objectsChanged(
        after: min(old.number, new.number), through: max(old.number, new.number))
    {
      return objects.union(changed)
    }
    try from.forEach { object, _ in objects.insert(object) }
    try to.forEach { object, _ in objects.insert(object) }
    return objects
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
