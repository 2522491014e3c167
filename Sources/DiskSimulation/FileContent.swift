/// The bytes of a simulated file: what a read shows, and what a loss of power leaves.
///
/// What always holds: a sector in which `live` and `durable` differ, both continued with zeros, is in
/// `unsynced` or in `lost`, or lies past the end of `live`, or has been stored to through `region`
/// since the last look.
struct FileContent: Sendable {
  static let sectorByteCount = 512
  /// How many contents a sector, or lengths a file, had between two syncs are remembered.
  static let rememberedCount = 3
  /// Longer files are refused, as a file lives in memory.
  static let largestByteCount = 1 << 30

  /// What a read shows.
  var live: [UInt8] = []
  /// What is on the medium.
  var durable: [UInt8] = []
  /// The sectors that the next sync will write.
  var unsynced = SectorSet()
  /// The sectors that a failed sync marked clean although the medium never got them.
  var lost = SectorSet()
  /// Contents that unsynced sectors had before the present one, oldest first.
  var earlier: [Int: [[UInt8]]] = [:]
  /// Lengths that the file had between the durable and the present one, oldest first.
  var earlierLengths: [Int] = []
  /// The memory that is the file's first bytes while it is mapped.
  var region: MappedRegion?

  /// An empty file.
  init() {}

  /// A file whose bytes are all durable.
  init(settled bytes: [UInt8]) {
    live = bytes
    durable = bytes
  }

  /// Whether a loss of power could change the file.
  var isPending: Bool {
    !unsynced.isEmpty || live.count != durable.count || !earlierLengths.isEmpty
  }

  static func range(of sector: Int) -> Range<Int> {
    sector * sectorByteCount..<(sector + 1) * sectorByteCount
  }

  /// The sectors that a range of bytes touches.
  static func sectors(of range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    return range.lowerBound / sectorByteCount..<(range.upperBound - 1) / sectorByteCount + 1
  }

  /// A whole sector of a file, continued with zeros past the end.
  static func sector(_ sector: Int, of bytes: [UInt8]) -> [UInt8] {
    let range = range(of: sector).clamped(to: 0..<bytes.count)
    return Array(unsafeUninitializedCapacity: sectorByteCount) { buffer, count in
      let rest = buffer[range.count...]
      _ = UnsafeMutableBufferPointer(rebasing: buffer[..<range.count]).initialize(
        from: bytes[range])
      rest.initialize(repeating: 0)
      count = sectorByteCount
    }
  }

  /// Reads as many bytes as there are.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    takeInMapping()
    let count = min(buffer.count, max(0, live.count - offset))
    guard count > 0 else { return 0 }
    live.withUnsafeBytes { bytes in
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
    }
    return count
  }

  /// Writes bytes; the file grows where they reach past its end.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    guard !bytes.isEmpty else { return }
    takeInMapping()
    let range = offset..<offset + bytes.count
    if range.upperBound > live.count { changeLength(to: range.upperBound) }
    for sector in Self.sectors(of: range) { touch(sector) }
    live.withUnsafeMutableBytes { live in
      UnsafeMutableRawBufferPointer(rebasing: live[range]).copyMemory(from: bytes)
    }
    showInMapping(range)
  }

  /// Cuts the file, or continues it with zeros.
  mutating func resize(to byteCount: Int) {
    takeInMapping()
    changeLength(to: byteCount)
  }

  private mutating func changeLength(to byteCount: Int) {
    let before = live.count
    guard byteCount != before else { return }
    rememberLength()
    if byteCount < before {
      cut(to: byteCount)
    } else {
      live.setCount(byteCount)
      // Where the file was longer before, the medium holds other bytes than these zeros.
      let reused = min(before, durable.count)..<min(byteCount, durable.count)
      for sector in Self.sectors(of: reused) { touch(sector) }
    }
    showInMapping(min(before, byteCount)..<max(before, byteCount))
  }

  private mutating func cut(to byteCount: Int) {
    let firstGone = (byteCount + Self.sectorByteCount - 1) / Self.sectorByteCount
    // Should the old length survive, the sectors past the cut may hold what was written to them.
    for sector in unsynced.sectors where sector >= firstGone { remember(sector) }
    for sector in lost.sectors where sector >= firstGone { lost.remove(sector) }
    if firstGone * Self.sectorByteCount != byteCount { touch(firstGone - 1) }
    live.setCount(byteCount)
  }

  /// Notes that a sector is about to change.
  mutating func touch(_ sector: Int) {
    if unsynced.contains(sector) { remember(sector) } else { unsynced.insert(sector) }
    guard !lost.isEmpty else { return }
    // The system notes whole pages: a write to a page brings back all that a failed sync gave up there.
    let sectorsPerPage = MappedRegion.pageByteCount / Self.sectorByteCount
    let first = sector / sectorsPerPage * sectorsPerPage
    for other in first..<first + sectorsPerPage where lost.contains(other) {
      lost.remove(other)
      unsynced.insert(other)
    }
  }

  private mutating func remember(_ sector: Int) {
    guard sector * Self.sectorByteCount < live.count else { return }
    let content = Self.sector(sector, of: live)
    var contents = earlier[sector] ?? []
    guard !contents.contains(content) else { return }
    contents.append(content)
    if contents.count > Self.rememberedCount { contents.removeFirst() }
    earlier[sector] = contents
  }

  private mutating func rememberLength() {
    guard live.count != durable.count, !earlierLengths.contains(live.count) else { return }
    earlierLengths.append(live.count)
    if earlierLengths.count > Self.rememberedCount { earlierLengths.removeFirst() }
  }
}

extension [UInt8] {
  /// Cuts the bytes, or continues them with zeros.
  mutating func setCount(_ newCount: Int) {
    if newCount < count {
      removeLast(count - newCount)
    } else {
      // An array is appended at once; a lazy repetition would be, unoptimised, byte by byte.
      append(contentsOf: [UInt8](repeating: 0, count: newCount - count))
    }
  }
}
