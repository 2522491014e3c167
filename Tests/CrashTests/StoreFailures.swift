// Each call of work with a whole store fails once, or from then on, in every way a disk can fail.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreFailures {
  private static let codes: [SystemErrorCode] = [
    .inputOutput, .noSpace, .tooManyOpenFiles, .readOnlyFileSystem,
  ]

  private static let workloads: [[StoreStep]] = [
    [.save, .edit, .checkpoint, .save],
    [.save, .save, .compact, .edit],
    [.save, .edit, .backup, .save],
    [.edit, .save, .reopen, .edit],
    [.save, .roll, .checkpoint, .compact, .reopen, .save],
  ]

  @Test func `whatever call of a store fails and however, nothing acknowledged is lost`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STOREFAILURES", inGate: 1)
    let tally = Tally()
    for steps in Self.workloads {
      let edits = campaign.seed
      let (callCount, violation) = FailingStore(steps, nil, seed: campaign.seed, edits).run(tally)
      if let violation {
        tally.violation("\(steps.map(\.rawValue)), without a fault: \(violation)")
      }
      tally.count("calls", callCount)
      try onBothCores(callCount) { index in
        for effect in Self.effects(index, all: campaign.count > 1) {
          for isLasting in [false, true] {
            let fault = SimulatedFault(effect, number: index + 1, isLasting: isLasting)
            let store = FailingStore(steps, fault, seed: campaign.seed &+ UInt64(index), edits)
            let outcome = store.run(tally)
            if let violation = outcome.violation {
              tally.violation("\(steps.map(\.rawValue)), \(fault): \(violation)")
            }
            tally.count("cases")
          }
        }
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["cases"] > 5_000)
    #expect(tally["stopped"] > 200)
    #expect(tally["went on after a full disk"] > 200)
    #expect(tally["tried again"] > 500)
  }

  /// Each code with one of the remainders, so that all of them meet every kind of call; or all of them.
  private static func effects(_ index: Int, all: Bool) -> [SimulatedFault.Effect] {
    let remainders = SimulatedFault.Remainder.allCases
    let failures: [SimulatedFault.Effect] = codes.enumerated().flatMap { place, code in
      (all ? remainders : [remainders[(index + place) % remainders.count]]).map {
        .failure(code, leaving: $0)
      }
    }
    return failures + [.short]
  }
}

/// Work with a store on a disk with one fault, which goes on after each failure as a program would.
private final class FailingStore {
  private let steps: [StoreStep]
  private let fault: SimulatedFault?
  private let disk: SimulatedDisk
  private let work: StoreWork
  private var hasStopped = false
  private var violation: String?

  /// - Parameters:
  ///   - seed: decides what becomes of the disk.
  ///   - edits: decides what is edited, and so which calls there are.
  init(_ steps: [StoreStep], _ fault: SimulatedFault?, seed: UInt64, _ edits: UInt64) {
    self.steps = steps
    self.fault = fault
    disk = SimulatedDisk(seed: seed)
    work = StoreWork(disk, seed: edits)
  }

  func run(_ tally: Tally) -> (callCount: Int, violation: String?) {
    disk.isTracing = true
    if let fault { disk.faults = [fault] }
    var failed: [StoreStep] = []
    open()
    for step in steps where !hasStopped {
      if !work.isOpen { open() }
      guard work.isOpen else { continue }
      if perform(step) != nil { failed.append(step) }
    }
    let callCount = disk.callCount
    if fault == nil, !failed.isEmpty { note("a step failed without a fault") }
    let hasFailedSync = disk.trace.contains { line in
      line.hasSuffix("done")
        && [" sync /", " sync ", " syncData ", " syncFolder "].contains { line.contains($0) }
    }
    disk.faults = []
    if hasStopped { tally.count("stopped") }
    if !hasStopped, !hasFailedSync, work.isOpen { tryAgain(failed, tally) }
    // What a failed sync has lost on the medium are unsynced edits, and never a save.
    judge(
      disk.imageAfterProcessDeath(), hasFailedSync ? .powerLoss : .processDeath, "process death")
    judge(disk.imageAfterPowerLossOfEverythingUnsynced(), .powerLoss, "power loss")
    work.abandon()
    return (callCount, violation)
  }

  /// Failed steps work once the fault is gone, and the store is usable.
  private func tryAgain(_ failed: [StoreStep], _ tally: Tally) {
    for step in failed where step != .reopen {
      tally.count("tried again")
      if let error = perform(step) { note("\(step), tried again: \(error)") }
    }
    if let error = perform(.save) { note("a save after the fault: \(error)") }
    if case .failure(.noSpace, _)? = fault?.effect { tally.count("went on after a full disk") }
  }

  private func open() {
    do {
      try work.open()
    } catch {
      if (error as? StoreError)?.code == .damaged { note("opening says damaged: \(error)") }
    }
  }

  private func perform(_ step: StoreStep) -> (any Error)? {
    do {
      try work.perform(step)
      return nil
    } catch {
      let cause = error.ofStore
      if cause?.code == .damaged { note("\(step) says damaged: \(error)") }
      if cause?.code == .stopped { judgeStop() }
      return error
    }
  }

  /// After a failed sync nothing is written, everything asked for is refused, and reading goes on.
  private func judgeStop() {
    hasStopped = true
    // Reading may fail where the fault is one of reading, and lasts.
    let faults = disk.faults
    disk.faults = []
    defer { disk.faults = faults }
    let before = disk.paths.map { disk.contents(of: $0) }
    do {
      let states = work.ledger.states
      if let head = try work.head(), !states.contains(head) { note("stopped, it reads \(head)") }
    } catch {
      note("stopped, it does not read: \(error)")
    }
    for step in [StoreStep.save, .edit, .checkpoint, .compact, .tag] {
      guard work.isOpen else { break }
      do {
        try work.perform(step)
        note("\(step) was done after a failed sync")
      } catch {}
    }
    if disk.paths.map({ disk.contents(of: $0) }) != before {
      note("something was written after a failed sync")
    }
  }

  private func judge(_ image: SimulatedDisk, _ crash: Crash, _ when: String) {
    // Before the first manifest there is no store, and so nothing acknowledged.
    if work.ledger.acknowledgedCount == 0, work.ledger.moments.isEmpty { return }
    let oracle = StoreOracle(work.ledger, crash)
    let goesOn = (fault?.number ?? 0) % 4 == 0
    if let violation = oracle.violation(on: image, goesOn: goesOn) { note("\(when): \(violation)") }
  }

  private func note(_ text: String) { violation = violation ?? text }
}
