/// What a loss of power at one moment may leave: all of it where that is not too much, or a sample.
///
/// No two of the states leave the same names for the same files with the same bytes.
public struct PowerLossStates: RandomAccessCollection, Sendable {
  private let powerLoss: PowerLoss
  private let sample: [PowerLossChoice]?
  /// How many states there are to choose from.
  public let count: Int

  init(_ powerLoss: PowerLoss, limit: Int) {
    self.powerLoss = powerLoss
    if let all = powerLoss.combinationCount, all <= UInt64(limit) {
      sample = nil
      count = Int(all)
    } else {
      let drawn = powerLoss.sample(limit)
      sample = drawn
      count = drawn.count
    }
  }

  /// Whether these are all states that the loss may leave.
  public var isExhaustive: Bool { sample == nil }

  /// How many states the loss may leave; nil where there are too many to count.
  public var combinationCount: UInt64? { powerLoss.combinationCount }

  /// The state that keeps nothing that was not synced.
  public var nothingKept: PowerLossChoice { powerLoss.extreme(isKept: false) }

  /// The state that keeps everything, synced or not.
  public var everythingKept: PowerLossChoice { powerLoss.extreme(isKept: true) }

  /// Always 0; there nothing is kept that was not synced.
  public var startIndex: Int { 0 }

  /// The number of states.
  public var endIndex: Int { count }

  /// One of the states. Costs a fraction of a microsecond.
  public subscript(position: Int) -> PowerLossChoice {
    precondition(indices.contains(position), "there is no state of this number")
    return sample.map { $0[position] } ?? powerLoss.choice(at: UInt64(position))
  }
}
