// A journal's life in which one call fails, and what must be there afterwards.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport

/// A life on a disk with one fault, which goes on after each failure as a program would.
final class FaultyLife {
  private let steps: [Step]
  private let disk: SimulatedDisk
  private let fault: SimulatedFault?
  private let options = JournalOptions.small
  private var journal: Journal?
  private var ledger = FaultyLedger()
  /// How many lines of the disk's trace there were when the journal was last opened.
  private var openingLine = 0
  private var hasStopped = false
  private var hasEverStopped = false
  private var violation: String?
  /// How many states of a loss of power to look at when a step has failed, and before each call after that. Where
  /// there are any, a journal that has stopped is opened again.
  private let statesAfterFailure: Int
  private var hasFailed = false
  private var stateCount = 0

  struct Outcome {
    let callCount: Int
    /// The first promise that was broken.
    let violation: String?
    /// How many states of a loss of power were looked at.
    let stateCount: Int
    let hasStopped: Bool
  }

  init(
    _ steps: [Step], _ fault: SimulatedFault? = nil, seed: UInt64, statesAfterFailure: Int = 0
  ) {
    self.statesAfterFailure = statesAfterFailure
    self.steps = steps
    self.fault = fault
    disk = SimulatedDisk(seed: seed)
  }

  func run() -> Outcome {
    if let fault { disk.faults = [fault] }
    disk.isTracing = true
    if statesAfterFailure > 0 {
      disk.onCall = { [unowned self] call in if hasFailed { losePower("before \(call)") } }
    }
    defer { disk.onCall = nil }
    open()
    for step in steps { perform(step) }
    let callCount = disk.callCount
    if mustSucceed, hasFailed { note("a step failed without reason") }
    judgeFullDiskStaysUsable()
    disk.faults = []
    let image = disk.imageAfterProcessDeath()
    let unplugged = disk.imageAfterPowerLossOfEverythingUnsynced()
    journal = nil
    judge(image, "after the end of the process", mayLose: hasFailedSync)
    judge(unplugged, "after a loss of power", mayLose: true)
    return Outcome(
      callCount: callCount, violation: violation, stateCount: stateCount,
      hasStopped: hasEverStopped)
  }

  /// Whether nothing has happened that may make a step fail: a call that is interrupted or short is made again.
  private var mustSucceed: Bool {
    switch fault?.effect {
    case nil, .short, .failure(.interrupted, _): true
    default: false
    }
  }

  /// Whether the medium has lost what was unsynced, since the journal was last opened. Where another call has failed,
  /// the end of the process loses nothing.
  private var hasFailedSync: Bool { disk.trace[openingLine...].contains(where: \.isOfFailedSync) }

  private func fail(_ step: String) {
    hasFailed = true
    guard statesAfterFailure > 0 else { return }
    judge(disk.imageAfterProcessDeath(), "ended after \(step) has failed", mayLose: hasFailedSync)
    losePower("after \(step) has failed")
  }

  private func losePower(_ when: String) {
    let seed = UInt64(disk.callCount)
    for choice in disk.powerLossStates(limit: statesAfterFailure, seed: seed) {
      stateCount += 1
      judge(disk.image(after: choice), "power lost \(when), \(choice)", mayLose: true)
    }
  }

  private func open() {
    do throws(JournalError) {
      journal = try Journal.open(on: disk, at: "store", options: options).journal
      adopt()
    } catch {
      journal = nil
      if case .damaged = error { note("opening says damaged: \(error)") }
      fail("opening")
    }
    hasStopped = false
  }

  /// Judges what an opening has handed out, all of which must be there from now on.
  private func adopt() {
    do throws(JournalError) {
      let (content, fault) = try ledger.content(of: disk.imageAfterProcessDeath())
      if let fault = fault ?? ledger.fault(in: content, mayLose: hasFailedSync) {
        note("opened again: \(fault)")
      }
      ledger.adopt(content)
      openingLine = disk.trace.count
    } catch {
      note("opened again: \(error)")
    }
  }

  private func perform(_ step: Step) {
    if journal == nil { open() }
    guard let journal else { return }
    do throws(JournalError) {
      switch step {
      case .append, .save, .large, .burst:
        try edit(journal, padding: step == .large ? 5_000 : Int?.none)
        // Turns both halves.
        if step == .burst { for _ in 0..<4 { try edit(journal, padding: 300) } }
        try commit(journal, step == .append ? .written : .synced)
      case .edit: try edit(journal)
      case .largeEdit: try edit(journal, padding: 5_000)
      case .roll:
        try journal.beginSegment()
        ledger.syncReturned(ofEdits: false)
      case .idle:
        disk.advanceClock(by: 2_000_000_000)
        try journal.performUpkeep()
        // One that has stopped has nothing to do.
        if !hasStopped { ledger.syncReturned() }
      case .manifest: try replaceAttachments(journal)
      case .reopen:
        // Closing may fail; the next life begins all the same.
        self.journal = nil
        do throws(JournalError) {
          try journal.close()
          ledger.syncReturned()
        } catch {
          fail("closing")
        }
        open()
      }
    } catch {
      if case .stopped = error { refusesEverything(journal) }
      fail(step.rawValue)
      guard hasStopped, statesAfterFailure > 0 else { return }
      do throws(JournalError) {
        try journal.close()
        note("a journal that has stopped is closed as if nothing were")
      } catch {}
      self.journal = nil
      open()
    }
  }

  private func edit(_ journal: Journal, padding: Int? = nil) throws(JournalError) {
    ledger.begin(padding: padding)
    try journal.appendEdit(ledger.edit)
    ledger.editReturned()
  }

  private func commit(_ journal: Journal, _ durability: Durability) throws(JournalError) {
    do throws(JournalError) {
      try journal.commit(ledger.commit, durability)
      ledger.commitReturned(durability)
      if hasStopped { note("a commit was made after a failed sync") }
    } catch {
      switch error {
      case .disk, .queuedBehindFailure: ledger.commitRefused()
      default: break
      }
      throw error
    }
  }

  private func replaceAttachments(_ journal: Journal) throws(JournalError) {
    do throws(JournalError) {
      try journal.replaceAttachments(ledger.beginReplacement())
      ledger.replacementReturned()
    } catch {
      if case .disk = error { ledger.replacementRefused() }
      throw error
    }
  }

  /// After a failed sync nothing more may be written, and all that is asked for is refused in words.
  private func refusesEverything(_ journal: Journal) {
    (hasStopped, hasEverStopped) = (true, true)
    let before = disk.paths.map { disk.contents(of: $0) }
    for attempt in 1...2 {
      do throws(JournalError) {
        try journal.appendEdit([1, 2, 3])
        note("edit \(attempt) was taken after a failed sync")
      } catch {
        guard case .stopped = error else { return note("not stopped: \(error)") }
      }
      if (try? journal.commit([1, 2, 3])) != nil { note("a commit was taken after a failed sync") }
    }
    if disk.paths.map({ disk.contents(of: $0) }) != before {
      note("something was written after a failed sync")
    }
  }

  private func judge(_ image: SimulatedDisk, _ when: String, mayLose: Bool) {
    do throws(JournalError) {
      let reopened = try Journal.open(on: image, at: "store", options: options).journal
      let (content, fault) = try ledger.content(of: image)
      if let fault = fault ?? ledger.fault(in: content, mayLose: mayLose) {
        note("\(when): \(fault)")
      }
      try reopened.close()
    } catch {
      note("\(when): \(error)")
    }
  }

  /// After a full disk that did not stop it, the same journal takes commits again.
  private func judgeFullDiskStaysUsable() {
    guard let fault, case .failure(let code, _) = fault.effect,
      code == .noSpace || code == .quotaExceeded, !hasStopped, let journal
    else { return }
    disk.faults = []
    ledger.begin()
    do throws(JournalError) {
      try commit(journal, .synced)
    } catch {
      note("after a full disk with room again: \(error)")
    }
  }

  private func note(_ text: String) { violation = violation ?? text }
}

extension String {
  /// Whether a line of a simulated disk's trace is of a sync of a file that failed.
  var isOfFailedSync: Bool {
    hasSuffix("done") && [" sync ", " syncData "].contains { contains($0) }
  }
}
