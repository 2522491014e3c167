// Calls that fail, and processes and power that end in the midst of them.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport

extension StoreLifetime {
  // MARK: Faults

  mutating func stepWithFault() {
    let step = nextStep()
    let callCount = work.disk.trace.count
    let isFull = dice.chance(4)
    if isFull {
      count("full disks")
      work.disk.capacityByteCount = UInt64(20_000 + dice.pick(60_000))
    } else {
      let codes: [SystemErrorCode] = [
        .inputOutput, .noSpace, .tooManyOpenFiles, .readOnlyFileSystem, .interrupted,
      ]
      let effects: [SimulatedFault.Effect] =
        codes.flatMap { code in
          SimulatedFault.Remainder.allCases.map { .failure(code, leaving: $0) }
        } + [.short]
      let fault = SimulatedFault(
        effects[dice.pick(effects.count)], number: 1 + dice.pick(25), isLasting: dice.chance(2))
      work.disk.faults = [fault]
    }
    let failure = result(of: step)
    work.disk.faults = []
    work.disk.capacityByteCount = nil
    for line in work.disk.trace[callCount...] {
      for fault in Self.faults where line.contains(fault.words) { count(fault.name) }
    }
    trace.append("\(step) with a fault: \(failure.map { "\($0)" } ?? "done")")
    if failure != nil { count("steps that failed") }
    hasMetFault = true
    let hasFailedSync = work.disk.trace[beginning...].contains { line in
      [" sync /", " sync ", " syncData ", " syncFolder "].contains { line.contains($0) }
        && line.hasSuffix("done")
    }
    if hasFailedSync || failure?.isStop ?? false { surviveStop() }
  }

  /// What a step throws, which is never that the store is damaged.
  mutating func result(of step: StoreStep) -> (any Error)? {
    do {
      try work.perform(step)
      tally.count(step.rawValue)
      return nil
    } catch {
      let cause = error.ofStore
      if cause == nil { note("\(step) throws \(error)") }
      if cause?.code == .damaged { note("\(step) says damaged: \(error)") }
      return error
    }
  }

  // MARK: Crashes

  /// The process ends, or the power goes, before one of the calls of a step.
  mutating func crashInCall() {
    let step = nextStep()
    var callsLeft = 1 + dice.pick(30)
    let (isPowerLoss, seed, choice) = (dice.chance(2), dice.next(), dice.pick(8))
    var crashed: (image: (SimulatedDisk) -> SimulatedDisk, ledger: StoreLedger)?
    let work = work
    work.disk.onCall = { _ in
      callsLeft -= 1
      guard callsLeft == 0 else { return }
      let image = Self.image(of: work.disk, isPowerLoss: isPowerLoss, seed, choice)
      crashed = (image, work.ledger)
    }
    let failure = result(of: step)
    work.disk.onCall = nil
    if let failure { return judge(failure, of: step) }
    guard let crashed else {
      trace.append("\(step)")
      return
    }
    count("crashes in a call")
    survive(
      crashed.ledger, isPowerLoss ? .powerLoss : .processDeath, "in \(step)",
      isDurable: isPowerLoss, crashed.image)
  }

  mutating func crash() {
    let isPowerLoss = dice.chance(2)
    let image = Self.image(
      of: work.disk, isPowerLoss: isPowerLoss, dice.next(), dice.pick(8))
    survive(
      work.ledger, isPowerLoss ? .powerLoss : .processDeath, "between steps",
      isDurable: isPowerLoss, image)
  }

  /// What a crash at this moment leaves, as often as it is asked for.
  private static func image(
    of disk: SimulatedDisk, isPowerLoss: Bool, _ seed: UInt64, _ choice: Int
  ) -> (SimulatedDisk) -> SimulatedDisk {
    guard isPowerLoss else {
      let image = disk.imageAfterProcessDeath()
      return { _ in image.imageAfterProcessDeath() }
    }
    let states = disk.powerLossStates(limit: 8, seed: seed)
    let image = disk.image(after: states[choice % states.count])
    return { _ in image.imageAfterProcessDeath() }
  }

  /// Judges what a crash has left, and goes on with it.
  ///
  /// - Parameters:
  ///   - crash: what may be lost at most.
  ///   - isDurable: whether a loss of power has left it.
  mutating func survive(
    _ ledger: StoreLedger, _ crash: Crash, _ when: String, isDurable: Bool,
    _ image: (SimulatedDisk) -> SimulatedDisk
  ) {
    count(crash == .powerLoss ? "power losses" : "process deaths")
    let oracle = StoreOracle(ledger, crash)
    let disk = image(work.disk)
    if let broken = oracle.violation(on: image(work.disk), goesOn: dice.chance(8)) {
      return note("\(when), \(crash): \(broken)")
    }
    do {
      let remains = try oracle.remains(on: image(work.disk), isDurable: isDurable)
      endProcess()
      disk.isTracing = true
      disk.setWallClock(work.disk.wallClock())
      work = StoreWork(disk, survivingFrom: work, ledger, remains)
      (beginning, hasMetFault) = (0, false)
    } catch {
      note("\(when), \(crash): \(error)")
    }
  }
}
