/// What a loss of power may leave of a sector.
struct SectorCandidate: Sendable {
  enum Label: Hashable, Sendable {
    case old
    case new
    /// A content between the durable and the last one, counted from 1 on, oldest first.
    case earlier(Int)
    /// The first bytes of the new content, and the old content from there on.
    case torn(Int)
  }

  let label: Label
  let bytes: [UInt8]
}

extension SectorCandidate.Label: CustomStringConvertible {
  var description: String {
    switch self {
    case .old: return "old"
    case .new: return "new"
    case .earlier(let number): return "earlier#\(number)"
    case .torn(let offset): return "torn@\(offset)"
    }
  }
}

/// An unsynced sector, and what may be left of it: at least two contents, the durable one first.
struct SectorChoices: Sendable {
  let sector: Int
  let candidates: [SectorCandidate]
  /// The candidate that was written last.
  let newest: Int
}

extension FileContent {
  /// What may be left of an unsynced sector of which a number of bytes can be seen; nil where all that
  /// may be left looks the same.
  func choices(
    for sector: Int, visibleCount: Int, tearsPerSector: Int, seed: UInt64
  ) -> SectorChoices? {
    let old = Self.sector(sector, of: durable)
    var candidates = [SectorCandidate(label: .old, bytes: old)]
    var newest = 0
    func add(_ label: SectorCandidate.Label, _ bytes: [UInt8]) -> Bool {
      let isKnown = candidates.contains { known in
        differing(known.bytes, bytes, visibleCount) == nil
      }
      if !isKnown { candidates.append(SectorCandidate(label: label, bytes: bytes)) }
      return !isKnown
    }
    if sector * Self.sectorByteCount < live.count {
      let new = Self.sector(sector, of: live)
      if add(.new, new) { newest = 1 }
    }
    for (index, bytes) in (earlier[sector] ?? []).enumerated() {
      _ = add(.earlier(index + 1), bytes)
    }
    if newest == 1, tearsPerSector > 0 {
      let new = candidates[1].bytes
      for tear in tears(old, new, visibleCount, tearsPerSector, seed) {
        _ = add(.torn(tear), Array(new[..<tear] + old[tear...]))
      }
    }
    guard candidates.count > 1 else { return nil }
    return SectorChoices(sector: sector, candidates: candidates, newest: newest)
  }

  /// Where a sector may tear so that it is neither the old nor the new one.
  private func tears(
    _ old: [UInt8], _ new: [UInt8], _ visibleCount: Int, _ count: Int, _ seed: UInt64
  ) -> [Int] {
    guard let range = differing(old, new, visibleCount), range.count > 1 else { return [] }
    var places = Array(range.lowerBound + 1..<range.upperBound)
    var generator = SeededGenerator(seed: seed)
    if count == 1 { return [places[generator.next(below: places.count)]] }
    places.shuffle(using: &generator)
    return places.prefix(count).sorted()
  }
}

/// The range from the first to the last byte in which two contents differ, among the first ones.
private func differing(_ one: [UInt8], _ other: [UInt8], _ count: Int) -> Range<Int>? {
  one.withUnsafeBytes { one in
    other.withUnsafeBytes { other in
      var first = 0
      while first + 8 <= count,
        one.loadUnaligned(fromByteOffset: first, as: UInt64.self)
          == other.loadUnaligned(fromByteOffset: first, as: UInt64.self)
      { first += 8 }
      while first < count, one[first] == other[first] { first += 1 }
      guard first < count else { return nil }
      var last = count - 1
      while one[last] == other[last] { last -= 1 }
      return first..<last + 1
    }
  }
}
