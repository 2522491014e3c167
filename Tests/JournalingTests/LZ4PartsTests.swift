// Parts of a payload in LZ4 blocks of their own: each is read without the others, and only if it is whole.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct LZ4Parts {
  private func blocks(_ part: [UInt8], _ limit: LZ4Frame.BlockLimit = .mebibytes4) -> [UInt8] {
    var writer = ByteWriter()
    part.withUnsafeBytes { LZ4FrameWriter().writeBlocks(of: $0, limit, to: &writer) }
    return writer.array
  }

  private func read(
    _ blocks: [UInt8], _ byteCount: Int, _ limit: LZ4Frame.BlockLimit = .mebibytes4
  ) -> [UInt8]? {
    var part = [UInt8](repeating: 0xEE, count: byteCount)
    let isRead = blocks.withUnsafeBytes { blocks in
      part.withUnsafeMutableBytes { LZ4Frame.readBlocks(blocks, limit, into: $0) }
    }
    return isRead ? part : nil
  }

  @Test func `parts are read by themselves, and together they are a frame's payload`() {
    var dice = Dice(seed: 1)
    let parts = [0, 1, 100, 70_000, 3, 200_000].map { [UInt8](randomByteCount: $0, from: &dice) }
    var frame = ByteWriter()
    LZ4Frame.writePrefix(.kibibytes64, to: &frame)
    for part in parts {
      let stored = blocks(part, .kibibytes64)
      #expect(read(stored, part.count, .kibibytes64) == part)
      frame.write(stored)
    }
    LZ4Frame.writeEndMark(to: &frame)
    let whole = parts.flatMap { $0 }
    var payload = [UInt8](repeating: 0xEE, count: whole.count)
    let isRead = frame.withBytes { frame in
      payload.withUnsafeMutableBytes { LZ4Frame.read(frame, into: $0) }
    }
    #expect(isRead && payload == whole)
  }

  @Test func `blocks that give more or less, end early, or hold an end mark are refused`() {
    let part = [UInt8]("a text, a text, a text, a text, a text".utf8)
    let stored = blocks(part)
    #expect(read(stored, part.count) == part)
    #expect(read(stored, part.count - 1) == nil && read(stored, part.count + 1) == nil)
    for count in 1..<stored.count { #expect(read(Array(stored[..<count]), part.count) == nil) }
    #expect(read(stored + [0, 0, 0, 0], part.count) == nil)
    #expect(read([], 1) == nil && read([], 0) == [])
    #expect(read([0xFF, 0xFF, 0xFF, 0xFF], 10) == nil)
  }

  @Test func `a block larger than its limit is refused`() {
    let part = [UInt8](repeating: 7, count: 70_000)
    #expect(read(blocks(part), part.count) == part)
    #expect(read(blocks(part), part.count, .kibibytes64) == nil)
  }
}
