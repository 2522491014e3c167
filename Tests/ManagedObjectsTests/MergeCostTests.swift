import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What bringing in the commits of others costs beside what is unsaved, and that all of it stands where it should then.
@Suite struct MergeCostTests {
  /// How long it takes to bring in a number of commits, one by one, beside objects that are changed and not saved.
  private static func time(
    of commitCount: Int, beside count: Int, inserted isInserted: Bool
  ) throws -> UInt64 {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let posts = (0..<count).map { _ in context.insert("Post") }
    if !isInserted { try context.save() }
    context.automaticallyMergesChanges = true
    for post in posts { post.setValue("x", forKey: "author") }
    let blog = other.insert("Blog")
    try other.save()
    let mine = try context.existingObject(with: blog.objectID)
    context.processPendingChanges()
    var time: UInt64 = 0
    for number in 0..<commitCount {
      blog.setValue(.string("\(number)"), forKey: "name")
      try other.save()
      let begin = threadTime()
      context.processPendingChanges()
      time += threadTime() - begin
      #expect(mine.value(forKey: "name") == .string("\(number)"))
    }
    #expect(context.updatedObjects.count + context.insertedObjects.count == count)
    return time
  }

  @Test(arguments: [false, true])
  func `S58: bringing in a commit costs what it holds, whatever is unsaved`(
    inserted isInserted: Bool
  ) throws {
    let growth = try growth(from: 250, to: 4_000) { count in
      try Self.time(of: 50, beside: count, inserted: isInserted)
    }
    #expect(growth < 3)
  }

  @Test func `S58, S63, S75: what is unsaved stands on what was brought in, and is saved over it`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let posts = (0..<8).map { _ in context.insert("Post") }
    let blog = context.insert("Blog")
    try context.save()
    context.automaticallyMergesChanges = true
    for post in posts { post.setValue("x", forKey: "author") }
    let theirs = try other.existingObject(with: posts[0].objectID)
    let theirBlog = try other.existingObject(with: blog.objectID)
    for number in 0..<6 {
      theirBlog.setValue(.string("\(number)"), forKey: "name")
      if number == 3 { theirs.setValue("t", forKey: "title") }
      try other.save()
      context.processPendingChanges()
    }
    let head = stage.store.lastCommit
    #expect(context.fold.objects.allSatisfy { $0.value.base == head })
    #expect(posts[0].value(forKey: "title") == "t" && posts[0].value(forKey: "author") == "x")
    // A draft stands where the context does.
    let killed = try stage.killed()
    let draft = try #require(killed.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
    for post in posts {
      let here = try #require(context.fold.objects[post.objectID])
      #expect(recovered.fold.objects[post.objectID] == here)
    }
    posts[1].setValue("y", forKey: "author")
    #expect(try context.save()?.changes.count == 8)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S58, S63: a commit that was passed over stays a conflict, also when later ones come`()
    throws
  {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (one, two) = (context.insert("Post"), context.insert("Post"))
    let blog = context.insert("Blog")
    try context.save()
    for post in [one, two] { post.setValue("x", forKey: "author") }
    let theirs = try other.existingObject(with: one.objectID)
    theirs.setValue("y", forKey: "author")
    try other.save()
    let theirBlog = try other.existingObject(with: blog.objectID)
    for number in 0..<3 {
      theirBlog.setValue(.string("\(number)"), forKey: "name")
      context.merge(from: try #require(try other.save()))
    }
    #expect(try context.conflicts.map(\.objectID) == [one.objectID])
    #expect(throws: MergeConflicts.self) { try context.save() }
    // It was read before what others have done to it, and is changed when later commits have been brought in.
    let third = stage.context()
    let late = try third.existingObject(with: two.objectID)
    try other.existingObject(with: two.objectID).setValue("z", forKey: "author")
    try other.save()
    theirBlog.setValue("last", forKey: "name")
    third.insert("Blog")
    third.merge(from: try #require(try other.save()))
    late.setValue("w", forKey: "author")
    theirBlog.setValue("very last", forKey: "name")
    third.merge(from: try #require(try other.save()))
    #expect(late.value(forKey: "author") == "w")
    #expect(throws: MergeConflicts.self) { try third.save() }
    third.refresh(late, mergeChanges: true)
    #expect(try third.save() != nil)
  }
}
