package import ByteCoding
internal import CLZ4

/// Compresses payloads into lean LZ4 frames. Its working memory is kept between frames.
package struct LZ4FrameWriter: ~Copyable {
  /// Below this, keeping a stream's tables is cheaper than clearing a state's.
  private static let smallByteCount = 4 << 10

  private let stream: UnsafeMutablePointer<LZ4_stream_t>
  private let state: UnsafeMutableRawPointer

  package init() {
    stream = .allocate(capacity: 1)
    LZ4_initStream(stream, MemoryLayout<LZ4_stream_t>.size)
    state = .allocate(byteCount: Int(LZ4_sizeofState()), alignment: 16)
  }

  deinit {
    stream.deallocate()
    state.deallocate()
  }

  /// Writes the LZ4 frame of a payload.
  package borrowing func write(_ payload: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    let limit = LZ4Frame.BlockLimit(payloadByteCount: payload.count)
    LZ4Frame.writePrefix(limit, to: &writer)
    writeBlocks(of: payload, limit, to: &writer)
    LZ4Frame.writeEndMark(to: &writer)
  }

  /// Writes the blocks of a part of a payload; no block has bytes of another part.
  package borrowing func writeBlocks(
    of part: UnsafeRawBufferPointer, _ limit: LZ4Frame.BlockLimit, to writer: inout ByteWriter
  ) {
    var start = 0
    while start < part.count {
      let end = min(start + limit.byteCount, part.count)
      writeBlock(UnsafeRawBufferPointer(rebasing: part[start..<end]), to: &writer)
      start = end
    }
  }

  private borrowing func writeBlock(_ block: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    // Room for whatever comes of it, since who runs out of it leaves the tables as nobody can use them again.
    let capacity = Int(LZ4_compressBound(Int32(block.count)))
    let target = writer.reserve(4 + capacity)
    let compressed = compress(block, to: target + 4, capacity: capacity)
    // What does not get smaller is stored as it is.
    if compressed > 0, compressed < block.count {
      target.storeBytes(of: UInt32(compressed).littleEndian, as: UInt32.self)
      writer.advance(by: 4 + compressed)
    } else {
      writer.write(UInt32(block.count) | LZ4Frame.storedBlockFlag)
      writer.write(block)
    }
  }

  private borrowing func compress(
    _ block: UnsafeRawBufferPointer, to target: UnsafeMutableRawPointer, capacity: Int
  ) -> Int {
    let source = block.assumingMemoryBound(to: CChar.self).baseAddress
    let target = target.assumingMemoryBound(to: CChar.self)
    if block.count < Self.smallByteCount {
      LZ4_resetStream_fast(stream)
      return Int(
        LZ4_compress_fast_continue(
          stream, source, target, Int32(block.count), Int32(capacity), 1))
    }
    return Int(
      LZ4_compress_fast_extState(state, source, target, Int32(block.count), Int32(capacity), 1))
  }
}

extension LZ4Frame {
  /// Writes what stands before a frame's blocks.
  package static func writePrefix(_ limit: BlockLimit, to writer: inout ByteWriter) {
    writer.write(magicNumber)
    writer.write(flags)
    writer.write(limit.rawValue)
    writer.write(limit.prefixCheck)
  }

  /// Writes what stands behind a frame's blocks.
  package static func writeEndMark(to writer: inout ByteWriter) { writer.write(UInt32(0)) }
}
