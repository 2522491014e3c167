// Each call of a recovery that has something to do fails, in every way a disk can fail.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct RecoveryFailures {
  @Test func `whatever call of a recovery fails and however, nothing is lost that was there`()
    throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_RECOVERIES", inGate: 24)
    let tally = Tally()
    let remains = try CrashRemains.gather(campaign.count, seed: campaign.seed, tally)
    try onBothCores(remains.count) { index in
      for duty in remains[index].duties { tally.count(duty.rawValue) }
      tally.count("recoveries")
      do throws(JournalError) {
        try Trial(remains[index], seed: campaign.seed, tally).run()
      } catch {
        tally.violation("\(remains[index].place): \(error)")
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["recoveries"] == campaign.count)
    #expect(tally["cases"] > campaign.count * 500)
    #expect(tally["failed openings"] > campaign.count * 300)
    for duty in Duty.allCases where campaign.count >= 24 {
      #expect(tally[duty.rawValue] > 0, "\(duty.rawValue)")
    }
  }
}

/// The recovery of what a crash left, once for every call and everything that may happen to it.
private struct Trial {
  private static let codes: [SystemErrorCode] = [
    .inputOutput, .noSpace, .quotaExceeded, .tooManyOpenFiles, .readOnlyFileSystem,
  ]

  private let remains: CrashRemains
  private let seed: UInt64
  private let tally: Tally
  private let alone: LoneRecovery
  /// The kinds of the calls that a recovery makes which nothing disturbs.
  private let kinds: [String]

  init(_ remains: CrashRemains, seed: UInt64, _ tally: Tally) throws(JournalError) {
    self.remains = remains
    self.seed = seed
    self.tally = tally
    let path = "store"
    alone = try LoneRecovery(of: remains.image.imageAfterProcessDeath(), at: path, remains.ledger)
    let traced = remains.image.imageAfterProcessDeath()
    traced.isTracing = true
    let (journal, _) = try Journal.open(on: traced, at: path, options: .small)
    kinds = traced.trace.map { String($0.split(separator: " ")[1]) }
    withExtendedLifetime(journal) {}
  }

  func run() {
    tally.count("calls", kinds.count)
    for (index, kind) in kinds.enumerated() {
      for effect in Self.effects(kind) {
        for isLasting in [false, true] {
          let fault = SimulatedFault(effect, number: index + 1, isLasting: isLasting)
          tally.count("cases")
          if let violation = violation(fault) {
            tally.violation("\(remains.place): \(kind), \(fault): \(violation)")
          }
        }
      }
    }
  }

  /// What may happen to a call of a kind and makes a difference there.
  private static func effects(_ kind: String) -> [SimulatedFault.Effect] {
    let moves = [DiskError.Call.read, .write, .append].map(\.rawValue)
    let leaves = [DiskError.Call.write, .append, .sync, .syncData, .syncFolder].map(\.rawValue)
    let remainders = leaves.contains(kind) ? SimulatedFault.Remainder.allCases : [.nothing]
    let failures: [SimulatedFault.Effect] = codes.flatMap { code in
      remainders.map { .failure(code, leaving: $0) }
    }
    return failures + [.failure(.interrupted)] + (moves.contains(kind) ? [.short] : [])
  }

  private func violation(_ fault: SimulatedFault) -> String? {
    let disk = remains.image.imageAfterProcessDeath()
    disk.isTracing = true
    disk.faults = [fault]
    do throws(JournalError) {
      _ = try Journal.open(on: disk, at: "store", options: .small)
    } catch {
      tally.count("failed openings")
      guard Self.mayFail(with: error, by: fault.effect) else { return "\(error)" }
    }
    disk.faults = []
    disk.isTracing = false
    let hasFailedSync = disk.trace.contains(where: \.isOfFailedSync)
    let goesOn = (fault.number + (fault.isLasting ? 1 : 0)) % 8 == 0
    if let violation = violation(
      on: disk.imageAfterProcessDeath(), hasLost: hasFailedSync, goesOn: goesOn)
    {
      return "after the end of the process: " + violation
    }
    for choice in disk.powerLossStates(limit: 4, seed: seed &+ UInt64(fault.number)) {
      if let violation = violation(on: disk.image(after: choice), hasLost: true) {
        return "after a loss of power, \(choice): " + violation
      }
    }
    return nil
  }

  /// Whether a fault may make an opening fail with an error: one that says what happened, and not that the journal is
  /// damaged or something else.
  private static func mayFail(
    with error: JournalError, by effect: SimulatedFault.Effect
  ) -> Bool {
    guard case .failure(let code, _) = effect, code != .interrupted else { return false }
    switch error {
    case .disk(let cause), .stopped(let cause): return cause.code == code
    default: return false
    }
  }

  /// Looks at what the recovery left with the next one, which nothing disturbs.
  ///
  /// - Parameter hasLost: whether what was never synced may be gone since the crash.
  private func violation(
    on disk: SimulatedDisk, hasLost: Bool, goesOn: Bool = false
  ) -> String? {
    tally.count("states")
    // What a loss of power left is durable, so nothing more may be lost of it.
    let mayLose = hasLost && remains.crash != .powerLoss
    if !mayLose {
      if let tail = alone.tail {
        if !tail.isKept(on: disk, at: "store") { return "a torn tail is lost" }
        if !tail.isTold(on: disk, at: "store") { return "a torn tail is not told" }
      }
      if let edits = alone.damagedEdits, !edits.isKept(on: disk, at: "store") {
        return "a damaged edit buffer is lost"
      }
    }
    // A write of the recovery itself may have come to half of its end.
    let crash = remains.crash == .processDeath ? Crash.deathInWrite : remains.crash
    return CrashOracle(remains.ledger, mayLose ? .powerLoss : crash)
      .violation(on: disk, goesOn: goesOn, expecting: mayLose ? nil : alone.content)
  }
}
