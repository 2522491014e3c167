/// Everything a loss of power at one moment may leave.
final class PowerLoss: Sendable {
  /// With more pending changes of names than this, their subsets are sampled and not listed.
  static let listedNameCount = 8

  let deviceNumber: UInt64
  let seed: UInt64
  let content: DiskContent
  let world: World
  let files: [FileChoices]
  private let settled: [NodeNumber: FileContent]
  /// The different sets of names that may be left, those with nothing kept first; empty if not listed.
  let outcomes: [NameOutcome]
  /// For each subset of the pending changes of names, as bits, the outcome it leads to; empty if not
  /// listed.
  private let outcomesBySubset: [NameOutcome]
  /// How many states there are; nil if they cannot be counted.
  let combinationCount: UInt64?

  init(
    _ content: DiskContent, _ world: World, deviceNumber: UInt64, seed: UInt64, tearsPerSector: Int
  ) {
    self.content = content
    self.world = world
    self.deviceNumber = deviceNumber
    self.seed = seed
    let files = content.files.keys.sorted().compactMap { node in
      content.files[node].flatMap { file in
        FileChoices(node, file, tearsPerSector: tearsPerSector, seed: seed)
      }
    }
    let settled = content.files.mapValues { FileContent(settled: $0.durable) }
    (self.files, self.settled) = (files, settled)
    outcomesBySubset = Self.outcomesBySubset(content, settled, files)
    var known: Set<ObjectIdentifier> = []
    outcomes = outcomesBySubset.filter { known.insert(ObjectIdentifier($0)).inserted }
    combinationCount = outcomes.isEmpty ? nil : sum(outcomes.map(\.combinationCount))
  }

  /// Subsets that leave the same names share an outcome.
  private static func outcomesBySubset(
    _ content: DiskContent, _ settled: [NodeNumber: FileContent], _ files: [FileChoices]
  ) -> [NameOutcome] {
    let count = content.pendingNames.count
    guard count <= listedNameCount else { return [] }
    var known: [[NodeNumber: FolderContent]: NameOutcome] = [:]
    return (0..<1 << count).map { subset in
      let isKept = (0..<count).map { subset & 1 << $0 != 0 }
      let outcome = NameOutcome(isKept, of: content, settled: settled, pending: files)
      if let same = known[outcome.folders] { return same }
      known[outcome.folders] = outcome
      return outcome
    }
  }

  /// The names that are left where given changes are kept.
  func outcome(keeping isKept: [Bool]) -> NameOutcome {
    guard outcomesBySubset.isEmpty else {
      return outcomesBySubset[isKept.reversed().reduce(0) { $0 << 1 | ($1 ? 1 : 0) }]
    }
    return NameOutcome(isKept, of: content, settled: settled, pending: files)
  }

  /// The state with a given number, of those that can be counted.
  func choice(at index: UInt64) -> PowerLossChoice {
    var rest = index
    for outcome in outcomes {
      let count = outcome.combinationCount ?? 0
      guard rest >= count else { return PowerLossChoice(self, outcome, picks(rest, outcome)) }
      rest -= count
    }
    preconditionFailure("there are not that many states")
  }

  private func picks(_ index: UInt64, _ outcome: NameOutcome) -> [UInt8] {
    var rest = index
    var picks: [UInt8] = []
    for file in outcome.pendingFiles.map({ files[$0] }) {
      let count = file.combinationCount ?? 1
      file.appendPicks(ofState: rest % count, to: &picks)
      rest /= count
    }
    return picks
  }

  /// The disk that a choice leaves, everything on it durable.
  func image(_ outcome: NameOutcome, _ picks: [UInt8]) -> SimulatedDisk {
    var image = content
    image.pendingNames = []
    image.folders = outcome.folders
    image.files = outcome.files
    var position = 0
    for file in outcome.pendingFiles.map({ files[$0] }) {
      let length = file.lengths[Int(picks[position])]
      let end = position + 1 + length.sectors.count
      image.files[file.node] = FileContent(settled: file.content(picks[position..<end]))
      position = end
    }
    var world = world
    world.processNumber += 1
    return SimulatedDisk(image, world)
  }
}
