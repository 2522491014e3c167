/// What is asked for, and where the lines work.
struct Bench {
  let workplace: Workplace
  /// How often what takes moments is measured.
  let rounds: Int
  /// How many notes a large store has.
  let objectCount: Int

  /// How often what takes many seconds is measured.
  var largeRounds: Int { (rounds + 1) / 2 }

  /// What the design demands at the number of objects that it says.
  func designed(_ goal: Comparison.Goal) -> [Comparison.Goal] {
    objectCount == 1_000_000 ? [goal] : []
  }

  var saveCount: Int { (objectCount + NoteSource.saveCount - 1) / NoteSource.saveCount }
}

extension Comparison {
  /// Something to be measured in a round.
  typealias Measured = () throws -> Double

  /// Measures all in turn, in every other round the other way round.
  mutating func round(
    _ number: Int, ours: @escaping Measured, floor: Measured? = nil,
    peers: [(name: String, measured: Measured)] = []
  ) throws {
    var steps = [(name: Counted.ours, measured: ours)]
    if let floor { steps.insert((Counted.floor, floor), at: 0) }
    steps += peers
    for step in number % 2 == 0 ? steps : steps.reversed() {
      add(try Counted(step.measured), of: step.name)
    }
  }
}
