import DiskAccess
import DiskSimulation
import EventFold
import Foundation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What saves and merges leave in the journal, and what follows a commit that was made.
@Suite struct SaveEffectTests {
  // MARK: Merging

  private func told(_ store: JournaledStore, _ name: String) throws -> [String] {
    try store.events().filter { $0.context?.name == name }.compactMap { event in
      switch event.kind {
      case .merged(let number): "merge \(number)"
      case .refreshed(let objects, _, let number): "refresh \(objects.count) at \(number)"
      case .saved(let number): "save \(number)"
      case .set(_, let key, _): "set \(key)"
      default: nil
      }
    }
  }

  @Test func `S74: what was brought in from a commit is an event, and a replay comes to the same`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let (one, two) = (first.insert("Post"), first.insert("Post"))
    try first.save()
    let second = stage.context()
    second.name = "second"
    let inSecond = try second.existingObject(with: one.objectID)
    inSecond["bar"] = 2
    let other = try second.existingObject(with: two.objectID)
    other["own"] = 1
    one["foo"] = 1
    one.setValue(.counter(3), forKey: "likes")
    let commit = try #require(try first.save())
    second.merge(from: commit)
    other["own"] = 2
    #expect(inSecond["foo"] == 1 && inSecond["bar"] == 2)
    #expect(
      try told(stage.store, "second")
        == ["set bar", "set own", "refresh 1 at 2", "merge 2", "set own"])
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first { $0.contextName == "second" })
    #expect(draft.problem == nil)
    let replayed = try again.store.resume(draft).content
    #expect(replayed.objects == second.fold.objects)
    #expect(replayed.undoSteps == second.fold.undoSteps)
    // A draft is resumed once: the context is recovered from another image.
    let third = try stage.killed()
    let offered = try #require(
      third.store.unsavedDrafts.first { $0.contextName == "second" })
    let recovered = try ManagedObjectContext(recovering: offered, in: third.store)
    #expect(try recovered.conflicts.isEmpty)
    try recovered.save()
    try second.save()
    #expect(try stage.store.verify(deep: true).isEmpty)
    #expect(try third.store.verify(deep: true).isEmpty)
  }

  @Test func `S58: to merge a commit does not hide the conflict with one that was not merged`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let (one, two) = (first.insert("Post"), first.insert("Post"))
    try first.save()
    let second = stage.context()
    second.name = "second"
    let inSecond = try second.existingObject(with: one.objectID)
    inSecond["bar"] = 2
    one["foo"] = 1
    try first.save()
    two["foo"] = 1
    let commit = try #require(try first.save())
    second.merge(from: commit)
    #expect(try second.conflicts.map(\.objectID) == [one.objectID])
    #expect(throws: MergeConflicts.self) { try second.save() }
    second.merge(from: try stage.store.commit(2))
    #expect(try second.conflicts.isEmpty && inSecond["foo"] == 1)
    try second.save()
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S58: to merge an older commit leaves what stands on a later one`() throws {
    let stage = try Stage()
    let first = stage.context()
    let (one, two) = (first.insert("Post"), first.insert("Post"))
    try first.save()
    let second = stage.context()
    second.name = "second"
    let inSecond = try second.existingObject(with: two.objectID)
    one["foo"] = 1
    let commit = try #require(try first.save())
    inSecond["bar"] = 1
    try second.save()
    inSecond["bar"] = 2
    second.merge(from: commit)
    inSecond["bar"] = 3
    #expect(try told(stage.store, "second").contains("merge 2"))
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first { $0.contextName == "second" })
    #expect(try again.store.resume(draft).content.objects == second.fold.objects)
    try second.save()
    #expect(try stage.store.commit(4).changes[0].values["bar"]?.old == 1)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  // MARK: After the commit

  @Test func `S61: once a commit is made nothing is read, so that no save fails that was made`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let post = first.insert("Post")
    post.setValue(.set(["a"]), forKey: "tags")
    try first.save()
    let (a, b) = (stage.context(), stage.context())
    let inA = try a.existingObject(with: post.objectID)
    let inB = try b.existingObject(with: post.objectID)
    inA["foo"] = 1
    inA.setValue(.set(["a", "b"]), forKey: "tags")
    inB["bar"] = 2
    inB.setValue(.set(["a", "c"]), forKey: "tags")
    inB.setValue(.counter(4), forKey: "likes")
    b.mergePolicy = .mergeByPropertyObjectTrump
    try a.save()
    // Nothing can be read from when the commit is synced on.
    stage.disk.onCall = { [disk = stage.disk] call in
      guard call.kind == .syncData || call.kind == .sync else { return }
      disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.read], isLasting: true)]
    }
    let commit = try #require(try b.save())
    #expect(!b.hasChanges && inB["foo"] == 1 && inB["bar"] == 2)
    #expect(inB.value(forKey: "tags") == .set(["a", "b", "c"]))
    let values = try #require(commit.changes.first).values
    #expect(
      values["tags"]?.old == .set(["a", "b"]) && values["tags"]?.new == .set(["a", "b", "c"]))
    #expect(values["likes"]?.old == .counter(0) && values["likes"]?.new == .counter(4))
    stage.disk.onCall = nil
    stage.disk.faults = []
    #expect(try stage.store.commit(3) == commit)
  }

  @Test func `S73: a save gives the commit that the store tells of, whatever was changed in it`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (post, gone) = (context.insert("Post"), context.insert("Post"))
    let text = String(repeating: "All work and no play. ", count: 200)
    post["text"] = .string(text)
    var commits = [try #require(try context.save(author: "ann"))]
    post["text"] = .string(text + "All play.")
    post.setValue(.counter(2), forKey: "likes")
    post.setValue(.set(["a", "b"]), forKey: "tags")
    post["mood"] = "sunny"
    context.delete(gone)
    commits.append(try #require(try context.save(userInfo: ["a": 1])))
    context.undo()
    commits.append(try #require(try context.save()))
    #expect(try stage.store.commits(since: 0) == commits)
    #expect(commits[1].changes.map(\.kind) == [.updated, .deleted])
    #expect(commits[1].changes[0].values["text"]?.new == .string(text + "All play."))
  }

  // MARK: The journal's length

  /// Posts with texts, set in a context and saved at once, or so recorded that the commit repeats the values.
  private func growth(naming: Bool) throws -> Int {
    let stage = try Stage(options: StoreOptions())
    let context = stage.context()
    let count = 1_000
    var (seed, number) = (UInt64(7), UInt64(0))
    // Digits without an order, so that nothing of them is compressed.
    let texts = (0..<count).map { _ -> String in
      var text = ""
      for _ in 0..<20 {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        number = seed ^ seed >> 29
        text += String(number, radix: 36)
      }
      return text
    }
    let posts = (0..<count).map { _ in context.insert("Post") }
    try context.save()
    let store = stage.store
    let before = store.journaledByteCount
    if naming {
      for (post, text) in zip(posts, texts) { post["text"] = .string(text) }
      try context.save()
    } else {
      let live = try store.beginContext(name: "", on: store.lastCommit)
      let (head, key) = (store.head, try store.key(named: "text"))
      let objects = try zip(posts, texts).map { post, text in
        let row = try #require(try head.row(of: post.objectID))
        var new = row
        new[key] = .string(text)
        try store.record(.set(post.objectID, key, .string(text)), by: live)
        return CommitRequest.Object(post.objectID, base: head.number, row, to: new)
      }
      _ = try store.commit(CommitRequest(objects), by: live)
      try store.endContext(live)
    }
    #expect(try store.verify(deep: true).isEmpty)
    let again = try stage.killed()
    let key = try #require(again.store.existingKey(named: "text"))
    for (post, text) in zip(posts, texts) {
      #expect(try again.store.head.row(of: post.objectID)?[key] == .string(text))
    }
    return store.journaledByteCount - before
  }

  @Test func `a save does not repeat what its edits have said`() throws {
    let (naming, repeating) = (try growth(naming: true), try growth(naming: false))
    print("journal growth by 1,000 edits and their save: \(naming) bytes, \(repeating) repeating")
    #expect(naming * 4 < repeating * 3)
  }

  @Test func `what was brought back is not named by the edit that set it before`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("One", forKey: "title")
    post["data"] = .data(Data(repeating: 7, count: 300_000))
    try context.save()
    post.setValue("Two", forKey: "title")
    context.processPendingChanges()
    post.setValue("Three", forKey: "title")
    post["data"] = .data(Data(repeating: 8, count: 300_000))
    context.undo()
    post["mood"] = "sunny"
    try context.save()
    context.undo()
    context.undo()
    post["mood"] = "rainy"
    try context.save()
    context.rollback()
    post.setPrimitiveValue("Four", forKey: "title")
    post["mood"] = nil
    try context.save()
    let again = try stage.killed()
    #expect(try again.store.verify(deep: true).isEmpty)
    let values = try again.store.history(of: post.objectID, key: "title").map(\.new)
    #expect(values == ["One", "Two", "One", "Four"])
    let last = again.context()
    #expect(
      try last.existingObject(with: post.objectID)["data"]
        == .data(Data(repeating: 7, count: 300_000)))
  }
}
