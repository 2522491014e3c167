internal import ByteCoding

/// Index entries in bytes: for each a byte that says which of its words differ from those of the entry
/// before, and for each of these a byte that counts the zero bytes at both ends of the exclusive-or of the
/// two, and what lies between them.
enum IndexCoding {
  /// The fewest bytes of an entry: it differs in one word, by one byte.
  static let leastByteCount = 3
  static let largestByteCount = 1 + IndexEntry.wordCount * 9

  /// Writes an entry behind another.
  static func write(
    _ entry: IndexEntry, after previous: IndexEntry, to writer: inout ByteWriter
  ) {
    let target = writer.reserve(largestByteCount)
    var differing: UInt8 = 0
    var count = 1
    withWords(of: entry, previous) { words, previousWords in
      for word in 0..<IndexEntry.wordCount {
        let difference = words[word] ^ previousWords[word]
        if difference == 0 { continue }
        differing |= 1 << UInt8(word)
        let (leading, trailing) = (
          difference.leadingZeroBitCount / 8, difference.trailingZeroBitCount / 8
        )
        target.storeBytes(
          of: UInt8(leading << 4 | trailing), toByteOffset: count, as: UInt8.self)
        let kept = (difference >> UInt64(8 * trailing)).littleEndian
        // What is written beyond the bytes that count is overwritten, or not counted.
        target.storeBytes(of: kept, toByteOffset: count + 1, as: UInt64.self)
        count += 1 + 8 - leading - trailing
      }
    }
    target.storeBytes(of: differing, as: UInt8.self)
    writer.advance(by: count)
  }

  /// Makes an entry the one that follows it in some bytes.
  ///
  /// - Parameter offset: where that begins; then where it ends.
  /// - Returns: whether there is one, as `write` writes it, and it stands behind the one before.
  @inline(__always)
  static func read(
    _ entry: inout IndexEntry, from bytes: UnsafeRawBufferPointer, at offset: inout Int
  ) -> Bool {
    withUnsafeMutablePointer(to: &entry) { read($0, from: bytes, at: &offset) }
  }

  /// The same, where the entry lies in memory.
  @inline(__always)
  static func read(
    _ entry: UnsafeMutablePointer<IndexEntry>, from bytes: UnsafeRawBufferPointer,
    at offset: inout Int
  ) -> Bool {
    guard offset < bytes.count else { return false }
    let words = UnsafeMutableRawPointer(entry)
    var differing = bytes[offset]
    var place = offset + 1
    // Most entries have the value of the one before.
    if differing == objectAlone {
      guard let difference = difference(in: bytes, at: &place) else { return false }
      let old = entry.pointee.object
      let new = old ^ difference
      words.storeBytes(of: new, toByteOffset: 8 * objectWord, as: UInt64.self)
      offset = place
      return old < new
    }
    guard differing != 0, differing < 1 << UInt8(IndexEntry.wordCount) else { return false }
    var (isOrdered, isDecided) = (false, false)
    while differing != 0 {
      let word = differing.trailingZeroBitCount
      differing &= differing &- 1
      guard let difference = difference(in: bytes, at: &place) else { return false }
      let old = words.load(fromByteOffset: 8 &* word, as: UInt64.self)
      let new = old ^ difference
      words.storeBytes(of: new, toByteOffset: 8 &* word, as: UInt64.self)
      // The first word that differs decides; whether an entry is removed counts for nothing.
      if !isDecided, word > 0 || old >> 1 != new >> 1 {
        (isOrdered, isDecided) = (old < new, true)
      }
    }
    offset = place
    return isOrdered
  }

  private static let objectWord = IndexEntry.wordCount - 1
  private static let objectAlone: UInt8 = 1 << UInt8(objectWord)

  /// In what a word differs from that of the entry before; nil where that is not as `write` writes it.
  @inline(__always)
  private static func difference(
    in bytes: UnsafeRawBufferPointer, at place: inout Int
  ) -> UInt64? {
    guard place < bytes.count else { return nil }
    let (leading, trailing) = (Int(bytes[place] >> 4), Int(bytes[place] & 15))
    let count = 8 &- leading &- trailing
    guard count > 0, bytes.count &- place > count else { return nil }
    let kept = load(count, from: bytes, at: place &+ 1)
    guard kept & 0xFF != 0, kept &>> UInt64(8 &* (count &- 1)) != 0 else { return nil }
    place &+= 1 &+ count
    return kept &<< UInt64(8 &* trailing)
  }

  /// Loads some bytes that are there, at most eight.
  @inline(__always)
  private static func load(
    _ count: Int, from bytes: UnsafeRawBufferPointer, at place: Int
  ) -> UInt64 {
    if bytes.count - place >= 8 {
      let loaded = UInt64(
        littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
      return loaded & (.max &>> UInt64(8 &* (8 &- count)))
    }
    return (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
  }

  private static func withWords(
    of one: IndexEntry, _ other: IndexEntry,
    _ body: (UnsafeBufferPointer<UInt64>, UnsafeBufferPointer<UInt64>) -> Void
  ) {
    withUnsafeBytes(of: one) { one in
      withUnsafeBytes(of: other) { other in
        body(one.bindMemory(to: UInt64.self), other.bindMemory(to: UInt64.self))
      }
    }
  }
}
