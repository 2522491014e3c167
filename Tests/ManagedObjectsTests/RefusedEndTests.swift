import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Contexts that are to end in the journal at a moment at which it takes nothing.
@Suite struct RefusedEndTests {
  private func fill(_ stage: Stage) {
    stage.disk.faults = [
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append, .allocate, .map], isLasting: true)
    ]
  }

  /// Has the journal take nothing more: what a full disk has left is taken up by edits, down to the smallest.
  private func fillJournal(_ stage: Stage, _ post: ObjectID) throws {
    fill(stage)
    for (byteCount, count) in [(2_000_000, 1), (20_000, 60), (200, 120), (1, 60)] {
      let context = stage.context()
      context.name = "filler"
      let post = try context.existingObject(with: post)
      for number in 0..<count {
        let text = String(repeating: "\(number % 10)", count: byteCount)
        post.setValue(.string(text), forKey: "title")
      }
      for _ in 0..<300 {
        context.disableUndoRegistration()
        context.enableUndoRegistration()
      }
      #expect(throws: StoreError.self) { try context.save() }
      context.reset()
    }
  }

  @Test(arguments: [false, true], [false, true])
  func `S53, S76: what is given up on a full disk is no draft when the program ends in order`(
    isReset: Bool, goesOn: Bool
  ) throws {
    let stage = try Stage()
    let post = try {
      let context = stage.context()
      context.name = "mine"
      let post = context.insert("Post")
      let id = post.objectID
      try context.save()
      post.setValue("changed", forKey: "title")
      context.processPendingChanges()
      try fillJournal(stage, id)
      post.setValue(.string(String(repeating: "long ", count: 400_000)), forKey: "title")
      context.processPendingChanges()
      if isReset { context.reset() } else { context.rollback() }
      // A process that is killed now has it still.
      let left = try stage.killed().store.unsavedDrafts.map(\.contextName)
      #expect(left.contains("mine"))
      stage.disk.faults = []
      if goesOn {
        try context.existingObject(with: id).setValue("another", forKey: "title")
        let drafts = try stage.killed().store.unsavedDrafts
        #expect(drafts.map(\.contextName) == ["mine"])
        try context.save()
      }
      return id
    }()
    try stage.store.close()
    let again = try stage.killed()
    #expect(again.store.unsavedDrafts.isEmpty)
    let context = again.context()
    let found = try context.existingObject(with: post)
    #expect(found.value(forKey: "title") == (goesOn ? "another" : "Untitled"))
    #expect(try again.store.verify(deep: true).isEmpty)
  }

  /// Something that is done with the store when there is room again.
  enum Upkeep: CaseIterable {
    case compaction, checkpoint, backup, resumption
  }

  @Test(arguments: Upkeep.allCases)
  func `S53, S61: what was given up on a full disk is ended when there is room`(
    upkeep: Upkeep
  ) throws {
    let stage = try Stage()
    let context = stage.context()
    context.name = "mine"
    let post = context.insert("Post")
    let id = post.objectID
    try context.save()
    let session = try #require(try stage.store.sessions.last { $0.contextName == "mine" })
    post.setValue("changed", forKey: "title")
    context.processPendingChanges()
    try fillJournal(stage, id)
    post.setValue(.string(String(repeating: "long ", count: 400_000)), forKey: "title")
    context.rollback()
    func left(_ stage: Stage) -> [String] { stage.store.unsavedDrafts.map(\.contextName) }
    #expect(left(try stage.killed()).contains("mine"))
    // As long as the disk is full, that is what is told.
    if upkeep == .resumption {
      #expect { try ManagedObjectContext(resuming: session, in: stage.store) } throws: { error in
        (error as? StoreError)?.code == .disk
      }
    }
    stage.disk.faults = []
    switch upkeep {
    case .compaction:
      // What it stood on is dropped, which is kept for whoever may go on with it.
      let other = stage.context()
      try other.existingObject(with: id).setValue("theirs", forKey: "title")
      try other.save()
      context.close()
      other.close()
      try stage.store.compact(keeping: .latest)
      #expect(stage.store.firstKeptCommit == stage.store.lastCommit.next)
    case .checkpoint: try stage.store.checkpoint()
    case .backup:
      try stage.store.backup(to: "copy")
      let copy = try JournaledStore(on: stage.disk, at: "copy", model: try Stage.model())
      #expect(copy.unsavedDrafts.contains { $0.contextName == "mine" } == false)
    case .resumption:
      let resumed = try ManagedObjectContext(resuming: session, in: stage.store)
      #expect(!resumed.hasChanges)
      // What it saves under the number that was left is another's.
      context.automaticallyMergesChanges = true
      try resumed.existingObject(with: id).setValue("theirs", forKey: "title")
      try resumed.save()
      context.processPendingChanges()
      #expect(post.value(forKey: "title") == "theirs")
      resumed.reset()
    }
    let again = try stage.killed()
    #expect(left(again).contains("mine") == false)
    #expect(try again.store.verify(deep: true).isEmpty)
    withExtendedLifetime(context) {}
  }

  @Test(arguments: ["saves", "gives up", "is let go", "is a child itself"])
  func `S66, S76: what a child saves into a parent that the journal refuses stays in the journal`(
    parent outcome: String
  ) throws {
    let stage = try Stage()
    let text = Value.string(String(repeating: "long ", count: 400_000))
    func hasText(_ stage: Stage, _ post: ObjectID) throws -> Bool {
      try stage.store.unsavedDrafts.contains { draft in
        let context = try ManagedObjectContext(recovering: draft, in: stage.store)
        let found = try context.existingObject(with: post)["long"] == text
        context.reset()
        return found
      }
    }
    let post = try {
      let root = stage.context()
      let post = root.insert("Post")
      try root.save()
      let middle = outcome == "is a child itself" ? ManagedObjectContext(parent: root) : root
      let child = ManagedObjectContext(parent: middle)
      try child.existingObject(with: post.objectID)["long"] = text
      child.processPendingChanges()
      fill(stage)
      try child.save()
      #expect(middle.hasChanges && !child.hasChanges)
      #expect(try hasText(try stage.killed(), post.objectID), "it is still in the journal")
      if middle !== root { try middle.save() }
      #expect(throws: StoreError.self) { try root.save() }
      #expect(try hasText(try stage.killed(), post.objectID))
      stage.disk.faults = []
      switch outcome {
      case "gives up": root.rollback()
      case "is let go": break
      default: try root.save()
      }
      return post.objectID
    }()
    let again = try stage.killed()
    #expect(try hasText(again, post) == (outcome == "is let go"))
    if outcome != "is let go" { #expect(try stage.killed().store.unsavedDrafts.isEmpty) }
    let context = try stage.killed().context()
    let found = try context.existingObject(with: post)["long"]
    #expect((found == text) == (outcome == "saves" || outcome == "is a child itself"))
    #expect(try stage.killed().store.verify(deep: true).isEmpty)
  }
}
