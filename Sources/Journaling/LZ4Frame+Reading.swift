internal import ByteCoding
internal import CLZ4

extension LZ4Frame {
  /// Decompresses a lean LZ4 frame into exactly the bytes given for it.
  ///
  /// - Returns: whether the frame is one of ours, well-formed to its last byte, and fills the target.
  package static func read(
    _ frame: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var reader = ByteReader(frame)
    do throws(ByteCodingError) {
      guard let limit = try readPrefix(&reader) else { return false }
      var filled = 0
      while true {
        let field = try reader.readInteger(UInt32.self)
        if field == 0 { break }
        let block = try reader.readBytes(Int(field & ~storedBlockFlag))
        let room = UnsafeMutableRawBufferPointer(
          rebasing: target[filled..<min(filled + limit.byteCount, target.count)])
        let isStored = field & storedBlockFlag != 0
        guard let count = isStored ? store(block, in: room) : decompress(block, into: room) else {
          return false
        }
        filled += count
      }
      try reader.expectEnd()
      return filled == target.count
    } catch {
      return false
    }
  }

  private static func readPrefix(_ reader: inout ByteReader) throws(ByteCodingError) -> BlockLimit?
  {
    let magic = try reader.readInteger(UInt32.self)
    let flags = try reader.readInteger(UInt8.self)
    let limit = BlockLimit(rawValue: try reader.readInteger(UInt8.self))
    let check = try reader.readInteger(UInt8.self)
    guard magic == magicNumber, flags == Self.flags, limit?.prefixCheck == check else { return nil }
    return limit
  }

  private static func store(
    _ block: UnsafeRawBufferPointer, in room: UnsafeMutableRawBufferPointer
  ) -> Int? {
    guard !block.isEmpty, block.count <= room.count else { return nil }
    room.copyMemory(from: block)
    return block.count
  }

  private static func decompress(
    _ block: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer
  ) -> Int? {
    // The lengths fit: a frame is within `Limits`, and so are its parts.
    let count = LZ4_decompress_safe(
      block.assumingMemoryBound(to: CChar.self).baseAddress,
      room.assumingMemoryBound(to: CChar.self).baseAddress,
      Int32(block.count), Int32(room.count))
    return count > 0 ? Int(count) : nil
  }
}
