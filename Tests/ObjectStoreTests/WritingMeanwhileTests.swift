// The journal is read while somebody writes it or drops from it: what is half written is no damage, and what is dropped
// is left out.

import DiskAccess
import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import Synchronization
import TestSupport
import Testing

@Suite struct WritingMeanwhileTests {
  private let disk = SimulatedDisk(seed: 51)

  private func open(_ unflushedByteCount: Int = 1 << 20) throws -> JournaledStore {
    var options = StoreOptions.small
    options.unflushedByteCount = unflushedByteCount
    return try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
  }

  /// Writes that stop in their middle, where a closure is called.
  private final class HalfWrites: @unchecked Sendable {
    private let disk: SimulatedDisk
    private let lock = Lock()
    private var last: SimulatedCall?

    init(_ disk: SimulatedDisk, areAll: Bool = false, _ body: @escaping () -> Void) {
      self.disk = disk
      disk.faults = [SimulatedFault(.short, calls: [.append, .write], isLasting: areAll)]
      disk.onCall = { [unowned self] call in
        guard call.path.contains("/journal/") else { return }
        let isSecondHalf = lock.withLock {
          defer { last = call }
          guard let last, last.path == call.path, last.kind == call.kind else { return false }
          let end = last.offset + UInt64(last.byteCount)
          return call.offset > last.offset && call.offset + UInt64(call.byteCount) == end
        }
        if isSecondHalf { body() }
      }
    }

    func end() {
      disk.faults = []
      disk.onCall = nil
    }
  }

  /// A thread that saves, and stops in the middle of its first write until it is told to go on.
  private final class StoppedSave: @unchecked Sendable {
    private let lock = Lock()
    private var (isHalf, mayGoOn) = (false, false)
    private var writes: HalfWrites?
    private var thread: BackgroundThread?

    /// Returns when half of the write is there.
    init(_ disk: SimulatedDisk, _ save: @escaping @Sendable () throws -> Void) throws {
      writes = HalfWrites(disk) { [unowned self] in
        lock.withLock {
          isHalf = true
          lock.wakeAll()
          while !mayGoOn { lock.wait() }
        }
      }
      thread = try BackgroundThread {
        do { try save() } catch { Issue.record(error) }
      }
      lock.withLock { while !isHalf { lock.wait() } }
    }

    func goOn() {
      lock.withLock {
        mayGoOn = true
        lock.wakeAll()
      }
      thread?.join()
      writes?.end()
    }
  }

  /// A request to save a note that needs some kilobytes.
  private static func largeNote(_ store: JournaledStore) throws -> CommitRequest {
    let text = (0..<300).map { "\($0)" }.joined(separator: " ")
    let row = Row([try store.key(named: "title"): .string(text)])
    let note = try store.newObject(of: EntityNumber(rawValue: 0))
    return CommitRequest([.init(note, base: .none, nil, to: row)])
  }

  @Test func `S74: events are told while a frame is half written behind them`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    try program.save()
    try store.beginSegment()
    try program.save()
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    nonisolated(unsafe) let request = try Self.largeNote(store)
    let expected = try store.events()
    var told: [StoreEvent] = []
    var save: StoppedSave?
    defer { save?.goOn() }
    try store.forEachEvent { event in
      told.append(event)
      guard save == nil else { return true }
      do {
        save = try StoppedSave(disk) { _ = try store.commit(request, by: context) }
      } catch {
        Issue.record(error)
      }
      return true
    }
    save?.goOn()
    #expect(told == expected)
    #expect(try store.events().count > expected.count)
    try store.close()
  }

  @Test func `compaction takes a frame that is being written for no damage`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...3 { try program.save() }
    nonisolated(unsafe) var isHalfWritten = false
    disk.onCall = { [unowned disk] call in
      // The segment that compaction has begun, and nobody has written to yet.
      let segment = StoreLife.path + "/journal/0000000002.xj"
      guard call.kind == .syncFolder, call.path == StoreLife.path, !isHalfWritten,
        let header = disk.contents(of: segment)?.prefix(128)
      else { return }
      isHalfWritten = true
      let half = [UInt8](repeating: 7, count: 44)
      do { try disk.setContents(segment, header + half) } catch { Issue.record(error) }
    }
    #expect(try store.compact(keeping: .latest))
    #expect(isHalfWritten)
    disk.onCall = nil
    try store.close()
  }

  @Test func `who only looks is told of what is shown, while a frame is half written`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...3 { try program.save() }
    let context = try store.beginContext(name: "editor", on: store.lastCommit)
    nonisolated(unsafe) let request = try Self.largeNote(store)
    try store.checkpoint()
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    let (events, sessions) = (try reader.events(), try reader.sessions)
    #expect(sessions.count == 3)
    let save = try StoppedSave(disk) { _ = try store.commit(request, by: context) }
    defer { save.goOn() }
    #expect(try reader.events() == events)
    #expect(try reader.sessions == sessions)
    save.goOn()
    try store.close()
  }

  @Test func `what a reader does not show yet is not among its events and sessions`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    try program.save()
    try store.checkpoint()
    let reader = try StoreReader(on: disk, at: StoreLife.path)
    let (events, sessions) = (try reader.events(), try reader.sessions)
    let context = try store.beginContext(name: "editor", on: 1)
    let note = try #require(program.state.keys.first)
    let mood = try store.key(named: "mood")
    try store.record(.set(note, mood, "sunny"), by: context)
    try program.save()
    try store.checkpoint()
    #expect(try reader.events() == events)
    #expect(try reader.sessions == sessions)
    try reader.refresh()
    let set = StoreEvent.Kind.set(note, key: "mood", "sunny")
    #expect(try reader.events().contains { $0.kind == set })
    #expect(try reader.sessions.count == 2)
    try store.close()
  }

  @Test func `compaction is no damage in the way of what is written meanwhile`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...40 { try program.save() }
    try store.beginSegment()
    try program.save()
    var save: StoppedSave?
    defer { save?.goOn() }
    var isWriting = false
    func endsWithinFrame() throws -> Bool {
      let reader = try JournalReader(at: StoreLife.path, on: disk)
      return try reader.forEachFrame { _ in true }.finding != nil
    }
    let isDone = try store.compact(keeping: .latest) { progress in
      if progress.step == .checking, progress.fraction > 0, save == nil {
        do {
          save = try StoppedSave(disk) {
            let context = try store.beginContext(name: "editor", on: store.lastCommit)
            _ = try store.commit(try Self.largeNote(store), by: context)
            try store.endContext(context)
          }
        } catch {
          Issue.record(error)
        }
      }
      if progress.step == .writing {
        if !isWriting { #expect((try? endsWithinFrame()) == true) }
        isWriting = true
        save?.goOn()
      }
      return true
    }
    #expect(isDone && isWriting && save != nil)
    #expect(store.lastCommit == 42)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `verifying, events and sessions find no damage in what is being written`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...10 { try program.save() }
    let isWriting = Mutex(true)
    let (clock, lock) = (PosixDisk(), Lock())
    let writes = HalfWrites(disk, areAll: true) {
      // Long enough to be met.
      lock.withLock { while !clock.wait(on: lock, until: clock.steadyClock() + 200_000) {} }
    }
    let thread = try BackgroundThread {
      do {
        let context = try store.beginContext(name: "writer", on: store.lastCommit)
        for _ in 1...150 { _ = try store.commit(try Self.largeNote(store), by: context) }
        try store.endContext(context)
      } catch {
        Issue.record(error)
      }
      isWriting.withLock { $0 = false }
    }
    defer {
      thread.join()
      writes.end()
    }
    var count = 0
    while isWriting.withLock({ $0 }) {
      count += 1
      #expect(try store.verify(deep: count % 8 == 0) == [])
      #expect(try store.events().count > 10)
      #expect(try store.sessions.count >= 10)
    }
    #expect(count > 1)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  @Test func `S74: events that compaction drops while they are told are left out`() throws {
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...12 {
      try program.save()
      try store.beginSegment()
    }
    let all = try store.events()
    var told: [StoreEvent] = []
    try store.forEachEvent { event throws(StoreError) in
      if told.isEmpty { try store.compact(keeping: .commits(since: 8)) }
      told.append(event)
      return true
    }
    #expect(told.count > 1 && told.count < all.count)
    #expect(told.first == all.first && told.last == all.last)
    let last = Array(all.suffix(told.count - 1))
    #expect(Array(told.dropFirst()).suffix(last.count / 2) == last.suffix(last.count / 2))
    try store.close()
  }

  @Test func `S72: of a history that compaction shortens while it is read, the rest is told`()
    throws
  {
    for round in 1...6 {
      let disk = SimulatedDisk(seed: UInt64(round))
      var options = StoreOptions.small
      options.unflushedByteCount = 1 << 20
      let store = try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
      let context = try store.beginContext(name: "writer", on: .none)
      let note = try store.newObject(of: EntityNumber(rawValue: 0))
      let title = try store.key(named: "title")
      var row: Row?
      for number in 1...400 {
        let next = Row([title: .string("title \(number)")])
        let request = CommitRequest([.init(note, base: store.lastCommit, row, to: next)])
        _ = try store.commit(request, by: context)
        row = next
      }
      try store.endContext(context)
      let isCompacting = Mutex(true)
      let thread = try BackgroundThread {
        do { try store.compact(keeping: .commits(since: 390)) } catch { Issue.record(error) }
        isCompacting.withLock { $0 = false }
      }
      while isCompacting.withLock({ $0 }) {
        let last = try store.history(of: note).last
        #expect(last?.new == "title 400", "round \(round)")
      }
      thread.join()
      #expect(try store.history(of: note).count < 400)
      try store.close()
    }
  }
}
