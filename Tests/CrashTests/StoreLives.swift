// Whole lives of a store, at random: work from several contexts, faults, crashes in the midst of calls, clocks that jump,
// rivals for the lock, looks into the past; and what ends a life, as rot does and syncs that lie.

import DiskAccess
import DiskSimulation
import Foundation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoreLives {
  /// How long it goes on: so many lives, and where minutes are named, until they are over.
  @Test func `no life of a store breaks a promise`() throws {
    let campaign = Campaign(count: "XJ_LIVES", inGate: 400)
    let environment = ProcessInfo.processInfo.environment
    let seconds = environment["XJ_SECONDS"].flatMap { Double($0) }
    let isTraced = environment["XJ_TRACE"] != nil
    let tally = Tally()
    let begin = Date.now
    @Sendable func isOver() -> Bool { seconds.map { -begin.timeIntervalSinceNow >= $0 } ?? false }
    try onBothCores(campaign.count) { index in
      if tally.hasViolations || isOver() { return }
      let seed = campaign.seed &+ UInt64(index)
      var life = StoreLifetime(seed: seed, tally)
      if let violation = life.run() { tally.violation("seed \(seed): \(violation)") }
      tally.count("lives")
      if isTraced { print(life.trace.joined(separator: "\n")) }
      // The same seed is the same life.
      guard index % 16 == 0 else { return }
      var again = StoreLifetime(seed: seed, Tally())
      _ = again.run()
      if again.trace != life.trace { tally.violation("seed \(seed): another life the second time") }
      tally.count("lived twice")
    }
    print("lives from seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["lives"] > 0)
    guard tally["lives"] >= 400 else { return }
    for name in [
      "steps that failed", "failed syncs", "power losses", "process deaths", "crashes in a call",
      "looks into the past", "rivals", "clocks set", "full disks", "rotten", "lying syncs",
      "upgrades", "drafts resumed", "compact", "backup", "tag", "checkpoint", "discard",
    ] + StoreLifetime.faults.map(\.name) {
      #expect(tally[name] > 20, "\(name)")
    }
  }
}

/// The life of one store.
private struct StoreLifetime {
  private(set) var trace: [String] = []
  private var work: StoreWork
  private var dice: Dice
  private let tally: Tally
  /// How many lines of the disk's trace there were when this life of its process began.
  private var beginning = 0
  /// Whether a call may have failed since.
  private var hasMetFault = false
  /// How many lines of the disk's trace are in that of the life.
  private var toldCallCount = 0
  private var violation: String?
  private let seed: UInt64

  /// What a call is told that fails or does not do all, by the name it is counted under.
  static let faults: [(name: String, words: String)] = [
    ("EIO", ": Input/output error"), ("ENOSPC", ": No space left on device"),
    ("EMFILE", ": Too many open files"), ("EROFS", ": Read-only file system"),
    ("interruptions", ": interrupted"), ("short calls", ": short"),
  ]

  init(seed: UInt64, _ tally: Tally) {
    self.seed = seed
    let disk = SimulatedDisk(seed: seed)
    disk.isTracing = true
    disk.setWallClock(1_795_168_800_000_000_000)
    work = StoreWork(disk, seed: seed)
    dice = Dice(seed: seed ^ 0x11FE)
    self.tally = tally
  }

  /// - Returns: the promise that was broken; nil where all were kept.
  mutating func run() -> String? {
    if dice.chance(8) { takeOver() }
    open()
    for _ in 0..<(10 + dice.pick(50)) where violation == nil {
      happen()
      tellCalls()
    }
    if violation == nil { end() }
    endProcess()
    return violation
  }

  /// Puts the calls that came since to what happened.
  private mutating func tellCalls() {
    let calls = work.disk.trace
    trace += calls[toldCallCount...]
    toldCallCount = calls.count
  }

  private mutating func endProcess() {
    work.abandon()
    tellCalls()
    toldCallCount = 0
    tally.count("drafts resumed", work.resumedCount)
  }

  private mutating func note(_ text: String) {
    trace.append("a promise is broken")
    violation = violation ?? text
  }

  private mutating func count(_ name: String) {
    trace.append(name)
    tally.count(name)
  }

  /// Begins with a journal that earlier code has written.
  private mutating func takeOver() {
    count("upgrades")
    do {
      let kept = try GoldenJournal.all().filter { $0.name.hasSuffix("of two contexts") }
      try work.disk.take(kept[dice.pick(kept.count)].path, as: StoreWork.path)
      let reader = try StoreReader(on: work.disk, at: StoreWork.path)
      work = try StoreWork(work.disk, seed: seed, goingOnWith: reader)
    } catch {
      note("what earlier code has written cannot be read: \(error)")
    }
  }

  // MARK: What happens

  private mutating func happen() {
    if !work.isOpen { open() }
    guard work.isOpen else { return }
    switch dice.pick(20) {
    case 0, 1: crashInCall()
    case 2: crash()
    case 3, 4, 5: stepWithFault()
    case 6: setClock()
    case 7: lookBack()
    case 8: contend()
    default: step()
    }
  }

  private mutating func nextStep() -> StoreStep {
    let steps: [StoreStep] = [
      .edit, .edit, .edit, .edit, .save, .save, .save, .save, .roll, .checkpoint, .compact, .reopen,
      .backup, .tag, .discard,
    ]
    return steps[dice.pick(steps.count)]
  }

  private mutating func open() {
    do {
      try work.open()
      trace.append("opened at commit \(work.ledger.acknowledgedCount)")
    } catch {
      note("it does not open: \(error)")
    }
  }

  private mutating func step() {
    let step = nextStep()
    if let failure = result(of: step) { judge(failure, of: step) } else { trace.append("\(step)") }
  }

  /// Nothing fails by itself but in a store that an earlier fault has stopped, though nobody was told of that then.
  private mutating func judge(_ failure: any Error, of step: StoreStep) {
    guard hasMetFault, failure.isStop else {
      return note("\(step) fails without a fault: \(failure)")
    }
    surviveStop()
  }

  /// Goes on with what is there after a store has stopped. What a failed sync has lost on the medium are unsynced edits, and
  /// never a save.
  private mutating func surviveStop() {
    count("failed syncs")
    survive(work.ledger, .powerLoss, "after a failed sync", isDurable: false) {
      $0.imageAfterProcessDeath()
    }
  }

  private mutating func setClock() {
    count("clocks set")
    let hours = dice.pick(100_000) - 50_000
    work.disk.setWallClock(1_795_168_800_000_000_000 + Int64(hours) * 3_600_000_000_000)
    work.disk.advanceClock(by: UInt64(dice.pick(4_000)) * 1_000_000)
  }

  private mutating func lookBack() {
    count("looks into the past")
    do {
      guard let (commit, state) = try work.past(&dice) else { return }
      if state != work.ledger.states[commit] { note("commit \(commit) is \(state)") }
    } catch {
      note("the past cannot be read: \(error)")
    }
  }

  private mutating func contend() {
    count("rivals")
    do {
      _ = try StoreWork.open(on: work.disk)
      note("two have it open")
    } catch {
      if (error as? StoreError)?.code != .inUse { note("a rival is told: \(error)") }
    }
  }

  // MARK: Faults

  private mutating func stepWithFault() {
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
  private mutating func result(of step: StoreStep) -> (any Error)? {
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
  private mutating func crashInCall() {
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

  private mutating func crash() {
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
  private mutating func survive(
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

  // MARK: Ends

  /// What nobody can go on from, where all that is shown must be true all the same, or it is said what is damaged.
  private mutating func end() {
    if dice.chance(2) {
      count("rotten")
      work.abandon()
      let disk = work.disk.imageAfterProcessDeath()
      let paths = disk.paths.filter { ($0.hasPrefix(StoreWork.path)) && !$0.hasSuffix("LOCK") }
      for _ in 0...dice.pick(2) {
        let rot = SimulatedDisk.Rot.allCases[dice.pick(SimulatedDisk.Rot.allCases.count)]
        _ = disk.rot(paths[dice.pick(paths.count)], rot, seed: dice.next())
      }
      judgeTruth(of: disk, "rotten")
    } else {
      count("lying syncs")
      work.disk.syncsLie = true
      for _ in 0..<4 where work.isOpen && violation == nil { step() }
      let ledger = work.ledger
      let states = work.disk.powerLossStates(limit: 8, seed: dice.next())
      let disk = work.disk.image(after: states[dice.pick(states.count)])
      judgeTruth(of: disk, "after lying syncs, of \(ledger.states.count) states")
    }
  }

  /// Whether all states that can be read are states that were.
  private mutating func judgeTruth(of disk: SimulatedDisk, _ when: String) {
    do {
      let store = try StoreReader(on: disk, at: StoreWork.path)
      for number in 0...Int(store.lastCommit.rawValue) {
        do {
          let state = try store.snapshot(at: CommitNumber(rawValue: UInt64(number))).plain()
          if number >= work.ledger.states.count || state != work.ledger.states[number] {
            note("\(when): commit \(number) is \(state)")
          }
        } catch {
          trace.append("commit \(number): \((error as? StoreError).map { "\($0.code)" } ?? "?")")
          if (error as? StoreError) == nil { note("\(when): \(error)") }
        }
      }
    } catch {
      trace.append("\(when): \(error)")
    }
  }
}
