// Many threads use a store at once, on a real disk.

import DiskAccess
import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreConcurrencyTests {
  private static let threadCount = 8
  private static let savesOfEach = 60

  private static func options() -> StoreOptions {
    var options = StoreOptions.small
    options.journal.hasUpkeepThread = true
    options.journal.segmentByteCount = 64 << 10
    options.journal.halfByteCount = 8 << 10
    options.journal.windowByteCount = 64 << 10
    options.unflushedByteCount = 16 << 10
    return options
  }

  /// A counter that all threads raise, and one of each thread's own.
  private final class Workload: @unchecked Sendable {
    let store: JournaledStore
    let likes: KeyNumber
    let title: KeyNumber
    let shared: ObjectID
    let own: [ObjectID]
    let tally = Tally()

    init(_ store: JournaledStore) throws {
      self.store = store
      (likes, title) = (try store.key(named: "likes"), try store.key(named: "title"))
      let note = EntityNumber(rawValue: 0)
      let (shared, own) = (
        try store.newObject(of: note),
        try (0..<StoreConcurrencyTests.threadCount).map { _ in try store.newObject(of: note) }
      )
      (self.shared, self.own) = (shared, own)
      let context = try store.beginContext(name: "first", on: 0)
      let row = Row([likes: .counter(0)])
      _ = try store.commit(
        CommitRequest(([shared] + own).map { .init($0, base: .none, nil, to: row) }), by: context)
      try store.endContext(context)
    }

    /// Raises both counters; the shared one against whatever others do at the same time.
    func save(_ thread: Int) {
      do {
        let context = try store.beginContext(name: "thread \(thread)", on: store.lastCommit)
        for save in 1...StoreConcurrencyTests.savesOfEach {
          let head = store.head
          let changes = try [shared, own[thread]].map { object in
            let row = try head.row(of: object) ?? Row()
            var next = row
            next[likes] = .counter((row[likes]?.counter ?? 0) + 1)
            try store.record(.based(object, on: head.number), by: context)
            if object != shared {
              next[title] = .string("save \(save)")
              try store.record(.set(object, title, next[title]), by: context)
            }
            try store.record(.set(object, likes, next[likes]), by: context)
            return CommitRequest.Object(object, base: head.number, row, to: next)
          }
          var request = CommitRequest(changes)
          request.mergeKind = { [likes] _, key in key == likes ? .counter : .asWhole }
          guard let commit = try store.commit(request, by: context) else {
            return tally.violation("thread \(thread): nothing to save")
          }
          // What a save has returned for is there for everybody.
          if store.lastCommit < commit.number {
            tally.violation("commit \(commit.number) is made and not shown")
          }
          let mine = try store.head.row(of: own[thread])
          if mine?[likes] != .counter(save) { tally.violation("thread \(thread), save \(save)") }
          tally.count("saves")
        }
        try store.endContext(context)
      } catch {
        tally.violation("thread \(thread): \(error)")
      }
    }

    /// Whether a snapshot is of one moment, and stays so.
    func look(_ snapshot: Snapshot) throws -> Bool {
      let sum = try own.reduce(0) { try $0 + (snapshot.row(of: $1)?[likes]?.counter ?? 0) }
      return try snapshot.row(of: shared)?[likes] == .counter(sum)
        && sum == Int(snapshot.number.rawValue) - 1
    }

    func repeatWhileSaving(_ name: String, _ body: () throws -> Void) {
      do {
        while tally["saves"] < StoreConcurrencyTests.threadCount
          * StoreConcurrencyTests.savesOfEach,
          !tally.hasViolations
        {
          try body()
          tally.count(name)
        }
      } catch {
        tally.violation("\(name): \(error)")
      }
    }
  }

  @Test
  func
    `saves, reading, checkpoints, compactions and backups at once lose nothing`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/Many.xjournal"
    let model = try StoreLife.model()
    let store = try JournaledStore(at: path, model: model, options: Self.options())
    let work = try Workload(store)
    let tally = work.tally
    var threads = try (0..<Self.threadCount).map { thread in
      try BackgroundThread { work.save(thread) }
    }
    threads.append(
      try BackgroundThread {
        var old: [Snapshot] = []
        var dice = Dice(seed: 1)
        work.repeatWhileSaving("readings") {
          old.append(store.head)
          if !(try work.look(store.head)) { tally.violation("a torn snapshot") }
          let snapshot = old[dice.pick(old.count)]
          if !(try work.look(snapshot)) {
            tally.violation("snapshot \(snapshot.number) has changed")
          }
          let past = CommitNumber(rawValue: UInt64(dice.pick(Int(store.lastCommit.rawValue)) + 1))
          if !(try work.look(try store.snapshot(at: past))) { tally.violation("commit \(past)") }
        }
      })
    threads.append(
      try BackgroundThread { work.repeatWhileSaving("checkpoints") { try store.checkpoint() } })
    threads.append(
      try BackgroundThread {
        work.repeatWhileSaving("compactions") { try store.compact(keeping: .everything) }
      })
    let backups = folder.path
    threads.append(
      try BackgroundThread {
        var number = 0
        work.repeatWhileSaving("backups") {
          number += 1
          try store.backup(to: "\(backups)/Backup \(number).xjournal")
        }
      })
    for thread in threads { thread.join() }
    print(tally.summary)
    #expect(tally.violations == "")
    let saveCount = Self.threadCount * Self.savesOfEach
    #expect(store.lastCommit.rawValue == UInt64(saveCount + 1))
    #expect(try work.look(store.head))
    #expect(try store.verify(deep: true) == [])
    #expect(try store.commits(since: 0).count == saveCount + 1)
    try store.close()
    let again = try JournaledStore(at: path, model: model, options: Self.options())
    #expect(again.lastCommit.rawValue == UInt64(saveCount + 1))
    #expect(try again.verify(deep: true) == [])
    try again.close()
    for number in 1...max(1, tally["backups"]) {
      let copy = try JournaledStore(
        at: "\(backups)/Backup \(number).xjournal", model: model, options: Self.options())
      #expect(try work.look(copy.head), "backup \(number)")
      #expect(try copy.verify(deep: true) == [], "backup \(number)")
      try copy.close()
    }
    for name in ["readings", "checkpoints", "compactions", "backups"] { #expect(tally[name] > 0) }
  }

  @Test func `S65: saves of many threads share syncs, and each is durable when it returns`() throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/Shared.xjournal"
    var options = Self.options()
    // No checkpoints, whose syncs would be counted.
    options.unflushedByteCount = 1 << 30
    let store = try JournaledStore(at: path, model: try StoreLife.model(), options: options)
    let work = try Workload(store)
    let before = store.syncCount
    let threads = try (0..<Self.threadCount).map { thread in
      try BackgroundThread { work.save(thread) }
    }
    for thread in threads { thread.join() }
    #expect(work.tally.violations == "")
    let (saves, syncs) = (work.tally["saves"], store.syncCount - before)
    print("\(saves) saves, \(syncs) syncs")
    #expect(saves == Self.threadCount * Self.savesOfEach)
    #expect(syncs < saves)
    try store.close()
  }

  /// Edits are made durable at every moment while checkpoints are cut, each the first of its context.
  @Test func `what is edited while a checkpoint is cut is a draft after the process has ended`()
    throws
  {
    let disk = SimulatedDisk(seed: 1)
    var options = StoreOptions.small
    options.journal.segmentByteCount = 64 << 20
    options.journal.halfByteCount = 64 << 10
    options.journal.windowByteCount = 8 << 20
    options.rollingByteCount = 1 << 40
    let store = try JournaledStore(
      on: disk, at: "Many.xjournal", model: try StoreLife.model(), options: options)
    // So many that it takes a while to ask each how it stands.
    let contexts = try (0..<20_000).map { _ in
      (
        context: try store.beginContext(name: "", on: 0),
        object: try store.newObject(of: EntityNumber(rawValue: 0))
      )
    }
    try store.checkpoint()
    let tally = Tally()
    let editing = try BackgroundThread {
      do {
        for (context, object) in contexts where tally["checkpoints"] < 3 {
          try store.record(.inserted(object), by: context)
          // As the upkeep thread does, or anybody who saves.
          try store.forEachEvent { _ in false }
          tally.count("edits")
        }
      } catch {
        tally.violation("\(error)")
      }
    }
    for _ in 1...3 {
      let before = tally["edits"]
      while tally["edits"] < before + 20, !tally.hasViolations {}
      try store.checkpoint()
      tally.count("checkpoints")
    }
    editing.join()
    #expect(!tally.hasViolations)
    let again = try JournaledStore(
      on: disk.imageAfterProcessDeath(), at: "Many.xjournal", model: nil, options: options)
    let drafts = Set(again.unsavedDrafts.flatMap(\.objectIDs))
    let edited = contexts.prefix(tally["edits"]).map(\.object)
    #expect(edited.filter { !drafts.contains($0) } == [])
    try again.close()
    try store.close()
  }
}
