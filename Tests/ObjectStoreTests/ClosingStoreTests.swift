// A store that is closed writes nothing more.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ClosingStoreTests {
  /// What the two threads tell each other. Only where closing waits, as it should, does a bounded wait end.
  private final class Meeting: @unchecked Sendable {
    private let lock = Lock()
    private var isWriting = false
    private var isClosing = false
    private var hasClosed = false
    private var wroteAfterClosing = false

    /// Called within a write of the checkpoint: lets the store be closed meanwhile. Where closing does not wait
    /// for the checkpoint it comes to its end here.
    func write() {
      lock.withLock {
        isWriting = true
        lock.wakeAll()
        while !isClosing { lock.wait() }
        let moment = PosixDisk().steadyClock() + 300_000_000
        while !hasClosed, !lock.wait(until: moment) {}
        wroteAfterClosing = wroteAfterClosing || hasClosed
      }
    }

    func waitForWriting() {
      lock.withLock { while !isWriting { lock.wait() } }
    }

    func willClose() {
      lock.withLock {
        isClosing = true
        lock.wakeAll()
      }
    }

    func didClose() {
      lock.withLock {
        hasClosed = true
        lock.wakeAll()
      }
    }

    var wasLate: Bool { lock.withLock { wroteAfterClosing } }
  }

  @Test func `closing waits for a checkpoint that is being written`() throws {
    let disk = SimulatedDisk(seed: 15)
    func open() throws -> JournaledStore {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    }
    let store = try open()
    var program = try NoteProgram(store)
    for _ in 1...5 { try program.save() }
    let meeting = Meeting()
    disk.onCall = { [unowned disk] call in
      guard call.kind == .write, call.path.hasSuffix(".xr") else { return }
      disk.onCall = nil
      meeting.write()
    }
    let writer = try BackgroundThread {
      do { try store.checkpoint() } catch { Issue.record(error) }
    }
    meeting.waitForWriting()
    meeting.willClose()
    try store.close()
    meeting.didClose()
    writer.join()
    #expect(!meeting.wasLate)
    let again = try open()
    #expect(try again.head.plain() == program.state)
    #expect(again.findings == [])
    try again.close()
  }
}
