// What happens in the life of a store.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport

/// The life of one store.
struct StoreLifetime {
  var trace: [String] = []
  var work: StoreWork
  var dice: Dice
  let tally: Tally
  /// How many lines of the disk's trace there were when this life of its process began.
  var beginning = 0
  /// Whether a call may have failed since.
  var hasMetFault = false
  /// How many lines of the disk's trace are in that of the life.
  var toldCallCount = 0
  var violation: String?
  let seed: UInt64

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
  mutating func tellCalls() {
    let calls = work.disk.trace
    trace += calls[toldCallCount...]
    toldCallCount = calls.count
  }

  mutating func endProcess() {
    work.abandon()
    tellCalls()
    toldCallCount = 0
    tally.count("drafts resumed", work.resumedCount)
  }

  mutating func note(_ text: String) {
    trace.append("a promise is broken")
    violation = violation ?? text
  }

  mutating func count(_ name: String) {
    trace.append(name)
    tally.count(name)
  }

  /// Begins with a journal that earlier code has written.
  mutating func takeOver() {
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

  mutating func happen() {
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

  mutating func nextStep() -> StoreStep {
    let steps: [StoreStep] = [
      .edit, .edit, .edit, .edit, .save, .save, .save, .save, .roll, .checkpoint, .compact, .reopen,
      .backup, .tag, .discard,
    ]
    return steps[dice.pick(steps.count)]
  }

  mutating func open() {
    do {
      try work.open()
      trace.append("opened at commit \(work.ledger.acknowledgedCount)")
    } catch {
      note("it does not open: \(error)")
    }
  }

  mutating func step() {
    let step = nextStep()
    if let failure = result(of: step) { judge(failure, of: step) } else { trace.append("\(step)") }
  }

  /// Nothing fails by itself but in a store that an earlier fault has stopped, though nobody was told of that then.
  mutating func judge(_ failure: any Error, of step: StoreStep) {
    guard hasMetFault, failure.isStop else {
      return note("\(step) fails without a fault: \(failure)")
    }
    surviveStop()
  }

  /// Goes on with what is there after a store has stopped. What a failed sync has lost on the medium are unsynced edits, and
  /// never a save.
  mutating func surviveStop() {
    count("failed syncs")
    survive(work.ledger, .powerLoss, "after a failed sync", isDurable: false) {
      $0.imageAfterProcessDeath()
    }
  }

  mutating func setClock() {
    count("clocks set")
    let hours = dice.pick(100_000) - 50_000
    work.disk.setWallClock(1_795_168_800_000_000_000 + Int64(hours) * 3_600_000_000_000)
    work.disk.advanceClock(by: UInt64(dice.pick(4_000)) * 1_000_000)
  }

  mutating func lookBack() {
    count("looks into the past")
    do {
      guard let (commit, state) = try work.past(&dice) else { return }
      if state != work.ledger.states[commit] { note("commit \(commit) is \(state)") }
    } catch {
      note("the past cannot be read: \(error)")
    }
  }

  mutating func contend() {
    count("rivals")
    do {
      _ = try StoreWork.open(on: work.disk)
      note("two have it open")
    } catch {
      if (error as? StoreError)?.code != .inUse { note("a rival is told: \(error)") }
    }
  }
}
