import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// A store with books, and something to change them by.
struct Shelf {
  let name: String
  let disk: SimulatedDisk
  let store: JournaledStore
  private(set) var context: ManagedObjectContext

  init(_ name: String, on disk: SimulatedDisk) throws {
    self.name = name
    self.disk = disk
    store = try JournaledStore(on: disk, at: "store", model: followingModel())
    context = ManagedObjectContext(store, isolation: nil)
    context.automaticallyMergesChanges = true
  }

  init(_ name: String, seed: UInt64) throws {
    try self.init(name, on: SimulatedDisk(seed: seed))
  }

  func book(_ guid: String = "one") throws -> ManagedObject {
    context.processPendingChanges()
    return try #require(
      try context.fetch(FetchRequest("Book", where: "guid == '\(guid)'")).first)
  }

  func make(_ guid: String = "one") throws {
    let book = context.insert("Book")
    book.setValue(.string(guid), forKey: "guid")
    try context.save()
  }

  func set(_ key: String, _ value: Value, of guid: String = "one") throws {
    try book(guid).setValue(value, forKey: key)
    try context.save()
  }

  func like(_ count: Int, _ guid: String = "one") throws {
    let before = try likes(guid)
    try set("likes", .counter(before + count), of: guid)
  }

  func likes(_ guid: String = "one") throws -> Int {
    guard case .counter(let count) = try book(guid).value(forKey: "likes") else { return 0 }
    return count
  }

  /// All that it has, but for its bookmarks.
  func picture() throws -> GraphPicture { try GraphPicture(store.asOf(.head)) }

  func seen(of other: Shelf) throws -> CommitNumber {
    try lastSeen(of: other.name, in: store.asOf(.head)).number
  }

  /// The commit through which another knows of all that was done here.
  private func known(to other: Shelf) throws -> CommitNumber {
    let context = try store.asOf(.head)
    let known = try withExtendedLifetime(context) {
      try bookmark(of: other.name, in: context)?.value(forKey: "known")?.integer
    }
    return CommitNumber(rawValue: UInt64(known ?? 0))
  }

  /// Drops what neither this nor another that it follows, and that follows it, has need of any more.
  mutating func forget(with other: Shelf) throws {
    let needed = try min(known(to: other), other.seen(of: self))
    if needed > .none { try forget(keeping: .commits(since: needed)) }
  }

  /// Drops what came before.
  mutating func forget(keeping: Keeping) throws {
    // A context keeps what it was made on.
    context.close()
    try store.compact(keeping: keeping)
    context = ManagedObjectContext(store, isolation: nil)
    context.automaticallyMergesChanges = true
  }
}

/// Brings what one shelf has to another.
@discardableResult
func bring(
  from source: Shelf, to follower: Shelf, policy: PatchPolicy = .merge
) throws -> Commit? {
  try bring(
    from: (source.name, source.store), to: (follower.name, follower.store), policy: policy)
}
