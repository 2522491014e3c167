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
    // In the gate all states of a crash point up to 4,096, and a sample of those above. A larger or smaller
    // count changes the samples.
    let isGate = campaign.count == 1_000_000
    let limit = isGate ? 4096 : max(2, campaign.count / (workloads.count * 20))
    let tally = Tally()
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      let explorer = Explorer(
        workloads[index], seed: campaign.seed &+ UInt64(index), limit: limit, tally: tally)
      explorer.run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["states"] >= campaign.count)
  }

  @Test func `a crash in the midst of a recovery breaks no promise either`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let tally = Tally()
    let share = max(1, 1_000_000 / max(1, campaign.count))
    let workloads = Self.workloads.enumerated()
      .filter { $1.count == 2 || $1.contains(.roll) && $0 % share == 0 }.map(\.element)
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      let explorer = Explorer(
        workloads[index], seed: campaign.seed &+ UInt64(index), limit: 12, tally: tally,
        crashesTwice: true)
      explorer.run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["crashes in recovery"] >= min(10_000, campaign.count / 10))
  }

  @Test func `no crash breaks a promise to what needs pieces or turns the halves`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let tally = Tally()
    let steps = Step.basic + [.large, .burst]
    let workloads =
      [[.large], [.burst]]
      + steps.flatMap { first in steps.map { [first, $0] } }
      .filter { $0.contains(.large) || $0.contains(.burst) }
    let limit = max(8, min(campaign.count, 1_000_000) / 16_000)
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      let seed = campaign.seed &+ UInt64(1_000 + index)
      Explorer(workloads[index], seed: seed, limit: limit, tally: tally).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["states"] >= min(20_000, campaign.count / 50))
  }

  @Test func `a process that ends in the midst of a write breaks no promise`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1_000_000)
    let workloads = Self.workloads + [[.large], [.burst], [.large, .roll, .burst]]
    let tally = Tally()
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      let seed = campaign.seed &+ UInt64(index)
      Explorer(workloads[index], seed: seed, limit: 2, tally: tally, cutsWrites: true).run()
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

/// Runs one workload and looks at what a crash before each of its calls leaves.
private final class Explorer {
  private let steps: [Step]
  private let seed: UInt64
  private let limit: Int
  private let tally: Tally
  private let life: JournalLife
  private let crashesTwice: Bool
  private let cutsWrites: Bool
  private var lastCall: SimulatedCall?
  private var crashPoint = 0
  private var stateCount = 0

  init(
    _ steps: [Step], seed: UInt64, limit: Int, tally: Tally, crashesTwice: Bool = false,
    cutsWrites: Bool = false
  ) {
    self.crashesTwice = crashesTwice
    self.cutsWrites = cutsWrites
    self.steps = steps
    self.seed = seed
    self.limit = limit
    self.tally = tally
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
    judge(life.disk.imageAfterProcessDeath(), .processDeath, "process death", before: call)
    let states = life.disk.powerLossStates(limit: limit, seed: seed &+ UInt64(crashPoint))
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
    // Going on costs four times as much as looking; every eighth state does.
    stateCount += 1
    let goesOn = stateCount % 8 == 0
    let oracle = CrashOracle(life.ledger, crash)
    if let violation = oracle.violation(on: image, goesOn: goesOn) {
      tally.violation("\(name): before \(call), \(crash), \(state()): \(violation)")
    }
  }

  /// Recovers what a crash left, and crashes again before each call of the recovery.
  private func crashInRecovery(
    of image: SimulatedDisk, _ crash: Crash, _ state: String, before call: String
  ) {
    let oracle = CrashOracle(life.ledger, .powerLoss)
    let tail = try? TornTail(of: image.imageAfterProcessDeath(), at: life.path)
    image.onCall = { [unowned image] second in
      for choice in image.powerLossStates(limit: 3, seed: self.seed) {
        self.tally.count("crashes in recovery")
        let again = image.image(after: choice)
        let isKept = tail?.isKept(on: again, at: self.life.path) ?? true
        if !isKept {
          self.tally.violation("a torn tail is lost before \(second): \(state), \(choice)")
        }
        if let violation = oracle.violation(on: again, goesOn: false) {
          self.tally.violation(
            "\(self.name): before \(call), \(crash), \(state); in recovery before \(second), \(choice): "
              + violation)
        }
      }
    }
    do {
      _ = try Journal.open(on: image, at: life.path, options: .small)
    } catch {
      tally.violation("\(name): before \(call), \(crash), \(state): \(error)")
    }
    image.onCall = nil
  }
}

/// What a recovery cuts: it must stand in its segment or in a file of its own, at every moment.
private struct TornTail {
  private let bytes: [UInt8]
  private let segment: String
  private let offset: Int

  /// Tells by recovering the store on a disk; nil where nothing is cut.
  init?(of disk: SimulatedDisk, at path: String) throws {
    let (journal, report) = try Journal.open(on: disk, at: path, options: .small)
    defer { withExtendedLifetime(journal) {} }
    guard let tail = report.tornTail, let bytes = disk.contents(of: "\(path)/\(tail.savedAs)")
    else {
      return nil
    }
    self.bytes = bytes
    segment = "\(path)/\(tail.finding.file)"
    offset = Int(tail.finding.offset)
  }

  func isKept(on disk: SimulatedDisk, at path: String) -> Bool {
    let there = disk.contents(of: segment) ?? []
    let end = offset + bytes.count
    if there.count >= end, Array(there[offset..<end]) == bytes { return true }
    return disk.paths.contains { file in
      file.hasPrefix("\(path)/recovered/") && disk.contents(of: file) == bytes
    }
  }
}
