import ManagedObjects
import ObjectModel
import Testing

/// What hooks that validate change themselves.
@Suite struct ValidatingHookTests {
  private let stage: Stage
  private let context: ManagedObjectContext

  init() throws {
    stage = try Stage(Probe.model())
    context = stage.context()
  }

  private func saved(_ post: Probe, _ key: String) throws -> Value? {
    let reader = stage.context()
    defer { withExtendedLifetime(reader) {} }
    return try reader.existingObject(with: post.objectID).value(forKey: key)
  }

  @Test(arguments: [false, true])
  func `S62: what validateForInsert and validateForUpdate set is validated, too`(isPrimitive: Bool)
    throws
  {
    func set(_ author: Value) -> (Probe) -> Void {
      { post in
        if isPrimitive {
          post.setPrimitiveValue(author, forKey: "author")
        } else {
          post.setValue(author, forKey: "author")
        }
      }
    }
    let post = context.insert(Probe.self)
    post.onCall["validateForInsert"] = set("longer than ten")
    #expect(throws: ValidationErrors.self) { try context.save() }
    post.onCall["validateForInsert"] = set("ann")
    try context.save()
    #expect(try saved(post, "author") == "ann")
    post.setValue(1, forKey: "score")
    post.onCall["validateForUpdate"] = set("longer than ten")
    #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(try saved(post, "author") == "ann")
    // What was wrong before it was set is not held against it.
    post.onCall["validateForUpdate"] = set("bob")
    try context.save()
    #expect(try saved(post, "author") == "bob" && !context.hasChanges)
  }

  @Test func `S62: what validation of one object makes of another is validated, too`() throws {
    let (one, other) = (context.insert(Probe.self), context.insert(Probe.self))
    one.onCall["validateForInsert"] = { _ in other.setValue("longer than ten", forKey: "author") }
    other.onCall["validateForInsert"] = { _ in one.setValue(2, forKey: "score") }
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.failures.map(\.objectID) == [other.objectID])
    #expect(errors.failures.map(\.key) == ["author"])
    one.onCall = [:]
    other.setValue("bob", forKey: "author")
    try context.save()
    #expect(try saved(one, "score") == 2)
  }

  @Test(arguments: [false, true])
  func `S46, S62: what validation sets is undone with what was validated, in one step`(
    isProcessed: Bool
  ) throws {
    let post = context.insert(Probe.self)
    try context.save()
    post.onCall["validateForUpdate"] = { $0.setValue("checked", forKey: "author") }
    post.setValue("first", forKey: "title")
    context.setActionName("retitle")
    if isProcessed { context.processPendingChanges() }
    try context.save()
    #expect(try saved(post, "author") == "checked" && context.undoActionName == "retitle")
    for _ in 0..<2 {
      context.undo()
      #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == nil)
      context.redo()
      #expect(post.value(forKey: "title") == "first" && post.value(forKey: "author") == "checked")
      #expect(!context.canRedo)
    }
  }

  @Test func `S61: what validation sets stays set where the save fails`() throws {
    let post = context.insert(Probe.self)
    post.onCall["validateForInsert"] = { post in
      post.setValue("ann", forKey: "author")
      post.setPrimitiveValue(nil, forKey: "title")
    }
    #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(post.value(forKey: "author") == "ann")
    post.onCall = [:]
    post.setValue("there", forKey: "title")
    try context.save()
    #expect(try saved(post, "author") == "ann")
  }

  @Test func `S62: validation that never ends fails the save, and names the object`() throws {
    let post = context.insert(Probe.self)
    var count = 0
    post.onCall["validateForInsert"] = { post in
      count += 1
      post.setValue(.integer(count), forKey: "score")
    }
    #expect(throws: ContextError.validationDoesNotEnd(post.objectID)) { try context.save() }
    #expect(count == 101)
    // What sets the same each time does end.
    post.onCall["validateForInsert"] = { $0.setValue(3, forKey: "score") }
    try context.save()
    #expect(try saved(post, "score") == 3)
  }

  @Test func `S62: an object that validation inserts is validated and saved with the others`()
    throws
  {
    let post = context.insert(Probe.self)
    var made: Probe?
    post.onCall["validateForInsert"] = { post in
      if made == nil { made = post.context?.insert(Probe.self) }
    }
    try context.save()
    let other = try #require(made)
    #expect(other.calls.contains("validateForInsert") && !other.hasChanges)
    #expect(try saved(other, "title") == "Untitled")
  }
}
