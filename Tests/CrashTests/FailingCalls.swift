// Each call of a workload fails once, in every way a disk can fail.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct FailingCalls {
  private static let codes: [SystemErrorCode] = [
    .inputOutput, .noSpace, .quotaExceeded, .tooManyOpenFiles, .readOnlyFileSystem,
  ]

  private static let workloads: [[Step]] = [
    [.save, .append, .save, .save],
    [.append, .roll, .save, .append],
    [.save, .reopen, .append, .save],
    [.append, .idle, .save, .manifest, .save],
    [.save, .roll, .roll, .manifest, .idle, .reopen, .save],
    [.append, .large, .save],
    [.save, .large, .roll, .save],
    [.burst, .save, .burst],
    [.save, .edit, .append, .largeEdit, .manifest, .roll, .edit, .manifest, .edit],
  ]

  @Test func `whatever call fails and however, nothing acknowledged is lost`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1)
    let tally = Tally()
    try onBothCores(Self.workloads.count) { index in
      let steps = Self.workloads[index]
      let callCount = FaultyLife(steps, seed: campaign.seed).run().callCount
      for number in 1...callCount {
        for effect in Self.effects {
          for isLasting in [false, true] {
            let fault = SimulatedFault(effect, number: number, isLasting: isLasting)
            let life = FaultyLife(steps, fault, seed: campaign.seed &+ UInt64(number))
            if let violation = life.run().violation {
              tally.violation("\(steps.map(\.rawValue)), \(fault): \(violation)")
            }
            tally.count("cases")
          }
        }
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["cases"] > 10_000)
  }

  @Test func `a full disk and then a loss of power lose nothing acknowledged, and the store opens`()
    throws
  {
    let tally = try losePower(afterFailuresWith: .noSpace, [.prefix, .someSectors]) {
      [SimulatedFault($1, number: $0)]
    }
    #expect(tally["states"] > 100_000)
  }

  @Test
  func
    `an I/O error at a write or sync and then a loss of power lose nothing acknowledged, and the store opens`()
    throws
  {
    let kinds: [Set<DiskError.Call>] = [[.write, .append], [.sync, .syncData], [.syncFolder]]
    let remainders = SimulatedFault.Remainder.allCases
    let tally = try losePower(afterFailuresWith: .inputOutput, remainders) { (number, effect) in
      kinds.map { SimulatedFault(effect, calls: $0, number: number) }
    }
    #expect(tally["stopped"] > 300)
    #expect(tally["states"] > 100_000)
  }

  /// Lets calls fail, and looks at what a loss of power may leave at once, and before each further call.
  ///
  /// - Parameter faults: the faults to try one by one, with an effect, at a number.
  private func losePower(
    afterFailuresWith code: SystemErrorCode, _ remainders: [SimulatedFault.Remainder],
    _ faults: @escaping @Sendable (_ number: Int, SimulatedFault.Effect) -> [SimulatedFault]
  ) throws -> Tally {
    let campaign = Campaign(count: "XJ_CAMPAIGN_STATES", inGate: 1)
    let tally = Tally()
    try onBothCores(Self.workloads.count) { index in
      let steps = Self.workloads[index]
      let callCount = FaultyLife(steps, seed: campaign.seed).run().callCount
      for number in 1...callCount {
        for remainder in remainders {
          for fault in faults(number, .failure(code, leaving: remainder)) {
            let life = FaultyLife(
              steps, fault, seed: campaign.seed &+ UInt64(number), statesAfterFailure: 4)
            let outcome = life.run()
            tally.count("states", outcome.stateCount)
            if outcome.stateCount > 0 { tally.count("failures") }
            if outcome.hasStopped { tally.count("stopped") }
            if let violation = outcome.violation {
              tally.violation("\(steps.map(\.rawValue)), \(fault): \(violation)")
            }
          }
        }
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    return tally
  }

  private static var effects: [SimulatedFault.Effect] {
    codes.flatMap { code in
      SimulatedFault.Remainder.allCases.map { .failure(code, leaving: $0) }
    } + [.failure(.interrupted), .short]
  }
}
