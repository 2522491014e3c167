import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Hooks and observers that do what they should not.
@Suite struct HookSafetyTests {
  @Test
  func `S18, S54, S55: what is set and read in the hooks of faulting changes nothing`() throws {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let id = first.insert(Probe.self).objectID
    try first.save()
    let context = stage.context()
    let post = try context.existingObject(with: id, as: Probe.self)
    post.onCall["willTurnIntoFault"] = {
      $0.setValue("x", forKey: "author")
      $0.setPrimitiveValue("x", forKey: "title")
    }
    post.onCall["didTurnIntoFault"] = {
      _ = $0.value(forKey: "title")
      $0.setValue("y", forKey: "author")
      $0.setPrimitiveValue("y", forKey: "scratch")
    }
    let eventCount = try stage.store.events().count
    for keepsChanges in [false, true] {
      post.calls = []
      context.refresh(post, mergeChanges: keepsChanges)
      #expect(post.isFault == !keepsChanges)
      #expect(
        post.calls == ["willTurnIntoFault", "didTurnIntoFault"]
          + (keepsChanges ? ["awakeFromFetch", "awake refresh"] : []))
      #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == nil)
      #expect(post.value(forKey: "scratch") == nil && !post.hasChanges && !context.canUndo)
    }
    let isSet = try stage.store.events().dropFirst(eventCount).contains { event in
      switch event.kind {
      case .set, .setPrimitive: true
      default: false
      }
    }
    #expect(!isSet)
    withExtendedLifetime(context) {}
  }

  @Test func `S16: willSave that inserts again and again is bounded`() throws {
    let actions = Probe.Actions()
    var count = 0
    actions.onCall["willSave"] = {
      count += 1
      if count < 1_500 { $0.context?.insert(Probe.self) }
    }
    try Probe.$actions.withValue(actions) {
      let stage = try Stage(Probe.model())
      let context = stage.context()
      context.insert(Probe.self)
      #expect(throws: ContextError.self) { try context.save() }
      #expect(stage.store.lastCommit == .none)
    }
  }

  @Test func `S59: a save that a save asks for is refused, and one that didSave asks for is made`()
    throws
  {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    var refusals: [ContextError] = []
    func save() {
      do { try context.save() } catch { refusals += [error].compactMap { $0 as? ContextError } }
    }
    let token = context.onWillSave { save() }
    post.onCall["willSave"] = { _ in save() }
    try context.save()
    #expect(refusals == [.isSaving, .isSaving])
    token.cancel()
    post.onCall["willSave"] = nil
    var count = 0
    post.onCall["didSave"] = {
      count += 1
      if count > 1 { return }
      $0.setValue("after", forKey: "author")
      save()
    }
    post.setValue("before", forKey: "title")
    try context.save()
    #expect(refusals.count == 2 && count == 2 && !context.hasChanges)
    let other = stage.context()
    #expect(try other.existingObject(with: post.objectID).value(forKey: "author") == "after")
    withExtendedLifetime(context) {}
  }

  @Test func `S40, S46: a redo before which an observer changes something does nothing`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    post.setValue("1", forKey: "title")
    context.processPendingChanges()
    context.undo()
    let token = post.observe("title", [.prior]) { change in
      if change.isPrior { other.setValue("before", forKey: "title") }
    }
    context.redo()
    token.cancel()
    #expect(post.value(forKey: "title") == "Untitled" && !context.canRedo)
    #expect(other.value(forKey: "title") == "before")
    context.undo()
    #expect(other.value(forKey: "title") == "Untitled")
    withExtendedLifetime(context) {}
  }

  @Test func `S40, S46: what an observer changes before an undo is undone with it`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    post.setValue("1", forKey: "title")
    context.processPendingChanges()
    var heard: [Value?] = []
    let tokens = [
      post.observe("title", [.prior]) { change in
        if change.isPrior {
          other.setValue("before", forKey: "title")
          post.setValue(.counter(7), forKey: "likes")
        }
      },
      other.observe("title", [.new]) { heard.append($0.new) },
    ]
    context.undo()
    for token in tokens { token.cancel() }
    #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "likes") == .counter(0))
    #expect(other.value(forKey: "title") == "Untitled" && heard == ["before", "Untitled"])
    #expect(context.undoSteps.count == 1 && context.redoSteps.count == 2 && !context.hasChanges)
    context.redo()
    #expect(post.value(forKey: "title") == "1" && other.value(forKey: "title") == "Untitled")
    context.redo()
    #expect(other.value(forKey: "title") == "before" && !context.canRedo)
    context.undo()
    context.undo()
    context.undo()
    #expect(post.isDeleted && other.isDeleted && !context.canUndo)
  }

  @Test func `S46: a group that was given up, undone or forgotten within can be ended`() throws {
    for way in 0..<3 {
      let stage = try Stage()
      let context = stage.context()
      let post = context.insert("Post")
      try context.save()
      context.beginUndoGrouping()
      context.beginUndoGrouping()
      post.setValue("1", forKey: "title")
      switch way {
      case 0: context.rollback()
      case 1: context.undo()
      default: context.reset()
      }
      context.beginUndoGrouping()
      let new = context.insert("Post")
      context.endUndoGrouping()
      context.endUndoGrouping()
      context.endUndoGrouping()
      context.undo()
      #expect(new.isDeleted)
    }
  }

  @Test
  func `S46: the name of a group without changes names nothing, and a lower bound holds at once`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    context.beginUndoGrouping()
    context.setActionName("Nothing")
    context.endUndoGrouping()
    for number in 0..<5 {
      post.setValue(.integer(number), forKey: "score")
      context.processPendingChanges()
    }
    #expect(context.undoSteps.allSatisfy { $0.name == nil })
    context.levelsOfUndo = 2
    #expect(context.undoSteps.count == 2)
    context.undo()
    context.undo()
    #expect(!context.canUndo && post.value(forKey: "score") == 2)
    withExtendedLifetime(context) {}
  }

  @Test func `S46: a bound that is lowered after an undo holds when that is redone`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    for number in 1...4 {
      context.processPendingChanges()
      post.setValue(.integer(number), forKey: "score")
    }
    context.undo()
    context.undo()
    context.levelsOfUndo = 1
    context.redo()
    #expect(context.undoSteps.count == 1 && post.value(forKey: "score") == 3)
    context.redo()
    #expect(context.undoSteps.count == 1 && post.value(forKey: "score") == 4)
    context.undo()
    #expect(!context.canUndo && post.value(forKey: "score") == 3)
    withExtendedLifetime(context) {}
  }

  @Test func `S47: a child whose registration is off has it off after its save, too`() throws {
    let stage = try Stage()
    let parent = stage.context()
    let id = parent.insert("Post").objectID
    try parent.save()
    let child = ManagedObjectContext(parent: parent)
    child.disableUndoRegistration()
    let post = try child.existingObject(with: id)
    for title in ["1", "2"] {
      post.setValue(.string(title), forKey: "title")
      child.processPendingChanges()
      #expect(!child.canUndo)
      try child.save()
    }
    child.enableUndoRegistration()
    post.setValue("3", forKey: "title")
    child.processPendingChanges()
    #expect(child.canUndo)
    withExtendedLifetime(child) {}
    withExtendedLifetime(parent) {}
  }

  @Test func `S42: an object that was changed and refreshed in one event is told as changed`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (post, seen) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    let other = stage.context()
    for object in [post, seen] {
      try other.existingObject(with: object.objectID).setValue("other", forKey: "author")
    }
    let commit = try #require(try other.save())
    var told: [[Set<ObjectID>]] = []
    let token = context.onChange { change in
      told.append([change.updated, change.refreshed].map { Set($0.map(\.objectID)) })
    }
    post.setValue("mine", forKey: "title")
    context.merge(from: commit)
    #expect(told == [[[post.objectID], [seen.objectID]]])
    context.refresh(post, mergeChanges: true)
    post.setValue("again", forKey: "title")
    context.processPendingChanges()
    #expect(told.last == [[post.objectID], []])
    withExtendedLifetime(token) {}
  }

  @Test func `what looks into an object or a context finds nothing to follow`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    #expect(Mirror(reflecting: post).children.isEmpty)
    #expect(Mirror(reflecting: context).children.isEmpty)
    withExtendedLifetime(context) {}
  }

  @Test func `S46: a name that is given where nothing changes names no later step`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    try context.save()
    context.setActionName("Nothing")
    context.processPendingChanges()
    post.setValue(1, forKey: "score")
    context.processPendingChanges()
    #expect(context.undoActionName == nil)
    context.setActionName("Score")
    post.setValue(2, forKey: "score")
    context.processPendingChanges()
    #expect(context.undoActionName == "Score")
    context.setActionName("Nothing")
    context.undo()
    #expect(context.redoActionName == "Score")
    context.redo()
    post.setValue(3, forKey: "score")
    #expect(context.undoActionName == nil)
  }

  @Test @MainActor func `S46: on the main actor such a name is forgotten with the turn`()
    async throws
  {
    let context = try Stage().context(on: MainActor.shared)
    let post = context.insert("Post")
    try await context.save()
    while !context.schedulesNothing { await Task.yield() }
    context.setActionName("Nothing")
    for _ in 0..<10 { await Task.yield() }
    while !context.schedulesNothing { await Task.yield() }
    post.setValue(1, forKey: "score")
    context.processPendingChanges()
    #expect(context.undoActionName == nil)
  }

  @Test func `S14: what is becoming a fault is not deleted by its hook`() throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.onCall["didTurnIntoFault"] = { $0.context?.delete($0) }
    for keepsChanges in [false, true] {
      post.setValue("x", forKey: "author")
      context.refresh(post, mergeChanges: keepsChanges)
      #expect(!post.isDeleted && post.value(forKey: "author") == (keepsChanges ? "x" : nil))
    }
    try context.save()
    #expect(stage.objectIDs("Post") == [post.objectID])
  }
}
