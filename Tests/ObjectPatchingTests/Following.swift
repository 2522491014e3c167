import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore

// What docs/patch-recipes.md has stores follow each other by.

/// How far a store has followed others: an entity of its model.
let following = EntityDescription(
  "Following",
  attributes: [
    AttributeDescription("source", .string, isIdentifier: true),
    AttributeDescription("seen", .string, isOptional: false),
    AttributeDescription("known", .integer),
  ])

/// What came to a store, for one that follows it.
struct News {
  /// The name of the one that follows.
  var follower: String
  /// The last commit that the follower has.
  var since: CommitMark
  /// The last commit that is in it.
  var through: CommitMark
  var steps: [Step]

  struct Step {
    /// The last commit of the follower that the source had when it did this.
    var known: CommitMark
    var patch: Patch
  }
}

/// The object by which a store keeps how far it has followed another; nil before it has.
func bookmark(of source: String, in context: ManagedObjectContext) throws -> ManagedObject? {
  try context.fetch(FetchRequest("Following"))
    .first { $0.value(forKey: "source") == .string(source) }
}

/// A bookmark that says nothing of how far its store has followed another.
struct UnreadableBookmark: Error {
  let source: String
}

/// The last commit of a store that a follower has.
func lastSeen(of source: String, in context: ManagedObjectContext) throws -> CommitMark {
  guard let bookmark = try bookmark(of: source, in: context) else { return .beginning }
  // To begin anew would be to add amounts again.
  guard let seen = bookmark.value(forKey: "seen")?.string.flatMap({ CommitMark($0) }) else {
    throw UnreadableBookmark(source: source)
  }
  return seen
}

/// What came to a store since a commit, or until another, but what it has from the follower itself; nil where that is
/// nothing.
func news(
  of source: ReadableStore, since seen: CommitMark, until end: CommitMark? = nil,
  for follower: String
) throws -> News? {
  let commits = try source.commits(following: seen, through: end?.number)
  // That of bookmarks alone is not kept, or each would have the other keep something in turn.
  let isNews = commits.contains { $0.changes.contains { $0.entityName != "Following" } }
  guard isNews, let last = commits.last else { return nil }
  var known = CommitMark.beginning
  if seen != .beginning {
    known = try lastSeen(of: follower, in: source.asOf(.commit(seen.number)))
  }
  return News(
    follower: follower, since: seen, through: try source.mark(of: last.number),
    steps: try steps(of: source, commits, knowing: known, for: follower))
}

/// What commits of a store have done, but those that brought something from the one that follows.
func steps(
  of source: ReadableStore, _ commits: [Commit], knowing known: CommitMark, for follower: String
) throws -> [News.Step] {
  var (steps, known, rest) = ([News.Step](), known, commits[...])
  while let first = rest.first {
    if first.userInfo["from"] == .string(follower) {
      // It says itself how far it goes, and whether what came before is given up.
      known = first.seenMark ?? known
      if first.userInfo["givesIn"] == true { steps = [] }
      rest.removeFirst()
      continue
    }
    let run = rest.prefix { $0.userInfo["from"] != .string(follower) }
    rest.removeFirst(run.count)
    for var patch in try Patch.steps(Array(run), of: source) {
      patch.removeObjects(ofEntities: ["Following"])
      steps.append(News.Step(known: known, patch: patch))
    }
  }
  return steps
}

extension Commit {
  /// The mark that it has set in a bookmark; nil where it has set none.
  var seenMark: CommitMark? {
    changes.first { $0.entityName == "Following" }?.values["seen"]?.new?.string
      .flatMap { CommitMark($0) }
  }
}

/// The commit through which another store knows of all that was done here, by its bookmark.
func lastKnown(
  to source: String, in follower: ReadableStore, _ bookmark: ManagedObject?
) throws -> CommitNumber {
  guard let known = bookmark?.value(forKey: "known")?.integer else { return .none }
  // The next one has kept that, and so brought something from there, unless it stands among those behind it.
  let next = CommitNumber(rawValue: UInt64(known) + 1)
  let behind = try follower.commits(since: next)
  let isBehind = behind.contains { $0.userInfo["from"] == .string(source) }
  return isBehind ? CommitNumber(rawValue: UInt64(known)) : next
}

/// What was done in a store after each step of what is brought, and whoever did the next knew of; nobody knew of what is
/// last.
func doneHere(
  _ follower: ReadableStore, besides brought: News, from source: String,
  since known: CommitNumber
) throws -> [[Patch]] {
  let ends = brought.steps.dropFirst().map { $0.known.number as CommitNumber? } + [nil]
  return try zip(brought.steps, ends).map { step, end in
    if let end, end == step.known.number || end <= known { return [] }
    let commits =
      step.known.number > known
      ? try follower.commits(following: step.known, through: end)
      : try follower.commits(since: known).filter { $0.number <= end ?? $0.number }
    return try steps(of: follower, commits, knowing: .beginning, for: source).map(\.patch)
      .filter { !$0.isEmpty }
  }
}

/// Has a store take what came from another, and keep how far that goes: both by one commit, or neither.
///
/// - Parameter last: the last commit of its own that it gives up, as it gives in.
@discardableResult
func take(
  _ brought: News, from source: String, into follower: JournaledStore,
  policy: PatchPolicy = .refuse, givingUpThrough last: CommitNumber? = nil
) throws -> Commit? {
  let context = ManagedObjectContext(follower, isolation: nil)
  // What comes a second time has been taken, and what comes too early is waited for.
  guard try lastSeen(of: source, in: context) == brought.since else { return nil }
  do {
    let former = try bookmark(of: source, in: context)
    let through = last ?? follower.lastCommit
    var (known, own) = (through, [[Patch]]())
    if last == nil {
      known = try lastKnown(to: source, in: follower, former)
      own = try doneHere(follower, besides: brought, from: source, since: known)
      known = max(known, brought.steps.last?.known.number ?? .none)
      if let unknown = own.last, unknown.isEmpty { known = through }
    }
    // A value that went there and back is as it was, names are those of here, and where both are merged, members are as
    // the store has them whose name is the last.
    let settled = try Patch.settled(brought.steps.map(\.patch), between: own, in: follower)
    let patches = try Patch.rebased(
      settled, over: own, isYielding: policy == .merge && source < brought.follower)
    for var patch in patches {
      // Whoever sends it, bookmarks are this store's own.
      patch.removeObjects(ofEntities: ["Following"])
      try patch.apply(to: context, policy: policy)
    }
    let bookmark = former ?? context.insert("Following")
    bookmark.setValue(.string(source), forKey: "source")
    bookmark.setValue(.string("\(brought.through)"), forKey: "seen")
    bookmark.setValue(.integer(Int(known.rawValue)), forKey: "known")
    return try context.save(
      message: "what came to \(source) since \(brought.since.number)",
      userInfo: ["from": .string(source), "givesIn": .boolean(last != nil)])
  } catch {
    context.rollback()
    throw error
  }
}

/// A store with a name that no other has which follows the same ones.
typealias Named = (name: String, store: JournaledStore)

/// Brings into a store what came to another since the last time.
@discardableResult
func bring(
  from source: Named, to follower: Named, policy: PatchPolicy = .refuse
) throws -> Commit? {
  let seen = try lastSeen(of: source.name, in: follower.store.asOf(.head))
  guard let news = try news(of: source.store, since: seen, for: follower.name) else { return nil }
  return try take(news, from: source.name, into: follower.store, policy: policy)
}

/// Has a store become what another is, and keep that it has seen all of that: what the other has not brought before is
/// given up.
@discardableResult
func giveIn(_ follower: Named, to source: Named) throws -> Commit? {
  let through = try source.store.mark(of: source.store.lastCommit)
  let last = follower.store.lastCommit
  let context = try follower.store.asOf(.commit(last))
  let patch = try Patch.difference(from: context, to: source.store.asOf(.commit(through.number)))
  let all = News(
    follower: follower.name, since: try lastSeen(of: source.name, in: context), through: through,
    steps: [News.Step(known: .beginning, patch: patch)])
  return try take(all, from: source.name, into: follower.store, givingUpThrough: last)
}

/// The model of the other tests, with bookmarks.
func followingModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: PatchStage.model().descriptions + [following])
}
