internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Differences that commits say by themselves, or with the rows of what they changed.
extension Patch {
  /// What happened in a store between two moments, by the commits between them; nil where these cannot be told.
  ///
  /// No state is made for that. Of objects only those are read of which the commits do not say all: that have an
  /// identifier which is not among what changed, or of which counters, sets or long values changed.
  ///
  /// - Throws: where there is no such moment, or the commits cannot be read.
  static func byCommits(
    of history: PatchHistory, from old: CommitNumber, to new: CommitNumber, _ options: PatchOptions
  ) throws -> Patch? {
    let isForward = old <= new
    guard
      let commits = try PatchCommits(of: history, after: min(old, new), through: max(old, new))
    else { return nil }
    let sides = [true, false].map { PatchSide(PatchMoment(commits, isFirst: $0)) }
    let (from, to) = isForward ? (sides[0], sides[1]) : (sides[1], sides[0])
    let comparison = try PatchComparison(from, to, options, commits.changes, isForward: isForward)
    return try comparison.patch()
  }
}

extension Patch {
  /// The same where the model has changed since: of the rows of what the commits have changed, as the store's last model
  /// has them. Nil where that does not tell.
  static func underLatestModel(
    of store: ReadableStore, from old: CommitNumber, to new: CommitNumber, _ options: PatchOptions
  ) throws -> Patch? {
    guard let from = try store.asOfUnderLatestModel(.commit(old)),
      let to = try store.asOfUnderLatestModel(.commit(new)),
      let changes = try store.netChangesIfReadable(after: min(old, new), through: max(old, new))
    else { return nil }
    // What commits say of values is said of keys of their time.
    return try difference(from: from, to: to, options, changes.mapValues { _ in .unknown })
  }
}

/// Makes patches of what commits have done to objects together, as far as the commits say it.
struct CommitPatches {
  /// What becomes of an object.
  enum Answer {
    /// Its rows are to tell.
    case unknown
    /// This; nil for nothing.
    case patch(ObjectPatch?)
  }

  private let later: PatchSide
  private let isForward: Bool
  private let wholeNames: Set<String>

  /// - Parameters:
  ///   - later: what the last of the commits has left.
  ///   - isForward: whether the patch leads there, and not back.
  ///   - wholeNames: the names of entities of whose objects the rows are to tell all old attributes.
  init(_ later: PatchSide, isForward: Bool, _ wholeNames: Set<String>) {
    self.later = later
    self.isForward = isForward
    self.wholeNames = wholeNames
  }

  func answer(_ object: ObjectID, _ change: NetChange) throws(StoreError) -> Answer {
    guard change.isUpdate, let info = later.entity(of: object), !wholeNames.contains(info.name)
    else { return .unknown }
    for entry in change.entries {
      if let property = info.property(entry.key), property.attribute == nil { return .unknown }
    }
    let change = isForward ? change : change.inverse
    var (old, new): ([String: Value], [String: Value]) = ([:], [:])
    for entry in change.entries {
      let (before, after) = (entry.old ?? .null, entry.new ?? .null)
      guard before != after,
        let name = info.property(entry.key)?.name ?? later.store.name(of: entry.key)
      else { continue }
      old[name] = before
      new[name] = after
    }
    if new.isEmpty { return .patch(nil) }
    let name = try later.identity(of: object, info, before: change)
    let identity = PatchComparison.lasting(name, of: object, new)
    return .patch(ObjectPatch(updating: identity, old: old, new: new))
  }
}
