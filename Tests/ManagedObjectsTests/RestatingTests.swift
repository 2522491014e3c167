import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// A context of which the journal could not take all edits: what it holds is written anew by the save that follows, and
/// is there in between as if nothing had happened.
@Suite struct RestatingTests {
  /// A context with a saved post that was changed in two steps, and then in a third that a full disk has kept from the
  /// journal.
  private struct Refused {
    let stage: Stage
    let context: ManagedObjectContext
    let post: ManagedObject

    init() throws {
      stage = try Stage()
      context = stage.context()
      post = context.insert("Post")
      try context.save()
      context.reset()
      let again = try context.existingObject(with: post.objectID)
      for title in ["one", "two"] {
        again.setValue(.string(title), forKey: "title")
        again.setPrimitiveValue("quiet", forKey: "author")
        context.processPendingChanges()
      }
    }

    var editedPost: ManagedObject {
      get throws { try context.existingObject(with: post.objectID) }
    }

    func fill() throws {
      stage.disk.faults = [
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .append, .allocate, .map], isLasting: true)
      ]
      // So much that no room is left for it that was reserved before.
      try editedPost["long"] = .string(String(repeating: "long ", count: 400_000))
      context.processPendingChanges()
      #expect(throws: StoreError.self) { try context.save() }
    }
  }

  @Test func `S61: a save that a full disk refuses takes nothing from what can be undone`() throws {
    let refused = try Refused()
    try refused.fill()
    let (context, post) = (refused.context, try refused.editedPost)
    #expect(throws: StoreError.self) { try context.save() }
    context.undo()
    #expect(post["long"] == nil && post.value(forKey: "title") == "two")
    context.undo()
    #expect(post.value(forKey: "title") == "one")
    context.redo()
    refused.stage.disk.faults = []
    try context.save()
    // Of the tries that were given up none is told as somebody's work.
    let sessions = try refused.stage.store.sessions
    #expect(sessions.count <= 2)
    let again = try refused.stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    let found = try again.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "title") == "two")
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  @Test func `S61: however often a full disk refuses it, one save comes of it`() throws {
    let refused = try Refused()
    let (stage, context) = (refused.stage, refused.context)
    for number in 0..<40 {
      let title = String(repeating: "post \(number) ", count: 12)
      context.insert("Post").setValue(.string(title), forKey: "title")
    }
    try refused.fill()
    // So often that what is kept for edits is full of it.
    for number in 0..<60 {
      context.name = "try \(number)"
      #expect(throws: StoreError.self) { try context.save() }
    }
    stage.disk.faults = []
    try context.save()
    let sessions = try stage.store.sessions
    #expect(sessions.count <= 2)
    #expect(stage.objectIDs("Post").count == 41)
    let again = try stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  @Test func `S76: a context that is let go on a full disk leaves one draft`() throws {
    let stage = try {
      let refused = try Refused()
      try refused.fill()
      return refused.stage
    }()
    stage.disk.faults = []
    try stage.store.compact(keeping: .latest)
    let again = try stage.killed()
    let draft = try #require(again.store.unsavedDrafts.first)
    #expect(again.store.unsavedDrafts.count == 1)
    let context = try ManagedObjectContext(recovering: draft, in: again.store)
    try context.save()
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  @Test func `S61: what is written anew is no step, and none is left from before`() throws {
    let refused = try Refused()
    try refused.fill()
    refused.stage.disk.faults = []
    try refused.context.save()
    #expect(!refused.context.canUndo && !refused.context.canRedo)
    try refused.editedPost.setValue("three", forKey: "title")
    refused.context.undo()
    #expect(try refused.editedPost.value(forKey: "title") == "two")
    #expect(!refused.context.canUndo)
    #expect(try refused.editedPost.value(forKey: "author") == "quiet")
    #expect(try refused.stage.store.verify(deep: true).isEmpty)
    #expect(try refused.stage.killed().store.verify(deep: true).isEmpty)
  }

  @Test func `S76: what the journal has taken comes back without what it has refused`() throws {
    let refused = try Refused()
    try refused.fill()
    let again = try refused.stage.killed()
    let drafts = again.store.unsavedDrafts
    #expect(drafts.count == 1)
    let context = try ManagedObjectContext(recovering: try #require(drafts.first), in: again.store)
    let post = try context.existingObject(with: refused.post.objectID)
    #expect(post.value(forKey: "title") == "two" && post.value(forKey: "author") == "quiet")
    context.undo()
    #expect(post.value(forKey: "title") == "one")
  }

  @Test func `S61: what was switched off for undoing is off when all is written anew`() throws {
    let refused = try Refused()
    refused.context.disableUndoRegistration()
    try refused.fill()
    refused.stage.disk.faults = []
    try refused.context.save()
    try refused.editedPost.setValue("three", forKey: "title")
    refused.context.processPendingChanges()
    #expect(!refused.context.canUndo)
    refused.context.enableUndoRegistration()
    try refused.editedPost.setValue("four", forKey: "title")
    refused.context.processPendingChanges()
    #expect(refused.context.canUndo)
    try refused.context.save()
    #expect(try refused.stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S76: an inserted and a deleted object come back from what was written anew`() throws {
    let refused = try Refused()
    let context = refused.context
    let new = context.insert("Post")
    new.setValue("new", forKey: "title")
    try refused.fill()
    context.delete(try refused.editedPost)
    #expect(throws: StoreError.self) { try context.save() }
    refused.stage.disk.faults = []
    // Something that is not valid: all is written anew, and nothing is saved.
    new.setValue("far too long an author", forKey: "author")
    #expect(throws: ValidationErrors.self) { try context.save() }
    new.setValue("short", forKey: "author")
    try context.save()
    let again = try refused.stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    #expect(again.objectIDs("Post") == [new.objectID])
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  @Test func `S61: an object can be changed where not even the context can begin`() throws {
    let stage = try Stage()
    let first = stage.context()
    let (post, doomed) = (first.insert("Post"), first.insert("Post"))
    try first.save()
    let context = stage.context()
    let (edited, gone) = (
      try context.existingObject(with: post.objectID),
      try context.existingObject(with: doomed.objectID)
    )
    try stage.store.close()
    edited.setValue("changed", forKey: "title")
    edited.setPrimitiveValue("quiet", forKey: "author")
    context.delete(gone)
    context.processPendingChanges()
    #expect(edited.value(forKey: "title") == "changed" && gone.isDeleted)
    #expect(edited.value(forKey: "author") == "quiet")
    #expect(throws: StoreError.self) { try context.save() }
    context.undo()
    #expect(edited.value(forKey: "title") == "Untitled" && !gone.isDeleted)
  }

  @Test func `S66, S76: a child saves nothing into a parent that is not in the journal`() throws {
    let refused = try Refused()
    try refused.fill()
    let child = ManagedObjectContext(parent: refused.context)
    let post = try child.existingObject(with: refused.post.objectID)
    post["long too"] = .string(String(repeating: "long ", count: 400_000))
    let grandchild = ManagedObjectContext(parent: child)
    let seen = try grandchild.existingObject(with: refused.post.objectID)
    seen.setValue("of a grandchild", forKey: "title")
    #expect(throws: StoreError.self) { try grandchild.save() }
    #expect(grandchild.hasChanges)
    grandchild.rollback()
    post.setValue("of a child", forKey: "title")
    #expect(throws: StoreError.self) { try child.save() }
    #expect(child.hasChanges && post.value(forKey: "title") == "of a child")
    refused.stage.disk.faults = []
    try child.save()
    let again = try refused.stage.killed()
    #expect(again.store.unsavedDrafts.count == 1)
    let context = try ManagedObjectContext(
      recovering: try #require(again.store.unsavedDrafts.first), in: again.store)
    let found = try context.existingObject(with: refused.post.objectID)
    #expect(found.value(forKey: "title") == "of a child")
    #expect(found["long"]?.string?.utf8.count == 2_000_000)
  }

  @Test func `S53, S76: what is given up does not come back, though only a part is there`() throws {
    for isReset in [false, true] {
      let refused = try Refused()
      try refused.fill()
      refused.stage.disk.faults = []
      if isReset { refused.context.reset() } else { refused.context.rollback() }
      #expect(try refused.context.save() == nil)
      #expect(try refused.stage.killed().store.unsavedDrafts.isEmpty)
      try refused.editedPost.setValue("three", forKey: "title")
      #expect(try refused.stage.killed().store.unsavedDrafts.count == 1)
      try refused.context.save()
      #expect(try refused.stage.store.verify(deep: true).isEmpty)
    }
  }

  @Test func `S61, S75: an edit that only the journal has is in no commit`() throws {
    let stage = try Stage()
    let first = stage.context()
    let (one, other) = (first.insert("Post"), first.insert("Post"))
    one.setValue(.string(String(repeating: "post ", count: 200)), forKey: "title")
    try first.save()
    try stage.store.checkpoint()
    var refusalCount = 0
    for number in 1...40 {
      let again = try stage.killed()
      let context = again.context()
      let (post, second) = (
        try context.existingObject(with: one.objectID),
        try context.existingObject(with: other.objectID)
      )
      again.disk.faults = [
        SimulatedFault(
          .failure(.inputOutput), calls: [.read, .map, .openFile], number: number, isLasting: true)
      ]
      post.setValue("new", forKey: "title")
      again.disk.faults = []
      context.processPendingChanges()
      let shown = post.value(forKey: "title")
      do {
        try context.save()
      } catch {
        refusalCount += 1
      }
      second.setValue(1, forKey: "score")
      try context.save()
      #expect(try again.store.verify(deep: true) == [], "\(number)")
      let found = try again.context().existingObject(with: one.objectID)
      #expect(found.value(forKey: "title") == shown, "\(number)")
    }
    #expect(refusalCount > 0)
  }
}
