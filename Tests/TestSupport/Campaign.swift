// What campaigns share: how much to do, from which seed, on both cores, and how the outcome is told.

internal import DiskAccess
import Foundation

/// The size and seed of a campaign: from the environment, where Tools/campaign puts it, or what the gate
/// asks for.
package struct Campaign: Sendable {
  package let count: Int
  package let seed: UInt64

  package init(count variable: String, inGate: Int) {
    let environment = ProcessInfo.processInfo.environment
    count = environment[variable].flatMap { Int($0) } ?? inGate
    seed = environment["XJ_SEED"].flatMap { UInt64($0) } ?? 20_240_229
  }

  /// Goes through random histories, each by a seed of its own; one that throws is a violation.
  package func forEachHistory(
    _ tally: Tally, _ body: @escaping @Sendable (_ seed: UInt64) throws -> Void
  ) throws {
    try onBothCores(count) { round in
      let seed = seed &+ UInt64(round)
      do {
        try body(seed)
        tally.count("histories")
      } catch {
        tally.violation("seed \(seed): \(error)")
      }
    }
  }
}

/// Random numbers by seed.
package struct Dice: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed &+ 0x9E37_79B9_7F4A_7C15 }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number below another.
  package mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }

  /// Whether something is so that is so once in so many times.
  package mutating func chance(_ count: Int) -> Bool { pick(count) == 0 }

  /// One of a few texts; some are long, and have most in common.
  package mutating func shortOrLong() -> String { text(of: chance(2) ? 80 : 0) }

  /// A text of so many characters and a few more, of which most are in all of them.
  package mutating func text(of count: Int) -> String {
    String(repeating: ".", count: count) + "t\(pick(4))"
  }

  /// A number of any length.
  package mutating func number() -> UInt64 { next() >> UInt64(pick(64)) }
}

/// Counts and violations from several threads.
package final class Tally: @unchecked Sendable {
  private let lock = Lock()
  private var counts: [String: Int] = [:]
  private var kept: [String] = []
  private var violationCount = 0

  package init() {}

  package func count(_ name: String, _ amount: Int = 1) {
    lock.withLock { counts[name, default: 0] += amount }
  }

  package func violation(_ text: @autoclosure () -> String) {
    lock.withLock {
      violationCount += 1
      if kept.count < 10 { kept.append(text()) }
    }
  }

  /// Whether a violation has been found, after which a campaign need not go on.
  package var hasViolations: Bool { lock.withLock { violationCount > 0 } }

  package subscript(_ name: String) -> Int { lock.withLock { counts[name, default: 0] } }

  /// The first violations, one a line; empty where there were none.
  package var violations: String {
    lock.withLock {
      violationCount == 0 ? "" : "\(violationCount) violations\n" + kept.joined(separator: "\n")
    }
  }

  /// One line of all counts.
  package var summary: String {
    lock.withLock {
      counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }
  }
}

/// Calls a closure with each number below a count, on both cores.
package func onBothCores(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) throws {
  let next = Counter()
  let threads = try (0..<2).map { _ in
    try BackgroundThread {
      while let number = next.take(below: count) { body(number) }
    }
  }
  for thread in threads { thread.join() }
}

private final class Counter: @unchecked Sendable {
  private let lock = Lock()
  private var value = 0

  func take(below limit: Int) -> Int? {
    lock.withLock {
      guard value < limit else { return nil }
      defer { value += 1 }
      return value
    }
  }
}
