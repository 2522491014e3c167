/// What is asked for, and where the lines work.
struct Bench {
  let workplace: Workplace
  /// How often what takes moments is measured.
  let rounds: Int
  /// How many notes a large store has.
  let objectCount: Int

  /// How often what takes many seconds is measured.
  var largeRounds: Int { (rounds + 1) / 2 }

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
    var steps: [(name: String?, isFloor: Bool, measured: Measured)] = [(nil, false, ours)]
    if let floor { steps.insert((nil, true, floor), at: 0) }
    steps += peers.map { ($0.name, false, $0.measured) }
    for step in number % 2 == 0 ? steps : steps.reversed() {
      let (measured, counted) = try Syncs.counted(step.measured)
      syncs.add(step.name ?? (step.isFloor ? SyncsPerSave.floor : SyncsPerSave.ours), counted)
      if let name = step.name {
        peer(name, measured)
      } else if step.isFloor {
        self.floor.append(measured)
      } else {
        self.ours.append(measured)
      }
    }
  }
}
