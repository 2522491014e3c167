import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

import func Glibc.usleep

/// Saves that are awaited: what the caller's thread does meanwhile, and how they end.
@Suite struct SavingLaterTests {
  /// A store whose disk can be kept from syncing.
  final class HeldStore: Sendable {
    /// What calls that sync wait for.
    final class Gate: @unchecked Sendable {
      private let lock = Lock()
      private var isShut = false
      private var waiterCount = 0

      func shut() { lock.withLock { isShut = true } }

      func open() {
        lock.withLock {
          isShut = false
          lock.wakeAll()
        }
      }

      func pass() {
        lock.withLock {
          waiterCount += 1
          while isShut { lock.wait() }
          waiterCount -= 1
        }
      }

      var hasWaiter: Bool { lock.withLock { waiterCount > 0 } }
    }

    let disk: SimulatedDisk
    let gate: Gate
    let store: JournaledStore

    init() throws {
      let (disk, gate) = (SimulatedDisk(seed: 1), Gate())
      disk.onCall = { call in
        if call.kind == .syncData || call.kind == .sync { gate.pass() }
      }
      (self.disk, self.gate) = (disk, gate)
      store = try JournaledStore(on: disk, at: "store", model: try Stage.model())
    }

    /// Returns when a sync waits at the gate: the main actor is free all the while.
    @MainActor func reachGate() async { while !gate.hasWaiter { await Task.yield() } }
  }

  @Test(arguments: [true, false]) @MainActor
  func `S60, S54: a refresh waits for a save of an insert that is on its way`(ofAll isOfAll: Bool)
    async throws
  {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    let post = context.insert("Post")
    post.setValue("mine", forKey: "scratch")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save()?.number }
    await held.reachGate()
    held.gate.open()
    if isOfAll {
      context.refreshAllObjects()
    } else {
      context.refresh(post, mergeChanges: false)
      #expect(post.isFault)
    }
    #expect(!context.hasChanges)
    let number = try await save.value
    #expect(number == 1)
  }

  @Test func `S60: an awaited save is durable when it returns, with author and message`()
    async throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    post.setValue("Hello", forKey: "title")
    let saved = try await context.save(author: "ann", message: "first")
    let commit = try #require(saved)
    #expect(commit.number == 1 && commit.author == "ann" && commit.message == "first")
    #expect(!context.hasChanges && !post.hasChanges)
    let again = stage.disk.imageAfterProcessDeath()
    let store = try JournaledStore(on: again, at: "store", model: try Stage.model())
    let other = ManagedObjectContext(store)
    #expect(try other.existingObject(with: post.objectID).value(forKey: "title") == "Hello")
    let nothing = try await context.save()
    #expect(nothing == nil && store.unsavedDrafts.isEmpty)
  }

  @Test @MainActor
  func `S60: while the disk syncs the main actor is free, and nothing is saved yet`()
    async throws
  {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    let post = context.insert("Post")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save()?.number }
    await held.reachGate()
    #expect(held.store.lastCommit == .none && context.hasChanges && post.isInserted)
    held.gate.open()
    let number = try await save.value
    #expect(number == 1 && held.store.lastCommit == 1 && !context.hasChanges && !post.isInserted)
  }

  @Test @MainActor func `S60, S63: what is on its way is no conflict with itself`() async throws {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    let post = context.insert("Post")
    let first = try await context.save()?.number
    #expect(first == 1)
    post.setValue("mine", forKey: "title")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save()?.number }
    await held.reachGate()
    held.gate.open()
    // The commit is there, and the context has not been told yet.
    while held.store.lastCommit < 2 { usleep(100) }
    let conflicts = try context.conflicts
    #expect(conflicts.isEmpty)
    let number = try await save.value
    #expect(number == 2)
  }

  @Test @MainActor func `S61: what is changed while a save is on its way is not in it, and stays`()
    async throws
  {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    context.name = "editor"
    let post = context.insert("Post")
    post.setValue("One", forKey: "title")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save() }
    await held.reachGate()
    held.gate.open()
    // Waits for the save, which nobody has gone on with yet.
    post.setValue("Two", forKey: "title")
    let new = context.insert("Post")
    #expect(context.hasChanges && post.isUpdated && held.store.lastCommit == 1)
    let saved = try await save.value
    let commit = try #require(saved)
    #expect(commit.changes.count == 1 && commit.changes[0].values["title"]?.new == "One")
    #expect(post.value(forKey: "title") == "Two" && context.insertedObjects == [new])
    let again = try JournaledStore(
      on: held.disk.imageAfterProcessDeath(), at: "store", model: try Stage.model())
    let draft = try #require(again.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again)
    #expect(recovered.updatedObjects.map(\.objectID) == [post.objectID])
    #expect(recovered.object(with: post.objectID).value(forKey: "title") == "Two")
    #expect(recovered.insertedObjects.map(\.objectID) == [new.objectID])
    let next = try await context.save()
    #expect(next?.number == 2)
    context.undo()
    context.undo()
    #expect(post.isDeleted)
    #expect(try held.store.verify(deep: true).isEmpty)
  }

  @Test @MainActor func `S61: a save that fails while it is awaited changes nothing, and says so`()
    async throws
  {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    let post = context.insert("Post")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save() }
    await held.reachGate()
    held.disk.faults = [
      SimulatedFault(.failure(.inputOutput), calls: [.sync, .syncData], isLasting: true)
    ]
    held.gate.open()
    let outcome = await save.result
    #expect((outcome.failure as? StoreError)?.code == .stopped)
    #expect(context.hasChanges && post.isInserted && held.store.lastCommit == .none)
    // Those who come later are told as well, and wait for nobody.
    let later = await Task { @MainActor in try await context.save() }.result
    #expect(later.failure is StoreError && post.isInserted)
  }

  @Test @MainActor func `S60: a store that closes makes what is on its way durable, and tells it`()
    async throws
  {
    let held = try HeldStore()
    let context = ManagedObjectContext(held.store)
    context.insert("Post")
    held.gate.shut()
    let save = Task { @MainActor in try await context.save()?.number }
    await held.reachGate()
    let close = Task.detached { try held.store.close() }
    held.gate.open()
    let number = try await save.value
    try await close.value
    context.insert("Post")
    let later = await Task { @MainActor in try await context.save() }.result
    #expect(number == 1 && later.failure is StoreError)
  }

  @Test @MainActor func `S65: awaited saves of many contexts share their syncs`() async throws {
    let held = try HeldStore()
    let contexts = (0..<10).map { _ in ManagedObjectContext(held.store) }
    for context in contexts { context.insert("Post") }
    let before = held.store.syncCount
    held.gate.shut()
    let saves = contexts.map { context in
      Task { @MainActor in try await context.save()?.number }
    }
    await held.reachGate()
    for _ in 0..<100 { await Task.yield() }
    held.gate.open()
    var numbers: Set<CommitNumber> = []
    for save in saves { if let number = try await save.value { numbers.insert(number) } }
    #expect(numbers.count == 10 && held.store.lastCommit == 10)
    #expect(held.store.syncCount - before < 10)
  }

  @Test @MainActor func `S24: a save that is tried again waits for a rival that nobody sees yet`()
    async throws
  {
    let held = try HeldStore()
    let first = ManagedObjectContext(held.store)
    let post = first.insert("Post")
    try await first.save()
    let second = ManagedObjectContext(held.store)
    let inSecond = try second.existingObject(with: post.objectID)
    post["foo"] = 1
    inSecond["bar"] = 2
    held.gate.shut()
    let save = Task { @MainActor in try await first.save()?.number }
    await held.reachGate()
    let again = Task { @MainActor in try await second.save(retrying: 1)?.number }
    for _ in 0..<10 { await Task.yield() }
    held.gate.open()
    let (number, next) = (try await save.value, try await again.value)
    #expect(number == 2 && next == 3)
    #expect(inSecond["foo"] == 1 && inSecond["bar"] == 2)
  }
}

extension Result {
  /// Why there is none.
  fileprivate var failure: Failure? {
    if case .failure(let failure) = self { failure } else { nil }
  }
}
