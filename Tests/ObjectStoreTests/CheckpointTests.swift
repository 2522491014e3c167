// What a checkpoint and a compaction leave out must not be needed by whoever opens the store on them.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct CheckpointTests {
  private static let note = EntityNumber(rawValue: 0)

  private func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(
      on: disk, at: "Life.xjournal", model: try StoreLife.model(), options: .small)
  }

  private func commit(
    _ object: ObjectID, from old: Row?, to new: Row?, _ store: JournaledStore
  ) throws {
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    _ = try store.commit(
      CommitRequest([.init(object, base: store.lastCommit, old, to: new)]), by: context)
    try store.endContext(context)
  }

  @Test func `a number that was given after a checkpoint is not given again after a crash`() throws
  {
    let disk = SimulatedDisk(seed: 1)
    let store = try open(disk)
    let one = try store.newObject(of: Self.note)
    try commit(one, from: nil, to: Row(), store)
    try store.checkpoint()
    let two = try store.newObject(of: Self.note)
    try commit(two, from: nil, to: Row(), store)
    let again = try open(disk.imageAfterProcessDeath())
    let three = try again.newObject(of: Self.note)
    #expect(three.number > two.number && two.number > one.number)
    try again.close()
    try store.close()
  }

  /// Has something done once, before the next write to a run.
  private func atFirstWriteOfRun(
    _ disk: SimulatedDisk, _ body: @escaping () throws -> Void
  ) throws {
    disk.onCall = { [unowned disk] call in
      guard call.kind == .write, call.path.hasSuffix(".xr") else { return }
      disk.onCall = nil
      do { try body() } catch { Issue.record(error) }
    }
  }

  @Test(arguments: [Keeping.latest, .commits(since: 3)])
  func `what was deleted comes back after a compaction that has forgotten it, and while one does`(
    keeping: Keeping
  ) throws {
    for isMeanwhile in [false, true] {
      for rolls in [false, true] {
        let disk = SimulatedDisk(seed: 1)
        let store = try open(disk)
        let object = try store.newObject(of: Self.note)
        try commit(object, from: nil, to: Row(), store)
        try commit(object, from: Row(), to: nil, store)
        if rolls { try store.beginSegment() }
        let other = try store.newObject(of: Self.note)
        try commit(other, from: nil, to: Row(), store)
        if isMeanwhile {
          // After the moment of which the checkpoint is made, while its run is written.
          try atFirstWriteOfRun(disk) { try commit(object, from: nil, to: Row(), store) }
        }
        try store.compact(keeping: keeping)
        #expect(disk.onCall == nil, "it was done meanwhile")
        if !isMeanwhile { try commit(object, from: nil, to: Row(), store) }
        let again = try open(disk.imageAfterProcessDeath())
        #expect(try again.head.row(of: object) == Row())
        #expect(try again.verify(deep: true) == [])
        #expect(try store.verify(deep: true) == [])
        try again.close()
        try store.close()
      }
    }
  }

  @Test func `a store closes where there is no room for its checkpoint, and has everything`() throws
  {
    var life = try StoreLife(seed: 2)
    for _ in 1...4 { try life.save() }
    var faults: [SimulatedFault] = []
    for number in 1...20 {
      let digits = String(number)
      let name = String(repeating: "0", count: 10 - digits.count) + digits
      for fileExtension in [".xr", ".xc"] {
        faults.append(
          SimulatedFault(
            .failure(.noSpace), calls: [.write, .append, .allocate], name: name + fileExtension,
            isLasting: true))
      }
    }
    life.disk.faults = faults
    try life.store.close()
    #expect(life.store.checkpointFailure?.code == .disk)
    life.disk.faults = []
    let again = try open(life.disk)
    #expect(try again.head.plain() == life.state)
    try again.close()
  }

  @Test func `work begun while a checkpoint is cut is there, or as if it had not begun`() throws {
    let disk = SimulatedDisk(seed: 12)
    let store = try open(disk)
    let object = try store.newObject(of: Self.note)
    try commit(object, from: nil, to: Row(), store)
    let title = try store.key(named: "title")
    let (one, other) = (
      try store.beginContext(name: "one", on: store.lastCommit),
      try store.beginContext(name: "other", on: store.lastCommit)
    )
    try store.record(.set(object, title, "one"), by: one)
    // With the sync before the checkpoint is named it is there after every loss of power. Without it the checkpoint knows
    // of work that is lost, and does no harm.
    // While the first sync of the checkpoint goes on there is more to sync, and while that goes on, with which the
    // checkpoint is cut, another context begins to work.
    var meanwhile: [() throws -> Void] = [
      { try store.record(.set(object, title, "two"), by: one) },
      { try store.record(.set(object, title, "three"), by: other) },
    ]
    disk.onCall = { call in
      guard call.kind == .syncData, !meanwhile.isEmpty else { return }
      do { try meanwhile.removeFirst()() } catch { Issue.record(error) }
    }
    try store.checkpoint()
    disk.onCall = nil
    #expect(meanwhile.isEmpty)
    for choice in disk.powerLossStates(limit: 50, seed: 1) {
      let image = disk.image(after: choice)
      let again = try open(image)
      let drafts = again.unsavedDrafts.map(\.contextName).sorted()
      #expect(drafts == ["one"] || drafts == ["one", "other"], "\(drafts)")
      // The numbers of what was lost are those of what comes next.
      let third = try again.beginContext(name: "third", on: again.lastCommit)
      for text in ["four", "five"] {
        try again.record(.set(object, title, .string(text)), by: third)
      }
      #expect(try again.verify(deep: true) == [])
      let last = try open(image.imageAfterProcessDeath())
      #expect(last.unsavedDrafts.map(\.contextName).sorted() == (drafts + ["third"]).sorted())
      #expect(try last.verify(deep: true) == [])
      try last.close()
      try again.close()
    }
    try store.close()
  }
}
