import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// A page that refuses by itself to be saved as long as somebody has something against it.
private final class Strict: ManagedObject {
  @Attribute("text", .required) var text: String?
  @Attribute("rank") var rank: Int = 0
  var objection: (any Error)?

  override func validateForUpdate() throws { if let objection { throw objection } }
}

private struct TooHigh: Error, CustomStringConvertible {
  let description = "it is too high."
}

/// What a context that cannot be worked with refuses, what hooks keep from being done, and how it goes on.
@Suite struct RefusedWorkTests {
  @Test func `S51, S52, S71: nothing is reverted or undone where nothing can be changed`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    func refusals(_ context: ManagedObjectContext, _ post: ManagedObject?) -> [ContextError?] {
      var works: [() throws -> Void] = [
        { try context.revert(.commit(1)) }, { try context.revert(to: .commit(1)) },
        { try context.undo(step: 0) },
      ]
      if let post { works.append { try context.undo(post) } }
      return works.map { work in #expect(throws: ContextError.self) { try work() } }
    }
    let past = try stage.store.asOf(.commit(1))
    let seen = try past.existingObject(with: post.objectID)
    #expect(refusals(past, seen) == Array(repeating: .readOnly, count: 4))
    let other = stage.context()
    other.close()
    #expect(refusals(other, nil) == [.closed, .closed, .closed])
    #expect(stage.store.lastCommit == 1)
    #expect(throws: ContextError.nothingToUndo) { try context.revert(.commit(0)) }
  }

  @Test func `S66: a child of a closed context is not saved, and what it has changed stays`() throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let child = ManagedObjectContext(parent: parent)
    let post = child.insert("Post")
    post.setValue("kept", forKey: "title")
    parent.close()
    #expect(throws: ContextError.closed) { try child.save() }
    #expect(child.hasChanges && post.value(forKey: "title") == "kept")
    #expect(stage.store.lastCommit == .none)
  }

  @Test func `S59: a hook that closes the context keeps all from being saved`() throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let probe = context.insert(Probe.self)
    probe.onCall["willSave"] = { $0.context?.close() }
    #expect(throws: ContextError.closed) { try context.save() }
    #expect(stage.store.lastCommit == .none)
  }

  @Test func `S15: an object that its own hook gives up is not deleted`() throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let probe = context.insert(Probe.self)
    try context.save()
    probe.onCall["prepareForDeletion"] = { $0.context?.reset() }
    context.delete(probe)
    #expect(!context.hasChanges && context.registeredObjects.isEmpty)
    #expect(try context.save() == nil)
    #expect(stage.objectIDs("Post") == [probe.objectID])
  }

  @Test func `S62: what a hook has against an object is told of the object, or of what it names`()
    throws
  {
    let stage = try Stage(ManagedObjectModel(Strict.self))
    let context = stage.context()
    let (object, other) = (context.insert(Strict.self), context.insert(Strict.self))
    object.text = "sound"
    let missing = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(missing.failures.map(\.objectID) == [other.objectID])
    other.text = "sound"
    try context.save()
    object.rank = 9
    object.objection = TooHigh()
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.description == "Strict of \(object.objectID): it is too high.")
    // Failures that a hook hands on are told as they are.
    object.objection = missing
    #expect(throws: missing) { try context.save() }
    #expect(object.rank == 9 && stage.store.lastCommit == 1)
    object.objection = nil
    try context.save()
  }

  @Test func `S20: whether a save would change the store's values is told in every standing`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    #expect(post.hasPersistentChangedValues)
    try context.save()
    #expect(!post.hasPersistentChangedValues)
    post.setValue("only here", forKey: "scratch")
    #expect(post.hasChanges && !post.hasPersistentChangedValues)
    post["mood"] = "sunny"
    #expect(post.hasPersistentChangedValues)
    #expect(
      post.committedValues(forKeys: ["mood", "title"]) == ["mood": .null, "title": "Untitled"])
    context.delete(other)
    #expect(other.hasPersistentChangedValues)
  }

  @Test func `S3: a set of what was saved is no change where that is asked for on every set`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post["mood"] = "sunny"
    try context.save()
    context.reconcilesChangesAtOnce = true
    post["mood"] = "rainy"
    #expect(post.hasChanges && post.changedValues() == ["mood": "rainy"])
    post["mood"] = "sunny"
    #expect(!post.hasChanges && post.changedValues().isEmpty)
    post.setValue("Untitled", forKey: "title")
    #expect(!post.hasChanges)
    post.reconcileChanges()
    #expect(try context.save() == nil && stage.store.lastCommit == 1)
  }

  @Test func `S17: integers are taken for reals and counters where they are the same number`()
    throws
  {
    let stage = try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "Scale",
          attributes: [
            AttributeDescription("weight", .real), AttributeDescription("count", .integer),
            AttributeDescription("hits", .counter),
          ])
      ]))
    let context = stage.context()
    let scale = context.insert("Scale")
    scale.setValue(3, forKey: "weight")
    scale.setValue(.counter(4), forKey: "count")
    scale.setValue(5, forKey: "hits")
    #expect(scale.value(forKey: "weight") == 3.0 && scale.value(forKey: "count") == 4)
    #expect(scale.value(forKey: "hits") == .counter(5))
    // 2⁵³ + 1 is no real number that a processor has.
    #expect(!scale.canTake(9_007_199_254_740_993, forKey: "weight"))
    #expect(scale.canTake(9_007_199_254_740_992, forKey: "weight"))
    try context.save()
  }

  @Test func `S70: a path that is asked for twice is answered once`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let rows = try context.values(of: ["title", "score", "title"], FetchRequest("Post"))
    #expect(rows.map(\.objectID) == [post.objectID])
    #expect(rows.map(\.values) == [["title": "Untitled", "score": .null]])
  }

  @Test func `S61: what the journal could not take is written anew by the save that follows`()
    throws
  {
    let stage = try Stage()
    let first = stage.context()
    let posts = (0..<3).map { _ in first.insert("Post") }
    try first.save()
    let context = stage.context()
    let (edited, doomed, quiet) = (
      try context.existingObject(with: posts[0].objectID),
      try context.existingObject(with: posts[1].objectID),
      try context.existingObject(with: posts[2].objectID)
    )
    edited.setValue("before", forKey: "title")
    stage.disk.faults = [
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append, .allocate, .map], isLasting: true)
    ]
    // So much that no room is left for it that was reserved before.
    edited["long"] = .string(String(repeating: "long ", count: 400_000))
    edited.setValue("after", forKey: "title")
    context.delete(doomed)
    quiet.setPrimitiveValue("quiet", forKey: "author")
    let new = context.insert("Post")
    new["fresh"] = 1
    #expect(throws: StoreError.self) { try context.save() }
    #expect(edited.value(forKey: "title") == "after" && stage.store.lastCommit == 1)
    stage.disk.faults = []
    try context.save()
    let again = try stage.killed()
    let found = again.context()
    let same = try found.existingObject(with: edited.objectID)
    #expect(same.value(forKey: "title") == "after")
    #expect(same["long"]?.string?.utf8.count == 2_000_000)
    #expect(try found.existingObject(with: new.objectID)["fresh"] == 1)
    #expect(throws: ContextError.objectMissing(doomed.objectID)) {
      try found.existingObject(with: doomed.objectID)
    }
    #expect(try again.store.verify(deep: true).isEmpty)
  }
}
