import EventFold
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Values that no save takes, of objects that nobody holds: they do not keep their objects as they were.
@Suite struct LeftValueTests {
  /// Two contexts on a post that is saved, of which the first has kept a transient value and nothing else.
  private func withLeftValue(
    isSaved: Bool,
    _ body: (Stage, ManagedObjectContext, ManagedObjectContext, ObjectID) throws -> Void
  ) throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    context.name = "context"
    let post = other.insert("Post")
    post.setValue("old", forKey: "title")
    try other.save()
    let id = post.objectID
    func leave() throws {
      let same = try context.existingObject(with: id)
      if isSaved {
        context.disableUndoRegistration()
        same.setValue("cached", forKey: "scratch")
        same.setValue("ann", forKey: "author")
        try context.save()
        context.enableUndoRegistration()
      } else {
        same.setPrimitiveValue("cached", forKey: "scratch")
      }
      #expect(!context.hasChanges)
    }
    try leave()
    other.refreshAllObjects()
    #expect(context.registeredObjects.isEmpty)
    try body(stage, context, other, id)
    withExtendedLifetime(other) {}
  }

  @Test(arguments: [false, true])
  func `S7, S58: a transient value that was kept does not hold its object to what it was`(
    _ isSaved: Bool
  ) throws {
    try withLeftValue(isSaved: isSaved) { stage, context, other, id in
      try other.existingObject(with: id).setValue("new", forKey: "title")
      let commit = try #require(try other.save())
      let found = try context.fetch(FetchRequest("Post", where: "title == 'new'"))
      #expect(found.map(\.objectID) == [id])
      #expect(try context.count(FetchRequest("Post", where: "title == 'old'")) == 0)
      #expect(try context.count(FetchRequest("Post", where: "scratch == 'cached'")) == 1)
      let post = try context.existingObject(with: id)
      #expect(post.value(forKey: "title") == "new" && post.value(forKey: "scratch") == "cached")
      context.merge(from: commit)
      post.setValue("mine", forKey: "author")
      try context.save()
      let last = try stage.context().existingObject(with: id)
      #expect(last.value(forKey: "title") == "new" && last.value(forKey: "author") == "mine")
      var replay = EventReplay(stage.store)
      for event in try stage.store.events() { try replay.take(event) }
      #expect(replay.contexts.values.contains { $0.objects == context.fold.objects })
      #expect(try stage.store.verify(deep: true).isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func `S9, S67: an object that others have deleted is not found for a transient value it had here`(
    _ isSaved: Bool
  ) throws {
    try withLeftValue(isSaved: isSaved) { stage, context, other, id in
      let fault = context.object(with: id)
      other.delete(try other.existingObject(with: id))
      let commit = try #require(try other.save())
      #expect(try context.count(FetchRequest("Post")) == 0)
      #expect(try context.fetch(FetchRequest("Post")).isEmpty)
      #expect(try context.values(of: ["title"], FetchRequest("Post")).isEmpty)
      if isSaved { context.merge(from: commit) }
      #expect(throws: ContextError.self) { try context.existingObject(with: id) }
      #expect(fault.isDeleted && fault.value(forKey: "scratch") == nil)
      #expect(context.fold.objects.isEmpty)
      #expect(try stage.store.verify(deep: true).isEmpty)
    }
  }

  @Test func `S43: a transient value that was kept does not hold its object to a former owner`()
    throws
  {
    try withLeftValue(isSaved: false) { _, context, other, id in
      let blog = other.insert("Blog")
      try other.existingObject(with: id).setValue(blog.reference, forKey: "blog")
      try other.save()
      let same = try context.existingObject(with: blog.objectID)
      #expect(same.value(forKey: "posts") == .set([.reference(id)]))
    }
  }

  @Test func `S58: a transient value that was kept does not keep a merge from the journal`() throws
  {
    try withLeftValue(isSaved: false) { stage, context, other, id in
      let own = context.insert("Blog")
      try other.existingObject(with: id).setValue("new", forKey: "title")
      let commit = try #require(try other.save())
      context.merge(from: commit)
      let merged = try stage.store.events().filter {
        if case .merged = $0.kind { $0.context?.name == "context" } else { false }
      }
      #expect(merged.count == 1)
      let post = context.object(with: id)
      #expect(post.value(forKey: "title") == "new")
      var replay = EventReplay(stage.store)
      for event in try stage.store.events() { try replay.take(event) }
      #expect(replay.contexts.values.contains { $0.objects == context.fold.objects })
      withExtendedLifetime((own, post)) {}
    }
  }

  @Test(arguments: [false, true])
  func `S10: of an object that nobody holds a transient value alone is kept`(_ isSaved: Bool) throws
  {
    try withLeftValue(isSaved: isSaved) { stage, context, other, id in
      func keptRow() -> Row? { context.fold.objects[id]?.baseRow }
      #expect(keptRow() == Row())
      func look() throws {
        let post = try context.existingObject(with: id)
        #expect(post.value(forKey: "title") == "old" && post.value(forKey: "scratch") == "cached")
        #expect(keptRow() != Row() && post.changedValues() == ["scratch": "cached"])
      }
      try look()
      #expect(keptRow() == Row())
      other.insert("Blog")
      context.merge(from: try #require(try other.save()))
      try look()
      let fault = context.object(with: id)
      context.refresh(fault, mergeChanges: true)
      #expect(fault.value(forKey: "title") == "old" && fault.value(forKey: "scratch") == "cached")
      fault.setValue("mine", forKey: "title")
      #expect(fault.committedValues(forKeys: ["title"]) == ["title": "old"])
      try context.save()
      context.undo()
      #expect(fault.value(forKey: "title") == "old" && fault.value(forKey: "scratch") == "cached")
      #expect(try stage.store.verify(deep: true).isEmpty)
    }
  }

  @Test func `S66: a child's transient value does not hold its object to what the parent had`()
    throws
  {
    let stage = try Stage()
    let parent = stage.context()
    let post = parent.insert("Post")
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    try child.existingObject(with: post.objectID).setPrimitiveValue("cached", forKey: "scratch")
    #expect(child.registeredObjects.isEmpty)
    post.setValue("new", forKey: "title")
    parent.processPendingChanges()
    #expect(try child.fetch(FetchRequest("Post", where: "title == 'new'")).count == 1)
    let inChild = try child.existingObject(with: post.objectID)
    #expect(inChild.value(forKey: "title") == "new" && inChild.value(forKey: "scratch") == "cached")
    inChild.setValue("ann", forKey: "author")
    try child.save()
    #expect(post.value(forKey: "title") == "new" && post.value(forKey: "author") == "ann")
  }
}
