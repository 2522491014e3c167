import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What is done while a save that is awaited is on its way, and what that save merges meanwhile.
@Suite struct SavingMeanwhileTests {
  enum Way: CaseIterable, Sendable { case setOne, setMany, insertMember }

  /// Each waits for the save before it looks at what there is.
  @Test(arguments: Way.allCases) @MainActor
  func
    `S43, S60: a member that is put in while a save is on its way is in, whatever that save merges`(
      way: Way
    ) async throws
  {
    let held = try SavingLaterTests.HeldStore()
    let context = ManagedObjectContext(held.store)
    let (blog, elsewhere) = (context.insert("Blog"), context.insert("Blog"))
    let post = context.insert("Post")
    blog.insert(post, into: "posts")
    try save(context)
    let rival = ManagedObjectContext(held.store)
    try rival.existingObject(with: post.objectID).setValue(elsewhere.reference, forKey: "blog")
    try save(rival)
    context.mergePolicy = .mergeByPropertyObjectTrump
    post.setValue("ours", forKey: "author")
    held.gate.shut()
    let saving = Task { @MainActor in _ = try await context.save() }
    await held.reachGate()
    held.gate.open()
    switch way {
    case .setOne: post.setValue(blog.reference, forKey: "blog")
    case .setMany: blog.setValue(.set([post.reference]), forKey: "posts")
    case .insertMember: blog.insert(post, into: "posts")
    }
    try await saving.value
    #expect(post.value(forKey: "blog") == blog.reference)
    #expect(blog.value(forKey: "posts") == .set([post.reference]))
    #expect(elsewhere.value(forKey: "posts") == .set([]))
    try save(context)
    let read = try ManagedObjectContext(held.store).existingObject(with: post.objectID)
    #expect(read.value(forKey: "blog") == blog.reference)
  }

  @Test @MainActor
  func
    `S43, S60: a member that is taken out while a save is on its way is out, whatever that save merges`()
    async throws
  {
    let held = try SavingLaterTests.HeldStore()
    let context = ManagedObjectContext(held.store)
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    try save(context)
    let rival = ManagedObjectContext(held.store)
    try rival.existingObject(with: post.objectID).setValue(blog.reference, forKey: "blog")
    try save(rival)
    context.mergePolicy = .mergeByPropertyObjectTrump
    post.setValue("ours", forKey: "author")
    held.gate.shut()
    let saving = Task { @MainActor in _ = try await context.save() }
    await held.reachGate()
    held.gate.open()
    blog.remove(post, from: "posts")
    try await saving.value
    #expect(post.value(forKey: "blog") == nil)
  }

  /// Saves, before anybody else has a turn.
  private func save(_ context: ManagedObjectContext) throws { try context.save() }

  /// The child looks whether its parent still has the objects before the parent's save has ended, which tells the parent
  /// that somebody else has deleted one; and then gives the parent that object anew, with the child's own keys alone.
  @Test @MainActor
  func
    `S60, S66: a child that saves while its parent's save is on its way is told of what that finds deleted`()
    async throws
  {
    let held = try SavingLaterTests.HeldStore()
    let parent = ManagedObjectContext(held.store)
    let post = parent.insert("Post")
    post.setValue("first", forKey: "author")
    try save(parent)
    let rival = ManagedObjectContext(held.store)
    rival.delete(try rival.existingObject(with: post.objectID))
    try save(rival)
    let child = ManagedObjectContext(parent: parent)
    let own = try child.existingObject(with: post.objectID)
    own.setValue(5, forKey: "score")
    parent.mergePolicy = .mergeByPropertyStoreTrump
    post.setValue("ours", forKey: "title")
    parent.insert("Blog")
    held.gate.shut()
    let saving = Task { @MainActor in _ = try await parent.save() }
    await held.reachGate()
    held.gate.open()
    // As it is where the parent's save was awaited before.
    #expect(throws: MergeConflicts.self) { try save(child) }
    try await saving.value
    #expect(post.isDeleted && !parent.hasChanges)
  }
}
