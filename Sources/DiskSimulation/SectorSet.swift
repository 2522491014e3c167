/// A set of sector numbers, one bit each, so that the empty set costs nothing and a copy little.
struct SectorSet: Hashable, Sendable {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.isEmpty }

  func contains(_ sector: Int) -> Bool {
    let word = sector >> 6
    return word < words.count && words[word] & (1 << UInt64(sector & 63)) != 0
  }

  mutating func insert(_ sector: Int) {
    let word = sector >> 6
    while words.count <= word { words.append(0) }
    words[word] |= 1 << UInt64(sector & 63)
  }

  mutating func remove(_ sector: Int) {
    guard contains(sector) else { return }
    words[sector >> 6] &= ~(1 << UInt64(sector & 63))
    while words.last == 0 { words.removeLast() }
  }

  mutating func removeAll() { words = [] }

  /// The sectors, in rising order.
  var sectors: [Int] {
    var sectors: [Int] = []
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        sectors.append(index << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
    return sectors
  }
}
