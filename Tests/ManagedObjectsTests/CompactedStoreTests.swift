// What a context has read is there when its store has been compacted since.

import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct CompactedStoreTests {
  /// A context that has read a post at the first commit and edited nothing, and a commit since by another, which has
  /// changed the post or deleted it.
  private final class Scene {
    let stage: Stage
    var reading: ManagedObjectContext?
    var post: ManagedObject?
    let id: ObjectID

    init(deleting: Bool = false) throws {
      stage = try Stage()
      let other = stage.context()
      let made = other.insert("Post")
      try other.save()
      id = made.objectID
      let reading = stage.context()
      post = try reading.existingObject(with: id)
      self.reading = reading
      if deleting { other.delete(made) } else { made.setValue("Theirs", forKey: "title") }
      try other.save()
      other.close()
    }

    /// The first commit that a compaction leaves which keeps what is needed and no more.
    func compacted() throws -> CommitNumber {
      try stage.store.compact(keeping: .latest)
      return stage.store.firstKeptCommit
    }
  }

  @Test func `S58, S76: a draft is whole where an older commit was brought in that is gone by now`()
    throws
  {
    let stage = try Stage()
    let other = stage.context()
    let post = other.insert("Post")
    let early = try #require(try other.save())
    for title in ["a", "b", "c"] {
      post.setValue(.string(title), forKey: "title")
      try other.save()
    }
    other.close()
    try stage.store.compact(keeping: .latest)
    #expect(stage.store.firstKeptCommit > early.number)
    let context = stage.context()
    let read = try context.existingObject(with: post.objectID)
    #expect(read.value(forKey: "title") == "c")
    context.merge(from: early)
    let new = context.insert("Post")
    new.setValue("New", forKey: "title")
    read.setValue("Mine", forKey: "title")
    context.processPendingChanges()
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    #expect(draft.problem == nil && draft.objectIDs == [post.objectID, new.objectID].sorted())
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    #expect(recovered.object(with: post.objectID).value(forKey: "title") == "Mine")
    try recovered.save()
    #expect(context.object(with: new.objectID).value(forKey: "title") == "New")
  }

  @Test(arguments: [false, true])
  func `S76: a draft of what was read before a compaction is recovered on its base`(
    deleting: Bool
  ) throws {
    let scene = try Scene(deleting: deleting)
    #expect(try scene.compacted() == 2)
    scene.post?.setValue("Mine", forKey: "title")
    scene.reading?.processPendingChanges()
    // Also by who opens the store after another compaction, and compacts it himself.
    #expect(try scene.compacted() == 2)
    let again = try scene.stage.killed()
    try again.store.compact(keeping: .latest)
    let draft = try #require(again.store.unsavedDrafts.first)
    #expect(draft.problem == nil && draft.objectIDs == [scene.id])
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let post = recovered.object(with: scene.id)
    #expect(post.value(forKey: "title") == "Mine")
    let conflicts = #expect(throws: MergeConflicts.self) { try recovered.save() }
    let sides = conflicts?.objects.first?.keys["title"]
    #expect(sides?.base == "Untitled" && sides?.theirs == (deleting ? Value?.none : "Theirs"))
    #expect(conflicts?.objects.map(\.isDeletedInStore) == [deleting])
    recovered.undo()
    #expect(post.value(forKey: "title") == "Untitled")
    recovered.close()
  }

  @Test func `S63: what a rival has deleted is not brought back, compacted or not`() throws {
    for isCompacted in [false, true] {
      let scene = try Scene(deleting: true)
      if isCompacted { _ = try scene.compacted() }
      scene.post?.setValue("Mine", forKey: "title")
      #expect(throws: MergeConflicts.self) { try scene.reading?.save() }
      #expect(try scene.stage.store.head.row(of: scene.id) == nil)
    }
  }

  @Test(arguments: ["object", "reset", "closed", "ended", "refreshed"])
  func `S76b: what a context has read is kept until it lets go of it`(_ how: String) throws {
    let scene = try Scene()
    #expect(try scene.compacted() == 2)
    switch how {
    case "object": scene.post = nil
    case "reset": scene.reading?.reset()
    case "closed": scene.reading?.close()
    case "ended": scene.reading = nil
    default: scene.reading?.refreshAllObjects()
    }
    #expect(try scene.compacted() == 3)
    if how == "refreshed" { #expect(scene.post?.value(forKey: "title") == "Theirs") }
    withExtendedLifetime(scene) {}
  }

  @Test func `S76b: what is read again after all was let go is held from there`() throws {
    let scene = try Scene()
    scene.post = nil
    #expect(try scene.compacted() == 3)
    let post = try scene.reading?.existingObject(with: scene.id)
    let other = scene.stage.context()
    other.object(with: scene.id).setValue("Later", forKey: "title")
    try other.save()
    other.close()
    #expect(try scene.compacted() == 3)
    post?.setValue("Mine", forKey: "title")
    #expect(throws: MergeConflicts.self) { try scene.reading?.save() }
  }
}
