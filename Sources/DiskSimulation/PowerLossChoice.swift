/// One thing that a loss of power may leave: what is kept of every unsynced sector, of every changed
/// length, and of every pending change of a name.
///
/// It prints readably: which changes of names are kept, and of each unsynced file the length and what is
/// left of each unsynced sector: `old`, `new`, `earlier#2` (the second of the contents in between), or
/// `torn@77` (77 bytes of the new content, then the old one).
public struct PowerLossChoice: Sendable {
  let powerLoss: PowerLoss
  let outcome: NameOutcome
  /// For each unsynced file that can be reached the number of a length, and then for each of its
  /// sectors the number of a candidate.
  let picks: [UInt8]

  init(_ powerLoss: PowerLoss, _ outcome: NameOutcome, _ picks: [UInt8]) {
    self.powerLoss = powerLoss
    self.outcome = outcome
    self.picks = picks
  }
}

extension PowerLossChoice: Hashable {
  /// Whether two choices are of the same moment and leave the same names and bytes.
  public static func == (one: PowerLossChoice, other: PowerLossChoice) -> Bool {
    one.powerLoss === other.powerLoss && one.picks == other.picks
      && (one.outcome === other.outcome || one.outcome.folders == other.outcome.folders)
  }

  /// Feeds what is kept to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(picks)
  }
}

extension PowerLossChoice: CustomStringConvertible {
  /// One line: the names, then each unsynced file.
  public var description: String {
    var parts = zip(powerLoss.content.pendingNames, outcome.isKept).map { operation, isKept in
      (isKept ? "kept: " : "lost: ") + operation.description
    }
    var position = 0
    for file in outcome.pendingFiles.map({ powerLoss.files[$0] }) {
      let length = file.lengths[Int(picks[position])]
      let end = position + 1 + length.sectors.count
      parts.append(describe(file, length, picks[position + 1..<end]))
      position = end
    }
    return parts.isEmpty ? "nothing was unsynced" : parts.joined(separator: "; ")
  }

  private func describe(
    _ file: FileChoices, _ length: LengthChoice, _ picks: ArraySlice<UInt8>
  ) -> String {
    let sectors = zip(length.sectors, picks).map { choices, pick in
      (choices.sector, choices.candidates[Int(pick)].label)
    }
    var line = "\(path(of: file.node)): \(length.byteCount) bytes"
    if file.lengths.count > 1 { line += " (\(length.label))" }
    var start = 0
    while start < sectors.count {
      let (first, label) = sectors[start]
      var end = start + 1
      while end < sectors.count, sectors[end] == (first + end - start, label) { end += 1 }
      line += end - start == 1 ? ", \(first)" : ", \(first)-\(first + end - start - 1)"
      line += " \(label)"
      start = end
    }
    return line
  }

  private func path(of node: NodeNumber) -> String {
    var content = powerLoss.content
    content.folders = outcome.folders
    return content.filePaths(\.durable).filter { $0.value == node }.keys.min() ?? "?"
  }
}
