import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What hooks of a save make of the step before, undone and redone with it.
@Suite struct HookStepTests {
  private func stage() throws -> Stage { try Stage(Probe.model()) }

  @Test(arguments: [true, false])
  func `S46, S49: one undo after a save takes back what was done last with what a hook made of it`(
    isProcessed: Bool
  ) throws {
    let stage = try stage()
    let context = stage.context()
    context.levelsOfUndo = 1
    let post = context.insert(Probe.self)
    try context.save()
    post.onCall["willSave"] = { post in
      if let title = post.value(forKey: "title"), post.value(forKey: "author") != title {
        post.setValue(title, forKey: "author")
      }
    }
    post.setValue("first", forKey: "title")
    context.setActionName("retitle")
    if isProcessed { context.processPendingChanges() }
    try context.save()
    #expect(post.value(forKey: "author") == "first" && context.undoActionName == "retitle")
    for _ in 0..<2 {
      var told = 0
      let token = context.onChange { _ in told += 1 }
      context.undo()
      #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == nil)
      #expect(!context.canUndo && told == 1)
      context.redo()
      #expect(post.value(forKey: "title") == "first" && post.value(forKey: "author") == "first")
      #expect(!context.canRedo && context.redoActionName == nil && told == 2)
      token.cancel()
    }
    // What comes next is a step like any other.
    context.undo()
    post.setValue(2, forKey: "score")
    context.processPendingChanges()
    post.setValue(3, forKey: "score")
    context.undo()
    #expect(post.value(forKey: "score") == 2 && !context.canUndo)
  }

  /// A context of which a hook has made something of a step, which had ended before where it was processed.
  private func worked(
    in stage: Stage, processing isProcessed: Bool
  ) throws -> (ManagedObjectContext, Probe) {
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.onCall["willSave"] = { post in
      if post.value(forKey: "author") == nil { post.setValue("hook", forKey: "author") }
    }
    post.setValue("first", forKey: "title")
    context.setActionName("retitle")
    if isProcessed { context.processPendingChanges() }
    try context.save()
    post.onCall = [:]
    return (context, post)
  }

  /// Undoes and redoes what a hook has made of a step, with the step.
  private func checkUndoing(_ context: ManagedObjectContext, _ id: ObjectID) throws {
    let post = try context.existingObject(with: id)
    #expect(context.undoActionName == "retitle")
    #expect(context.undoSteps.dropFirst().allSatisfy { $0.name == "retitle" })
    let (stepCount, redoCount) = (context.undoSteps.count, context.redoSteps.count)
    for _ in 0..<2 {
      context.undo()
      #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == nil)
      #expect(context.undoSteps.count == 1 && context.redoActionName == "retitle")
      #expect(context.redoSteps.suffix(stepCount - 1).allSatisfy { $0.name == "retitle" })
      context.redo()
      #expect(post.value(forKey: "title") == "first" && post.value(forKey: "author") == "hook")
      #expect(context.undoSteps.count == stepCount && context.redoSteps.count == redoCount)
    }
  }

  @Test(arguments: [true, false])
  func `S50: what a hook made of a step is undone with it by who resumes the session`(
    isProcessed: Bool
  ) throws {
    let stage = try stage()
    let (context, post) = try worked(in: stage, processing: isProcessed)
    try checkUndoing(context, post.objectID)
    context.close()
    let session = try #require(stage.store.sessions.last)
    let resumed = try ManagedObjectContext(resuming: session, in: stage.store)
    try checkUndoing(resumed, post.objectID)
    withExtendedLifetime(post) {}
  }

  @Test(arguments: [true, false])
  func `S50: what a hook made of a step is undone with it by who recovers a draft`(
    isUndone: Bool
  ) throws {
    let stage = try stage()
    let (context, post) = try worked(in: stage, processing: true)
    if isUndone {
      context.undo()
    } else {
      post.setValue("unsaved", forKey: "title")
      context.processPendingChanges()
    }
    let again = Stage(killing: stage, try Probe.model())
    let recovered = try RecoveringTests.recovered(again)
    if isUndone { recovered.redo() } else { recovered.undo() }
    try checkUndoing(recovered, post.objectID)
    withExtendedLifetime(context) {}
  }

  @Test func `S51: the step of a name is taken back, and not what a hook made of it`() throws {
    let (context, post) = try worked(in: try stage(), processing: true)
    try context.undo(stepNamed: "retitle")
    #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == "hook")
    #expect(context.undoActionName == "retitle")
    context.undo()
    try context.undo(step: 2)
    #expect(post.value(forKey: "title") == "first" && post.value(forKey: "author") == nil)
    #expect(context.undoSteps.map(\.name) == [nil, "retitle", "retitle", "retitle"])
    #expect(throws: ContextError.nothingToUndo) { try context.undo(stepNamed: "") }
  }

  @Test func `S46: a step of an empty name is one without a name`() throws {
    let context = try stage().context()
    let post = context.insert(Probe.self)
    context.processPendingChanges()
    post.setValue("first", forKey: "title")
    context.setActionName("")
    context.processPendingChanges()
    #expect(context.undoActionName == nil)
    context.undo()
    #expect(post.value(forKey: "title") == "Untitled" && !post.isDeleted)
  }

  @Test func `S59, S61: a context that is closed in willSave has no save that succeeds`() throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    let other = context.insert(Probe.self)
    try context.save()
    var toldCount = 0
    let token = context.onDidSave { _ in toldCount += 1 }
    for object in [post, other] {
      object.onCall["willSave"] = { $0.context?.close() }
      object.setValue("x", forKey: "title")
    }
    let error = #expect(throws: ContextError.self) { try context.save() }
    guard case .closed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(toldCount == 0 && stage.store.lastCommit == 1)
    withExtendedLifetime(token) {}
  }
}
