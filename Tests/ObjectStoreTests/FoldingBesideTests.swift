import DiskSimulation
import EventCoding
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What came since the checkpoint is applied on a thread of its own while more is read: to the same state, and with the
/// same word where it does not fit.
@Suite struct FoldingBesideTests {
  /// A store that has a checkpoint, and so many commits since.
  private func life(seed: UInt64, saveCount: Int) throws -> StoreLife {
    var options = StoreOptions.small
    options.unflushedByteCount = 1 << 20
    var life = try StoreLife(seed: seed, options: options)
    for _ in 0..<20 { try life.save() }
    try life.store.checkpoint()
    for _ in 0..<saveCount { try life.save() }
    return life
  }

  private func options(hasThread: Bool, within byteCount: Int) -> StoreOptions {
    var options = StoreOptions.small
    options.journal.hasUpkeepThread = hasThread
    options.unflushedByteCount = byteCount
    return options
  }

  @Test(arguments: [1, 2 << 10, 64 << 10])
  func `opening leads to the same state with another thread and without`(byteCount: Int) throws {
    for seed in UInt64(1)...4 {
      let life = try life(seed: seed, saveCount: 60)
      let image = life.disk.imageAfterProcessDeath()
      for hasThread in [false, true] {
        let store = try JournaledStore(
          on: image.imageAfterProcessDeath(), at: StoreLife.path, model: try StoreLife.model(),
          options: options(hasThread: hasThread, within: byteCount))
        #expect(try store.head.plain() == life.states.last, "seed \(seed)")
        #expect(store.lastCommit == life.store.lastCommit, "seed \(seed)")
        #expect(try store.verify(deep: true).map(\.description) == [], "seed \(seed)")
        try store.close()
      }
    }
  }

  @Test func `a model adopted since the checkpoint is adopted, and indexes are what rows say`()
    throws
  {
    let life = try life(seed: 9, saveCount: 20)
    let extended = try ManagedObjectModel(
      entities: try StoreLife.model().entities.map(\.description) + [
        EntityDescription("Extra", attributes: [AttributeDescription("rank", .integer)])
      ])
    let disk = life.disk.imageAfterProcessDeath()
    func open(_ disk: SimulatedDisk, hasThread: Bool) throws -> JournaledStore {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: extended,
        options: options(hasThread: hasThread, within: hasThread ? 1 : 1 << 20))
    }
    let store = try open(disk, hasThread: false)
    let context = try store.beginContext(name: "", on: store.lastCommit)
    let entity = try #require(store.head.era?.number(of: "Extra"))
    for _ in 0..<5 {
      let object = try store.newObject(of: entity)
      let request = CommitRequest([.init(object, base: .none, nil, to: Row())])
      _ = try store.commit(request, by: context)
    }
    let expected = try store.head.plain()
    let image = disk.imageAfterProcessDeath()
    for hasThread in [false, true] {
      let again = try open(image.imageAfterProcessDeath(), hasThread: hasThread)
      #expect(try again.head.plain() == expected)
      #expect(try again.verify(deep: true).map(\.description) == [])
      try again.close()
    }
  }

  @Test func `of two things that are wrong the first is told, wherever they are found`() throws {
    let life = try life(seed: 7, saveCount: 3)
    let disk = life.disk.imageAfterProcessDeath()
    let (head, store) = (life.store.head, life.store.tag)
    let key = try #require(life.store.existingKey(named: "rank"))
    // Changed since the checkpoint, so that what it follows is known.
    let object = try #require(
      try head.allObjects().first { try head.stored($0)?.changed == head.number })
    let journal = try Journal.open(
      on: disk, at: StoreLife.path, making: .never, options: .small
    ).journal
    func append(_ number: CommitNumber) throws {
      let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { edits, writer in
        let commit = CommitContent(
          number: number, time: head.time, context: ContextNumber(rawValue: 1),
          precedingEditCount: Int(edits.upperBound.rawValue - edits.lowerBound.rawValue),
          changes: [
            ObjectChange(
              object, .updated, [ObjectChange.Entry(key, .replaced(old: nil, new: .integer(1)))],
              after: 1)
          ])
        do {
          try CommitEncoder(store: store).append(commit, to: &writer)
        } catch {
          Issue.record(error)
        }
      }
      try journal.wait(for: ticket, until: .synced)
    }
    // The first follows no change of the object, which is seen where it is applied; the second is no next commit, which
    // is seen where it is read.
    try append(head.number.next)
    try append(head.number)
    try journal.close()
    let errors = [false, true].map { hasThread in
      #expect(throws: StoreError.self) {
        try JournaledStore(
          on: disk.imageAfterProcessDeath(), at: StoreLife.path, model: nil,
          options: options(hasThread: hasThread, within: 1))
      }
    }
    let words = "commit \(head.number.next) does not have the change it is said to have"
    #expect(errors[0]?.description.contains(words) == true, "\(errors)")
    #expect(errors[0] == errors[1])
  }
}
