package import ByteCoding
internal import Journaling
internal import ObjectModel

/// Which blocks a run has, in the order of their objects: what is needed to find an object's block, and to
/// read and check the directory of that block alone.
package struct RunIndex: Sendable {
  /// What the index says of a block. The block's place follows from the lengths of those before it.
  package struct Entry: Hashable, Sendable {
    package static let byteCount = 40

    package var firstObject: UInt64
    package var lastObject: UInt64
    /// The length of the block, with its seal.
    package var sealedByteCount: UInt32
    package var rowCount: UInt32
    /// The length of the directory's LZ4 blocks in the file.
    package var storedDirectoryByteCount: UInt32
    /// The length of the directory, decompressed.
    package var directoryByteCount: UInt32
    /// The check of the directory's LZ4 blocks.
    package var directoryCheck: UInt64

    package func write(to writer: inout ByteWriter) {
      writer.write(firstObject)
      writer.write(lastObject)
      writer.write(sealedByteCount)
      writer.write(rowCount)
      writer.write(storedDirectoryByteCount)
      writer.write(directoryByteCount)
      writer.write(directoryCheck)
    }
  }

  /// The most blocks of a run: those whose entries fit a frame.
  package static let largestBlockCount = Limits.payloadByteCount / Entry.byteCount

  package let entries: [Entry]
  /// Where each block begins in the file.
  let offsets: [UInt64]
  /// Where the last block ends.
  let endOffset: UInt64
  /// The blocks' first objects, by themselves, because they are searched.
  private let firstObjects: [UInt64]
  private let stretches: [Stretch]

  /// The blocks of one origin and entity.
  struct Stretch: Sendable {
    let prefix: UInt64
    var blocks: Range<Int>
    /// How far it is from the first block's first object to the second's, in case it is as far everywhere.
    var stride: UInt64
  }

  /// Where an object's block begins within its LZ4 frame: behind seal and prefix.
  static let directoryOffset = UInt64(Seal.byteCount + LZ4Frame.prefixByteCount)

  static func prefix(of object: UInt64) -> UInt64 { object & ~ObjectID.largestNumber }

  /// Reads the payload of an index; nil where it contradicts itself.
  package init?(_ payload: UnsafeRawBufferPointer) {
    guard payload.count % Entry.byteCount == 0 else { return nil }
    let count = payload.count / Entry.byteCount
    var (entries, offsets) = ([Entry](), [UInt64]())
    entries.reserveCapacity(count)
    offsets.reserveCapacity(count)
    var offset = UInt64(RunHeader.byteCount)
    for index in 0..<count {
      let entry = Entry(payload, at: index * Entry.byteCount)
      guard entry.isWithinLimits, entries.last.map({ $0.lastObject < entry.firstObject }) ?? true
      else { return nil }
      entries.append(entry)
      offsets.append(offset)
      offset += UInt64(entry.sealedByteCount)
    }
    self.init(entries, at: offsets)
  }

  /// - Parameter offsets: where the blocks begin in the file.
  init(_ entries: [Entry], at offsets: [UInt64]) {
    var stretches: [Stretch] = []
    var firstObjects: [UInt64] = []
    firstObjects.reserveCapacity(entries.count)
    for (index, entry) in entries.enumerated() {
      Self.extend(&stretches, by: entry.firstObject, block: index, firstObjects.last)
      firstObjects.append(entry.firstObject)
    }
    self.entries = entries
    self.offsets = offsets
    self.firstObjects = firstObjects
    self.stretches = stretches
    endOffset =
      if let offset = offsets.last, let entry = entries.last {
        offset + UInt64(entry.sealedByteCount)
      } else {
        UInt64(RunHeader.byteCount)
      }
  }

  private static func extend(
    _ stretches: inout [Stretch], by first: UInt64, block: Int, _ previous: UInt64?
  ) {
    let prefix = prefix(of: first)
    guard let last = stretches.last, last.prefix == prefix, let previous else {
      stretches.append(Stretch(prefix: prefix, blocks: block..<block + 1, stride: 1))
      return
    }
    let isSecond = last.blocks.count == 1
    if isSecond { stretches[stretches.count - 1].stride = first - previous }
    stretches[stretches.count - 1].blocks = last.blocks.lowerBound..<block + 1
  }

  /// The blocks of an origin and entity.
  func blocks(ofPrefix prefix: UInt64) -> Range<Int> { stretch(ofPrefix: prefix)?.blocks ?? 0..<0 }

  /// The only block that may have an object; nil where none may.
  func block(of object: UInt64) -> Int? {
    guard let stretch = stretch(ofPrefix: Self.prefix(of: object)) else { return nil }
    let blocks = stretch.blocks
    let first = firstObjects[blocks.lowerBound]
    guard object >= first else { return nil }
    // Where the numbers have no gaps, all blocks have the same count, and this is the block at once.
    let guess = blocks.lowerBound + Int(clamping: (object - first) / stretch.stride)
    if guess < blocks.upperBound, firstObjects[guess] <= object,
      guess + 1 == blocks.upperBound || object < firstObjects[guess + 1]
    {
      return object <= entries[guess].lastObject ? guess : nil
    }
    let block = search(object, in: blocks) - 1
    return object <= entries[block].lastObject ? block : nil
  }

  /// The first block whose last object is not before one.
  func firstBlock(notBefore object: UInt64) -> Int {
    let block = search(object, in: 0..<entries.count)
    return block > 0 && entries[block - 1].lastObject >= object ? block - 1 : block
  }

  /// The first block among some whose first object is behind one.
  private func search(_ object: UInt64, in blocks: Range<Int>) -> Int {
    blocks.firstPlace(inOrder: { firstObjects[$0] > object })
  }

  private func stretch(ofPrefix prefix: UInt64) -> Stretch? {
    let index = stretches.indices.firstPlace(inOrder: { stretches[$0].prefix >= prefix })
    return index < stretches.count && stretches[index].prefix == prefix ? stretches[index] : nil
  }
}

extension RunIndex.Entry {
  /// Reads an entry that is known to be there.
  fileprivate init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
    func get<Integer: FixedWidthInteger>(_ place: Int, _: Integer.Type) -> Integer {
      let value = bytes.loadUnaligned(fromByteOffset: offset + place, as: Integer.self)
      return Integer(littleEndian: value)
    }
    self.init(
      firstObject: get(0, UInt64.self), lastObject: get(8, UInt64.self),
      sealedByteCount: get(16, UInt32.self), rowCount: get(20, UInt32.self),
      storedDirectoryByteCount: get(24, UInt32.self), directoryByteCount: get(28, UInt32.self),
      directoryCheck: get(32, UInt64.self))
  }

  var isWithinLimits: Bool {
    guard firstObject <= lastObject,
      RunIndex.prefix(of: firstObject) == RunIndex.prefix(of: lastObject)
    else { return false }
    let span = lastObject - firstObject
    let around = UInt64(Seal.byteCount + LZ4Frame.prefixByteCount + LZ4Frame.endMarkByteCount)
    return span <= RunLimits.span && (1...UInt32(RunLimits.rowCount)).contains(rowCount)
      && UInt64(rowCount) <= span + 1 && directoryByteCount > 0
      && UInt64(sealedByteCount) >= around + UInt64(storedDirectoryByteCount)
      && Int(sealedByteCount) - Seal.byteCount <= Limits.lz4FrameByteCount
      && Limits.allow(
        payload: UInt64(directoryByteCount), in: UInt64(storedDirectoryByteCount))
  }
}
