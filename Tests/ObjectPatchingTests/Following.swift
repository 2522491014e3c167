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
  var news = News(
    follower: follower, since: seen, through: try source.mark(of: last.number), steps: [])
  var known = CommitMark.beginning
  if seen != .beginning {
    known = try lastSeen(of: follower, in: source.asOf(.commit(seen.number)))
  }
  var rest = commits[...]
  while let first = rest.first {
    if first.userInfo["from"] == .string(follower) {
      // It says itself how far it goes, and whether what came before is given up.
      known = first.seenMark ?? known
      if first.userInfo["givesIn"] == true { news.steps = [] }
      rest.removeFirst()
      continue
    }
    let run = rest.prefix { $0.userInfo["from"] != .string(follower) }
    rest.removeFirst(run.count)
    for var patch in try Patch.steps(Array(run), of: source) {
      patch.removeObjects(ofEntities: ["Following"])
      news.steps.append(News.Step(known: known, patch: patch))
    }
  }
  return news
}

extension Commit {
  /// The mark that it has set in a bookmark; nil where it has set none.
  var seenMark: CommitMark? {
    changes.first { $0.entityName == "Following" }?.values["seen"]?.new?.string
      .flatMap { CommitMark($0) }
  }
}

/// Has a store take what came from another, and keep how far that goes: both by one commit, or neither.
@discardableResult
func take(
  _ brought: News, from source: String, into follower: JournaledStore,
  policy: PatchPolicy = .refuse, givesIn: Bool = false
) throws -> Commit? {
  let context = ManagedObjectContext(follower, isolation: nil)
  // What comes a second time has been taken, and what comes too early is waited for.
  guard try lastSeen(of: source, in: context) == brought.since else { return nil }
  do {
    // What was done here after each step, and whoever did the next knew of: nobody knew of what is last.
    let marks = brought.steps.dropFirst().map { $0.known as CommitMark? } + [nil]
    let own = try zip(brought.steps, marks).map { step, next in
      step.known == next
        ? []
        : try news(of: follower, since: step.known, until: next, for: source)?
          .steps.map(\.patch) ?? []
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
    let bookmark = try bookmark(of: source, in: context) ?? context.insert("Following")
    bookmark.setValue(.string(source), forKey: "source")
    bookmark.setValue(.string("\(brought.through)"), forKey: "seen")
    return try context.save(
      message: "what came to \(source) since \(brought.since.number)",
      userInfo: ["from": .string(source), "givesIn": .boolean(givesIn)])
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
  let context = try follower.store.asOf(.head)
  let patch = try Patch.difference(from: context, to: source.store.asOf(.commit(through.number)))
  let known = try follower.store.mark(of: follower.store.lastCommit)
  let all = News(
    follower: follower.name, since: try lastSeen(of: source.name, in: context), through: through,
    steps: [News.Step(known: known, patch: patch)])
  return try take(all, from: source.name, into: follower.store, givesIn: true)
}

/// The model of the other tests, with bookmarks.
func followingModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: PatchStage.model().descriptions + [following])
}
