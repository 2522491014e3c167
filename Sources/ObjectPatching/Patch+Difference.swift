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
  /// Costs: between two moments of one store, reading the commits between them, and on both sides the objects that came
  /// or went meanwhile, or of which more changed than values that were set, as relationships, counters and sets; where
  /// one comes again, or has taken the identifier of another that went, all that may lead to it by relationships which
  /// nobody clears, as those without inverse; between two stores, or where the model changed meanwhile, reading all
  /// objects of both.
  ///
  /// - Throws: `StoreError` where a store cannot be read; `PatchError` where two objects have one identifier, of two stores
  ///   any, of one store one that comes, goes or gets it.
  public static func difference(
    from old: ManagedObjectContext, to new: ManagedObjectContext,
    options: PatchOptions = PatchOptions()
  ) throws -> Patch {
    try difference(from: old, to: new, options, nil)
  }

  /// - Parameter changes: what lies between the two, where that has been read.
  static func difference(
    from old: ManagedObjectContext, to new: ManagedObjectContext, _ options: PatchOptions,
    _ changes: [ObjectID: NetChange]?
  ) throws -> Patch {
    try PatchComparison(old, new, options, changes).patch()
  }

  /// What happened in a store between two moments, by the names that things have under the model it has now: what that
  /// does not have any more is left out, and what is new in it is as if it had always been.
  ///
  /// Costs: reading the commits in between, and objects of which these do not say all: whose identifier is not among
  /// what changed, or of which counters, sets or long values changed. Where an object comes again, or has taken the
  /// identifier of another that went, also all that may lead to it by relationships which nobody clears, as those
  /// without inverse, at the earlier moment.
  ///
  /// - Throws: where there is no such moment, or compaction has dropped it; `PatchError` where what comes, goes or gets
  ///   an identifier has it together with another object that comes or goes as well, or that still has it. One that has
  ///   got another since, or is gone, is not looked for.
  public static func difference(
    in store: ReadableStore, from old: Moment, to new: Moment = .head,
    options: PatchOptions = PatchOptions()
  ) throws -> Patch {
    let (before, after) = (try store.commit(at: old), try store.commit(at: new))
    // What is read from is not to be earlier than the two.
    return try difference(of: PatchHistory(store), from: before, to: after, options)
  }

  private static func difference(
    of history: PatchHistory, from old: CommitNumber, to new: CommitNumber, _ options: PatchOptions
  ) throws -> Patch {
    let store = history.store
    do {
      if let patch = try byCommits(of: history, from: old, to: new, options) { return patch }
    } catch let error as StoreError where error.isFinding {
      // The states at both ends may be known all the same.
    }
    return try underLatestModel(of: store, from: old, to: new, options)
      ?? difference(
        from: try store.asOf(.commit(old)), to: try store.asOf(.commit(new)), options: options)
  }

  /// What commits of a store have done together, which follow each other: those of `commits(since:)`, for a store
  /// that follows another. Without commits nothing.
  ///
  /// - Throws: `PatchError` where the commits do not follow each other, or are not the store's; and as
  ///   `difference(in:from:to:options:)`, so that of others which have an identifier as well only those are told that
  ///   still have it.
  public init(
    _ commits: [Commit], of store: ReadableStore, options: PatchOptions = PatchOptions()
  ) throws {
    try self.init(commits, of: PatchHistory(store), options)
  }

  /// - Parameter history: what has read later moments of the store, where something has.
  init(_ commits: [Commit], of history: PatchHistory, _ options: PatchOptions) throws {
    let store = history.store
    _ = try options.wholeNames(in: [Schema.of(store)])
    guard let first = commits.first, let last = commits.last else {
      self.init()
      return
    }
    if let other = try commits.first(where: {
      try !store.mayHave($0) || $0.number == last.number && !store.has($0)
    }) {
      throw PatchError(
        .otherStore,
        "commit \(other.number) is none of this store, but of another, or of a copy that has gone on by itself; give the "
          + "store that it is of.")
    }
    for (commit, next) in zip(commits, commits.dropFirst())
    where next.number.rawValue != commit.number.rawValue + 1 {
      throw PatchError(
        .doesNotFollow,
        "commit \(next.number) does not follow commit \(commit.number); give commits without gaps.")
    }
    let before = CommitNumber(rawValue: first.number.rawValue - 1)
    self = try .difference(
      of: history, from: before, to: last.number, options)
  }
}

extension ReadableStore {
  /// Whether a commit is of this store, or of one that it was copied from or to.
  fileprivate func mayHave(_ commit: Commit) -> Bool {
    commit.number <= lastCommit && commit.changes.allSatisfy { $0.objectID.store == tag }
  }

  /// Whether a commit is one of this store, as those before it are then; a copy may have gone on by itself.
  fileprivate func has(_ commit: Commit) throws(StoreError) -> Bool {
    let content = try content(of: commit.number)
    guard content.time.date == commit.date, content.author == commit.author,
      content.message == commit.message, content.contextName == commit.contextName,
      content.userInfo == commit.userInfo, content.changes.count == commit.changes.count
    else { return false }
    return zip(content.changes, commit.changes).allSatisfy { change, other in
      change.object == other.objectID
        && change.entries.allSatisfy { entry in
          guard case .replaced(_, let new) = entry.change, let name = name(of: entry.key),
            let value = other.values[name]
          else { return true }
          return value.new == new
        }
    }
  }
}
