// Tests that an LZ4 frame is read only where every byte of it is as we write it.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct StrictReadingOfLZ4Frames {
  private func isRead(_ frame: [UInt8], byteCount: Int) -> Bool {
    var payload = [UInt8](repeating: 0, count: byteCount)
    return frame.withUnsafeBytes { frame in
      payload.withUnsafeMutableBytes { LZ4Frame.read(frame, into: $0) }
    }
  }

  /// A frame of blocks as they are given: their length fields and their bytes.
  private func frame(
    _ blocks: [(field: UInt32, bytes: [UInt8])], _ limit: LZ4Frame.BlockLimit = .kibibytes64,
    ending: [UInt8] = [0, 0, 0, 0]
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.write([0x04, 0x22, 0x4D, 0x18, 0x60, limit.rawValue, limit.prefixCheck])
    for block in blocks {
      writer.write(block.field)
      writer.write(block.bytes)
    }
    writer.write(ending)
    return writer.array
  }

  private func stored(_ count: Int) -> (field: UInt32, bytes: [UInt8]) {
    (UInt32(count) | 0x8000_0000, [UInt8](repeating: 7, count: count))
  }

  /// A compressed block of some zeros, taken from a frame of our own.
  private func compressed(_ count: Int) -> (field: UInt32, bytes: [UInt8]) {
    let frame = FrameBytes.lz4Frame(of: [UInt8](repeating: 0, count: count))
    let block = frame.dropFirst(11).dropLast(4)
    return (UInt32(block.count), Array(block))
  }

  private let payloads: [[UInt8]] = [
    [], [1], [UInt8](repeating: 5, count: 300), (0...255).map { UInt8($0) },
  ]

  @Test func `every cut of a frame is refused`() {
    for payload in payloads {
      let frame = FrameBytes.lz4Frame(of: payload)
      for count in 0..<frame.count {
        #expect(!isRead(Array(frame[..<count]), byteCount: payload.count), "\(count) bytes")
      }
    }
  }

  @Test func `every byte behind the end mark is refused`() {
    for payload in payloads {
      let frame = FrameBytes.lz4Frame(of: payload)
      for extra in [[0], [1], [0, 0, 0, 0], frame] {
        #expect(!isRead(frame + extra, byteCount: payload.count))
      }
    }
  }

  @Test func `every other byte in the prefix is refused`() {
    for payload in payloads {
      let frame = FrameBytes.lz4Frame(of: payload)
      for index in 0..<7 {
        for byte in UInt8.min...UInt8.max where byte != frame[index] {
          var changed = frame
          changed[index] = byte
          #expect(!isRead(changed, byteCount: payload.count), "byte \(index) as \(byte)")
        }
      }
    }
  }

  @Test func `a prefix of another kind of LZ4 frame is refused although its check fits`() {
    // Linked blocks, a content size, block checksums, a content checksum: bits of the flags.
    for flags in UInt8.min...UInt8.max where flags != 0x60 {
      for check in UInt8.min...UInt8.max {
        let bytes: [UInt8] = [0x04, 0x22, 0x4D, 0x18, flags, 0x40, check, 0, 0, 0, 0]
        if isRead(bytes, byteCount: 0) { Issue.record("flags \(flags), check \(check)") }
      }
    }
  }

  @Test func `a payload of another length than the frame's is refused`() {
    for payload in payloads {
      let frame = FrameBytes.lz4Frame(of: payload)
      #expect(isRead(frame, byteCount: payload.count))
      #expect(!isRead(frame, byteCount: payload.count + 1))
      if !payload.isEmpty { #expect(!isRead(frame, byteCount: payload.count - 1)) }
    }
    #expect(LZ4Frame.empty.withUnsafeBytes { LZ4Frame.read($0, into: .init(start: nil, count: 0)) })
  }

  @Test func `blocks may be as large as their limit and no larger`() {
    for limit in LZ4Frame.BlockLimit.allCases {
      let largest = limit.byteCount
      #expect(isRead(frame([stored(largest)], limit), byteCount: largest))
      #expect(!isRead(frame([stored(largest + 1)], limit), byteCount: largest + 1))
      #expect(isRead(frame([compressed(largest)], limit), byteCount: largest))
      let several = frame([stored(largest), stored(1), compressed(99)], limit)
      #expect(isRead(several, byteCount: largest + 100))
      // Ours do not compress more than 4 MiB into one block.
      guard limit != .mebibytes4 else { continue }
      #expect(!isRead(frame([compressed(largest + 1)], limit), byteCount: largest + 1))
    }
  }

  @Test func `a block of no bytes is refused`() {
    #expect(!isRead(frame([(0x8000_0000, [])]), byteCount: 0))
    #expect(!isRead(frame([stored(3), (0x8000_0000, [])]), byteCount: 3))
    // A compressed block whose only token says that nothing follows.
    #expect(!isRead(frame([(1, [0])]), byteCount: 0))
    #expect(!isRead(frame([stored(3), (1, [0])]), byteCount: 3))
  }

  @Test func `a block behind a full payload is refused`() {
    #expect(!isRead(frame([stored(3), stored(1)]), byteCount: 3))
    #expect(!isRead(frame([stored(3), compressed(20)]), byteCount: 3))
  }

  @Test func `a block that is longer than the frame is refused`() {
    for field: UInt32 in [12, 0x7FFF_FFFF, 0x8000_000C, .max] {
      #expect(!isRead(frame([(field, [1, 2, 3])], ending: []), byteCount: 3), "\(field)")
      #expect(!isRead(frame([(field, [1, 2, 3])]), byteCount: 3), "\(field)")
    }
  }

  @Test func `a missing or another end mark is refused`() {
    #expect(!isRead(frame([stored(3)], ending: []), byteCount: 3))
    #expect(!isRead(frame([stored(3)], ending: [0, 0, 0]), byteCount: 3))
    #expect(!isRead(frame([stored(3)], ending: [0, 0, 0, 1]), byteCount: 3))
    #expect(isRead(frame([stored(3)]), byteCount: 3))
  }

  @Test func `no flipped bit of a compressed block reads past the payload or its end`() {
    let payload = (0..<2000).map { UInt8(truncatingIfNeeded: $0 / 9 % 11) }
    let frame = FrameBytes.lz4Frame(of: payload)
    var refusedCount = 0
    for bit in 56..<frame.bitCount {
      if !isRead(frame.flipping(bit: bit), byteCount: payload.count) { refusedCount += 1 }
    }
    #expect(refusedCount > 32, "at least what is wrong with lengths is noticed")
  }
}
