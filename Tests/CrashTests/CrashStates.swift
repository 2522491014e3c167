// Every workload of up to three steps, a crash before every call, and every state it can leave.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct CrashStates {
  @Test func `no crash at any call of any workload breaks a promise`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let workloads = Self.workloads
    // In the gate all states of a crash point up to 512, and a sample of those above. A larger or smaller
    // count changes the samples.
    let isGate = campaign.count == 1_000_000
    let limit = isGate ? 512 : max(2, campaign.count / (workloads.count * 20))
    let (tally, seen) = (Tally(), SeenPoints())
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      Explorer(workloads[index], seed: campaign.seed, limit: limit, tally: tally, seen).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["states"] >= campaign.count)
  }

  @Test func `a crash in the midst of a recovery breaks no promise either`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let (tally, seen) = (Tally(), SeenPoints())
    // In the gate every fourth of those with three steps.
    let share = campaign.count == 1_000_000 ? 4 : max(1, 1_000_000 / max(1, campaign.count))
    let workloads =
      Self.workloads.enumerated()
      .filter { $1.count == 2 || $1.contains(.roll) && $0 % share == 0 }.map(\.element)
      + Self.workloadsOfEdits
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      Explorer(
        workloads[index], seed: campaign.seed, limit: 9, tally: tally, seen, crashesTwice: true
      ).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["crashes in recovery"] >= min(10_000, campaign.count / 10))
    #expect(tally["full disks in recovery"] >= min(1_000, campaign.count / 100))
  }

  /// What leaves edits in the buffer that recovery puts into frames, some of them with pieces.
  private static let workloadsOfEdits: [[Step]] = [
    [.edit], [.largeEdit], [.edit, .largeEdit], [.largeEdit, .largeEdit],
    [.save, .edit, .largeEdit],
    [.largeEdit, .roll, .edit], [.edit, .largeEdit, .save], [.largeEdit, .idle, .edit],
    [.large, .edit], [.roll, .largeEdit, .reopen],
  ]

  @Test func `no crash breaks a promise to what needs pieces or turns the halves`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let (tally, seen) = (Tally(), SeenPoints())
    let steps = Step.basic + [.large, .burst]
    let workloads =
      [[.large], [.burst]]
      + steps.flatMap { first in steps.map { [first, $0] } }
      .filter { $0.contains(.large) || $0.contains(.burst) }
    let limit = max(8, min(campaign.count, 1_000_000) / 16_000)
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      Explorer(workloads[index], seed: campaign.seed, limit: limit, tally: tally, seen).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["states"] >= min(20_000, campaign.count / 50))
  }

  @Test func `a process that ends in the midst of a write breaks no promise`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let workloads = Self.workloads + [[.large], [.burst], [.large, .roll, .burst]]
    let (tally, seen) = (Tally(), SeenPoints())
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      Explorer(
        workloads[index], seed: campaign.seed, limit: 2, tally: tally, seen, cutsWrites: true
      ).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["writes cut"] >= workloads.count * 5)
  }

  /// All rows of one, two and three steps.
  static var workloads: [[Step]] {
    var rows: [[Step]] = [[]]
    var all: [[Step]] = []
    for _ in 1...3 {
      rows = rows.flatMap { row in Step.basic.map { row + [$0] } }
      all += rows
    }
    return all
  }
}

/// How a life has come to a crash point.
private struct Way: Hashable {
  let steps: [Step]
  let call: String
  let number: Int
  let ledger: Ledger
}

/// Runs one workload and looks at what a crash before each of its calls leaves.
private final class Explorer {
  private let steps: [Step]
  private let seed: UInt64
  private let limit: Int
  private let tally: Tally
  private let seen: SeenPoints
  private let life: JournalLife
  private let crashesTwice: Bool
  private let cutsWrites: Bool
  private var lastCall: SimulatedCall?
  private var begun: [Step] = []
  private var crashPoint = 0
  private var stateCount = 0

  /// - Parameter seed: decides the bytes of the store, and which states are looked at of a crash point that has more than
  ///   the limit: the same for all rows of steps, so that those that begin alike are alike so far.
  init(
    _ steps: [Step], seed: UInt64, limit: Int, tally: Tally, _ seen: SeenPoints,
    crashesTwice: Bool = false, cutsWrites: Bool = false
  ) {
    self.crashesTwice = crashesTwice
    self.cutsWrites = cutsWrites
    self.steps = steps
    self.seed = seed
    self.limit = limit
    self.tally = tally
    self.seen = seen
    life = JournalLife(SimulatedDisk(seed: seed))
  }

  func run() {
    life.disk.onCall = { [unowned self] call in
      if cutsWrites { die(inWriteBefore: call) } else { crash(before: "\(call)") }
    }
    if cutsWrites {
      life.disk.faults = [SimulatedFault(.short, calls: [.write, .append], isLasting: true)]
    }
    do {
      try life.open()
      for step in steps {
        begun.append(step)
        try life.perform(step)
        if !cutsWrites { crash(before: "the step after \(step)") }
      }
    } catch {
      tally.violation("\(name): a step failed without a fault: \(error)")
    }
    life.disk.onCall = nil
    life.abandon()
  }

  private var name: String { steps.map(\.rawValue).joined(separator: " ") + ", seed \(seed)" }

  private func crash(before call: String) {
    crashPoint += 1
    tally.count("crash points")
    // Which states are looked at closely does not depend on which row of steps has come here first.
    stateCount = crashPoint
    let states = life.disk.powerLossStates(limit: limit, seed: seed &+ UInt64(crashPoint))
    let way = Way(steps: begun, call: call, number: crashPoint, ledger: life.ledger)
    guard seen.isNew(life.disk, way) else {
      tally.count("points of other rows")
      return tally.count("states", states.count + 1)
    }
    judge(life.disk.imageAfterProcessDeath(), .processDeath, "process death", before: call)
    tally.count(states.isExhaustive ? "exhaustive points" : "sampled points")
    for choice in states {
      judge(life.disk.image(after: choice), .powerLoss, "\(choice)", before: call)
    }
  }

  /// Looks at what the end of the process leaves when the first half of a write has been made.
  private func die(inWriteBefore call: SimulatedCall) {
    defer { lastCall = call }
    guard let lastCall, lastCall.kind == call.kind, lastCall.path == call.path,
      lastCall.index + 1 == call.index, lastCall.offset < call.offset,
      lastCall.offset + UInt64(lastCall.byteCount) == call.offset + UInt64(call.byteCount)
    else { return }
    tally.count("writes cut")
    judge(life.disk.imageAfterProcessDeath(), .deathInWrite, "half a write", before: "\(call)")
  }

  private func judge(
    _ image: SimulatedDisk, _ crash: Crash, _ state: @autoclosure () -> String, before call: String
  ) {
    tally.count("states")
    if crashesTwice { return crashInRecovery(of: image, crash, state(), before: call) }
    // Going on costs four times as much as looking; every sixteenth state does.
    stateCount += 1
    let goesOn = stateCount % 16 == 0
    let oracle = CrashOracle(life.ledger, crash)
    if let violation = oracle.violation(on: image, goesOn: goesOn) {
      tally.violation("\(name): before \(call), \(crash), \(state()): \(violation)")
    }
  }

  /// Recovers what a crash left, and crashes again before each call of the recovery.
  private func crashInRecovery(
    of image: SimulatedDisk, _ crash: Crash, _ state: String, before call: String
  ) {
    let before = image.imageAfterProcessDeath()
    let place = "\(name): before \(call), \(crash), \(state)"
    let alone: LoneRecovery
    do throws(JournalError) {
      alone = try LoneRecovery(of: image.imageAfterProcessDeath(), at: life.path, life.ledger)
    } catch {
      return tally.violation("\(place): \(error)")
    }
    var writeCount = 0
    image.onCall = { [unowned image] second in
      if [.write, .append].contains(second.kind) { writeCount += 1 }
      var states = image.powerLossStates(limit: 3, seed: self.seed).enumerated().map {
        (Crash.powerLoss, image.image(after: $1), "\($1)", $0 == 0)
      }
      states.append((.processDeath, image.imageAfterProcessDeath(), "process death", false))
      for (again, disk, choice, asksTold) in states {
        self.tally.count("crashes in recovery")
        if let violation = self.violation(on: disk, after: crash, again, alone, asksTold) {
          self.tally.violation("\(place); in recovery before \(second), \(choice): \(violation)")
        }
      }
    }
    do {
      _ = try Journal.open(on: image, at: life.path, options: .small)
    } catch {
      tally.violation("\(place): \(error)")
    }
    image.onCall = nil
    stateCount += 1
    guard stateCount % 8 == 0, writeCount > 0 else { return }
    for number in 1...writeCount {
      let full = before.imageAfterProcessDeath()
      if let violation = violation(onFull: full, atWrite: number, after: crash, alone) {
        tally.violation("\(place), full at write \(number): \(violation)")
      }
    }
  }

  /// Looks at what a crash in a recovery left, after a first crash.
  private func violation(
    on disk: SimulatedDisk, after first: Crash, _ second: Crash, _ alone: LoneRecovery,
    _ asksTold: Bool, goesOn: Bool = false
  ) -> String? {
    if let tail = alone.tail {
      if !tail.isKept(on: disk, at: life.path) { return "a torn tail is lost" }
      if asksTold, !tail.isTold(on: disk, at: life.path) { return "a torn tail is not told" }
    }
    // What a loss of power left is durable, and what the end of a process left is all there after another such end:
    // nothing of it may be lost. Only what was never synced may, with the power.
    let mayLose = first != .powerLoss && second == .powerLoss
    return CrashOracle(life.ledger, mayLose ? .powerLoss : first)
      .violation(on: disk, goesOn: goesOn, expecting: mayLose ? nil : alone.content)
  }

  /// Recovers on a disk that is full at one of its writes, and again when there is room: at once, or after a loss of
  /// power.
  private func violation(
    onFull disk: SimulatedDisk, atWrite number: Int, after first: Crash, _ alone: LoneRecovery
  ) -> String? {
    tally.count("full disks in recovery")
    disk.faults = [
      SimulatedFault(
        .failure(.noSpace, leaving: .prefix), calls: [.write, .append], number: number)
    ]
    var hasFailed = false
    do throws(JournalError) {
      _ = try Journal.open(on: disk, at: life.path, options: .small)
    } catch {
      guard error.isOutOfSpace else { return "\(error)" }
      hasFailed = true
    }
    disk.faults = []
    for choice in disk.powerLossStates(limit: 3, seed: seed) {
      let after = disk.image(after: choice)
      if let violation = violation(on: after, after: first, .powerLoss, alone, hasFailed) {
        return "\(choice): " + violation
      }
    }
    return violation(on: disk, after: first, .processDeath, alone, hasFailed, goesOn: true)
  }
}
