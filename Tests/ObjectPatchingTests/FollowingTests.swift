import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// Stores that follow each other as docs/patch-recipes.md says.
@Suite struct FollowingTests {
  private let ann: Shelf
  private let ben: Shelf

  init() throws {
    (ann, ben) = (try Shelf("ann", seed: 1), try Shelf("ben", seed: 2))
  }

  @Test func `two stores that change in turn become the same, and nothing echoes`() throws {
    try ann.make()
    for round in 1...5 {
      try ann.like(10)
      try ann.set("name", .string("ann \(round)"))
      try #require(try bring(from: ann, to: ben) != nil)
      try ben.like(1)
      try ben.set("score", .integer(round))
      try #require(try bring(from: ben, to: ann) != nil)
      #expect(try ann.likes() == 11 * round && ben.likes() == 11 * round)
      #expect(try ann.picture() == ben.picture())
      #expect(try ben.book().value(forKey: "name") == .string("ann \(round)"))
    }
    // What was brought goes back as nothing but the number, and then all is quiet.
    let last = try #require(try bring(from: ann, to: ben))
    #expect(last.changes.map(\.entityName) == ["Following"])
    let (here, there) = (ann.store.lastCommit, ben.store.lastCommit)
    for _ in 0..<3 {
      #expect(try bring(from: ben, to: ann) == nil && bring(from: ann, to: ben) == nil)
    }
    #expect(ann.store.lastCommit == here && ben.store.lastCommit == there)
    // Neither has the bookmarks of the other.
    for (shelf, other) in [(ann, "ben"), (ben, "ann")] {
      let context = try shelf.store.asOf(.head)
      try withExtendedLifetime(context) {
        let bookmarks = try context.fetch(FetchRequest("Following"))
        #expect(bookmarks.map { $0.value(forKey: "source") } == [.string(other)])
      }
    }
  }

  @Test func `what both change at once is merged once, though it comes by several commits`() throws
  {
    try ann.make()
    try bring(from: ann, to: ben)
    for _ in 0..<3 {
      try ann.like(100)
      try ben.like(1)
      try ann.set("tags", .set([.string("ann \(ann.store.lastCommit)")]))
      try ben.set("name", .string("ben \(ben.store.lastCommit)"))
      try bring(from: ann, to: ben)
      // Between commits of its own there is now one that was brought.
      try ben.like(1)
      try ben.set("score", .integer(Int(ben.store.lastCommit.rawValue)))
      try bring(from: ben, to: ann)
    }
    #expect(try ann.likes() == 306 && ben.likes() == 306)
    #expect(try ann.picture() == ben.picture())
  }

  @Test func `commits that change nothing for the follower are not read again`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    try ann.set("name", "other")
    try ann.set("name", "new")
    let commit = try #require(try bring(from: ann, to: ben))
    #expect(commit.changes.map(\.entityName) == ["Following"])
    #expect(try ben.seen(of: ann) == ann.store.lastCommit)
    #expect(try bring(from: ann, to: ben) == nil)
  }

  @Test func `what is delivered twice is taken once, and what came too early is waited for`() throws
  {
    try ann.make()
    try ann.like(1)
    let first = try #require(try news(of: ann.store, since: .beginning, for: "ben"))
    try ann.like(1)
    let second = try #require(try news(of: ann.store, since: first.through, for: "ben"))
    #expect(try take(second, from: "ann", into: ben.store) == nil)
    #expect(try take(first, from: "ann", into: ben.store, policy: .merge) != nil)
    #expect(try take(first, from: "ann", into: ben.store, policy: .merge) == nil)
    #expect(try take(second, from: "ann", into: ben.store, policy: .merge) != nil)
    for each in [first, second] {
      #expect(try take(each, from: "ann", into: ben.store, policy: .merge) == nil)
    }
    #expect(try ben.likes() == 2 && ben.seen(of: ann) == second.through.number)
  }

  @Test func `what conflicts leaves nothing, and one that gives in makes both the same`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    try ann.set("name", "ann")
    try ann.like(1)
    try ben.set("name", "ben")
    let (seen, last) = (try ben.seen(of: ann), ben.store.lastCommit)
    let error = #expect(throws: PatchConflicts.self) { try bring(from: ann, to: ben) }
    #expect(error?.conflicts.map(\.key) == ["name"])
    #expect(try ben.seen(of: ann) == seen && ben.store.lastCommit == last)
    #expect(try ben.likes() == 0)
    try bring(from: ann, to: ben, policy: .keepOurs)
    try bring(from: ben, to: ann, policy: .force)
    #expect(try ann.picture() == ben.picture() && ann.likes() == 1)
    #expect(try ann.book().value(forKey: "name") == "ben")
    #expect(try bring(from: ann, to: ben)?.changes.map(\.entityName) == ["Following"])
  }

  @Test func `a source that was brought back from a backup, and has gone on, is refused`() throws {
    try ann.make()
    let backup = ann.disk.imageAfterProcessDeath()
    try ann.set("name", "lost")
    try bring(from: ann, to: ben)
    let mark = try ann.store.mark(of: 2)
    #expect(CommitMark("\(mark)") == mark && CommitMark("\(mark)0") == nil && mark.number == 2)
    let last = ben.store.lastCommit
    let again = try Shelf("ann", on: backup)
    for name in ["another", "and one more", "and another"] {
      #expect(throws: StoreError.self) { try bring(from: again, to: ben) }
      try again.set("name", .string(name))
    }
    let error = #expect(throws: StoreError.self) { try bring(from: again, to: ben) }
    #expect(error?.code == .commitOfAnotherHistory)
    #expect(try ben.store.lastCommit == last && ben.book().value(forKey: "name") == "lost")
  }

  @Test func `what is brought from a peer leaves the bookmarks of others alone`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    let seen = try ben.seen(of: ann)
    var forged = try #require(try news(of: ann.store, since: .beginning, for: "cid"))
    let bookmark = ObjectPatch(
      updating: PatchIdentity("Following", "source", "ann"), new: ["seen": "forged"])
    let book = PatchIdentity("Book", "guid", "one")
    forged.steps = [
      Patch(objects: [bookmark]),
      Patch(objects: [
        ObjectPatch(
          updating: book, new: ["name": "from cid"],
          relationships: ["see": RelationshipPatch(.toOne, patches: [bookmark])])
      ]),
    ].map { News.Step(known: .beginning, patch: $0) }
    try #require(try take(forged, from: "cid", into: ben.store, policy: .force) != nil)
    #expect(try ben.seen(of: ann) == seen && ben.book().value(forKey: "name") == "from cid")
    #expect(try bring(from: ann, to: ben) == nil)
  }

  @Test func `a member that one has come and go, and the other go, ends as one of them has it`()
    throws
  {
    try ann.make()
    try bring(from: ann, to: ben)
    try ben.set("tags", .set(["t"]))
    try ann.set("tags", .set(["t"]))
    try bring(from: ann, to: ben)
    try ann.set("tags", .set([]))
    try ann.set("tags", .set(["own"]))
    try bring(from: ben, to: ann)
    try bring(from: ann, to: ben)
    #expect(try ann.picture() == ben.picture())
    #expect(try ann.book().value(forKey: "tags") == .set(["own", "t"]))
  }

  @Test func `what one has renamed, and the other changed, is one object in both`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    try ann.set("guid", "renamed")
    try ben.set("name", "ben")
    try bring(from: ann, to: ben, policy: .keepOurs)
    try bring(from: ben, to: ann, policy: .force)
    for shelf in [ann, ben] {
      #expect(try shelf.book("renamed").value(forKey: "name") == "ben")
      #expect(try shelf.context.count(FetchRequest("Book")) == 1)
    }
    #expect(try ann.picture() == ben.picture())
  }

  private func giveIn(_ follower: Shelf, to source: Shelf) throws {
    try ObjectPatchingTests.giveIn(
      (follower.name, follower.store), to: (source.name, source.store))
  }

  /// Has a shelf's first book hold others in an order.
  private func order(_ guids: String..., on shelf: Shelf) throws {
    try shelf.set("items", .array(guids.map { .reference(try shelf.book($0).objectID) }))
  }

  @Test func `who gives in is as the other, whatever was deleted, renamed or put in order`() throws
  {
    for guid in ["one", "a", "b", "c", "d"] { try ann.make(guid) }
    try ann.set("score", 4, of: "a")
    try order("b", "c", "d", on: ann)
    try bring(from: ann, to: ben)
    ann.context.delete(try ann.book("a"))
    try ann.context.save()
    try ann.set("guid", "e", of: "d")
    try ann.set("name", "kept", of: "c")
    try order("c", "b", "e", on: ann)
    try ben.set("name", "ben", of: "a")
    try ben.set("name", "ben", of: "d")
    try order("d", "c", "b", on: ben)
    try bring(from: ann, to: ben, policy: .keepOurs)
    try giveIn(ann, to: ben)
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ann.book("a").value(forKey: "score") == 4)
    #expect(try ben.book("c").value(forKey: "name") == "kept")
    #expect(try bring(from: ben, to: ann) == nil)
    try bring(from: ann, to: ben, policy: .refuse)
    #expect(try ann.picture() == ben.picture())
  }

  @Test func `what was deleted and is there again keeps what the other has led to it`() throws {
    for guid in ["one", "two"] { try ann.make(guid) }
    try bring(from: ann, to: ben)
    ben.context.delete(try ben.book("two"))
    try ben.context.save()
    ben.context.undo()
    try ben.context.save()
    try ann.set("friends", .set([.reference(try ann.book("two").objectID)]))
    try ann.set("parts", .array([.reference(try ann.book("two").objectID)]))
    for _ in 0..<2 {
      try bring(from: ann, to: ben, policy: .merge)
      try bring(from: ben, to: ann, policy: .merge)
    }
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    for shelf in [ann, ben] {
      #expect(try shelf.book().value(forKey: "friends")?.set?.count == 1)
      #expect(try shelf.book().value(forKey: "parts")?.array?.count == 1)
    }
  }

  @Test func `who yields keeps its member also of what the other renames before it takes it out`()
    throws
  {
    try ann.make()
    try bring(from: ann, to: ben)
    try ben.set("tags", .set(["t"]))
    let book = try ann.book()
    book.setValue("renamed", forKey: "guid")
    book.setValue(.set(["t"]), forKey: "tags")
    try ann.context.save()
    try ann.set("tags", .set([]), of: "renamed")
    for _ in 0..<2 {
      try bring(from: ann, to: ben, policy: .merge)
      try bring(from: ben, to: ann, policy: .merge)
    }
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ben.book("renamed").value(forKey: "tags") == .set(["t"]))
  }

  @Test func `what was given up does not come back in the other store`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    try bring(from: ben, to: ann)
    try ann.set("name", "ann's")
    try ann.like(5)
    try giveIn(ann, to: ben)
    try ann.set("score", 3)
    for _ in 0..<2 {
      try bring(from: ann, to: ben, policy: .merge)
      try bring(from: ben, to: ann, policy: .merge)
    }
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    let book = try ben.book()
    #expect(book.value(forKey: "name") == "new" && book.value(forKey: "likes") == .counter(0))
    #expect(book.value(forKey: "score") == 3)
  }

  @Test func `where a source was brought back, the two go on when one gives in`() throws {
    try ann.make()
    let backup = ann.disk.imageAfterProcessDeath()
    try ann.set("name", "lost")
    try bring(from: ann, to: ben)
    let again = try Shelf("ann", on: backup)
    try again.set("name", "another")
    try giveIn(again, to: ben)
    try giveIn(ben, to: again)
    #expect(try again.book().value(forKey: "name") == "lost")
    try again.set("name", "next")
    try bring(from: again, to: ben, policy: .refuse)
    #expect(try ben.book().value(forKey: "name") == "next" && again.picture() == ben.picture())
  }

  @Test
  func `orders that both have changed have the same members, and who gives in the same order`()
    throws
  {
    for guid in ["one", "a", "b", "c", "d"] { try ann.make(guid) }
    try order("a", "b", on: ann)
    try bring(from: ann, to: ben)
    try order("c", "b", "a", on: ann)
    try order("b", "d", on: ben)
    try bring(from: ann, to: ben)
    try bring(from: ben, to: ann)
    func items(_ shelf: Shelf) throws -> [String] {
      guard case .array(let items)? = try shelf.book().value(forKey: "items") else { return [] }
      return try items.compactMap(\.reference).compactMap {
        try shelf.context.existingObject(with: $0).value(forKey: "guid")?.string
      }
    }
    #expect(try items(ann).sorted() == ["b", "c", "d"])
    #expect(try items(ben).sorted() == ["b", "c", "d"])
    try giveIn(ann, to: ben)
    #expect(try items(ann) == items(ben))
  }

  @Test func `wherever the follower ends in the midst, it goes on where it was`() throws {
    try ann.make()
    try bring(from: ann, to: ben)
    try ann.like(5)
    try ben.like(1)
    try ann.set("name", "ann")
    var images: [SimulatedDisk] = []
    ben.disk.onCall = { [disk = ben.disk] _ in images.append(disk.imageAfterProcessDeath()) }
    try bring(from: ann, to: ben)
    ben.disk.onCall = nil
    images.append(ben.disk.imageAfterProcessDeath())
    #expect(images.count >= 3)
    var takenCount = 0
    for image in images {
      let again = try Shelf("ben", on: image)
      if try again.seen(of: ann) == ann.store.lastCommit { takenCount += 1 }
      for draft in again.store.unsavedDrafts { try again.store.discard(draft) }
      try bring(from: ann, to: again)
      #expect(try again.likes() == 6 && again.book().value(forKey: "name") == "ann")
      #expect(try again.seen(of: ann) == ann.store.lastCommit)
    }
    #expect((1..<images.count).contains(takenCount))
  }

  @Test func `stores that change and follow each other at random become the same`() throws {
    let campaign = Campaign(count: "XJ_FOLLOWINGS", inGate: 20)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      var meeting = try Meeting(seed: seed)
      try meeting.check(tally)
    }
    print("followings from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["likes"] >= campaign.count && tally["tags"] >= campaign.count)
    #expect(tally["friends"] >= campaign.count && tally["led"] >= campaign.count)
    #expect(tally["dropped"] > 0)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }

  /// Two stores that change, and bring what came to the other, whenever the dice say so.
  private struct Meeting {
    struct Broken: Error, CustomStringConvertible {
      let description: String
    }

    private var shelves: [Shelf]
    private var dice: Dice
    private var made: [String] = []
    private var likes: [String: Int] = [:]

    init(seed: UInt64) throws {
      dice = Dice(seed: seed)
      shelves = [try Shelf("ann", seed: seed), try Shelf("ben", seed: seed &+ 1)]
    }

    mutating func check(_ tally: Tally) throws {
      for step in 0..<40 { try step == 0 ? make(0, 0) : act(step, tally) }
      for _ in 0..<2 {
        for index in 0..<2 { try bring(from: shelves[index], to: shelves[1 - index]) }
      }
      let (one, two) = (try shelves[0].picture(), try shelves[1].picture())
      guard one == two else { throw Broken(description: one.difference(from: two) ?? "") }
      for guid in made where try shelves[0].likes(guid) != likes[guid] ?? 0 {
        throw Broken(
          description: "\(guid) has \(try shelves[0].likes(guid)) likes, not \(likes[guid] ?? 0)")
      }
    }

    private mutating func make(_ index: Int, _ step: Int) throws {
      made.append("\(shelves[index].name) \(step)")
      try shelves[index].make("\(shelves[index].name) \(step)")
    }

    private mutating func act(_ step: Int, _ tally: Tally) throws {
      let index = Int.random(in: 0..<2, using: &dice)
      let shelf = shelves[index]
      let there = try shelf.context.fetch(FetchRequest("Book")).compactMap {
        $0.value(forKey: "guid")?.string
      }
      guard let guid = there.sorted().randomElement(using: &dice) else {
        return try make(index, step)
      }
      switch Int.random(in: 0..<8, using: &dice) {
      case 0: try make(index, step)
      case 1:
        let count = Int.random(in: 1...3, using: &dice)
        likes[guid, default: 0] += count
        try shelf.like(count, guid)
        tally.count("likes")
      case 2:
        // Each has a key of its own, or what both set would conflict.
        if index == 0 { try shelf.set("name", .string("\(step)"), of: guid) }
        if index == 1 { try shelf.set("score", .integer(step), of: guid) }
      case 3 where Bool.random(using: &dice):
        // One of a few that both have come and go, and go again.
        let tag = Value.set([.string("\(Int.random(in: 0..<2, using: &dice))")]).set ?? []
        guard case .set(let tags)? = try shelf.book(guid).value(forKey: "tags") else { return }
        try shelf.set("tags", .set(tags.symmetricDifference(tag)), of: guid)
        tally.count("tags")
      case 4 where Bool.random(using: &dice):
        let other = try shelf.book(there.sorted()[0]).objectID
        guard case .set(let friends) = try shelf.book(guid).value(forKey: "friends") ?? .set([])
        else { return }
        try shelf.set("friends", .set(friends.symmetricDifference([.reference(other)])), of: guid)
        tally.count("friends")
      case 3:
        guard case .set(let tags)? = try shelf.book(guid).value(forKey: "tags") else { return }
        try shelf.set("tags", .set(tags.union([.string("\(shelf.name) \(step)")])), of: guid)
      case 6:
        try lead(guid, index, step)
        tally.count("led")
      default:
        try bring(from: shelves[1 - index], to: shelf)
        tally.count("bringings")
        guard Int.random(in: 0..<3, using: &dice) == 0 else { return }
        let (firstKept, other) = (shelf.store.firstKeptCommit, shelves[1 - index])
        try shelves[index].forget(with: other)
        if shelf.store.firstKeptCommit > firstKept { tally.count("dropped") }
      }
    }

    /// Leads from a book to one that is made for that, or nowhere, by relationships that each has alone; a tag changes
    /// with it, so that the next one to change is another step.
    private mutating func lead(_ guid: String, _ index: Int, _ step: Int) throws {
      let (shelf, book) = (shelves[index], try shelves[index].book(guid))
      var target: Value?
      if Int.random(in: 0..<3, using: &dice) > 0 {
        let other = shelf.context.insert("Book")
        made.append("\(shelf.name) \(step)")
        other.setValue(.string("\(shelf.name) \(step)"), forKey: "guid")
        target = .reference(other.objectID)
      }
      if index == 0 {
        book.setValue(target, forKey: "see")
      } else {
        book.setValue(.set(Set(target.map { [$0] } ?? [])), forKey: "marks")
      }
      guard case .set(let tags)? = book.value(forKey: "tags") else { return }
      book.setValue(.set(tags.symmetricDifference(["1"])), forKey: "tags")
      try shelf.context.save()
    }

    private func bring(from source: Shelf, to follower: Shelf) throws {
      try ObjectPatchingTests.bring(
        from: (source.name, source.store), to: (follower.name, follower.store), policy: .merge)
    }
  }
}
