// Every row of up to three steps of work with a whole store, a crash before every call, and what it leaves.

import DiskSimulation
import TestSupport
import Testing

@Suite struct StoreCrashes {
  @Test func `no crash at any call of any work with a store breaks a promise`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STORES", inGate: 100_000)
    let workloads = Self.workloads
    let (tally, seen) = (Tally(), SeenPoints())
    // About twenty calls a step, of which many leave few states; only those of the last are a row's own.
    let limit = max(2, campaign.count / (workloads.count * 15))
    try onBothCores(workloads.count) { index in
      if tally.hasViolations { return }
      let seed = campaign.seed &+ Self.kind(of: workloads[index])
      StoreExplorer(workloads[index], seed: seed, limit: limit, tally: tally, seen).run()
    }
    print("seed \(campaign.seed), \(workloads.count) workloads: \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["states"] >= campaign.count)
  }

  /// The same for rows that begin with the same two steps, so that they are alike so far; others edit otherwise.
  private static func kind(of steps: [StoreStep]) -> UInt64 {
    steps.prefix(2).reduce(0) { kind, step in
      kind * 16 + UInt64(StoreStep.allCases.firstIndex(of: step) ?? 0) + 1
    }
  }

  /// All rows of one, two and three steps.
  static var workloads: [[StoreStep]] {
    var rows: [[StoreStep]] = [[]]
    var all: [[StoreStep]] = []
    for _ in 1...3 {
      rows = rows.flatMap { row in StoreStep.allCases.map { row + [$0] } }
      all += rows
    }
    return all
  }
}

/// How the work has come to a crash point.
private struct Way: Hashable {
  let steps: [StoreStep]
  let call: String
  let number: Int
  let returnedMomentCount: Int
}

/// Goes through one workload and looks at what a crash before each of its calls leaves.
private final class StoreExplorer {
  private let steps: [StoreStep]
  private let seed: UInt64
  private let limit: Int
  private let tally: Tally
  private let seen: SeenPoints
  private let work: StoreWork
  private var begun: [StoreStep] = []
  private var crashPoint = 0
  private var stateCount = 0

  init(_ steps: [StoreStep], seed: UInt64, limit: Int, tally: Tally, _ seen: SeenPoints) {
    self.steps = steps
    self.seed = seed
    self.limit = limit
    self.tally = tally
    self.seen = seen
    work = StoreWork(SimulatedDisk(seed: seed), seed: seed)
  }

  func run() {
    work.disk.onCall = { [unowned self] call in crash(before: "\(call)") }
    do {
      try work.open()
      for step in steps {
        begun.append(step)
        try work.perform(step)
        crash(before: "the step after \(step)")
      }
    } catch {
      tally.violation("\(name): a step failed without a fault: \(error)")
    }
    work.disk.onCall = nil
    work.abandon()
  }

  private var name: String { steps.map(\.rawValue).joined(separator: " ") + ", seed \(seed)" }

  private func crash(before call: String) {
    if tally.hasViolations { return }
    crashPoint += 1
    tally.count("crash points")
    // Which states are looked at closely does not depend on which row of steps has come here first.
    stateCount = crashPoint
    let way = Way(
      steps: begun, call: call, number: crashPoint,
      returnedMomentCount: work.ledger.returnedMomentCount)
    guard seen.isNew(work.disk, way) else { return tally.count("points of other rows") }
    judge(work.disk.imageAfterProcessDeath(), .processDeath, "process death", before: call)
    let states = work.disk.powerLossStates(limit: limit, seed: seed &+ UInt64(crashPoint))
    for choice in states {
      judge(work.disk.image(after: choice), .powerLoss, "\(choice)", before: call)
    }
  }

  private func judge(
    _ image: SimulatedDisk, _ crash: Crash, _ state: @autoclosure () -> String, before call: String
  ) {
    tally.count("states")
    stateCount += 1
    let oracle = StoreOracle(work.ledger, crash)
    if let violation = oracle.violation(on: image, goesOn: stateCount % 16 == 0) {
      tally.violation("\(name): before \(call), \(crash), \(state()): \(violation)")
    }
  }
}
