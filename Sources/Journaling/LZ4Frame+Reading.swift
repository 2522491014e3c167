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
        guard let count = try readBlock(field, limit, &reader, into: target, at: filled) else {
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

  /// Decompresses some blocks of a frame, without prefix and end mark, into exactly the bytes given for them.
  ///
  /// - Returns: whether the blocks are well-formed to the last byte, and fill the target.
  package static func readBlocks(
    _ blocks: UnsafeRawBufferPointer, _ limit: BlockLimit = .mebibytes4,
    into target: UnsafeMutableRawBufferPointer
  ) -> Bool {
    var reader = ByteReader(blocks)
    do throws(ByteCodingError) {
      var filled = 0
      while reader.remainingByteCount > 0 {
        let field = try reader.readInteger(UInt32.self)
        guard field != 0,
          let count = try readBlock(field, limit, &reader, into: target, at: filled)
        else { return false }
        filled += count
      }
      return filled == target.count
    } catch {
      return false
    }
  }

  /// Decompresses a block behind its length field.
  ///
  /// - Returns: how many bytes it gave; nil where it is malformed.
  private static func readBlock(
    _ field: UInt32, _ limit: BlockLimit, _ reader: inout ByteReader,
    into target: UnsafeMutableRawBufferPointer, at filled: Int
  ) throws(ByteCodingError) -> Int? {
    let block = try reader.readBytes(Int(field & ~storedBlockFlag))
    let room = UnsafeMutableRawBufferPointer(
      rebasing: target[filled..<min(filled + limit.byteCount, target.count)])
    return field & storedBlockFlag != 0 ? store(block, in: room) : decompress(block, into: room)
  }

  /// Reads what stands before a frame's blocks; nil where it is none of ours.
  private static func readPrefix(
    _ reader: inout ByteReader
  ) throws(ByteCodingError) -> BlockLimit? {
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
