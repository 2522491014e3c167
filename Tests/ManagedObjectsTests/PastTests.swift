import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct PastTests {
  @Test func `S71: a moment is named by commit, date, tag or distance, and shows what was then`()
    throws
  {
    let stage = try Stage()
    let (post, commits) = try Self.history(stage)
    try stage.store.tag("v1", 2)
    func title(_ moment: Moment) throws -> Value? {
      try stage.store.asOf(moment).existingObject(with: post).value(forKey: "title")
    }
    #expect(try title(.commit(1)) == "1" && title(.commit(3)) == "3")
    #expect(try title(.tag("v1")) == "2")
    #expect(try title(.head) == "4" && title(.head(-3)) == "1" && title(.head(0)) == "4")
    #expect(try title(.date(commits[3].date)) == "4")
    #expect(throws: ContextError.objectMissing(post)) { try title(.commit(0)) }
    #expect(throws: StoreError.self) { try title(.commit(5)) }
    #expect(throws: StoreError.self) { try title(.head(-5)) }
    #expect(throws: StoreError.self) { try title(.head(1)) }
    #expect(throws: StoreError.self) { try title(.tag("v2")) }
  }

  @Test
  func `S71: faults and relationships of the past are answered from it, whatever is saved later`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post, person) = (
      context.insert("Blog"), context.insert("Post"), context.insert("Person")
    )
    post.setValue(blog.reference, forKey: "blog")
    person.setValue(.set([post.reference]), forKey: "reads")
    post["mood"] = "sunny"
    try context.save()
    let now = try stage.store.asOf(.head)
    let fault = now.object(with: post.objectID)
    #expect(fault.isFault)
    post.setValue(nil, forKey: "blog")
    post["mood"] = nil
    context.delete(person)
    try context.save()
    let past = try stage.store.asOf(.commit(1))
    for each in [now, past] {
      let found = try each.existingObject(with: post.objectID)
      #expect(found["mood"] == "sunny" && found.value(forKey: "blog") == blog.reference)
      #expect(found.value(forKey: "readers") == .set([person.reference]))
      let owner = try each.existingObject(with: blog.objectID)
      #expect(owner.value(forKey: "posts") == .set([post.reference]))
    }
    let head = try stage.store.asOf(.head)
    #expect(head.object(with: blog.objectID).value(forKey: "posts") == .set([]))
    #expect(!head.object(with: person.objectID).isDeleted)
    #expect(throws: ContextError.objectMissing(person.objectID)) {
      try head.existingObject(with: person.objectID)
    }
  }

  @Test func `S71: a context of the past refuses to save, and writes nothing`() throws {
    let stage = try Stage()
    let (post, _) = try Self.history(stage)
    let past = try stage.store.asOf(.commit(2))
    let count = try stage.store.events().count
    #expect(past.isReadOnly && !past.hasChanges)
    #expect(throws: ContextError.readOnly) { try past.save() }
    #expect(throws: ContextError.readOnly) { try past.save(retrying: 2) }
    let found = past.object(with: post)
    #expect(found.value(forKey: "title") == "2")
    past.refresh(found, mergeChanges: false)
    past.refreshAllObjects()
    past.undo()
    past.redo()
    past.rollback()
    past.processPendingChanges()
    #expect(found.value(forKey: "title") == "2" && !past.canUndo)
    past.reset()
    past.close()
    #expect(try stage.store.events().count == count)
  }

  @Test func `S71: to set a value of the past ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let stage = try Stage()
      let (post, _) = try PastTests.history(stage)
      try stage.store.asOf(.commit(2)).object(with: post).setValue("4", forKey: "title")
    }
  }

  @Test func `S71: to insert into the past ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let stage = try Stage()
      try stage.store.asOf(.head).insert("Post")
    }
  }

  @Test func `S71: to delete in the past ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let stage = try Stage()
      let (post, _) = try PastTests.history(stage)
      let past = try stage.store.asOf(.commit(2))
      past.delete(past.object(with: post))
    }
  }

  @Test func `S71: the past has the model of its time`() throws {
    let stage = try Stage()
    let (post, _) = try Self.history(stage)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Article",
        attributes: [
          AttributeDescription(
            "headline", .string, isOptional: false, defaultValue: "", renamingIdentifier: "title")
        ], renamingIdentifier: "Post")
    ])
    let again = try stage.killed(model)
    let now = try again.store.asOf(.head).existingObject(with: post)
    #expect(now.entity.name == "Article" && now.value(forKey: "headline") == "4")
    let past = try again.store.asOf(.commit(2))
    let found = try past.existingObject(with: post)
    #expect(found.entity.name == "Post" && found.value(forKey: "title") == "2")
    #expect(found.value(forKey: "comments") == .array([]))
    let other = again.context()
    try other.existingObject(with: post).setValue("5", forKey: "headline")
    try other.save()
    #expect(
      try again.store.asOf(.commit(4)).existingObject(with: post).value(forKey: "title") == "4")
  }

  @Test func `S71: a store that is open for reading only shows its objects and its past`() throws {
    let stage = try Stage()
    let (post, _) = try Self.history(stage)
    let reader = try StoreReader(on: stage.disk, at: "store")
    let context = ManagedObjectContext(reading: reader)
    let found = try context.existingObject(with: post)
    #expect(found.value(forKey: "title") == "4" && context.isReadOnly)
    #expect(throws: ContextError.readOnly) { try context.save() }
    #expect(try reader.asOf(.commit(1)).existingObject(with: post).value(forKey: "title") == "1")
    let other = stage.context()
    try other.existingObject(with: post).setValue("5", forKey: "title")
    try other.save()
    try reader.refresh()
    #expect(found.value(forKey: "title") == "4")
    context.refreshAllObjects()
    #expect(found.value(forKey: "title") == "5")
  }

  @Test func `S76b: a context of the past stands through a compaction that drops it`() throws {
    let stage = try Stage()
    let (post, _) = try Self.history(stage)
    let past = try stage.store.asOf(.commit(2))
    #expect(try stage.store.compact(keeping: .latest))
    #expect(throws: StoreError.self) { try stage.store.asOf(.commit(2)) }
    #expect(try past.existingObject(with: post).value(forKey: "title") == "2")
  }

  /// A post that each of four commits has given its number as a title.
  static func history(_ stage: Stage) throws -> (ObjectID, [Commit]) {
    let context = stage.context()
    let post = context.insert("Post")
    for number in 1...4 {
      post.setValue(.string("\(number)"), forKey: "title")
      try context.save(author: "ann")
    }
    context.close()
    return (post.objectID, try stage.store.commits(since: 0))
  }
}
