/// Which objects a block has rows of, and at which places: told by one look, where a search by halves through their numbers
/// takes eight.
///
/// Costs: where the numbers have gaps, two bits for each from the first to the last, at most 16 bytes a row. It is freed by
/// hand.
struct PlaceMap {
  /// Of 64 numbers: which have rows, lowest first, and how many rows come before these.
  private struct Word {
    var bits: UInt64 = 0
    var placesBefore = 0
  }

  private let firstObject: UInt64
  /// None where the numbers have no gaps.
  private let words: UnsafeMutablePointer<Word>?
  /// How many words there are, or rows where the numbers have no gaps.
  private let count: Int

  /// The map of rows; nil where they lie too far apart.
  ///
  /// - Parameter distances: how far each row's number is from the first's, in order; none where there are no gaps.
  init?(firstObject: UInt64, rowCount: Int, distances: [UInt32]) {
    self.firstObject = firstObject
    guard let last = distances.last else {
      (words, count) = (nil, rowCount)
      return
    }
    count = Int(last / 64) + 1
    guard count <= rowCount else { return nil }
    let words = UnsafeMutablePointer<Word>.allocate(capacity: count)
    words.initialize(repeating: Word(), count: count)
    for distance in distances { words[Int(distance / 64)].bits |= 1 << UInt64(distance % 64) }
    for index in 1..<max(1, count) {
      words[index].placesBefore =
        words[index - 1].placesBefore + words[index - 1].bits.nonzeroBitCount
    }
    self.words = words
  }

  func deallocate() { words?.deallocate() }

  var memoryByteCount: Int { words == nil ? 0 : count * MemoryLayout<Word>.stride }

  /// The place of an object's row; nil where there is none.
  @inline(__always)
  func place(of object: UInt64) -> Int? {
    guard object >= firstObject else { return nil }
    let distance = object - firstObject
    guard let words else { return distance < UInt64(count) ? Int(distance) : nil }
    guard distance / 64 < UInt64(count) else { return nil }
    let word = words[Int(distance / 64)]
    let bit = UInt64(1) << (distance % 64)
    guard word.bits & bit != 0 else { return nil }
    return word.placesBefore + (word.bits & (bit - 1)).nonzeroBitCount
  }
}
