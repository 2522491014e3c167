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

  @Test(.timeLimit(.minutes(2)))
  func `whoever is told how far a compaction has come may use the store meanwhile`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...10 { try program.save() }
    var told: [CompactionStep] = []
    let isDone = try store.compact(keeping: .latest) { step in
      told.append(step)
      do {
        // So much that checkpoints are due, and whatever else waits for them.
        for _ in 1...20 { try program.save() }
        try store.checkpoint()
        #expect(try store.verify() == [])
        if step == .checking { try store.backup(to: "Copy.xjournal") }
        #expect(try store.compact(keeping: .everything))
      } catch {
        Issue.record(error)
      }
      return true
    }
    #expect(isDone)
    #expect(told == CompactionStep.allCases)
    #expect(try store.head.plain() == program.state)
    #expect(store.firstKeptCommit > 40)
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try open()
    #expect(try again.head.plain() == program.state)
    try again.close()
  }

  @Test func `a compaction that is broken off changes nothing`() throws {
    for step in CompactionStep.allCases {
      let store = try open()
      var program = try NoteProgram(store)
      for _ in 1...10 { try program.save() }
      let (state, commits) = (try store.head.plain(), try store.commits(since: 0))
      #expect(try store.compact(keeping: .latest) { $0 != step } == false)
      #expect(store.firstKeptCommit == 1)
      #expect(try store.head.plain() == state)
      #expect(try store.commits(since: 0) == commits)
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
  }
}
