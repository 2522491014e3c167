import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What a save costs beside values that no save takes.
@Suite struct TransientCostTests {
  /// How long a number of saves takes, each of one object, while others have values that no save takes.
  private static func time(of saveCount: Int, beside count: Int, readingMembers: Bool) throws
    -> UInt64
  {
    let context = try Stage().context()
    let posts = (0..<count).map { _ in context.insert("Post") }
    let (blog, changed) = (context.insert("Blog"), context.insert("Post"))
    try context.save()
    for post in posts { post.setValue("x", forKey: "scratch") }
    try context.save()
    let begin = threadTime()
    for number in 0..<saveCount {
      changed.setValue(.integer(number), forKey: "score")
      if readingMembers {
        _ = blog.value(forKey: "posts")
        context.refresh(blog, mergeChanges: false)
      }
      try context.save()
    }
    let time = threadTime() - begin
    #expect(posts.allSatisfy { $0.value(forKey: "scratch") == "x" } && !context.hasChanges)
    return time
  }

  @Test(arguments: [false, true])
  func `S2, S4: a save costs what was changed, whatever has values that no save takes`(
    readingMembers: Bool
  ) throws {
    let growth = try growth(from: 250, to: 4_000) { count in
      try Self.time(of: 100, beside: count, readingMembers: readingMembers)
    }
    #expect(growth < 3)
  }

  @Test func `S2, S4, S48: what is kept of transients is changed, undone and saved as before`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("a", forKey: "scratch")
    try context.save()
    // Others have come and gone since it was kept.
    for _ in 0..<3 {
      context.insert("Blog")
      try context.save()
    }
    post.setValue("b", forKey: "scratch")
    #expect(context.hasChanges && context.updatedObjects == [post])
    context.undo()
    #expect(post.value(forKey: "scratch") == "a")
    context.redo()
    post.setValue("x", forKey: "author")
    #expect(try context.save()?.changes.map { Set($0.values.keys) } == [["author"]])
    #expect(post.value(forKey: "scratch") == "b" && !context.hasChanges)
    let rival = stage.context()
    try rival.existingObject(with: post.objectID).setValue("y", forKey: "author")
    try rival.save()
    context.refresh(post, mergeChanges: true)
    #expect(post.value(forKey: "scratch") == "b" && post.value(forKey: "author") == "y")
    context.delete(post)
    try context.save()
    context.undo()
    #expect(post.value(forKey: "scratch") == "b" && post.value(forKey: "author") == "y")
    context.rollback()
    #expect(context.registeredObject(for: post.objectID)?.isDeleted ?? true)
    #expect(try stage.store.verify(deep: true).isEmpty)
  }
}
