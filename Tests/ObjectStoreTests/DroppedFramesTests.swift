// What is to be dropped is looked at on two threads, and refused as one thread would refuse it.

import DiskAccess
import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct DroppedFramesTests {
  private static func open(_ disk: SimulatedDisk, threads: Bool = true) throws -> JournaledStore {
    var options = StoreOptions.small
    options.journal.hasUpkeepThread = threads
    return try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
  }

  private static func segments(_ disk: SimulatedDisk) -> [String] {
    disk.paths.filter { $0.hasSuffix(".xj") }
  }

  /// How a compaction is refused, which leaves the store as it was; nil where it is not, or the store is not opened.
  private static func refusal(
    _ disk: SimulatedDisk, threads: Bool, _ faults: [SimulatedFault] = []
  ) throws -> StoreError? {
    guard let store = try? open(disk, threads: threads) else { return nil }
    let before = (store.lastCommit, store.firstKeptCommit, segments(disk))
    disk.faults = faults
    var refusal: StoreError?
    var steps: Set<CompactionStep> = []
    do throws(StoreError) {
      try store.compact(keeping: .latest) { progress in
        steps.insert(progress.step)
        return true
      }
    } catch {
      refusal = error
    }
    disk.faults = []
    if refusal != nil {
      #expect(steps == [.checking])
      #expect((store.lastCommit, store.firstKeptCommit) == (before.0, before.1))
      #expect(segments(disk) == before.2)
    }
    try store.close()
    return refusal
  }

  @Test(.timeLimit(.minutes(2)))
  func `damage in any segment is told as it is where one thread looks, and nothing goes`() throws {
    let life = try DamagedStore.life(3, saves: 40)
    var refusalCount = 0
    for segment in Self.segments(life.disk) {
      let bytes = try #require(life.disk.contents(of: segment))
      for place in [bytes.count / 3, bytes.count / 2, bytes.count - 20] {
        var errors: [StoreError?] = []
        for threads in [false, true] {
          let image = life.disk.imageAfterProcessDeath()
          var damaged = bytes
          damaged[place] ^= 4
          try image.setContents(segment, damaged)
          errors.append(try Self.refusal(image, threads: threads))
        }
        #expect(errors[0] == errors[1], "\(segment), byte \(place)")
        if errors[1] != nil { refusalCount += 1 }
      }
    }
    #expect(refusalCount > 12)
  }

  @Test func `where a segment cannot be read nothing goes`() throws {
    let life = try DamagedStore.life(3, saves: 40)
    for segment in Self.segments(life.disk).prefix(4) {
      let name = try #require(segment.split(separator: "/").last.map(String.init))
      let fault = SimulatedFault(
        .failure(.inputOutput), calls: [.read], name: name, isLasting: true)
      let error = try Self.refusal(life.disk.imageAfterProcessDeath(), threads: true, [fault])
      #expect(error?.code == .disk, "\(segment): \(String(describing: error))")
    }
  }

  @Test(arguments: [false, true])
  func `it is broken off at any moment, and done in the end`(threads: Bool) throws {
    let life = try DamagedStore.life(4, saves: 40)
    let store = try Self.open(life.disk, threads: threads)
    let (before, last) = (Self.segments(life.disk), store.lastCommit)
    var calls = 0
    while true {
      var fractions: [Double] = []
      let isDone = try store.compact(keeping: .latest) { progress in
        fractions.append(progress.fraction)
        return progress.step == .done || fractions.count <= calls
      }
      #expect(fractions == fractions.sorted())
      if isDone { break }
      #expect(Array(Self.segments(life.disk).prefix(before.count - 1)) == before.dropLast())
      calls += 1
    }
    // Before each of the two steps, and within it; where two threads look, one of them may have looked at all of it
    // before the other says anything.
    #expect(calls >= (threads ? 2 : 4))
    #expect(store.firstKeptCommit == last.next)
    #expect(try store.head.plain() == life.state)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test(arguments: [false, true])
  func `pieces are dropped with what names them, whether in an earlier segment or in its own`(
    areApart: Bool
  ) throws {
    let store = try Self.open(SimulatedDisk(seed: 8))
    var program = try NoteProgram(store)
    try program.save()
    let title = try store.key(named: "title")
    for round in 1...3 {
      let object = try store.newObject(of: EntityNumber(rawValue: 0))
      let context = try store.beginContext(name: "editor", on: store.lastCommit)
      let text = String(repeating: "a long text ", count: 300 * round)
      try store.record(.inserted(object), by: context)
      try store.record(.set(object, title, .string(text)), by: context)
      if areApart { try store.beginSegment() }
      let row = Row([title: .string(text)])
      _ = try store.commit(
        CommitRequest([.init(object, base: .none, nil, to: row)]), by: context)
      try store.endContext(context)
      try store.beginSegment()
    }
    let (state, last) = (try store.head.plain(), store.lastCommit)
    #expect(try store.compact(keeping: .latest))
    #expect(store.firstKeptCommit == last.next)
    #expect(try store.head.plain() == state)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test(.timeLimit(.minutes(2)))
  func `a compaction whose writing fails anywhere leaves everything, and is done later`() throws {
    let life = try DamagedStore.life(5, saves: 40)
    let runs = (1...40).map { String(repeating: "0", count: $0 < 10 ? 9 : 8) + "\($0).xr" }
    var (number, isDone) = (0, false)
    while !isDone {
      number += 1
      let disk = life.disk.imageAfterProcessDeath()
      let store = try Self.open(disk)
      let (commits, last) = (try store.commits(since: 0), store.lastCommit)
      func snapshots() -> [String] { disk.paths.filter { $0.contains("/snapshots/") } }
      let before = snapshots()
      disk.faults = runs.map {
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .append, .allocate], name: $0, number: number)
      }
      do throws(StoreError) {
        isDone = try store.compact(keeping: .latest)
      } catch {
        #expect(error.code == .disk, "\(number): \(error)")
        #expect(snapshots() == before)
      }
      disk.faults = []
      if !isDone {
        #expect(try store.commits(since: 0) == commits)
        #expect(try store.compact(keeping: .latest))
      }
      #expect(store.firstKeptCommit == last.next)
      #expect(try store.head.plain() == life.state)
      #expect(try store.verify(deep: true) == [])
      try store.close()
    }
    #expect(number > 3)
  }
}
