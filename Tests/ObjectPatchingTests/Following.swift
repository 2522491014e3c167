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
  /// The last commit that the follower has.
  var since: CommitMark
  /// The last commit that is in it.
  var through: CommitMark
  var patches: [Patch]
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
  guard let bookmark = try bookmark(of: source, in: context) else { return .none }
  // To begin anew would be to add amounts again.
  guard let seen = bookmark.value(forKey: "seen")?.string.flatMap({ CommitMark($0) }) else {
    throw UnreadableBookmark(source: source)
  }
  return seen
}

/// What came to a store since a commit, but what it has from the follower itself; nil where that is nothing.
func news(
  of source: ReadableStore, since seen: CommitMark, for follower: String
) throws -> News? {
  let commits = try source.commits(since: seen)
  // That of bookmarks alone is not kept, or each would have the other keep something in turn.
  let isNews = commits.contains { $0.changes.contains { $0.entityName != "Following" } }
  guard isNews, let last = commits.last else { return nil }
  let runs = commits.split { $0.userInfo["from"] == .string(follower) }
  let patches = try runs.map { run in
    var patch = try Patch(Array(run), of: source)
    patch.removeObjects(ofEntities: ["Following"])
    return patch
  }
  return News(since: seen, through: try source.mark(of: last.number), patches: patches)
}

/// Has a store take what came from another, and keep how far that goes: both by one commit, or neither.
@discardableResult
func take(
  _ news: News, from source: String, into follower: JournaledStore,
  policy: PatchPolicy = .refuse
) throws -> Commit? {
  let context = ManagedObjectContext(follower, isolation: nil)
  // What comes a second time has been taken, and what comes too early is waited for.
  guard try lastSeen(of: source, in: context) == news.since else { return nil }
  do {
    for var patch in news.patches {
      // Whoever sends it, bookmarks are this store's own.
      patch.removeObjects(ofEntities: ["Following"])
      try patch.apply(to: context, policy: policy)
    }
    let bookmark = try bookmark(of: source, in: context) ?? context.insert("Following")
    bookmark.setValue(.string(source), forKey: "source")
    bookmark.setValue(.string("\(news.through)"), forKey: "seen")
    return try context.save(
      message: "what came to \(source) since \(news.since.number)",
      userInfo: ["from": .string(source)])
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

/// The model of the other tests, with bookmarks.
func followingModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: PatchStage.model().descriptions + [following])
}
