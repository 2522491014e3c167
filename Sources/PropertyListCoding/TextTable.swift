internal import ByteCoding

/// Finds strings that have been seen before, by their bytes.
///
/// The order of entries depends on the order of questions and shows in no list; an entry's number in the
/// list is given by the writer, when it writes it.
struct TextTable: ~Copyable {
  struct Entry: BitwiseCopyable {
    let hash: UInt64
    /// The first eight bytes, the first one highest, and zeros where there are fewer.
    let prefix: UInt64
    let offset: Int
    let byteCount: Int
    let isASCII: Bool
    /// The object's number, once it is written.
    var number: UInt32?
  }

  private(set) var entries = Column<Entry>(capacity: 16)
  private var bytes = ByteWriter(capacity: 256)
  /// One more than an entry's index, or 0.
  private var slots = Column<UInt32>(repeating: 0, count: 64)
  private let seed = TextTable.seed

  // Chosen anew by each process, so that nobody can choose strings that collide.
  private static let seed = UInt64.random(in: .min ... .max)

  /// What has been asked for lately with `entry(ofKey:)`.
  private var recent = Column<Recent>(
    repeating: Recent(representation: (0, 0), index: -1), count: 64)

  struct Recent: BitwiseCopyable {
    let representation: (UInt64, UInt64)
    let index: Int
  }

  /// The same for a string that lives until the list is written. Most dictionaries are rows with the same keys:
  /// two living strings whose representations are the same are the same string, and so need not be read.
  ///
  /// - Returns: the index of the string's entry.
  @inline(__always)
  mutating func entry(ofKey text: String) -> Int {
    let representation = unsafeBitCast(text, to: (UInt64, UInt64).self)
    let mixed = (representation.0 ^ representation.1) &* 0x9E37_79B9_7F4A_7C15
    let place = Int(truncatingIfNeeded: mixed >> 58)
    let last = recent[place]
    if last.index >= 0, last.representation == representation { return last.index }
    let index = entry(of: text)
    recent[place] = Recent(representation: representation, index: index)
    return index
  }

  /// - Returns: the index of the string's entry.
  @inline(__always)
  mutating func entry(of text: String) -> Int {
    let found = text.utf8.withContiguousStorageIfAvailable { utf8 in
      entry(of: UnsafeRawBufferPointer(utf8))
    }
    return found ?? Array(text.utf8).withUnsafeBytes { entry(of: $0) }
  }

  /// The same for UTF-8 that lies somewhere.
  mutating func entry(of text: UnsafeRawBufferPointer) -> Int {
    let reading = TextReading(text, seed: seed)
    var slot = Int(truncatingIfNeeded: reading.hash) & (slots.count - 1)
    while slots[slot] != 0 {
      let index = Int(slots[slot]) - 1
      if entries[index].hash == reading.hash, entries[index].byteCount == text.count,
        withBytes(of: index, { TextReading.areEqual($0, text) })
      {
        return index
      }
      slot = (slot + 1) & (slots.count - 1)
    }
    entries.append(
      Entry(
        hash: reading.hash, prefix: reading.prefix, offset: bytes.byteCount, byteCount: text.count,
        isASCII: reading.isASCII))
    bytes.write(text)
    slots[slot] = UInt32(truncatingIfNeeded: entries.count)
    if entries.count * 2 > slots.count { grow() }
    return entries.count - 1
  }

  mutating func setNumber(_ number: UInt32, ofEntry index: Int) { entries[index].number = number }

  /// Hands out the bytes of an entry, in UTF-8.
  @inline(__always)
  func withBytes<Answer>(of index: Int, _ body: (UnsafeRawBufferPointer) -> Answer) -> Answer {
    let entry = entries[index]
    return bytes.withBytes {
      body(UnsafeRawBufferPointer(rebasing: $0[entry.offset..<entry.offset + entry.byteCount]))
    }
  }

  /// Whether an entry's bytes stand before another's.
  func precedes(_ one: Int, _ other: Int) -> Bool {
    withBytes(of: one) { one in
      withBytes(of: other) { other in one.lexicographicallyPrecedes(other) }
    }
  }

  private mutating func grow() {
    slots = Column(repeating: 0, count: slots.count * 4)
    for index in 0..<entries.count {
      var slot = Int(truncatingIfNeeded: entries[index].hash) & (slots.count - 1)
      while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
      slots[slot] = UInt32(truncatingIfNeeded: index + 1)
    }
  }
}

/// What one pass over a string's bytes tells of it.
struct TextReading {
  let hash: UInt64
  let prefix: UInt64
  let isASCII: Bool

  @inline(__always)
  init(_ text: UnsafeRawBufferPointer, seed: UInt64) {
    let count = text.count
    guard let base = text.baseAddress, count > 0 else {
      (hash, prefix, isASCII) = (seed, 0, true)
      return
    }
    var state = seed
    var bits: UInt64 = 0
    var offset = 0
    while count - offset > 16 {
      let (low, high) = (Self.word(base + offset), Self.word(base + offset + 8))
      state = Self.fold(low ^ 0xA076_1D64_78BD_642F, high ^ state)
      bits |= low | high
      offset += 16
    }
    let (low, high) = Self.ends(base + offset, count - offset)
    state = Self.fold(low ^ 0xA076_1D64_78BD_642F, high ^ state)
    bits |= low | high
    hash = Self.fold(state ^ 0xE703_7ED1_A0B4_28DB, UInt64(count) ^ 0x8EBC_6AF0_9C88_C6E3)
    prefix = (count > 7 ? Self.word(base) : Self.ends(base, count).0).byteSwapped
    isASCII = bits & 0x8080_8080_8080_8080 == 0
  }

  /// Up to 16 bytes as two words; the words may overlap where there are more than eight.
  @inline(__always)
  private static func ends(_ base: UnsafeRawPointer, _ count: Int) -> (UInt64, UInt64) {
    if count >= 8 { return (word(base), word(base + count - 8)) }
    var word: UInt64 = 0
    if count >= 4 {
      let low = UInt64(UInt32(littleEndian: base.loadUnaligned(as: UInt32.self)))
      let high = UInt64(
        UInt32(littleEndian: (base + count - 4).loadUnaligned(as: UInt32.self)))
      return (low | high << UInt64((count - 4) * 8), 0)
    }
    for index in 0..<count {
      word |= UInt64(base.load(fromByteOffset: index, as: UInt8.self)) << UInt64(index * 8)
    }
    return (word, 0)
  }

  @inline(__always)
  private static func word(_ base: UnsafeRawPointer) -> UInt64 {
    UInt64(littleEndian: base.loadUnaligned(as: UInt64.self))
  }

  @inline(__always)
  private static func fold(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }

  /// Whether two rows of bytes of the same length are the same.
  @inline(__always)
  static func areEqual(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
    guard let one = one.baseAddress, let base = other.baseAddress else { return true }
    let count = other.count
    var offset = 0
    while count - offset > 16 {
      if word(one + offset) != word(base + offset) { return false }
      offset += 8
    }
    return ends(one + offset, count - offset) == ends(base + offset, count - offset)
  }
}
