import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Objects that one store makes and leads to, and leads elsewhere before another has them.
@Suite struct FollowingCreationTests {
  private let ann: Shelf
  private let ben: Shelf

  init() throws {
    (ann, ben) = (try Shelf("ann", seed: 1), try Shelf("ben", seed: 2))
    try ann.make()
    try bring(ann, to: ben)
  }

  @discardableResult
  private func bring(
    _ source: Shelf, to follower: Shelf, _ policy: PatchPolicy = .merge
  ) throws -> Commit? {
    try ObjectPatchingTests.bring(
      from: (source.name, source.store), to: (follower.name, follower.store), policy: policy)
  }

  /// Makes a book and leads to it; a tag changes with that, so that the next one to change is another step.
  private func makeAndSee(_ guid: String) throws {
    let (first, made) = (try ann.book(), ann.context.insert("Book"))
    made.setValue(.string(guid), forKey: "guid")
    first.setValue(.reference(made.objectID), forKey: "see")
    first.setValue(.set(["a"]), forKey: "tags")
    try ann.context.save()
  }

  private func see(_ guid: String?) throws {
    let first = try ann.book()
    first.setValue(try guid.map { .reference(try ann.book($0).objectID) }, forKey: "see")
    first.setValue(.set(["b"]), forKey: "tags")
    try ann.context.save()
  }

  @Test(arguments: [PatchPolicy.refuse, .merge], [nil, "m"])
  func `a follower that changed nothing leads where the source does`(
    policy: PatchPolicy, elsewhere: String?
  ) throws {
    try ann.make("m")
    try bring(ann, to: ben, policy)
    try makeAndSee("n")
    try see(elsewhere)
    try bring(ann, to: ben, policy)
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
  }

  @Test func `settled patches lead where the patches do`() throws {
    let base = ann.store.lastCommit
    try makeAndSee("n")
    try see(nil)
    let steps = try Patch.steps(ann.store.commits(since: base), of: ann.store)
    try #require(steps.count == 2)
    for patches in [steps, try Patch.settled(steps, in: ben.store)] {
      let context = ManagedObjectContext(ben.store, isolation: nil)
      for patch in patches { try patch.apply(to: context) }
      #expect(try GraphPicture(context).difference(from: ann.picture()) == nil)
      context.rollback()
    }
  }

  @Test func `a member that both have made, and one has taken out, ends as that one has it`() throws
  {
    for shelf in [ann, ben] {
      let (first, made) = (try shelf.book(), shelf.context.insert("Book"))
      made.setValue("n", forKey: "guid")
      first.setValue(.set([.reference(made.objectID)]), forKey: "friends")
      try shelf.context.save()
    }
    try ben.set("friends", .set([]))
    for _ in 0..<2 {
      try bring(ann, to: ben)
      try bring(ben, to: ann)
    }
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ben.book().value(forKey: "friends") ?? .set([]) == .set([]))
  }
}
