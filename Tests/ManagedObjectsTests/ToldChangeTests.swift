import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import Observation
import Testing

/// What those do who are told of a change while it is made.
@Suite struct ToldChangeTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let post: ManagedObject

  init() throws {
    stage = try Stage()
    context = stage.context()
    post = context.insert("Post")
    post.setValue("once", forKey: "title")
    try context.save()
  }

  /// Does something to an object before a value of it is set.
  private func set(
    _ key: String, of object: ManagedObject, to value: Value, after body: @escaping () -> Void
  ) {
    var isTold = false
    let token = object.observe(key, [.prior]) { change in
      guard change.isPrior, !isTold else { return }
      isTold = true
      body()
    }
    object.setValue(value, forKey: key)
    #expect(isTold)
    token.cancel()
  }

  /// Checks that the journal has what the context has.
  private func expectSound() throws {
    try context.save()
    #expect(try stage.store.verify(deep: true).isEmpty)
    let again = try stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  @Test func `S40: an object that is deleted when it is about to be set is deleted`() throws {
    set("title", of: post, to: "twice") { context.delete(post) }
    #expect(post.isDeleted)
    try expectSound()
    #expect(stage.objectIDs("Post").isEmpty)
  }

  @Test(arguments: [true, false])
  func `S40: an insert that is given up when it is about to be set is gone`(byUndo: Bool) throws {
    let other = context.insert("Post")
    set("title", of: other, to: "twice") {
      if byUndo { context.undo() } else { context.rollback() }
    }
    #expect(!other.hasChanges)
    try expectSound()
    #expect(stage.objectIDs("Post") == [post.objectID])
  }

  @Test func `S41: who tracks an insert may roll back when it is about to change`() throws {
    let other = context.insert("Post")
    let unsafe = UncheckedContext(context: context)
    tracking(other) { unsafe.context.rollback() }
    other.setValue("twice", forKey: "title")
    try expectSound()
    #expect(stage.objectIDs("Post") == [post.objectID])
  }

  @Test func `S43: an owner that is deleted when it is about to be led to is led to by none`()
    throws
  {
    let comment = context.insert("Comment")
    var isTold = false
    let token = post.observe("comments", [.prior]) { [context, post] change in
      guard change.isPrior, !isTold else { return }
      isTold = true
      context.delete(post)
    }
    comment.setValue(post.reference, forKey: "post")
    token.cancel()
    #expect(isTold && post.isDeleted)
    try expectSound()
    #expect(stage.objectIDs("Post").isEmpty)
  }

  @Test
  func `S47, S48: undo that is switched off by who is told stays off until it is switched on`()
    throws
  {
    post.setValue("twice", forKey: "title")
    context.processPendingChanges()
    let token = post.observe("title") { [post, context] _ in
      post.setValue("ann", forKey: "author")
      context.disableUndoRegistration()
    }
    context.undo()
    token.cancel()
    #expect(context.canRedo)
    post.setValue("thrice", forKey: "title")
    #expect(context.canRedo)
    context.enableUndoRegistration()
    post.setValue("again", forKey: "title")
    #expect(!context.canRedo)
    context.undo()
    #expect(post.value(forKey: "title") == "thrice")
  }

  @Test func `S46, S48: what follows from an undo leaves what can be redone`() throws {
    let token = post.observe("title") { [post] _ in
      let title = post.value(forKey: "title")?.string ?? ""
      post.setValue(.string(title.lowercased()), forKey: "author")
    }
    for title in ["ONE", "TWO", "THREE"] {
      post.setValue(.string(title), forKey: "title")
      context.processPendingChanges()
    }
    func expect(_ title: String, undo: Bool, redo: Bool) {
      #expect(post.value(forKey: "title") == .string(title))
      #expect(post.value(forKey: "author") == .string(title.lowercased()))
      #expect(context.canUndo == undo && context.canRedo == redo)
    }
    context.undo()
    expect("TWO", undo: true, redo: true)
    context.undo()
    expect("ONE", undo: true, redo: true)
    context.redo()
    expect("TWO", undo: true, redo: true)
    context.redo()
    expect("THREE", undo: true, redo: false)
    // What comes then is a step again.
    post.setValue("FOUR", forKey: "title")
    context.undo()
    expect("THREE", undo: true, redo: true)
    token.cancel()
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    recovered.redo()
    #expect(
      try recovered.existingObject(with: post.objectID).value(forKey: "title") == "FOUR")
  }
}

private struct UncheckedContext: @unchecked Sendable {
  let context: ManagedObjectContext
}

private func tracking(_ post: ManagedObject, _ body: @escaping @Sendable () -> Void) {
  withObservationTracking {
    _ = post.value(forKey: "title")
  } onChange: {
    body()
  }
}
