import ManagedObjects
import ObjectModel
import ObjectStore
import Observation
import Synchronization
import TestSupport
import Testing

/// Children that bring in by themselves what their parents change.
@Suite struct FollowingTests {
  @Test func `S58, S66: a child brings in by itself what its parent changes, and keeps its own`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let (post, gone, unread) = (
      parent.insert("Post"), parent.insert("Post"), parent.insert("Post")
    )
    let (blog, other) = (parent.insert("Blog"), parent.insert("Blog"))
    unread.setValue(blog.reference, forKey: "blog")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    let inChild = try [post, gone, blog, other].map {
      try child.existingObject(with: $0.objectID)
    }
    #expect(inChild[2].value(forKey: "posts") == .set([unread.reference]))
    #expect(inChild[3].value(forKey: "posts") == .set([]))
    let fault = child.object(with: unread.objectID)
    inChild[0].setValue("Child", forKey: "title")
    post.setValue("before", forKey: "author")
    parent.processPendingChanges()
    child.processPendingChanges()
    #expect(inChild[0].value(forKey: "author") == nil)

    child.automaticallyMergesChanges = true
    child.processPendingChanges()
    #expect(inChild[0].value(forKey: "author") == "before")
    var (inserted, deleted, refreshed): (Set<ObjectID>, Set<ObjectID>, Set<ObjectID>) = ([], [], [])
    let token = child.onChange {
      inserted.formUnion($0.inserted.map(\.objectID))
      deleted.formUnion($0.deleted.map(\.objectID))
      refreshed.formUnion($0.refreshed.map(\.objectID))
    }
    post.setValue("after", forKey: "author")
    post.setValue("Parent", forKey: "title")
    parent.delete(gone)
    let new = parent.insert("Person")
    unread.setValue(other.reference, forKey: "blog")
    parent.processPendingChanges()
    child.processPendingChanges()
    #expect(inChild[0].value(forKey: "author") == "after")
    #expect(inChild[0].value(forKey: "title") == "Child")
    #expect(inChild[1].isDeleted && inserted == [new.objectID] && deleted == [gone.objectID])
    #expect(refreshed == [post.objectID])
    #expect(inChild[2].value(forKey: "posts") == .set([]))
    #expect(inChild[3].value(forKey: "posts") == .set([unread.reference]))
    parent.delete(unread)
    parent.processPendingChanges()
    child.processPendingChanges()
    #expect(fault.isDeleted && inChild[3].value(forKey: "posts") == .set([]))
    try child.save()
    #expect(post.value(forKey: "title") == "Child")
    withExtendedLifetime(token) {}
  }

  @Test
  func `S58, S66: what others save comes to a child through its parents, and what they reset`()
    throws
  {
    let stage = try Stage()
    let (parent, other) = (stage.context(), stage.context())
    let post = other.insert("Post")
    try other.save()
    let child = ManagedObjectContext(parent: parent)
    let grandchild = ManagedObjectContext(parent: child)
    let all = [parent, child, grandchild]
    for context in all { context.automaticallyMergesChanges = true }
    let inGrandchild = try grandchild.existingObject(with: post.objectID)
    let held = try [parent, child].map { try $0.existingObject(with: post.objectID) }
    post.setValue("new", forKey: "title")
    try other.save()
    for context in all { context.processPendingChanges() }
    #expect(inGrandchild.value(forKey: "title") == "new")
    held[0].setValue("unsaved", forKey: "title")
    for context in all { context.processPendingChanges() }
    #expect(inGrandchild.value(forKey: "title") == "unsaved")
    parent.reset()
    for context in all { context.processPendingChanges() }
    #expect(inGrandchild.value(forKey: "title") == "new")
    // Once it is switched off it shows what it has, and keeps no account.
    grandchild.automaticallyMergesChanges = false
    try child.existingObject(with: post.objectID).setValue("later", forKey: "title")
    for context in all { context.processPendingChanges() }
    #expect(inGrandchild.value(forKey: "title") == "new")
    withExtendedLifetime(held) {}
  }

  @Test
  func `S41, S58, S66: what others save of an object that no parent holds comes to a grandchild`()
    throws
  {
    let stage = try Stage()
    let (parent, other) = (stage.context(), stage.context())
    let (post, seen) = (other.insert("Post"), other.insert("Post"))
    let (blog, next) = (other.insert("Blog"), other.insert("Blog"))
    post.setValue(blog.reference, forKey: "blog")
    try other.save()
    let child = ManagedObjectContext(parent: parent)
    let grandchild = ManagedObjectContext(parent: child)
    let all = [parent, child, grandchild]
    for context in all { context.automaticallyMergesChanges = true }
    for context in all { context.processPendingChanges() }
    let held = try [post, blog, next].map { try grandchild.existingObject(with: $0.objectID) }
    #expect(held[0].value(forKey: "blog") == blog.reference)
    #expect(held[1].value(forKey: "posts") == .set([post.reference]))
    #expect(held[2].value(forKey: "posts") == .set([]))
    let count = Atomic(0)
    withObservationTracking {
      _ = grandchild.object(with: seen.objectID).value(forKey: "title")
    } onChange: {
      count.add(1, ordering: .relaxed)
    }
    #expect(
      [parent, child].allSatisfy { $0.registeredObject(for: post.objectID) == nil }
        && grandchild.registeredObject(for: seen.objectID) == nil)

    post.setValue("new", forKey: "title")
    post.setValue(next.reference, forKey: "blog")
    seen.setValue("new", forKey: "title")
    try other.save()
    for context in all { context.processPendingChanges() }
    #expect(held[0].value(forKey: "title") == "new")
    #expect(held[0].value(forKey: "blog") == next.reference)
    #expect(held[1].value(forKey: "posts") == .set([]))
    #expect(held[2].value(forKey: "posts") == .set([post.reference]))
    #expect(count.load(ordering: .relaxed) == 1)
    post.setValue(nil, forKey: "blog")
    let commit = try #require(try other.save())
    parent.merge(from: commit)
    for context in [child, grandchild] { context.processPendingChanges() }
    #expect(held[0].value(forKey: "blog") == nil && held[2].value(forKey: "posts") == .set([]))
    other.delete(post)
    try other.save()
    for context in all { context.processPendingChanges() }
    #expect(held[0].isDeleted)
  }

  @Test
  func
    `S58, S66: a child follows what its parent's save leads elsewhere, and all that it refreshes`()
    throws
  {
    let stage = try Stage()
    let (parent, other) = (stage.context(), stage.context())
    let (one, two, editor) = (other.insert("Blog"), other.insert("Blog"), other.insert("Person"))
    try other.save()
    let inParent = try [one, editor].map { try parent.existingObject(with: $0.objectID) }
    #expect(inParent.allSatisfy { !$0.isFault })
    two.setValue(editor.reference, forKey: "editor")
    try other.save()
    let child = ManagedObjectContext(parent: parent)
    child.automaticallyMergesChanges = true
    let inChild = try child.existingObject(with: two.objectID)
    #expect(inChild.value(forKey: "editor") == editor.reference)
    // The parent does not know that the editor has another blog, and the save takes it away there.
    inParent[0].setValue(editor.reference, forKey: "editor")
    parent.mergePolicy = .mergeByPropertyObjectTrump
    try parent.save()
    for context in [parent, child] { context.processPendingChanges() }
    let fresh = try ManagedObjectContext(parent: parent).existingObject(with: two.objectID)
    #expect(inChild.value(forKey: "editor") == fresh.value(forKey: "editor"))

    other.refreshAllObjects()
    two.setValue("new", forKey: "name")
    try other.save()
    parent.refreshAllObjects()
    for context in [parent, child] { context.processPendingChanges() }
    #expect(inChild.value(forKey: "name") == "new")
  }

  @Test func `S66: what a child brings in costs with what came, and not with all that it holds`()
    throws
  {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try Stage()
      let parent = stage.context()
      let (blog, other) = (parent.insert("Blog"), parent.insert("Blog"))
      let posts = (0..<count).map { _ in parent.insert("Post") }
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      child.automaticallyMergesChanges = true
      child.processPendingChanges()
      let owners = try [blog, other].map { try child.existingObject(with: $0.objectID) }
      #expect(owners.allSatisfy { $0.value(forKey: "posts") == .set([]) })
      let held = try posts.map { try child.existingObject(with: $0.objectID) }
      let new = (0..<count).map { _ in parent.insert("Post") }
      for post in new { post.setValue(blog.reference, forKey: "blog") }
      parent.processPendingChanges()
      let begin = threadTime()
      child.processPendingChanges()
      let time = threadTime() - begin
      #expect(owners[0].value(forKey: "posts") == .set(Set(new.map(\.reference))))
      for post in new { post.setValue(other.reference, forKey: "blog") }
      parent.processPendingChanges()
      child.processPendingChanges()
      #expect(owners[0].value(forKey: "posts") == .set([]))
      #expect(owners[1].value(forKey: "posts") == .set(Set(new.map(\.reference))))
      withExtendedLifetime(held) {}
      return time
    }
    let growth = try growth(from: 300, to: 4_800, of: time)
    // 16 times, where it is not looked at all that is held for each; then it is 256 times.
    #expect(growth < 81)
  }
}
