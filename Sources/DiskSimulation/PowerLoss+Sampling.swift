/// How a sample of states is drawn where there are too many to list.
extension PowerLoss {
  /// Draws different states: nothing kept and everything kept; the names without the bytes and the
  /// bytes without the names; everything but one thing and nothing but one thing; then mixtures, in
  /// which mostly old, mostly new, or both alike are kept.
  func sample(_ limit: Int) -> [PowerLossChoice] {
    var sample = Sample(limit)
    let names = content.pendingNames.count
    let none = outcome(keeping: Array(repeating: false, count: names))
    let all = outcome(keeping: Array(repeating: true, count: names))
    for (outcome, isNew) in [(none, false), (all, true), (all, false), (none, true)] {
      sample.add(PowerLossChoice(self, outcome, picks(outcome) { _ in isNew }))
    }
    var generator = SeededGenerator(seed: seed)
    addOneOffs(to: &sample, none, all, &generator)
    // The number of attempts is bounded, as mixtures may repeat themselves where states are few.
    for attempt in 0..<limit where !sample.isFull { sample.add(mixture(attempt, &generator)) }
    if let count = combinationCount {
      // There are more states than the sample takes, so this ends.
      while !sample.isFull { sample.add(choice(at: generator.next(upperBound: count))) }
    }
    return sample.choices
  }

  /// The state that keeps nothing, or everything.
  func extreme(isKept: Bool) -> PowerLossChoice {
    let outcome = outcome(keeping: content.pendingNames.map { _ in isKept })
    return PowerLossChoice(self, outcome, picks(outcome) { _ in isKept })
  }

  /// Everything kept but one thing, and nothing kept but one thing, until half the sample is drawn.
  private func addOneOffs(
    to sample: inout Sample, _ none: NameOutcome, _ all: NameOutcome,
    _ generator: inout SeededGenerator
  ) {
    var names = Array(content.pendingNames.indices)
    names.shuffle(using: &generator)
    for name in names where sample.isUnderHalf {
      for isNew in [true, false] {
        var isKept = Array(repeating: isNew, count: names.count)
        isKept[name].toggle()
        let outcome = outcome(keeping: isKept)
        sample.add(PowerLossChoice(self, outcome, picks(outcome) { _ in isNew }))
      }
    }
    var places = Array(0..<placeCount(all))
    places.shuffle(using: &generator)
    for place in places where sample.isUnderHalf {
      sample.add(PowerLossChoice(self, all, picks(all) { $0 != place }))
      sample.add(PowerLossChoice(self, all, picks(all) { $0 == place }))
    }
    for place in 0..<placeCount(none) where sample.isUnderHalf {
      sample.add(PowerLossChoice(self, none, picks(none) { $0 == place }))
    }
  }

  private func mixture(_ attempt: Int, _ generator: inout SeededGenerator) -> PowerLossChoice {
    let newPerEight = [1, 4, 7][attempt % 3]
    func isNew() -> Bool { generator.next(below: 8) < newPerEight }
    let outcome = outcome(keeping: content.pendingNames.map { _ in isNew() })
    var picks: [UInt8] = []
    for file in outcome.pendingFiles.map({ files[$0] }) {
      var number = isNew() ? file.newest : 0
      if generator.next(below: 4) == 0 { number = generator.next(below: file.lengths.count) }
      picks.append(UInt8(number))
      for sector in file.lengths[number].sectors {
        var pick = isNew() ? sector.newest : 0
        if generator.next(below: 4) == 0 { pick = generator.next(below: sector.candidates.count) }
        picks.append(UInt8(pick))
      }
    }
    return PowerLossChoice(self, outcome, picks)
  }

  /// How many lengths and sectors are decided when every length is the new one.
  private func placeCount(_ outcome: NameOutcome) -> Int {
    outcome.pendingFiles.reduce(0) { count, file in
      count + 1 + files[file].lengths[files[file].newest].sectors.count
    }
  }

  /// Keeps of each length and sector the newest or the durable one, as a closure says by its place.
  private func picks(_ outcome: NameOutcome, _ isNew: (_ place: Int) -> Bool) -> [UInt8] {
    var picks: [UInt8] = []
    for file in outcome.pendingFiles.map({ files[$0] }) {
      let number = isNew(picks.count) ? file.newest : 0
      picks.append(UInt8(number))
      for sector in file.lengths[number].sectors {
        picks.append(UInt8(isNew(picks.count) ? sector.newest : 0))
      }
    }
    return picks
  }
}

/// Different choices, up to a limit.
private struct Sample {
  let limit: Int
  private(set) var choices: [PowerLossChoice] = []
  private var known: Set<PowerLossChoice> = []

  init(_ limit: Int) { self.limit = limit }

  var isFull: Bool { choices.count >= limit }
  var isUnderHalf: Bool { choices.count < limit / 2 }

  mutating func add(_ choice: PowerLossChoice) {
    guard !isFull, known.insert(choice).inserted else { return }
    choices.append(choice)
  }
}
