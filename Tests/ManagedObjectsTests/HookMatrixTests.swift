import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Every hook doing everything that there is to do: each call ends, and what is left is whole.
@Suite struct HookMatrixTests {
  private static let hooks = [
    "awakeFromInsert", "awakeFromFetch", "awake", "willTurnIntoFault", "didTurnIntoFault",
    "prepareForDeletion", "willSave", "didSave", "validateForInsert", "validateForUpdate",
    "validateForDelete",
  ]

  /// What a hook does, each time that it is called.
  private static let works: [(name: String, work: @Sendable (Probe, Int) throws -> Void)] = [
    ("set", { $0.setValue(.integer($1), forKey: "score") }),
    ("set to the same", { post, _ in post.setValue("same", forKey: "author") }),
    ("set a primitive", { $0.setPrimitiveValue(.integer($1), forKey: "score") }),
    // What never ends to insert is refused by each save, and more of it by the next.
    ("insert", { if $1 <= 50 { _ = $0.context?.insert(Probe.self) } }),
    ("delete", { post, _ in post.context?.delete(post) }),
    ("undo", { post, _ in post.context?.undo() }),
    ("redo", { post, _ in post.context?.redo() }),
    (
      "undo and redo",
      { post, _ in
        post.context?.undo()
        post.context?.redo()
      }
    ),
    ("undo the object", { post, _ in try post.context?.undo(post) }),
    ("save", { post, _ in try post.context?.save() }),
    ("refresh", { post, _ in post.context?.refresh(post, mergeChanges: true) }),
    ("give up", { post, _ in post.context?.refresh(post, mergeChanges: false) }),
    ("refresh all", { post, _ in post.context?.refreshAllObjects() }),
    ("roll back", { post, _ in post.context?.rollback() }),
    ("process", { post, _ in post.context?.processPendingChanges() }),
    ("fetch", { post, _ in _ = try post.context?.fetch(Probe.self, where: "score > 1") }),
  ]

  /// Whether an error is one that programs are told of.
  private static func isTold(_ error: any Error) -> Bool {
    error is ContextError || error is ValidationErrors || error is MergeConflicts
      || error is StoreError
  }

  /// What programs do, so that every hook is called.
  private static func drive(
    _ context: ManagedObjectContext, _ tell: (any Error) -> Void
  ) throws {
    func attempt(_ body: () throws -> Void) {
      do { try body() } catch { tell(error) }
    }
    let (one, two) = (context.insert(Probe.self), context.insert(Probe.self))
    one.setValue("first", forKey: "title")
    attempt { try context.save() }
    one.setValue("second", forKey: "title")
    context.processPendingChanges()
    one.setValue("third", forKey: "title")
    context.undo()
    attempt { try context.save() }
    context.redo()
    context.refresh(one, mergeChanges: true)
    attempt { try context.save() }
    context.delete(two)
    context.processPendingChanges()
    context.undo()
    context.redo()
    attempt { try context.save() }
    context.undo()
    context.refresh(one, mergeChanges: false)
    _ = one.value(forKey: "title")
    attempt { try context.save() }
    one.setValue("last", forKey: "title")
    context.rollback()
  }

  @Test(arguments: hooks)
  func `S11, S16, S59, S61: whatever a hook does, it ends, and the context goes on`(
    _ hook: String
  ) throws {
    for (name, work) in Self.works {
      let actions = Probe.Actions()
      var (callCount, isRunning, isOver) = (0, false, false)
      var wrong: [any Error] = []
      func tell(_ error: any Error) { if !Self.isTold(error) { wrong.append(error) } }
      let names =
        hook == "awake"
        ? [
          "undoOfInsert", "undoOfUpdate", "undoOfDelete", "redoOfInsert", "redoOfUpdate",
          "redoOfDelete", "refresh", "rollback",
        ].map { "awake \($0)" } : [hook]
      for each in names {
        actions.onCall[each] = { post in
          // One that calls itself is the program's to end.
          if isRunning || isOver { return }
          isRunning = true
          defer { isRunning = false }
          callCount += 1
          if callCount > 30_000 { isOver = true }
          do { try work(post, callCount) } catch { tell(error) }
        }
      }
      try Probe.$actions.withValue(actions) {
        let stage = try Stage(Probe.model())
        let context = stage.context()
        try Self.drive(context, tell)
        #expect(!isOver, "\(name) does not end")
        isOver = true
        #expect(callCount > 0, "\(name)")
        #expect(wrong.isEmpty, "\(name): \(wrong)")
        // What a save was to be told of is told once.
        do { try context.save() } catch { tell(error) }
        context.rollback()
        let post = context.insert(Probe.self)
        post.setValue("after", forKey: "title")
        try context.save()
        #expect(!context.hasChanges, "\(name)")
        let ids = stage.objectIDs("Post")
        let (shown, stored) = (
          Picture(ids, in: context, isStored: true), Picture(ids, in: stage.context())
        )
        #expect(shown.difference(stored) == nil && stored.has(post.objectID), "\(name)")
        #expect(try stage.store.verify().isEmpty, "\(name)")
        let again = try stage.killed(Probe.model())
        #expect(again.store.unsavedDrafts.isEmpty, "\(name)")
      }
    }
  }
}
