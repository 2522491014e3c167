/// A length that a file may have after a loss of power, and what may be left of its sectors then.
struct LengthChoice: Sendable {
  enum Label: Hashable, Sendable {
    case old
    case new
    case earlier
  }

  let label: Label
  let byteCount: Int
  let sectors: [SectorChoices]
  /// How many ways there are to choose the sectors; nil if they cannot be counted.
  let combinationCount: UInt64?
}

/// What may be left of a file after a loss of power: at least two different contents.
struct FileChoices: Sendable {
  let node: NodeNumber
  let durable: [UInt8]
  /// The lengths, the durable one first.
  let lengths: [LengthChoice]
  /// The length that was set last.
  let newest: Int
  /// How many contents may be left; nil if they cannot be counted.
  let combinationCount: UInt64?

  /// Finds what may be left of a file; nil where that is only what is durable.
  init?(_ node: NodeNumber, _ file: FileContent, tearsPerSector: Int, seed: UInt64) {
    guard file.isPending else { return nil }
    self.node = node
    durable = file.durable
    var found: [(label: LengthChoice.Label, byteCount: Int)] = [(.old, file.durable.count)]
    if file.live.count != file.durable.count { found.append((.new, file.live.count)) }
    newest = found.count - 1
    for earlier in file.earlierLengths where !found.contains(where: { $0.byteCount == earlier }) {
      found.append((.earlier, earlier))
    }
    let unsynced = file.unsynced.sectors
    lengths = found.map { label, byteCount in
      let sectors = unsynced.compactMap { sector -> SectorChoices? in
        let visible = FileContent.range(of: sector).clamped(to: 0..<byteCount).count
        guard visible > 0 else { return nil }
        return file.choices(
          for: sector, visibleCount: visible, tearsPerSector: tearsPerSector,
          seed: seed ^ node << 32 ^ UInt64(sector))
      }
      return LengthChoice(
        label: label, byteCount: byteCount, sectors: sectors,
        combinationCount: product(sectors.map { UInt64($0.candidates.count) }))
    }
    combinationCount = sum(lengths.map(\.combinationCount))
    if lengths.count == 1, lengths[0].sectors.isEmpty { return nil }
  }

  /// Appends what stands for the state with a given number: the number of a length, then of a candidate
  /// for each sector.
  func appendPicks(ofState state: UInt64, to picks: inout [UInt8]) {
    var rest = state
    for (number, length) in lengths.enumerated() {
      let count = length.combinationCount ?? 1
      guard rest >= count else {
        picks.append(UInt8(number))
        for sector in length.sectors {
          let candidates = UInt64(sector.candidates.count)
          picks.append(UInt8(rest % candidates))
          rest /= candidates
        }
        return
      }
      rest -= count
    }
  }

  /// The bytes that a choice leaves: the number of a length, then of a candidate for each sector.
  func content(_ picks: ArraySlice<UInt8>) -> [UInt8] {
    let length = lengths[Int(picks[picks.startIndex])]
    var bytes = durable
    bytes.setCount(length.byteCount)
    bytes.withUnsafeMutableBytes { target in
      for (choices, pick) in zip(length.sectors, picks.dropFirst()) where pick > 0 {
        let range = FileContent.range(of: choices.sector).clamped(to: 0..<target.count)
        choices.candidates[Int(pick)].bytes.withUnsafeBytes { source in
          UnsafeMutableRawBufferPointer(rebasing: target[range])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<range.count]))
        }
      }
    }
    return bytes
  }
}

/// A product of counts, or nil where it is too large.
func product(_ counts: [UInt64?]) -> UInt64? {
  counts.reduce(1) { total, count in
    guard let total, let count else { return nil }
    let (value, overflow) = total.multipliedReportingOverflow(by: count)
    return overflow ? nil : value
  }
}

/// A sum of counts, or nil where it is too large.
func sum(_ counts: [UInt64?]) -> UInt64? {
  counts.reduce(0) { total, count in
    guard let total, let count else { return nil }
    let (value, overflow) = total.addingReportingOverflow(count)
    return overflow ? nil : value
  }
}
