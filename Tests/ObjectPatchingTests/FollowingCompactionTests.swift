import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Stores that follow others, and drop what they need no more.
@Suite struct FollowingCompactionTests {
  private var ann: Shelf
  private var ben: Shelf

  init() throws {
    (ann, ben) = (try Shelf("ann", seed: 1), try Shelf("ben", seed: 2))
    try ann.make()
    try bring(from: ann, to: ben)
  }

  /// Drops all of ben's past.
  private mutating func dropPast() throws {
    try ben.forget(keeping: .latest)
    try #require(ben.store.firstKeptCommit > ben.store.lastCommit)
  }

  @Test(arguments: [PatchPolicy.refuse, .merge])
  mutating func `a store that only follows needs none of its own commits`(
    policy: PatchPolicy
  ) throws {
    for number in 0..<8 {
      try ann.make("\(number)")
      try ann.set("tags", .set([.string("\(number)")]))
      #expect(try bring(from: ann, to: ben, policy: policy) != nil)
      try dropPast()
      // The source keeps what was seen, by which it is known.
      let seen = try ben.seen(of: ann)
      try ann.forget(keeping: .commits(since: seen))
      try #require(ann.store.firstKeptCommit == seen)
    }
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
  }

  @Test mutating func `a store that has only followed, and begins to change, is merged`() throws {
    try dropPast()
    try ben.set("tags", .set(["ben"]))
    try ben.set("tags", .set([]))
    for tags in [["ann", "ben"], ["ben", "last"]] as [Set<Value>] {
      try ann.set("tags", .set(tags))
      try bring(from: ann, to: ben)
    }
    // What has come and gone here is as it is here, whatever was brought since.
    #expect(try ben.book().value(forKey: "tags") == .set(["last"]))
  }

  @Test mutating func `two that follow each other drop what both have seen`() throws {
    try bring(from: ben, to: ann)
    for number in 0..<6 {
      try ann.set("tags", .set([.string("\(number)")]))
      try ben.set("friends", .set([.reference(try ben.book().objectID)]))
      try ben.set("score", .integer(number))
      try bring(from: ann, to: ben)
      try bring(from: ben, to: ann)
      try ben.forget(with: ann)
      try ann.forget(with: ben)
    }
    try bring(from: ann, to: ben)
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    for shelf in [ann, ben] {
      #expect(shelf.store.lastCommit.rawValue - shelf.store.firstKeptCommit.rawValue < 8)
    }
  }

  @Test
  mutating func `a store that has dropped what it did, and another does not know of, is told so`()
    throws
  {
    try ben.set("tags", .set(["ben"]))
    try dropPast()
    try ann.set("name", "next")
    let error = #expect(throws: StoreError.self) { try bring(from: ann, to: ben) }
    #expect(error?.code == .commitMissing)
    // It gives that up, and goes on.
    try giveIn((ben.name, ben.store), to: (ann.name, ann.store))
    try dropPast()
    try ann.set("name", "and next")
    #expect(try bring(from: ann, to: ben) != nil)
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
  }
}
