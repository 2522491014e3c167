import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing

@Suite struct ObjectTests {
  /// A stage with one saved post, and a context that has not seen it.
  private func saved() throws -> (stage: Stage, id: ObjectID, context: ManagedObjectContext) {
    let stage = try Stage()
    let first = stage.context()
    let post = first.insert("Post")
    post.setValue("ann", forKey: "author")
    post["mood"] = "sunny"
    try first.save()
    return (stage, post.objectID, stage.context())
  }

  @Test func `S1: a key that was set to nil is another thing than one that was not changed`() throws
  {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue(nil, forKey: "author")
    #expect(post.changedValues() == ["author": .null] && post.value(forKey: "author") == nil)
    let rival = stage.context()
    let same = try rival.existingObject(with: id)
    same.setValue("bob", forKey: "author")
    same["mood"] = "rainy"
    try rival.save()
    context.refresh(post, mergeChanges: true)
    #expect(post.value(forKey: "author") == nil && post["mood"] == "rainy")
    try context.save()
    let last = stage.context()
    #expect(try last.existingObject(with: id).value(forKey: "author") == nil)
  }

  @Test func `S2: a transient value is undone and dirties like any other, and is never saved`()
    throws
  {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue("a", forKey: "scratch")
    #expect(post.hasChanges && !post.hasPersistentChangedValues)
    context.processPendingChanges()
    post.setValue("b", forKey: "scratch")
    context.undo()
    #expect(post.value(forKey: "scratch") == "a")
    context.undo()
    #expect(post.value(forKey: "scratch") == nil && !post.hasChanges)
    context.redo()
    #expect(try context.save() == nil)
    #expect(!post.hasChanges && post.value(forKey: "scratch") == "a")
    let other = stage.context()
    #expect(try other.existingObject(with: id).value(forKey: "scratch") == nil)
  }

  @Test
  func `S3: an equal value dirties and is not changed; a dynamic one is changed when it was set`()
    throws
  {
    let (_, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue("ann", forKey: "author")
    #expect(post.hasChanges && post.changedValues().isEmpty && !post.hasPersistentChangedValues)
    post["mood"] = "sunny"
    #expect(post.changedValues() == ["mood": "sunny"])
    post.reconcileChanges()
    #expect(post.changedValues().isEmpty && !post.hasChanges)
    #expect(try context.save() == nil)
  }

  @Test
  func `S4: a non-nil transient is kept by a refresh after a save, though the object is not dirty`()
    throws
  {
    let (_, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue("kept", forKey: "scratch")
    post.setValue("b", forKey: "author")
    try context.save()
    #expect(!post.hasChanges)
    context.refresh(post, mergeChanges: true)
    #expect(post.value(forKey: "scratch") == "kept" && !post.hasChanges)
  }

  @Test func `S5: there is one instance for an object and a context`() throws {
    let (_, id, context) = try saved()
    let post = try context.existingObject(with: id)
    #expect(context.object(with: id) === post && context.registeredObject(for: id) === post)
  }

  @Test func `S6: an ID is given at insert, never changes, and parses back from its URI`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let id = post.objectID
    try context.save()
    let parsed = try ObjectID(uri: id.uri)
    #expect(post.objectID == id && parsed == id)
    let stranger = ObjectID(rawValue: id.rawValue, store: StoreTag(rawValue: 7))
    #expect(throws: ContextError.objectOfAnotherStore(stranger)) {
      try context.existingObject(with: stranger)
    }
  }

  @Test func `S6: no ID is given twice, also after a crash`() throws {
    let stage = try Stage()
    let context = stage.context()
    let ids = (0..<100).map { _ in context.insert("Post").objectID }
    let again = try stage.killed()
    let other = again.context()
    let newer = (0..<100).map { _ in other.insert("Post").objectID }
    #expect(Set(ids + newer).count == 200)
  }

  @Test func `S7: object(with:) reads nothing, existingObject throws where there is none`() throws {
    let (stage, id, context) = try saved()
    #expect(context.registeredObject(for: id) == nil)
    let callCount = stage.disk.callCount
    let post = context.object(with: id)
    #expect(post.isFault && stage.disk.callCount == callCount)
    #expect(context.registeredObject(for: id) === post)
    let none = ObjectID(entity: id.entity, number: 999, store: id.store)
    #expect(throws: ContextError.objectMissing(none)) { try context.existingObject(with: none) }
  }

  @Test func `S8: reading a property fires the fault, what tells the object from others does not`()
    throws
  {
    let (_, id, context) = try saved()
    let post = context.object(with: id)
    _ = (
      post.objectID, post.isFault, post.entity.name, post == post, post.hashValue, post.description
    )
    #expect(post.isFault)
    #expect(post.value(forKey: "author") == "ann" && !post.isFault)
  }

  @Test
  func
    `S9: a fault whose object is gone is deleted and has no values, or the save throws, by a flag`()
    throws
  {
    let (stage, id, context) = try saved()
    let (fault, other) = (context.object(with: id), stage.context())
    other.shouldDeleteInaccessibleFaults = false
    let strict = other.object(with: id)
    let rival = stage.context()
    rival.delete(try rival.existingObject(with: id))
    try rival.save()
    #expect(fault.value(forKey: "author") == nil && fault.isDeleted)
    #expect(strict.value(forKey: "author") == nil)
    #expect(throws: ContextError.objectMissing(id)) { try other.save() }
  }

  @Test
  func `S10: unchanged objects are held weakly, changed ones and those to be undone strongly`()
    throws
  {
    let (_, id, context) = try saved()
    weak var post: ManagedObject?
    do {
      let found = try context.existingObject(with: id)
      post = found
      withExtendedLifetime(found) {}
    }
    #expect(post == nil && context.registeredObject(for: id) == nil)
    do {
      let found = try context.existingObject(with: id)
      found.setValue("b", forKey: "author")
      post = found
    }
    #expect(post != nil)
    try context.save()
    #expect(post != nil, "the undo history needs it")
    context.rollback()
    #expect(post == nil)
  }

  @Test
  func `S17: the open door takes dynamic keys, and an unknown one elsewhere names the nearest`()
    async throws
  {
    let (_, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post["anything"] = ["a": [1, 2.5, true]]
    post["author"] = "through the door"
    #expect(post.value(forKey: "author") == "through the door")
    #expect(post["anything"]?.dictionary?["a"]?.array?.count == 3)
    post["anything"] = nil
    #expect(post["anything"] == nil && post.changedValues()["anything"] == .null)
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let stage = try Stage()
      let context = stage.context()
      context.insert("Post").setValue("x", forKey: "titel")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Post has no key ‘titel’; did you mean ‘title’?"))
  }

  @Test func `S18: a primitive set is journaled, and neither dirties nor is undone`() throws {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setPrimitiveValue("quiet", forKey: "author")
    #expect(!post.hasChanges && !context.canUndo && post.value(forKey: "author") == "quiet")
    let kinds = try stage.store.events().map(\.kind)
    #expect(kinds.contains(.setPrimitive(id, key: "author", "quiet")))
  }

  @Test
  func `S20: what has changed, what was committed, and what changed in this event are told apart`()
    throws
  {
    let (_, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue("b", forKey: "author")
    context.processPendingChanges()
    post.setValue("new", forKey: "title")
    post.setValue("c", forKey: "author")
    #expect(post.changedValues() == ["author": "c", "title": "new"])
    #expect(
      post.committedValues(forKeys: ["author", "score"]) == ["author": "ann", "score": .null])
    #expect(post.changedValuesForCurrentEvent() == ["author": "b", "title": "Untitled"])
    post.setValue("far too long a name", forKey: "author")
    #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(post.committedValues(forKeys: ["author"]) == ["author": "ann"])
  }

  @Test func `S22: a dynamic attribute takes any property list, and nothing else`() async throws {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    let list: Value = ["text": "a", "number": 3, "real": 2.5, "yes": true, "list": [1, ["b": 2]]]
    post["list"] = list
    try await context.save()
    let other = stage.context()
    #expect(try other.existingObject(with: id)["list"] == list)
    #expect(!post.canTake(.counter(1), forKey: "list") && post.canTake([1], forKey: "list"))
    await #expect(processExitsWith: .failure) {
      let stage = try Stage()
      let context = stage.context()
      context.insert("Post")["list"] = .counter(1)
    }
  }

  @Test func `S17, S43: a relationship takes what it can lead to, and tells so before`() throws {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    let strange = try Stage(seed: 2).context()
    let stranger = strange.insert("Blog")
    let (blog, comment) = (context.insert("Blog"), context.insert("Comment"))
    #expect(post.canTake(blog.reference, forKey: "blog") && post.canTake(nil, forKey: "blog"))
    #expect(!post.canTake(comment.reference, forKey: "blog"))
    #expect(!post.canTake(.reference(stranger.objectID), forKey: "blog"))
    #expect(!post.canTake(.set([post.reference]), forKey: "comments"))
    #expect(post.canTake(.array([comment.reference]), forKey: "comments"))
    withExtendedLifetime((stage, strange)) {}
  }

  @Test func `S22: a primitive set of a dynamic attribute takes what a set of it does`()
    async throws
  {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setPrimitiveValue(["a": 1], forKey: "list")
    post.setPrimitiveValue(.null, forKey: "nothing")
    try await context.save()
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: id)
    #expect(post["list"] == ["a": 1] && found["nothing"] == nil)
    await #expect(processExitsWith: .failure) {
      let context = try Stage().context()
      defer { withExtendedLifetime(context) {} }
      context.insert("Post").setPrimitiveValue(.set(["a"]), forKey: "list")
    }
    await #expect(processExitsWith: .failure) {
      let context = try Stage().context()
      defer { withExtendedLifetime(context) {} }
      let deep = (0..<400).reduce(Value.integer(1)) { value, _ in .array([value]) }
      context.insert("Post").setPrimitiveValue(deep, forKey: "list")
    }
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Stage(Headlines.model()).context()
      defer { withExtendedLifetime(context) {} }
      context.insert("Post").setPrimitiveValue("x", forKey: "headline")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Post.headline is computed and holds no value"))
  }

  @Test func `S36: a computed key takes what it can be set to, and none where it is only read`()
    throws
  {
    let context = try Stage(Headlines.model()).context()
    defer { withExtendedLifetime(context) {} }
    let post = context.insert("Post")
    #expect(!post.canTake(5, forKey: "headline") && !post.canTake(nil, forKey: "headline"))
    #expect(post.canTake("by ann", forKey: "byline") && !post.canTake(5, forKey: "byline"))
    #expect(!post.canTake(nil, forKey: "byline"))
  }

  @Test func `S70: what leads to many has no one value to be read, and the error says so`() throws {
    let (_, _, context) = try saved()
    let error = try #require(throws: QueryError.self) {
      try context.values(of: ["comments"], FetchRequest("Post"))
    }
    #expect("\(error)".contains("comments leads to many objects, and so has no one value"))
    #expect(!"\(error)".contains("sorted"))
  }

  @Test func `S21: a class's own accessor is what value(forKey:) reaches`() throws {
    var model = try Stage.model()
    var program = ModelProgram()
    program.virtualAttributes["Post"] = [
      VirtualAttribute(
        "author",
        get: { (post: ManagedObject) in
          post.primitiveValue(forKey: "author")?.string?.uppercased() ?? "NOBODY"
        },
        set: { post, name in
          post.willChangeValue(forKey: "author")
          post.setPrimitiveValue(.string(name.lowercased()), forKey: "author")
          post.didChangeValue(forKey: "author")
        })
    ]
    model.program = program
    let stage = try Stage(model)
    let context = stage.context()
    let post = context.insert("Post")
    #expect(post.value(forKey: "author") == "NOBODY" && post["author"] == "NOBODY")
    post.setValue("Ann", forKey: "author")
    #expect(post.value(forKey: "author") == "ANN")
    #expect(post.primitiveValue(forKey: "author") == "ann" && post.hasChanges)
  }

  @Test func `S23: dynamic attributes are kept with the object, and none leave nothing`() throws {
    let (stage, id, context) = try saved()
    let key = try #require(stage.store.existingKey(named: "mood"))
    #expect(try stage.store.head.row(of: id)?[key] == "sunny")
    let post = try context.existingObject(with: id)
    post["mood"] = nil
    try context.save()
    let row = try #require(try stage.store.head.row(of: id))
    #expect(row[key] == nil && !row.entries.contains { $0.key == key })
  }

  @Test func `S9: undo does not bring back what was deleted elsewhere and given up here`() throws {
    let (stage, id, context) = try saved()
    let post = try context.existingObject(with: id)
    post.setValue(3, forKey: "likes")
    context.processPendingChanges()
    let rival = stage.context()
    rival.delete(try rival.existingObject(with: id))
    try rival.save()
    context.refresh(post, mergeChanges: false)
    #expect(post.value(forKey: "likes") == nil && post.isDeleted)
    context.undo()
    #expect(post.isDeleted && !context.hasChanges)
    #expect(try context.save() == nil)
  }

  @Test func `S22: a decimal that is no number is no value, as no store could keep it`() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription("Price", attributes: [AttributeDescription("amount", .decimal)])
    ])
    let stage = try Stage(model)
    let context = stage.context()
    let price = context.insert("Price")
    #expect(!price.canTake(.decimal(.nan), forKey: "amount"))
    let widest = try #require(Decimal(string: "340282366920938463463374607431768211455"))
    let numbers = [widest, .greatestFiniteMagnitude, .leastNonzeroMagnitude, -widest, 0]
    for number in numbers {
      #expect(price.canTake(.decimal(number), forKey: "amount"))
      price.setValue(.decimal(number), forKey: "amount")
      try context.save()
      let read = stage.context()
      try withExtendedLifetime(read) {
        let same = try read.existingObject(with: price.objectID)
        #expect(same.value(forKey: "amount") == .decimal(number))
      }
    }
    #expect(throws: BatchError.self) {
      try stage.store.batchInsert("Price", [["amount": .decimal(.nan)]])
    }
  }
}
