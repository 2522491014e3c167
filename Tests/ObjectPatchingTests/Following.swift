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
    AttributeDescription("seen", .integer, isOptional: false, defaultValue: 0),
  ])

/// What came to a store, for one that follows it.
struct News {
  /// The last commit that the follower has.
  var since: CommitNumber
  /// The last commit that is in it.
  var through: CommitNumber
  var patches: [Patch]
}

/// The object by which a store keeps how far it has followed another; nil before it has.
func bookmark(of source: String, in context: ManagedObjectContext) throws -> ManagedObject? {
  try context.fetch(FetchRequest("Following"))
    .first { $0.value(forKey: "source") == .string(source) }
}

/// The last commit of a store that a follower has.
func lastSeen(of source: String, in context: ManagedObjectContext) throws -> CommitNumber {
  let seen = try bookmark(of: source, in: context)?.value(forKey: "seen")?.integer
  return CommitNumber(rawValue: UInt64(seen ?? 0))
}

/// What came to a store since a commit, but what it has from the follower itself; nil where that is nothing.
func news(
  of source: ReadableStore, since seen: CommitNumber, for follower: String
) throws -> News? {
  let commits = try source.commits(since: seen)
  // That of bookmarks alone is not kept, or each would have the other keep something in turn.
  let isNews = commits.contains { $0.changes.contains { $0.entityName != "Following" } }
  guard isNews, let last = commits.last else { return nil }
  let runs = commits.split { $0.userInfo["from"] == .string(follower) }
  let patches = try runs.map { run in
    var patch = try Patch(Array(run), of: source)
    patch.objects.removeAll { $0.entityName == "Following" }
    return patch
  }
  return News(since: seen, through: last.number, patches: patches)
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
    for patch in news.patches { try patch.apply(to: context, policy: policy) }
    let bookmark = try bookmark(of: source, in: context) ?? context.insert("Following")
    bookmark.setValue(.string(source), forKey: "source")
    bookmark.setValue(.integer(Int(news.through.rawValue)), forKey: "seen")
    return try context.save(
      message: "what came to \(source) since \(news.since)", userInfo: ["from": .string(source)])
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
