// Commits that are shown before they are written, and then cannot be: their numbers are given to no others.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import Synchronization
import TestSupport
import Testing

@Suite struct LostCommitTests {
  private let disk = SimulatedDisk(seed: 8)
  private let note = EntityNumber(rawValue: 0)

  private func open(_ durability: Durability = .synced) throws -> JournaledStore {
    var options = StoreOptions.small
    options.durability = durability
    return try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
  }

  /// Nothing can be added to the journal.
  private static let full = SimulatedFault(
    .failure(.noSpace), calls: [.write, .append, .allocate], isLasting: true)

  /// Makes a note in a context, and a request to commit it.
  private func addNote(
    _ title: Value, _ store: JournaledStore, _ context: LiveContext
  ) throws -> CommitRequest {
    let object = try store.newObject(of: note)
    let key = try store.key(named: "title")
    try store.record(.inserted(object), by: context)
    try store.record(.set(object, key, title), by: context)
    return CommitRequest([.init(object, base: .none, nil, to: Row([key: title]))])
  }

  /// Why a commit is refused.
  private func refusal(
    _ store: JournaledStore, _ request: CommitRequest, _ context: LiveContext,
    _ durability: Durability
  ) -> StoreError? {
    do throws(CommitError) {
      _ = try store.commit(request, by: context, durability: durability)
      return nil
    } catch {
      guard case .store(let error) = error else { return nil }
      return error
    }
  }

  @Test func `a commit that was shown and is lost is the last until the store is opened again`()
    throws
  {
    let store = try open(.memory)
    let one = try store.beginContext(name: "one", on: .none)
    _ = try store.commit(try addNote("first", store, one), by: one)
    try store.checkpoint()
    let state = try store.head.plain()
    let lost = try addNote("second", store, one)
    #expect(try store.commit(lost, by: one)?.number == 2)
    #expect(store.lastCommit == 2)
    let two = try store.beginContext(name: "two", on: 2)
    let request = try addNote("third", store, two)
    disk.faults = [Self.full]
    #expect(refusal(store, request, two, .synced)?.code == .disk)
    disk.faults = []
    // Somebody was told of a commit 2, and no other may be.
    for durability in [Durability.memory, .synced] {
      let error = refusal(store, request, two, durability)
      #expect(error?.code == .stopped)
      #expect(error?.description.hasPrefix("commit 2 was shown") ?? false)
    }
    #expect(store.lastCommit == 1)
    #expect(try store.head.plain() == state)
    // What contexts take for saved is not: no checkpoint may say that it were.
    #expect(throws: StoreError.self) { try store.checkpoint() }
    #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    try store.close()
    let again = try open()
    #expect(again.lastCommit == 1)
    #expect(Set(again.unsavedDrafts.map(\.contextName)) == ["one", "two"])
    let draft = try #require(again.unsavedDrafts.first { $0.contextName == "one" })
    let (context, content) = try again.resume(draft)
    #expect(draft.objectIDs == lost.objects.map(\.object) && content.hasChanges)
    #expect(try again.commit(lost, by: context)?.number == 2)
    #expect(try again.verify(deep: true) == [])
    try again.close()
  }

  @Test func `what was shown and is made stays shown when a later commit fails`() throws {
    let store = try open(.memory)
    let contexts = try ["one", "two", "three"].map { try store.beginContext(name: $0, on: .none) }
    // Somebody waits for the first to be written, and has not come to see that it is.
    let first = try addNote("first", store, contexts[0])
    let sent = try store.send(first, by: contexts[0], durability: .written)
    let second = try addNote("second", store, contexts[1])
    #expect(try store.commit(second, by: contexts[1])?.number == 2)
    #expect(store.lastCommit == 2)
    _ = try store.events()
    let third = try addNote("third", store, contexts[2])
    disk.faults = [Self.full]
    #expect(refusal(store, third, contexts[2], .synced)?.code == .disk)
    #expect(store.lastCommit == 2)
    disk.faults = []
    try store.finish(sent)
    #expect(store.lastCommit == 2)
    #expect(try store.commit(third, by: contexts[2])?.number == 3)
    try store.close()
    #expect(try open().lastCommit == 3)
  }

  @Test func `a commit that a checkpoint shows is told to those who watch`() throws {
    let store = try open()
    let context = try store.beginContext(name: "one", on: .none)
    let toldCount = Mutex(0)
    let watch = store.watchCommits { watch in
      toldCount.withLock { $0 += 1 }
      watch.rearm()
    }
    let sent = try store.send(try addNote("first", store, context), by: context, durability: nil)
    #expect(toldCount.withLock { $0 } == 0 && store.lastCommit == .none)
    try store.checkpoint()
    #expect(toldCount.withLock { $0 } == 1 && store.lastCommit == 1)
    try store.finish(sent)
    try store.checkpoint()
    #expect(toldCount.withLock { $0 } == 1)
    _ = try store.commit(try addNote("second", store, context), by: context)
    #expect(toldCount.withLock { $0 } == 2)
    extendLifetime(watch)
    try store.close()
  }

  @Test func `of commits made by many threads while the disk fills no two have one number`() throws
  {
    for round in 1...60 {
      let disk = SimulatedDisk(seed: UInt64(round))
      var options = StoreOptions.small
      options.durability = .memory
      let store = try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
      let told = Mutex<[UInt64]>([])
      disk.faults = [
        SimulatedFault(.failure(.noSpace), calls: [.write, .append], number: 3 + round % 7)
      ]
      let threads = try (0..<3).map { thread in
        try BackgroundThread {
          do {
            let context = try store.beginContext(name: "thread \(thread)", on: .none)
            for save in 1...12 {
              let object = try store.newObject(of: EntityNumber(rawValue: 0))
              let request = CommitRequest([.init(object, base: .none, nil, to: Row())])
              let durability = save % 3 == thread ? Durability.written : .memory
              if let commit = try? store.commit(request, by: context, durability: durability) {
                told.withLock { $0.append(commit.number.rawValue) }
              }
            }
          } catch {}
        }
      }
      for thread in threads { thread.join() }
      let numbers = told.withLock { $0 }
      #expect(Set(numbers).count == numbers.count, "round \(round): \(numbers.sorted())")
      try? store.close()
    }
  }

  @Test func `S6: no ID is given twice that was given while the disk was full`() throws {
    let store = try open()
    let context = try store.beginContext(name: "editor", on: .none)
    let title = try store.key(named: "title")
    disk.faults = [Self.full]
    let error = #expect(throws: StoreError.self) {
      while true { try store.record(.stepEnded(name: "a step that stays in memory"), by: context) }
    }
    #expect(error?.code == .disk)
    // There may be room for the numbers of some more.
    #expect(throws: StoreError.self) { while true { _ = try store.newObject(of: note) } }
    let object = store.unreservedObject(of: note)
    disk.faults = []
    _ = try store.commit(
      CommitRequest([.init(object, base: .none, nil, to: Row([title: "saved"]))]), by: context)
    try store.checkpoint()
    let again = try JournaledStore(
      on: disk.imageAfterProcessDeath(), at: StoreLife.path, model: nil, options: .small)
    #expect(try again.head.row(of: object) == Row([title: "saved"]))
    #expect(try again.newObject(of: note).number > object.number)
    try again.close()
    try store.close()
  }

  /// A store with a note, and its next commit, by another context, on which an editor's edit stands; the process ends
  /// before that commit is written.
  private func lost() throws -> (image: SimulatedDisk, note: ObjectID, title: KeyNumber) {
    let store = try open(.memory)
    let rival = try store.beginContext(name: "rival", on: .none)
    let first = try addNote("first", store, rival)
    let note = first.objects[0].object
    let title = try store.key(named: "title")
    _ = try store.commit(first, by: rival)
    try store.endContext(rival)
    try store.checkpoint()
    let (other, editor) = (
      try store.beginContext(name: "other", on: 1), try store.beginContext(name: "editor", on: 1)
    )
    try rewrite("lost", store, note, title, by: other)
    #expect(store.lastCommit == 2)
    try store.record(.refreshed([note], keepingChanges: true, at: 2), by: editor)
    try store.record(.set(note, title, "mine"), by: editor)
    return (disk.imageAfterProcessDeath(), note, title)
  }

  private func rewrite(
    _ text: Value, _ store: JournaledStore, _ note: ObjectID, _ title: KeyNumber,
    by context: LiveContext
  ) throws {
    let row = try store.head.row(of: note)
    _ = try store.commit(
      CommitRequest([.init(note, base: store.lastCommit, row, to: Row([title: text]))]), by: context
    )
  }

  @Test(arguments: [false, true])
  func `S76: what stood on a lost commit does not stand on another of its number`(
    isOpenedAgain: Bool
  ) throws {
    let (image, note, title) = try lost()
    var again = try JournaledStore(on: image, at: StoreLife.path, model: nil, options: .small)
    #expect(again.lastCommit == 1)
    #expect(again.unsavedDrafts.first?.problem?.code == .commitMissing)
    let other = try again.beginContext(name: "another", on: 1)
    try rewrite("other", again, note, title, by: other)
    try again.endContext(other)
    #expect(again.lastCommit == 2)
    if isOpenedAgain {
      try again.close()
      again = try JournaledStore(on: image, at: StoreLife.path, model: nil, options: .small)
    }
    let draft = try #require(again.unsavedDrafts.first { $0.contextName == "editor" })
    #expect(draft.problem?.code == .commitMissing)
    let (_, content) = try again.resume(draft)
    #expect(content.base(of: note) == 1 && content.objects[note] == nil)
    try again.close()
  }

  @Test(arguments: [Durability.memory, .written, .synced])
  func `S71: a tag stands for no other commit than the one it was given to`(
    durability: Durability
  ) throws {
    let store = try open(durability)
    let context = try store.beginContext(name: "one", on: .none)
    _ = try store.commit(try addNote("first", store, context), by: context)
    try store.tag("release")
    for image in [disk.imageAfterProcessDeath(), disk.imageAfterPowerLossOfEverythingUnsynced()] {
      let again = try JournaledStore(on: image, at: StoreLife.path, model: nil, options: .small)
      #expect(again.lastCommit == 1)
      #expect([1, nil].contains(again.tags["release"]))
      try again.close()
    }
  }
}
