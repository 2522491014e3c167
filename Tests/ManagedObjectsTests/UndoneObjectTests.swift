import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// One object that is undone by itself: what goes with it, and what its hooks are told.
@Suite struct UndoneObjectTests {
  /// `processed` is what the main actor does by itself once a turn: it must make no difference.
  @Test(arguments: [false, true])
  func `S51: undoing an object takes its last step back with what a hook of a save has made of it`(
    processed: Bool
  ) throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.onCall["willSave"] = { post in
      if post.value(forKey: "author") == nil { post.setValue("hook", forKey: "author") }
    }
    post.setValue("second", forKey: "title")
    if processed { context.processPendingChanges() }
    try context.save()
    #expect(post.value(forKey: "author") == "hook")
    try context.undo(post)
    #expect(post.value(forKey: "author") == nil)
    #expect(post.value(forKey: "title") == "Untitled")
  }

  /// Of what comes back or goes by `undo(_:)` it is told; of what is updated by it, it is not.
  @Test func `S13, S51: awake tells that an object was undone by itself`() throws {
    let stage = try Stage(Probe.model())
    let context = stage.context()
    let post = context.insert(Probe.self)
    try context.save()
    post.setValue("second", forKey: "title")
    context.processPendingChanges()
    post.calls = []
    try context.undo(post)
    #expect(post.value(forKey: "title") == "Untitled")
    #expect(post.calls.contains("awake undoOfUpdate"), "\(post.calls)")
  }
}
