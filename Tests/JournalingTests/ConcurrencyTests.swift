// Many threads on one journal, doing everything at once, and closing it under their hands.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct ConcurrencyTests {
  @Test func `everything at once from many threads loses and moves nothing`() throws {
    let disk = SimulatedDisk(seed: 6)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    let tally = Tally()
    let threads = try (1...4).map { kind in
      try BackgroundThread {
        for number in 1...150 {
          do {
            try Self.work(kind, number, journal, disk)
          } catch {
            tally.violation("\(error)")
          }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(tally.violations == "")
    try journal.close()
    let listing = try Listing(on: disk)
    #expect(listing.fault == nil)
    #expect(listing.edits.count == 600)
    for tag in UInt8(1)...3 {
      let own = listing.commits.filter { $0[0] == tag }.map { Array($0.dropFirst()) }
      let expected = (1...150).map { number in
        tag == 3 ? [UInt8](repeating: 9, count: number * 20) : Content.commit(number)
      }
      #expect(own == expected, "the commits of thread \(tag)")
    }
  }

  private static func work(
    _ kind: Int, _ number: Int, _ journal: Journal, _ disk: SimulatedDisk
  ) throws {
    switch kind {
    case 1:
      try journal.appendEdit(Content.edit(number))
      try journal.commit([1] + Content.commit(number))
    case 2:
      try journal.appendEdit([UInt8](repeating: 2, count: number % 40 == 0 ? 3_000 : 20))
      try journal.commit([2] + Content.commit(number), .written)
    case 3:
      try journal.appendEdit(Content.edit(number))
      if number % 10 == 0 { try journal.beginSegment() }
      try journal.commit([3] + [UInt8](repeating: 9, count: number * 20))
    default:
      if number % 20 == 0 { try journal.replaceAttachments([]) }
      try journal.appendEdit(Content.edit(number))
      disk.advanceClock(by: 100_000_000)
      try journal.performUpkeep()
    }
  }

  @Test
  func `closing under the hands of others fails their commits or makes them, and hangs nobody`()
    throws
  {
    for round in UInt64(0)..<40 {
      let disk = SimulatedDisk(seed: round)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      let tally = Tally()
      let threads = try (0..<3).map { thread in
        try BackgroundThread {
          var number = 0
          while true {
            number += 1
            do {
              try journal.commit([UInt8(thread)], number % 2 == 0 ? .written : .synced)
              tally.count("made")
            } catch {
              if error as? JournalError != .closed { tally.violation("\(error)") }
              return
            }
          }
        }
      }
      while tally["made"] < Int(round) {}
      try journal.close()
      for thread in threads { thread.join() }
      #expect(tally.violations == "")
      #expect(try Listing(on: disk).commits.count >= tally["made"])
    }
  }

  @Test func `who wants to lead while another does waits, and then does`() throws {
    let disk = SimulatedDisk(seed: 8)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    let tally = Tally()
    func meanwhile(_ work: @escaping @Sendable () throws -> Void) throws {
      var thread: BackgroundThread?
      disk.onCall = { [disk] call in
        guard call.kind == .syncData else { return }
        disk.onCall = nil
        let isAbout = Lock()
        nonisolated(unsafe) var hasBegun = false
        thread = try? BackgroundThread {
          isAbout.withLock { hasBegun = true }
          do { try work() } catch { tally.violation("\(error)") }
        }
        while !isAbout.withLock({ hasBegun }) {}
        // Long enough that the thread finds this one leading.
        isAbout.withLock { _ = isAbout.wait(until: PosixDisk().steadyClock() + 30_000_000) }
      }
      try journal.commit([1])
      thread?.join()
    }
    try meanwhile { try journal.replaceAttachments([]) }
    try meanwhile { try journal.commit([2]) }
    try meanwhile {
      for _ in 0..<3 { try journal.appendEdit([UInt8](repeating: 1, count: 400)) }
    }
    try meanwhile { try journal.close() }
    #expect(tally.violations == "")
    let listing = try Listing(on: disk)
    #expect(listing.commits == [[1], [1], [2], [1], [1]])
    #expect(listing.edits.count == 3)
  }

  @Test func `upkeep keeps out of the way of a thread that leads, and says when it will be due`()
    throws
  {
    let disk = SimulatedDisk(seed: 7)
    let options = JournalOptions.small
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    func whileLeading(_ kind: DiskError.Call, _ lead: () throws -> Void) throws -> UInt64? {
      var next: UInt64?
      disk.onCall = { call in
        if call.kind == kind { next = try? journal.performUpkeep() }
      }
      try lead()
      disk.onCall = nil
      return next.map { $0 - disk.steadyClock() }
    }
    // Nothing waits.
    let idle = options.idleDelayNanoseconds
    #expect(try whileLeading(.rename) { try journal.replaceAttachments([]) } == idle)
    // An edit waits for its sync.
    try journal.appendEdit([1])
    let due = min(idle, options.syncDelayNanoseconds)
    #expect(try whileLeading(.rename) { try journal.replaceAttachments([]) } == due)
    #expect(try whileLeading(.syncData) { try journal.commit([1]) } != nil)
    try journal.close()
  }
}
