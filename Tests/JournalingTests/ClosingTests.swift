// Closing ends, whatever others go on doing, and loses nothing that was taken in.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct ClosingTests {
  /// Threads that commit and edit until they are refused.
  private func work(_ journal: Journal, _ taken: Tally) throws -> [BackgroundThread] {
    try (0..<4).map { thread in
      try BackgroundThread {
        do throws(JournalError) {
          while true {
            try journal.appendEdit([UInt8(thread)])
            taken.count("edits")
            if thread > 0 {
              try journal.commit([UInt8(thread)])
              taken.count("commits")
            }
          }
        } catch {
          if error != .closed { taken.violation("\(error)") }
        }
      }
    }
  }

  @Test func `closing takes nothing more in, and keeps all that was taken`() throws {
    for seed: UInt64 in 1...5 {
      let disk = SimulatedDisk(seed: seed)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      let taken = Tally()
      let threads = try work(journal, taken)
      while taken["commits"] < 50 { disk.advanceClock(by: 1) }
      // Each sync lets the others come first: were they let in, closing would find more to write every time.
      disk.onCall = { [unowned disk] call in
        guard call.kind == .syncData else { return }
        let before = taken["commits"] + taken["edits"]
        var patience = 2_000
        while taken["commits"] + taken["edits"] == before, patience > 0 {
          disk.advanceClock(by: 1)
          patience -= 1
        }
      }
      try journal.close()
      disk.onCall = nil
      for thread in threads { thread.join() }
      #expect(taken.violations == "")
      let content = try Listing(on: disk)
      #expect(content.fault == nil)
      #expect(content.commits.count == taken["commits"])
      #expect(content.edits.count == taken["edits"])
      #expect(throws: JournalError.closed) { try journal.appendEdit([1]) }
    }
  }

  @Test func `a written commit can be read at its place at once, also in a new segment`() throws {
    var options = JournalOptions.small
    options.segmentByteCount = 1 << 10
    let disk = SimulatedDisk(seed: 6)
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    let failures = Tally()
    // A synced commit leads; while it syncs, a written one asks for its place.
    let place = Tally()
    disk.onCall = { call in
      guard call.kind == .syncData, call.path.contains("journal/") else { return }
      place.count("syncs")
    }
    let writer = try BackgroundThread {
      for number in 0..<200 {
        do throws(JournalError) {
          let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) {
            $1.write([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 100))
          }
          let place = try journal.wait(for: ticket, until: .written)
          files.update(journal.manifest)
          _ = try files.frame(at: place)
        } catch {
          failures.violation("\(error)")
        }
      }
    }
    for number in 0..<200 { try journal.commit([UInt8(truncatingIfNeeded: number)]) }
    writer.join()
    disk.onCall = nil
    #expect(failures.violations == "")
    #expect(journal.manifest.segments.count > 10)
    try journal.close()
  }

  @Test func `closing takes nothing in from when it is asked for, whoever leads meanwhile`() throws
  {
    var options = JournalOptions()
    options.hasUpkeepThread = false
    let disk = SimulatedDisk(seed: 4)
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    let tally = Tally()
    let pause = Lock()
    var closer: BackgroundThread?
    disk.onCall = { call in
      guard call.kind == .syncData, closer == nil else { return }
      closer = try? BackgroundThread {
        do throws(JournalError) { try journal.close() } catch { tally.violation("\(error)") }
      }
      for _ in 0..<5_000 where tally["refused"] == 0 {
        do throws(JournalError) { try journal.appendEdit([1]) } catch { tally.count("refused") }
        pause.withLock { _ = pause.wait(until: PosixDisk().steadyClock() + 2_000_000) }
      }
    }
    try journal.commit([1])
    closer?.join()
    #expect(tally["refused"] == 1)
    #expect(tally.violations == "")
  }

  @Test func `closing takes no edit in, however slowly they come`() throws {
    for hasEdit in [true, false] {
      let disk = SimulatedDisk(seed: 3)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      if hasEdit { try journal.appendEdit([1]) } else { try journal.commit([1], .written) }
      var (taken, refused) = (0, 0)
      disk.onCall = { call in
        guard call.kind == .syncData, taken < 100 else { return }
        do {
          try journal.appendEdit([2])
          taken += 1
        } catch {
          refused += 1
        }
      }
      try journal.close()
      disk.onCall = nil
      #expect(taken == 0 && refused > 0)
      #expect(try Listing(on: disk).edits.count == (hasEdit ? 1 : 0))
    }
  }
}
