import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Computed keys that are said to depend on other computed keys, and reverting what somebody has reverted already.
@Suite struct DeclaredDependencyTests {
  /// Posts with computed keys that read so that nobody notices.
  private func post() throws -> (ManagedObjectContext, ManagedObject) {
    var model = try Stage.model()
    var program = model.program as? ModelProgram ?? ModelProgram()
    @Sendable func quietTitle(_ post: ManagedObject) -> String {
      post.primitiveValue(forKey: "title")?.string ?? ""
    }
    program.virtualAttributes["Post"] = [
      VirtualAttribute(
        "shout", dependsOn: ["title"],
        get: { (post: ManagedObject) in quietTitle(post).uppercased() }),
      VirtualAttribute(
        "banner", dependsOn: ["shout"],
        get: { (post: ManagedObject) in "*" + quietTitle(post) + "*" }),
      VirtualAttribute(
        "tick", dependsOn: ["tock", "title"],
        get: { (post: ManagedObject) in "tick " + quietTitle(post) }),
      VirtualAttribute(
        "tock", dependsOn: ["tick"], get: { (post: ManagedObject) in "tock " + quietTitle(post) }),
    ]
    model.program = program
    let context = try Stage(model).context()
    let post = context.insert("Post")
    try context.save()
    return (context, post)
  }

  @Test func `S37, S38: a computed key depends on what another depends on that it is said to`()
    throws
  {
    let (context, post) = try post()
    defer { withExtendedLifetime(context) {} }
    let told = Told()
    let token = post.observe("banner", [.old, .new]) { told.changes.append($0) }
    post.setValue("New", forKey: "title")
    post.setValue("ann", forKey: "author")
    context.undo()
    #expect(told.lines == ["banner *Untitled* *New*", "banner *New* *Untitled*"])
    withExtendedLifetime(token) {}
  }

  @Test func `S37: computed keys that are said to depend on each other are told once, and end`()
    throws
  {
    let (context, post) = try post()
    defer { withExtendedLifetime(context) {} }
    let told = Told()
    let tokens = ["tick", "tock"].map { key in
      post.observe(key, [.old, .new]) { told.changes.append($0) }
    }
    post.setValue("New", forKey: "title")
    #expect(told.lines.sorted() == ["tick tick Untitled tick New", "tock tock Untitled tock New"])
    withExtendedLifetime(tokens) {}
  }

  @Test func `S52: a deletion that was undone is not reverted again, and what came since is named`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post["mood"] = "sunny"
    try context.save()
    context.delete(post)
    try context.save()
    context.undo()
    try context.save()
    #expect(post.value(forKey: "title") == "Untitled")
    try context.revert(.commit(2))
    #expect(!context.hasChanges)
    post.setValue("Since then", forKey: "title")
    try context.save()
    let error = #expect(throws: ContextError.self) { try context.revert(.commit(2)) }
    guard case .laterChanges(let keys)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(keys.map(\.key) == ["title"] && keys.map(\.objectID) == [post.objectID])
    #expect(!context.hasChanges && post.value(forKey: "title") == "Since then")
    try context.revert(.commit(2), isForced: true)
    #expect(post.value(forKey: "title") == "Untitled" && post["mood"] == "sunny")
    try context.save()
    #expect(try stage.store.verify(deep: true).isEmpty)
  }
}
