internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Differences that commits say by themselves, or with the rows of what they changed.
extension Patch {
  /// What happened in a store between two moments, by the commits between them; nil where these cannot be told.
  ///
  /// Where only values were set the earlier state is not made for that: of rows only those are read of changed objects
  /// that have an identifier, which is not among what changed.
  ///
  /// - Throws: where there is no such moment, or the commits cannot be read.
  static func byCommits(
    of store: ReadableStore, from old: Moment, to new: Moment, _ options: PatchOptions
  ) throws -> Patch? {
    let (before, after) = (try store.commit(at: old), try store.commit(at: new))
    let isForward = before <= after
    let (first, last) = (min(before, after), max(before, after))
    let head = store.head
    guard head.number >= last else { return nil }
    let later = PatchSide(
      (isForward ? new : old) == .head
        ? try store.asOf(.head) : try store.objects(at: last, countedBackFrom: head))
    let snapshot = later.context.shownSnapshot
    guard snapshot.number == last, head.eraCount(at: first) == head.eras.count,
      snapshot.eras.count == head.eras.count,
      let changes = try store.netChanges(after: first, through: last)
    else { return nil }
    let saying = CommitPatches(
      later, isForward: isForward, try options.wholeNames(in: [later.context]))
    var entries: [ObjectPatch] = []
    for (object, change) in changes.sorted(by: { $0.key < $1.key }) {
      guard case .patch(let patch) = try saying.answer(object, change) else {
        let other = try store.objects(at: first, countedBackFrom: snapshot)
        let (from, to) = isForward ? (other, later.context) : (later.context, other)
        return try difference(from: from, to: to, options, changes)
      }
      if let patch { entries.append(patch) }
    }
    return PatchNesting(entries, later.context.schema).patch
  }
}

extension Patch {
  /// The same where the model has changed since: of the rows of what the commits have changed, as the store's last model
  /// has them. Nil where that does not tell.
  static func underLatestModel(
    of store: ReadableStore, from old: Moment, to new: Moment, _ options: PatchOptions
  ) throws -> Patch? {
    let (before, after) = (try store.commit(at: old), try store.commit(at: new))
    guard let from = try store.asOfUnderLatestModel(old),
      let to = try store.asOfUnderLatestModel(new),
      let changes = try store.netChanges(after: min(before, after), through: max(before, after))
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
    guard change.isWhole, let info = later.entity(of: object), !wholeNames.contains(info.name)
    else { return .unknown }
    let change = isForward ? change : change.inverse
    var (old, new): ([String: Value], [String: Value]) = ([:], [:])
    for entry in change.entries {
      let property = info.property(entry.key)
      if let property, property.attribute == nil { return .unknown }
      let (before, after) = (entry.old ?? .null, entry.new ?? .null)
      guard before != after,
        let name = property?.name ?? later.context.store.name(of: entry.key)
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
