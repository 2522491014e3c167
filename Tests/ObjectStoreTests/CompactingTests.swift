// Compaction while the store is used, and compaction that is broken off.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct CompactingTests {
  private let disk = SimulatedDisk(seed: 8)

  private func open() throws -> JournaledStore {
    try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
  }

  /// A store with some history, whose contexts have ended.
  private func store(saves: Int) throws -> (store: JournaledStore, state: PlainState) {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...saves { try program.save() }
    return (store, program.state)
  }

  @Test func `blocks of a row each become large ones, with rows of many of them`() throws {
    var options = StoreOptions.small
    for rowCount in [1, 250] {
      options.run.blockRowCount = rowCount
      let store = try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
      var program = try NoteProgram(store)
      for _ in 1...60 { try program.save() }
      let state = try store.head.plain()
      #expect(state.count > 40)
      try store.compact(keeping: .everything)
      #expect(try store.head.plain() == state)
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
  }

  @Test func `of objects whose large values are gone the others go into one block`() throws {
    var options = StoreOptions()
    options.journal = .small
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
    let (large, rest) = (try store.key(named: "title"), try store.key(named: "text"))
    let context = try store.beginContext(name: "program", on: store.lastCommit)
    let objects = try (1...8).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    func commit(_ row: (ObjectID) -> Row) throws {
      let changes = try objects.map { object in
        let stored = try store.head.stored(object)
        return CommitRequest.Object(
          object, base: stored?.changed ?? .none, stored?.row, to: row(object))
      }
      _ = try store.commit(CommitRequest(changes), by: context)
    }
    let text = String(repeating: "much ", count: 200_000)
    try commit { Row([large: .string(text), rest: .string("rest \($0.number)")]) }
    try store.checkpoint()
    try commit { Row([rest: .string("rest \($0.number)")]) }
    let state = try store.head.plain()
    try store.endContext(context)
    try store.compact(keeping: .latest)
    #expect(try store.head.plain() == state && state.count == 8)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test(.timeLimit(.minutes(2)))
  func `whoever is told how far a compaction has come may use the store meanwhile`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...10 { try program.save() }
    var told: [CompactionProgress] = []
    let isDone = try store.compact(keeping: .latest) { progress in
      let isBeforeStep = told.last?.step != progress.step
      told.append(progress)
      do {
        // So much that checkpoints are due, and whatever else waits for them.
        for _ in 1...20 { try program.save() }
        #expect(try store.head.plain() == program.state)
        if isBeforeStep {
          try store.checkpoint()
          #expect(try store.verify() == [])
          if progress.step == .checking { try store.backup(to: "Copy.xjournal") }
          if progress.step != .done { #expect(try store.compact(keeping: .everything)) }
        } else {
          // It would wait for the compaction, and the compaction for it.
          let busy = #expect(throws: StoreError.self) { try store.checkpoint() }
          #expect(busy?.code == .busy)
          #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
          #expect(throws: StoreError.self) { try store.close() }
        }
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(isDone)
    #expect(Set(told.map(\.step)) == Set(CompactionStep.allCases))
    #expect(told.count > 10)
    #expect(try store.head.plain() == program.state)
    #expect(store.firstKeptCommit > 40)
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try open()
    #expect(try again.head.plain() == program.state)
    try again.close()
  }

  @Test(arguments: [Keeping.latest, .everything, .commits(since: 30)])
  func `how far a compaction has come only grows, and ends at all`(_ kept: Keeping) throws {
    let (store, _) = try store(saves: 60)
    for round in 1...2 {
      var told: [CompactionProgress] = []
      try store.compact(keeping: kept) {
        told.append($0)
        return true
      }
      let fractions = told.map(\.fraction)
      #expect(fractions.first == 0 && fractions.last == 1)
      #expect(fractions == fractions.sorted())
      // What is compact already is looked at a run at a time.
      #expect(Set(fractions).count > (round == 1 ? 20 : 3), "\(fractions)")
      let steps = told.map(\.step)
      #expect(steps.filter { $0 == .done }.count == 1 && steps.last == .done)
      #expect(steps.firstIndex(of: .writing) ?? 0 > 0)
    }
    try store.close()
  }

  @Test func `a compaction that is broken off at any moment leaves the store as it was`() throws {
    let (store, state) = try store(saves: 40)
    let (last, commits) = (store.lastCommit, try store.commits(since: 0))
    func snapshots() -> [String] { disk.paths.filter { $0.contains("/snapshots/") } }
    let before = snapshots()
    var calls = 0
    while true {
      var count = 0
      let isDone = try store.compact(keeping: .latest) { progress in
        count += 1
        return progress.step == .done || count <= calls
      }
      #expect(try store.head.plain() == state)
      if isDone { break }
      #expect(store.firstKeptCommit == 1)
      #expect(try store.commits(since: 0) == commits)
      #expect(snapshots() == before)
      if calls % 8 == 0 {
        // As a crash would find it.
        let image = disk.imageAfterProcessDeath()
        let again = try JournaledStore(
          on: image, at: StoreLife.path, model: try StoreLife.model(), options: .small)
        #expect(try again.head.plain() == state)
        #expect(again.firstKeptCommit == 1 && again.lastCommit == last)
        #expect(try again.verify(deep: true) == [])
        try again.close()
      }
      calls += 1
    }
    #expect(calls > 20)
    #expect(store.firstKeptCommit == last.next)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `a context that was left is not ended by a compaction that is broken off in time`()
    throws
  {
    let (before, _) = try store(saves: 40)
    _ = try before.beginContext(name: "left", on: before.lastCommit)
    try before.checkpoint()
    let image = disk.imageAfterProcessDeath()
    let store = try JournaledStore(
      on: image, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    let events = try store.events()
    let isDone = try store.compact(keeping: .latest) { $0.step == .checking && $0.fraction < 0.2 }
    #expect(!isDone)
    #expect(try store.events() == events)
    #expect(try store.compact(keeping: .latest))
    #expect(store.firstKeptCommit == 41)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }
}
