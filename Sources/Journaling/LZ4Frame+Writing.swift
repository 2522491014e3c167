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
    writer.write(LZ4Frame.magicNumber)
    writer.write(LZ4Frame.flags)
    writer.write(limit.rawValue)
    writer.write(limit.prefixCheck)
    var start = 0
    while start < payload.count {
      let end = min(start + limit.byteCount, payload.count)
      writeBlock(UnsafeRawBufferPointer(rebasing: payload[start..<end]), to: &writer)
      start = end
    }
    writer.write(UInt32(0))
  }

  private borrowing func writeBlock(_ block: UnsafeRawBufferPointer, to writer: inout ByteWriter) {
    let target = writer.reserve(4 + block.count)
    // Room for less than the block itself: what does not get smaller is stored as it is.
    let compressed = compress(block, to: target + 4, capacity: block.count - 1)
    if compressed > 0 {
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
        LZ4_compress_fast_continue(stream, source, target, Int32(block.count), Int32(capacity), 1))
    }
    return Int(
      LZ4_compress_fast_extState(state, source, target, Int32(block.count), Int32(capacity), 1))
  }
}
