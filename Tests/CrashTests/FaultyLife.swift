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
  /// The commits that returned, those that surely were not made, and those nobody knows of.
  private var made: [Int] = []
  private var refused: Set<Int> = []
  private var edits: [Int] = []
  /// The edits that were there when the last commit was made.
  private var durableEdits: [Int] = []
  private var number = 0
  /// The numbers of edits and commits that need pieces.
  private var large: Set<Int> = []
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
    judge(image, "after the end of the process", edits: edits)
    judge(unplugged, "after a loss of power", edits: durableEdits)
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

  private func fail(_ step: String) {
    hasFailed = true
    if statesAfterFailure > 0 { losePower("after \(step) has failed") }
  }

  private func losePower(_ when: String) {
    let seed = UInt64(disk.callCount)
    for choice in disk.powerLossStates(limit: statesAfterFailure, seed: seed) {
      stateCount += 1
      judge(disk.image(after: choice), "power lost \(when), \(choice)", edits: durableEdits)
    }
  }

  private func open() {
    do throws(JournalError) {
      journal = try Journal.open(on: disk, at: "store", options: options).journal
    } catch {
      journal = nil
      if case .damaged = error { note("opening says damaged: \(error)") }
      fail("opening")
    }
    hasStopped = false
  }

  private func perform(_ step: Step) {
    if journal == nil { open() }
    guard let journal else { return }
    do throws(JournalError) {
      switch step {
      case .append, .save, .large, .burst:
        number += 1
        if step == .large { large.insert(number) }
        try journal.appendEdit(bytes("edit", number))
        edits.append(number)
        if step == .burst { try fill(journal) }
        try commit(journal)
      case .edit, .largeEdit:
        number += 1
        if step == .largeEdit { large.insert(number) }
        try journal.appendEdit(bytes("edit", number))
        edits.append(number)
      case .roll: try journal.beginSegment()
      case .idle:
        disk.advanceClock(by: 2_000_000_000)
        try journal.performUpkeep()
      case .manifest:
        try journal.replaceAttachments([
          Manifest.Attachment(kind: 1, fileName: "a", content: [UInt8(number)])
        ])
      case .reopen:
        // Closing may fail; the next life begins all the same.
        self.journal = nil
        do throws(JournalError) { try journal.close() } catch {
          if case .stopped = error { edits = durableEdits }
          fail("closing")
        }
        open()
      }
    } catch {
      if case .stopped = error {
        // The medium has lost what was unsynced, edits in written frames with it.
        edits = durableEdits
        refusesEverything(journal)
      }
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

  /// Turns both halves.
  private func fill(_ journal: Journal) throws(JournalError) {
    for _ in 0..<4 { try journal.appendEdit([UInt8](repeating: 0xFF, count: 300)) }
  }

  /// Every commit is synced, so that each that returned must survive the power.
  private func commit(_ journal: Journal) throws(JournalError) {
    do throws(JournalError) {
      try journal.commit(bytes("commit", number))
      made.append(number)
      durableEdits = edits
      if hasStopped { note("a commit was made after a failed sync") }
    } catch {
      switch error {
      case .disk, .queuedBehindFailure: refused.insert(number)
      default: break
      }
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

  private func judge(_ image: SimulatedDisk, _ when: String, edits: [Int]) {
    do throws(JournalError) {
      let reopened = try Journal.open(on: image, at: "store", options: options).journal
      let content = try Listing(on: image)
      if let fault = content.fault { return note("\(when): \(fault)") }
      let commits = content.commits.map { number(of: $0, "commit") }
      if commits.filter(made.contains) != made {
        note("\(when): \(made) were made, \(commits) are there")
      }
      if !refused.isDisjoint(with: commits) {
        note("\(when): of \(commits), \(refused) had been refused")
      }
      if commits != commits.sorted() { note("\(when): \(commits) are out of order") }
      let fillers = content.edits.filter { $0.first == 0xFF }
      if fillers.contains(where: { $0 != [UInt8](repeating: 0xFF, count: 300) }) {
        note("\(when): an edit is not what it was")
      }
      let found = content.edits.filter { $0.first != 0xFF }.map { number(of: $0, "edit") }
      if found.filter(edits.contains) != edits {
        note("\(when): edits \(edits) returned, \(found) are there")
      }
      try reopened.close()
    } catch {
      // Before the first manifest there is no store, and so nothing acknowledged.
      if !made.isEmpty || !self.edits.isEmpty { note("\(when): \(error)") }
    }
  }

  /// After a full disk that did not stop it, the same journal takes commits again.
  private func judgeFullDiskStaysUsable() {
    guard let fault, case .failure(let code, _) = fault.effect,
      code == .noSpace || code == .quotaExceeded, !hasStopped, let journal
    else { return }
    disk.faults = []
    number += 1
    do throws(JournalError) {
      try commit(journal)
    } catch {
      note("after a full disk with room again: \(error)")
    }
  }

  private func bytes(_ name: String, _ number: Int) -> [UInt8] {
    Array("\(name) \(number) ".utf8)
      + Array(
        repeating: UInt8(number), count: large.contains(number) ? 5_000 : number % 3 * 40)
  }

  private func number(of bytes: [UInt8], _ name: String) -> Int {
    let text = String(decoding: bytes.prefix { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
    let words = text.split(separator: " ")
    guard words.count >= 2, words[0] == name, let number = Int(words[1]),
      self.bytes(name, number) == bytes
    else { return -1 }
    return number
  }

  private func note(_ text: String) { violation = violation ?? text }
}
