/// How far a compaction has come.
public struct CompactionProgress: Hashable, Sendable {
  /// What is done from here on.
  public let step: CompactionStep
  /// How much is done of all there is to do, roughly: from 0 to 1, and never less than was told before.
  public let fraction: Double
}

/// What a compaction does, one after the other.
public enum CompactionStep: Hashable, Sendable, CaseIterable {
  /// What is to be dropped is read, so that nothing goes that is damaged or not understood.
  case checking
  /// The state is written anew.
  case writing
  /// All is done, and nothing can be broken off any more.
  case done
}

/// Tells how far a compaction has come, whenever it is a hundredth more, to somebody who may break it off.
///
/// Costs are what it takes to write about so many rows; a store that is damaged may claim any number.
final class CompactionMeter {
  /// About as many rows are written in the time in which a frame is read.
  static let frameCost = 64.0

  private let tell: (CompactionProgress, _ isAtWork: Bool) -> Bool
  private var step = CompactionStep.checking
  private var expected = 1.0
  private var passed = 0.0
  private var told = 0.0

  /// - Parameter tell: told whether the compaction is at work, and so holds what it needs, or before a step;
  ///   returns whether to go on.
  init(_ tell: @escaping (CompactionProgress, _ isAtWork: Bool) -> Bool) { self.tell = tell }

  /// Says what will be done.
  func begin(_ step: CompactionStep) throws(StoreError) {
    self.step = step
    try report(isAtWork: false)
  }

  /// Says how much there is to do from here on.
  func expect(_ cost: Double) { expected = max(1, passed + cost) }

  /// Notes that so much of it is done.
  func pass(_ cost: Double = 1) throws(StoreError) {
    passed += cost
    // All is done only when it says so.
    let fraction = min(passed / expected, 0.99)
    guard fraction >= told + 0.01 else { return }
    told = fraction
    try report(isAtWork: true)
  }

  /// Says that all is done.
  func finish() {
    _ = tell(CompactionProgress(step: .done, fraction: 1), false)
  }

  private func report(isAtWork: Bool) throws(StoreError) {
    let progress = CompactionProgress(step: step, fraction: told)
    guard tell(progress, isAtWork) else { throw .compactionBrokenOff }
  }
}

extension StoreError {
  static let compactionBrokenOff = StoreError(
    .brokenOff, "the compaction was broken off; nothing has changed.")
}
