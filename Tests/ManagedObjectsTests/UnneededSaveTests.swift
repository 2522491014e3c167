import DiskAccess
import DiskSimulation
import Foundation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Saves that have nothing to add to what others have sent: they count on it, and so wait for it.
@Suite struct UnneededSaveTests {
  typealias HeldStore = SavingLaterTests.HeldStore

  /// What both have done to the post, so that who saves later has nothing to add.
  enum Deed: CaseIterable, Sendable {
    case deleted
    case set
    /// The later one has set another value, which gives way to the earlier one's.
    case overruled
  }

  /// A post that two contexts have read, in the first commit of a store.
  struct Rivals {
    let held: HeldStore
    let (first, second): (ManagedObjectContext, ManagedObjectContext)
    let (post, same): (ManagedObject, ManagedObject)

    init() throws {
      held = try HeldStore()
      (first, second) = (ManagedObjectContext(held.store), ManagedObjectContext(held.store))
      post = first.insert("Post")
      try first.save()
      same = try second.existingObject(with: post.objectID)
    }

    func act(_ deed: Deed) {
      switch deed {
      case .deleted:
        first.delete(post)
        second.delete(same)
      case .set, .overruled:
        post.setValue("theirs", forKey: "title")
        same.setValue(deed == .set ? "theirs" : "ours", forKey: "title")
        second.mergePolicy = deed == .set ? .mergeByPropertyObjectTrump : .rollback
      }
    }

    /// Whether the second context stands on what the first has saved.
    func isAgreed(_ deed: Deed) -> Bool {
      if second.hasChanges { return false }
      guard deed == .deleted else { return same.value(forKey: "title") == "theirs" }
      return (try? second.existingObject(with: same.objectID)) == nil
    }

    /// Whether the second context has what it did, unsaved.
    func isAsBefore(_ deed: Deed) -> Bool {
      switch deed {
      case .deleted: same.isDeleted && second.hasChanges
      case .set: same.value(forKey: "title") == "theirs" && same.isUpdated
      case .overruled: same.value(forKey: "title") == "ours" && same.isUpdated
      }
    }

    /// Saves in the second context, and says which commit was the last then.
    func save() throws -> [CommitNumber?] { [try second.save()?.number, held.store.lastCommit] }

    @MainActor func saveLater() async throws -> [CommitNumber?] {
      [try await second.save()?.number, held.store.lastCommit]
    }
  }

  /// Nothing can be added to the journal any more.
  private static let fill: @Sendable (SimulatedDisk) -> Void = { disk in
    disk.faults = [
      SimulatedFault(.failure(.noSpace), calls: [.write, .append, .allocate], isLasting: true)
    ]
  }

  @MainActor private func yield() async { for _ in 0..<100 { await Task.yield() } }

  /// Opens a gate in a while, on a thread of its own.
  private func open(
    _ held: HeldStore, after change: @escaping @Sendable (SimulatedDisk) -> Void = { _ in }
  ) throws {
    // It ends by itself.
    _ = try BackgroundThread {
      Thread.sleep(forTimeInterval: 0.1)
      change(held.disk)
      held.gate.open()
    }
  }

  /// Does something while what the first rival has sent for a deed is held up, and looks at what came of both.
  @MainActor private func whileHeldUp(
    _ deed: Deed, _ body: (Rivals) async throws -> Void
  ) async throws {
    let rivals = try Rivals()
    rivals.act(deed)
    rivals.held.gate.shut()
    let save = Task { @MainActor in try await rivals.first.save()?.number }
    await rivals.held.reachGate()
    try await body(rivals)
    #expect(rivals.isAgreed(deed))
    #expect(try await save.value == 2)
    #expect(try rivals.held.store.verify(deep: true).isEmpty)
  }

  @Test(arguments: Deed.allCases) @MainActor
  func `S65: a save with nothing to add returns when what a rival has sent is durable`(
    deed: Deed
  ) async throws {
    try await whileHeldUp(deed) { (rivals) async throws in
      try open(rivals.held)
      #expect(try rivals.save() == [nil, 2])
    }
  }

  @Test(arguments: Deed.allCases) @MainActor
  func `S65: an awaited save with nothing to add waits for the rival, and leaves its thread free`(
    deed: Deed
  ) async throws {
    try await whileHeldUp(deed) { (rivals) async throws in
      let later = Task { @MainActor in try await rivals.saveLater() }
      await yield()
      #expect(rivals.isAsBefore(deed) && rivals.held.store.lastCommit == 1)
      rivals.held.gate.open()
      #expect(try await later.value == [nil, 2])
    }
  }

  @Test(arguments: Deed.allCases, [true, false]) @MainActor
  func `S65: a save with nothing to add fails with its rival, and is made by itself the next time`(
    deed: Deed, isAwaited: Bool
  ) async throws {
    let rivals = try Rivals()
    let held = rivals.held
    let other = ManagedObjectContext(held.store)
    other.insert("Post")
    rivals.act(deed)
    held.gate.shut()
    let before = Task { @MainActor in try await other.save()?.number }
    await held.reachGate()
    // This one waits behind the other, and the disk is full when it is its turn.
    let save = Task { @MainActor in try await rivals.first.save()?.number }
    await yield()
    let failure: (any Error)?
    if isAwaited {
      let later = Task { @MainActor in try await rivals.saveLater() }
      await yield()
      Self.fill(held.disk)
      held.gate.open()
      if case .failure(let error) = await later.result { failure = error } else { failure = nil }
    } else {
      try open(held, after: Self.fill)
      failure = #expect(throws: StoreError.self) { try rivals.save() }
    }
    #expect((failure as? StoreError)?.code == .disk)
    #expect(try await before.value == 2)
    await #expect(throws: StoreError.self) { try await save.value }
    #expect(rivals.isAsBefore(deed) && held.store.lastCommit == 2)
    held.disk.faults = []
    #expect(try rivals.save() == [3, 3])
    let again = try JournaledStore(
      on: held.disk.imageAfterProcessDeath(), at: "store", model: try Stage.model())
    let row = try again.head.row(of: rivals.same.objectID)
    let title = try #require(again.existingKey(named: "title"))
    #expect(row?[title] == (deed == .deleted ? nil : deed == .set ? "theirs" : "ours"))
    #expect(try again.verify(deep: true).isEmpty)
  }

  @Test(arguments: [true, false]) @MainActor
  func `S65: a batch with nothing to add waits for the rival, and fails with it`(
    isFull: Bool
  ) async throws {
    let rivals = try Rivals()
    let held = rivals.held
    let blog = ManagedObjectContext(held.store)
    blog.insert("Blog")
    rivals.first.delete(rivals.post)
    held.gate.shut()
    let before = Task { @MainActor in try await blog.save()?.number }
    await held.reachGate()
    let save = Task { @MainActor in try await rivals.first.save()?.number }
    await yield()
    try open(held) { if isFull { Self.fill($0) } }
    let batch = Result {
      (try held.store.batchDelete(FetchRequest("Post")), held.store.lastCommit)
    }
    #expect(try await before.value == 2)
    _ = await save.result
    held.disk.faults = []
    if isFull {
      #expect(throws: StoreError.self) { try batch.get() }
      let result = try held.store.batchDelete(FetchRequest("Post"))
      #expect(result.commits == [3] && result.objectIDs == [rivals.post.objectID])
    } else {
      let (result, last) = try batch.get()
      #expect(result.commits.isEmpty && result.objectIDs == [rivals.post.objectID] && last == 3)
    }
    #expect(try held.store.head.row(of: rivals.post.objectID) == nil)
  }

  @Test func `S60: a save that asks for more than its store has what rivals did go as far`()
    throws
  {
    var options = StoreOptions()
    options.durability = .written
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: "store", model: try Stage.model(), options: options)
    let (first, second) = (ManagedObjectContext(store), ManagedObjectContext(store))
    let post = first.insert("Post")
    try first.save(durability: .synced)
    second.delete(try second.existingObject(with: post.objectID))
    first.delete(post)
    try first.save()
    let count = store.syncCount
    let commit = try second.save(durability: .synced)
    #expect(commit == nil && store.lastCommit == 2 && store.syncCount > count)
    #expect(!second.hasChanges)
    try store.close()
  }
}
