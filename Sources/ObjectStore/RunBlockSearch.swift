internal import ByteCoding
internal import DiskAccess
internal import Journaling

/// The blocks of a run whose index or footer is damaged, as their own seals tell where they are.
///
/// A block counts that is sound to its last byte. Where the footer is damaged, what it said is known if all blocks follow
/// one another from the header to the seal of the index.
struct RunBlockSearch {
  let header: RunHeader
  let byteCount: UInt64
  private(set) var index = RunIndex([], at: [])
  /// The footer, or what it must have been; nil where nobody can tell.
  private(set) var footer: RunFooter?

  private let file: any ReadableFile
  private let name: String
  private var blocks: [(entry: RunIndex.Entry, offset: UInt64)] = []
  private var deletedCount: UInt64 = 0

  /// Searches the whole file.
  init(_ file: any ReadableFile, _ name: String, store: StoreIdentity) throws(RunError) {
    (self.file, self.name) = (file, name)
    let byteCount = try onDisk { () throws(DiskError) in try file.information().byteCount }
    self.byteCount = byteCount
    header = try RunEnds.header(of: file, name, .rows, min(byteCount, UInt64(RunHeader.byteCount)))
    guard header.store == store else { throw .damaged(RunFinding(.foreign, name)) }
    let end = byteCount - min(byteCount, UInt64(RunFooter.byteCount))
    let indexSeal = try search(to: end)
    index = RunIndex(blocks.map(\.entry), at: blocks.map(\.offset))
    let rowCount = blocks.reduce(0) { $0 + UInt64($1.entry.rowCount) }
    let salt = header.salt
    footer = try file.withBytes(end, Int(byteCount - end), name) { RunFooter.read($0, salt: salt) }
    if footer == nil, let seal = indexSeal {
      footer = RunFooter(
        rowCount: rowCount, deletedCount: deletedCount, blockCount: UInt64(blocks.count),
        indexOffset: end - UInt64(seal.sealedByteCount),
        indexByteCount: UInt64(seal.sealedByteCount),
        indexCheck: seal.bodyCheck)
    }
  }

  /// - Returns: the seal of the index, where it is sound and nothing is between the header, the blocks and it.
  private mutating func search(to end: UInt64) throws(RunError) -> Seal? {
    var (offset, isUnbroken) = (UInt64(RunHeader.byteCount), true)
    while let seal = try seal(at: offset, end) {
      let next = seal.offset + UInt64(seal.seal.sealedByteCount)
      isUnbroken = isUnbroken && seal.offset == offset
      if seal.seal.kind == .runIndex {
        let isNext = seal.seal.number.rawValue == UInt64(blocks.count) + 1
        return isUnbroken && isNext && next == end ? seal.seal : nil
      }
      let fits = next <= end && seal.seal.sealedByteCount <= Self.largestByteCount
      let isTaken = fits ? try take(seal.seal, at: seal.offset) : false
      isUnbroken = isUnbroken && isTaken
      // The length is the seal's, whose own check fits.
      offset = min(next, end)
    }
    return nil
  }

  private static let windowByteCount: UInt64 = 1 << 20
  private static let largestByteCount = Seal.byteCount + Limits.lz4FrameByteCount

  /// The next seal from a place on whose own check fits: no further away than a block is long, as blocks follow one another.
  private func seal(at start: UInt64, _ end: UInt64) throws(RunError) -> (
    seal: Seal, offset: UInt64
  )? {
    var start = start
    let salt = header.salt
    let end = min(end, start + UInt64(Self.largestByteCount + Seal.byteCount))
    while start + UInt64(Seal.byteCount) <= end {
      let count = Int(min(Self.windowByteCount, end - start))
      let found = try file.withBytes(start, count, name) { bytes -> (Seal, Int)? in
        for place in 0...(count - Seal.byteCount)
        where bytes[place] == UInt8(truncatingIfNeeded: Seal.magicNumber) {
          let head = UnsafeRawBufferPointer(rebasing: bytes[place...])
          if case .seal(let seal) = Seal.read(head, salt: salt) { return (seal, place) }
        }
        return nil
      }
      if let (seal, place) = found { return (seal, start + UInt64(place)) }
      start += UInt64(count - Seal.byteCount + 1)
    }
    return nil
  }

  /// Takes a block in that is sound, and comes behind the others.
  private mutating func take(_ seal: Seal, at offset: UInt64) throws(RunError) -> Bool {
    let place = SealedFrame.Place(number: seal.number.rawValue, kind: .rows, salt: header.salt)
    let name = name
    let read = try file.withBytes(offset, seal.sealedByteCount, name) {
      sealed throws(RunError) -> (RunIndex.Entry, BlockDirectory)? in
      switch SealedFrame.read(sealed, at: place) {
      case .frame(let frame): return RunIndex.Entry.told(by: frame, salt: place.salt)
      case .damaged: return nil
      case .newer(let format, let flags):
        throw .newerFormat(RunFinding(.blockNewer(format: format, flags: flags), name, at: offset))
      }
    }
    guard let (entry, directory) = read, blocks.count < RunIndex.largestBlockCount,
      blocks.last.map({ $0.entry.lastObject < entry.firstObject }) ?? true
    else { return false }
    blocks.append((entry, offset))
    deletedCount += UInt64(directory.deletedCount)
    return true
  }
}

extension RunIndex.Entry {
  /// What the index says of a block, and the block's directory; nil where the block does not say what one says.
  fileprivate static func told(
    by frame: SealedFrame, salt: UInt64
  ) -> (RunIndex.Entry, BlockDirectory)? {
    let payload = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Int(frame.seal.payloadByteCount), alignment: 16)
    defer { payload.deallocate() }
    guard LZ4Frame.read(frame.lz4Frame, into: payload),
      let extent = BlockDirectory.extent(of: UnsafeRawBufferPointer(payload)),
      let stored = storedDirectory(in: frame.lz4Frame, extent.byteCount)
    else { return nil }
    let entry = RunIndex.Entry(
      firstObject: extent.objects.lowerBound, lastObject: extent.objects.upperBound,
      sealedByteCount: UInt32(frame.seal.sealedByteCount), rowCount: UInt32(extent.rowCount),
      storedDirectoryByteCount: UInt32(stored.count),
      directoryByteCount: UInt32(extent.byteCount),
      directoryCheck: Checksum.of(stored, salt: salt))
    let bytes = UnsafeRawBufferPointer(rebasing: payload[..<extent.byteCount])
    guard entry.isWithinLimits, case .directory(let directory) = BlockDirectory.read(bytes, entry)
    else { return nil }
    return (entry, directory)
  }

  /// The LZ4 blocks of a directory, which are the first of its frame.
  private static func storedDirectory(
    in lz4Frame: UnsafeRawBufferPointer, _ byteCount: Int
  ) -> UnsafeRawBufferPointer? {
    let blocks = UnsafeRawBufferPointer(rebasing: lz4Frame[LZ4Frame.prefixByteCount...])
    var reader = ByteReader(blocks)
    do throws(ByteCodingError) {
      for _ in 0..<(byteCount - 1) / Limits.blockByteCount + 1 {
        let field = try reader.readInteger(UInt32.self)
        _ = try reader.readBytes(Int(field & ~LZ4Frame.storedBlockFlag))
      }
    } catch {
      return nil
    }
    return UnsafeRawBufferPointer(rebasing: blocks[..<(blocks.count - reader.remainingByteCount)])
  }
}
