internal import ByteCoding

// What follows the walk: the containers, the offsets and the trailer.
extension ListAssembly {
  /// Writes the containers, the offsets and the trailer.
  consuming func finish(root: UInt32, to writer: inout ByteWriter) {
    let referenceByteCount = Format.byteCount(holding: offsets.count)
    var index = 0
    while index < containers.count {
      let isDictionary = containers[index + 1] & 1 == 1
      let count = Int(containers[index + 1] >> 1)
      let references = isDictionary ? count * 2 : count
      offsets[Int(containers[index])] = writer.byteCount - start
      writer.writeMarker(isDictionary ? .dictionary : .array, count: count)
      let words = UnsafeBufferPointer(start: containers.base + index + 2, count: references)
      writer.writeBigEndian(words, byteCount: referenceByteCount)
      index += 2 + references
    }
    let tableOffset = writer.byteCount - start
    let offsetByteCount = Format.byteCount(holding: tableOffset)
    let words = UnsafeBufferPointer(start: offsets.base, count: offsets.count)
    writer.writeBigEndian(words, byteCount: offsetByteCount)
    for _ in 0..<6 { writer.write(UInt8(0)) }
    writer.write(UInt8(truncatingIfNeeded: offsetByteCount))
    writer.write(UInt8(truncatingIfNeeded: referenceByteCount))
    for word in [offsets.count, Int(root), tableOffset] { writer.writeBigEndian(word) }
  }
}

extension ByteWriter {
  /// Writes numbers in so many bytes each.
  fileprivate mutating func writeBigEndian<Word: FixedWidthInteger>(
    _ words: UnsafeBufferPointer<Word>, byteCount: Int
  ) {
    switch byteCount {
    case 1: put(words, as: UInt8.self)
    case 2: put(words, as: UInt16.self)
    case 4: put(words, as: UInt32.self)
    default: put(words, as: UInt64.self)
    }
  }

  @inline(__always)
  private mutating func put<Word: FixedWidthInteger, Narrow: FixedWidthInteger>(
    _ words: UnsafeBufferPointer<Word>, as: Narrow.Type
  ) {
    let target = reserve(words.count * MemoryLayout<Narrow>.size)
    for index in words.indices {
      target.storeBytes(
        of: Narrow(truncatingIfNeeded: words[index]).bigEndian,
        toByteOffset: index * MemoryLayout<Narrow>.size, as: Narrow.self)
    }
    advance(by: words.count * MemoryLayout<Narrow>.size)
  }
}
