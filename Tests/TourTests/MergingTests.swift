import Foundation
import Testing
import XJournal

final class Article: ManagedObject {
  @Attribute("title") var title: String = "Untitled"
  @Counter("views") var views: Int
  @ValueSet("tags") var tags: Set<String>
  @Attribute("settings", .merging(.byKey)) var settings: [String: Value] = [:]
  @Attribute("best", .merging(larger)) var best: Int = 0
}

let larger: MergeFunction = { _, ours, theirs in
  .integer(max(ours?.integer ?? 0, theirs?.integer ?? 0))
}

/// What the page on merging shows, and what it says of it.
@Suite struct MergingTests {
  /// An article that is saved, in two contexts.
  private struct Pair {
    let store: JournaledStore
    let a: ManagedObjectContext
    let b: ManagedObjectContext
    let inA: Article
    let inB: Article

    init(in folder: URL) throws {
      store = try JournaledStore(
        at: folder.appending(path: "Articles.xjournal"), model: try ManagedObjectModel(Article.self)
      )
      (a, b) = (ManagedObjectContext(store), ManagedObjectContext(store))
      inA = a.insert(Article.self)
      try a.save()
      inB = try b.existingObject(with: inA.objectID, as: Article.self)
      _ = inB.title
    }
  }

  private func withPair(_ body: (Pair) throws -> Void) throws {
    try Toolchain.withFolder { try body(try Pair(in: $0)) }
  }

  @Test func `counters, sets and functions of two contexts make no conflict`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)

      inA.views += 3
      inA.tags.insert("new")
      inA.best = 10
      inB.views += 4
      inB.tags.insert("good")
      inB.best = 12
      try a.save()
      try b.save()

      #expect(inB.views == 7 && inB.tags == ["new", "good"] && inB.best == 12)
      b.undo()
      #expect(inB.views == 3 && inB.tags == ["new"])
    }
  }

  @Test func `what else was changed besides a counter has the policy be asked`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)
      inA.title = "A"
      try a.save()
      inB.views += 1
      inB.settings["size"] = 12
      #expect(throws: MergeConflicts.self) { try b.save() }
      b.mergePolicy = .mergeByPropertyStoreTrump
      try b.save()
      #expect(inB.title == "A" && inB.views == 1 && inB.settings == ["size": 12])
    }
  }

  @Test func `dictionaries merge key by key under a policy that goes by properties`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)
      inA.settings = ["size": 12, "font": "Serif"]
      inB.settings = ["size": 14, "colour": "red"]
      try a.save()
      b.mergePolicy = .mergeByPropertyObjectTrump
      try b.save()
      #expect(inB.settings == ["size": 14, "font": "Serif", "colour": "red"])
    }
  }

  @Test func `a policy of the program's own makes one title of two`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)

      b.mergePolicy = .custom { conflict in
        guard let sides = conflict.keys["title"], sides.isConflict,
          let ours = sides.ours?.string, let theirs = sides.theirs?.string
        else { return .asUnder(.mergeByPropertyObjectTrump) }
        return .values(["title": .string("\(theirs) and \(ours)")])
      }

      (inA.title, inB.title) = ("Salt", "Pepper")
      try a.save()
      try b.save()
      #expect(inB.title == "Salt and Pepper")
      a.refresh(inA, mergeChanges: true)
      (inA["foo"], inB["bar"]) = (1, 2)
      try a.save()
      try b.save()
      #expect(inB["foo"] == 1 && inB["bar"] == 2)
    }
  }

  @Test func `who is told of a conflict looks, refreshes and saves again`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)
      var said: [String] = []
      func print(_ text: String) { said.append(text) }
      inA.title = "Salt"
      inA.views = 1
      inB.title = "Pepper"
      try a.save()

      let ahead = try b.conflicts

      #expect(ahead.map(\.objectID) == [inA.objectID] && b.hasChanges && pair.store.lastCommit == 2)

      do { try b.save() } catch let conflicts as MergeConflicts {
        for object in conflicts.objects {
          for (key, sides) in object.keys where sides.isConflict {
            print("\(key) is \(sides.theirs ?? .null) now, and was to be \(sides.ours ?? .null).")
          }
          b.refresh(object.objectID, mergeChanges: true)
        }
        try b.save()
      }

      #expect(said == ["title is \"Salt\" now, and was to be \"Pepper\"."])
      #expect(inB.title == "Pepper" && inB.views == 1)
      inA.title = "Sugar"
      a.refresh(inA, mergeChanges: true)
      try a.save()
      inB.title = "Honey"

      try b.save(retrying: 5)

      #expect(inB.title == "Honey" && b.canUndo)
    }
  }

  @Test func `what is deleted here and changed there is a conflict, or one side stands`() throws {
    try withPair { pair in
      let (a, b, inA, inB) = (pair.a, pair.b, pair.inA, pair.inB)
      inA.title = "Changed"
      try a.save()
      b.delete(inB)
      let conflicts = try #require(throws: MergeConflicts.self) { try b.save() }
      #expect(conflicts.objects.map(\.isDeletedHere) == [true])
      b.mergePolicy = .mergeByPropertyObjectTrump
      try b.save()
      a.refresh(inA, mergeChanges: true)
      #expect(inA.isDeleted && inA.value(forKey: "title") == nil)
    }
  }

  @Test func `what others have saved is brought in, and what was changed here is kept`() throws {
    try withPair { pair in
      let (store, a, b, inA, inB) = (pair.store, pair.a, pair.b, pair.inA, pair.inB)
      let lastSeen = store.lastCommit
      inB.title = "From elsewhere"
      try b.save()
      inA.best = 3
      #expect(try a.count(FetchRequest("Article", where: "title == 'From elsewhere'")) == 0)
      a.undo()
      #expect(try a.count(FetchRequest("Article", where: "title == 'From elsewhere'")) == 1)
      #expect(inA.title == "Untitled")
      a.redo()

      for commit in try store.commits(since: lastSeen) { a.merge(from: commit) }

      #expect(inA.title == "From elsewhere" && inA.best == 3 && inA.hasChanges)

      a.automaticallyMergesChanges = true

      inB.title = "Again"
      try b.save()
      a.processPendingChanges()
      #expect(inA.title == "Again" && inA.best == 3)
    }
  }

  @Test func `a context within another saves one level up, as one step`() throws {
    try withPair { pair in
      let (context, article) = (pair.a, pair.inA)

      let sheet = ManagedObjectContext(parent: context)
      let edited = try sheet.existingObject(with: article.objectID, as: Article.self)
      edited.title = "Set in the sheet"
      try sheet.save()

      #expect(article.title == "Set in the sheet" && article.hasChanges)
      context.undo()
      #expect(article.title == "Untitled")
    }
  }
}
