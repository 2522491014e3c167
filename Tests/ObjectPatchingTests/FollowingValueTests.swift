import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// Values and relationships to one that two stores set which follow each other.
@Suite struct FollowingValueTests {
  private let ann: Shelf
  private let ben: Shelf

  init() throws {
    (ann, ben) = (try Shelf("ann", seed: 1), try Shelf("ben", seed: 2))
    try ann.make()
    try Self.bring(ann, to: ben)
  }

  private static func bring(_ source: Shelf, to follower: Shelf) throws {
    try ObjectPatchingTests.bring(
      from: (source.name, source.store), to: (follower.name, follower.store), policy: .merge)
  }

  private func meet() throws {
    for _ in 0..<2 {
      try Self.bring(ann, to: ben)
      try Self.bring(ben, to: ann)
    }
  }

  /// Has a shelf come to a step of its own, as members that come and go have.
  private static func step(_ shelf: Shelf) throws {
    try shelf.set("tags", .set(["t"]))
    try shelf.set("tags", .set([]))
  }

  @Test func `a value that goes there and back in one store is what the other has made of it`()
    throws
  {
    try ann.set("name", "there")
    try Self.step(ann)
    try ann.set("name", "new")
    try ben.set("name", "there")
    try meet()
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ann.book().value(forKey: "name") == "there")
  }

  @Test func `a relationship to one does so, also under other names`() throws {
    for guid in ["a", "b"] { try ann.make(guid) }
    try Self.bring(ann, to: ben)
    try ann.set("parent", .reference(try ann.book("a").objectID))
    try Self.step(ann)
    try ann.set("guid", "c", of: "a")
    try ann.set("parent", .null)
    try ben.set("parent", .reference(try ben.book("a").objectID))
    try meet()
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    let parent = try #require(try ann.book().value(forKey: "parent")?.reference)
    #expect(try ann.context.existingObject(with: parent).value(forKey: "guid") == "c")
  }

  @Test func `a value that both have set, and one has set again, conflicts in both`() throws {
    try ann.set("name", "there")
    try Self.step(ann)
    try ann.set("name", "further")
    try ben.set("name", "there")
    for (source, follower) in [(ann, ben), (ben, ann)] {
      let error = #expect(throws: PatchConflicts.self) { try Self.bring(source, to: follower) }
      #expect(error?.conflicts.map(\.key) == ["name"])
    }
  }

  @Test func `what was set and deleted conflicts with what the other has set`() throws {
    try ann.set("name", "there")
    try Self.step(ann)
    ann.context.delete(try ann.book())
    try ann.context.save()
    try ben.set("name", "there")
    for (source, follower) in [(ann, ben), (ben, ann)] {
      #expect(throws: PatchConflicts.self) { try Self.bring(source, to: follower) }
    }
  }

  @Test func `what was led elsewhere before its owner went does not go with that`() throws {
    for guid in ["a", "b"] { try ann.make(guid) }
    try ann.set("owner", .reference(try ann.book("a").objectID))
    try meet()
    try ann.set("owner", .reference(try ann.book("b").objectID))
    try Self.step(ann)
    ann.context.delete(try ann.book("a"))
    try ann.context.save()
    try ann.set("owner", .null)
    try meet()
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ben.context.count(FetchRequest("Book")) == 2)
  }

  @Test func `what was said in view of what the other said is said after it`() throws {
    try ann.set("name", "two")
    try meet()
    try ben.set("name", "one")
    try ann.set("name", "one")
    try Self.bring(ann, to: ben)
    try ben.set("name", "two")
    try meet()
    #expect(try ann.picture().difference(from: ben.picture()) == nil)
    #expect(try ann.book().value(forKey: "name") == "two")
  }

  @Test func `values that both set at random are the same in both, or conflict`() throws {
    let campaign = Campaign(count: "XJ_FOLLOWINGS", inGate: 30)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      var dice = Dice(seed: seed)
      let shelves = [try Shelf("ann", seed: seed), try Shelf("ben", seed: seed &+ 1)]
      for guid in ["one", "a", "b"] { try shelves[0].make(guid) }
      var conflictCount = 0
      func bring(_ index: Int) throws {
        do {
          try Self.bring(shelves[index], to: shelves[1 - index])
          tally.count("bringings")
        } catch is PatchConflicts {
          tally.count("conflicts")
          conflictCount += 1
        }
      }
      try bring(0)
      for _ in 0..<Int.random(in: 2...12, using: &dice) {
        let shelf = shelves[Int.random(in: 0..<2, using: &dice)]
        switch Int.random(in: 0..<6, using: &dice) {
        case 0, 1:
          try shelf.set("name", .string(["x", "y"].randomElement(using: &dice) ?? ""))
        case 2:
          let parent = ["a", "b"].randomElement(using: &dice) ?? ""
          try shelf.set("parent", .reference(try shelf.book(parent).objectID))
        case 3: try shelf.set("parent", .null)
        case 4: try Self.step(shelf)
        default: try bring(shelf.name == "ann" ? 1 : 0)
        }
      }
      conflictCount = 0
      for index in [0, 1, 0, 1] { try bring(index) }
      guard conflictCount == 0 else { return }
      if let difference = try shelves[0].picture().difference(from: shelves[1].picture()) {
        tally.violation("seed \(seed): \(difference)")
      } else {
        tally.count("same")
      }
    }
    print("followings of values from seed \(campaign.seed): \(tally.summary)")
    #expect(tally["same"] >= campaign.count / 3 && tally["conflicts"] > 0)
    #expect(tally.violations.isEmpty, "\(tally.violations)")
  }
}
