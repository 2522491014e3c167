// Where the edits of a sound edit buffer stand, told by docs/format.md alone, and so what damage to it may cost.

/// The places of those edits of an edit buffer that no frame holds.
struct EditPlaces {
  private let edits: ClosedRange<Int>
  /// What all of these edits hang on: the headers of the file and of their half.
  private let headers: [Range<Int>]
  /// The entries of their half up to the last edit, without their padding, by the numbers of the edits.
  private var entries: [(edit: Int, place: Range<Int>)] = []

  /// Finds some edits in a buffer; nil where no half has all of them.
  init?(of edits: ClosedRange<Int>, in bytes: [UInt8]) {
    func number(_ byteCount: Int, at offset: Int) -> Int {
      bytes[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    let halfByteCount = number(4, at: 40)
    let halves = [4096, 4096 + halfByteCount].filter { number(8, at: $0) > 0 }
    guard let half = halves.max(by: { number(8, at: $0 + 8) < number(8, at: $1 + 8) }),
      number(8, at: half + 8) <= edits.lowerBound
    else { return nil }
    self.edits = edits
    headers = [0..<64, half..<half + 32]
    var offset = half + 32
    for edit in number(8, at: half + 8)...edits.upperBound {
      guard offset + 8 <= half + halfByteCount else { return nil }
      let byteCount = number(4, at: offset + 4) & 0x7FFF_FFFF
      let end = offset + 8 + byteCount
      guard byteCount > 0, end <= half + halfByteCount else { return nil }
      entries.append((edit, offset..<end))
      offset = (end + 7) / 8 * 8
    }
  }

  /// How many of the edits are lost where a byte is another: those from its entry on, all where it is a header's, and
  /// none where it is a slot's, padding, or of what frames hold.
  func lossAfterChange(at offset: Int) -> Int {
    if headers.contains(where: { $0.contains(offset) }) { return edits.count }
    guard let hit = entries.first(where: { $0.place.contains(offset) }) else { return 0 }
    return edits.upperBound - max(hit.edit, edits.lowerBound) + 1
  }
}
