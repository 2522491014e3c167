// Index runs put together byte by byte as docs/format.md has them, with every field free to be wrong and every
// check right.

import ByteCoding
import Journaling
import ObjectStore
import TestSupport

/// An index run in the making.
struct IndexForgery {
  struct Block {
    /// Six words each.
    var entries: [[UInt64]]
    /// The payload, where it is not that of the entries.
    var payload: [UInt8]?
    /// What stands where the payload's LZ4 frame does, where it is not that.
    var lz4Frame: [UInt8]?
    var kind: UInt8 = 34
    var flags: UInt8 = 0
    var unsyncedFrameCount: UInt32 = 0
    // What the index claims
    var first: [UInt64]?
    var sealedByteCount: UInt64?
    var entryCount: UInt64?

    init(_ entries: [UInt64]...) { self.entries = entries }
  }

  var blocks: [Block]
  var name: UInt64 = 0x5845_444E_492D_4A58
  var format: UInt16 = 1
  var store = runStore
  var indexKind: UInt8 = 35
  var indexRest: [UInt8] = []
  /// Row count, deleted count, block count, offset and length of the index, its body check.
  var changeFooter: (inout [UInt64]) -> Void = { _ in }

  init(_ blocks: Block...) { self.blocks = blocks }

  /// What differs in an entry from the one before.
  static func bytes(of entry: [UInt64], after previous: [UInt64]) -> [UInt8] {
    var (words, rest): (UInt8, [UInt8]) = (0, [])
    for (place, (word, old)) in zip(entry, previous).enumerated() where word != old {
      words |= 1 << UInt8(place)
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: (word ^ old) >> UInt64(8 * $0)) }
      let low = bytes.prefix { $0 == 0 }.count
      let high = bytes.reversed().prefix { $0 == 0 }.count
      rest += [UInt8(high << 4 | low)] + bytes[low..<(8 - high)]
    }
    return [words] + rest
  }

  private static let zeros = [UInt64](repeating: 0, count: 6)

  var bytes: [UInt8] {
    var header = ByteWriter()
    header.write(LZ4Frame.empty)
    header.write(UInt32(0x184D_2A58))
    header.write(UInt32(61))
    header.write(name)
    header.write(format)
    header.write(UInt16(0))
    header.write(UInt64(0))
    header.write(store.high)
    header.write(store.low)
    header.write(runSalt)
    header.writeZeros(9)
    header.writeCheck(salt: 0)
    var bytes = header.array
    var index: [UInt8] = []
    var (previousCheck, previousFirst): (UInt64, [UInt64]) = (0, Self.zeros)
    for (place, block) in blocks.enumerated() {
      var payload: [UInt8] = []
      for (entry, before) in zip(block.entries, [Self.zeros] + block.entries) {
        payload += Self.bytes(of: entry, after: before)
      }
      var frame = FrameBytes(UInt64(place) + 1, block.payload ?? payload, after: previousCheck)
      (frame.kind, frame.flags) = (block.kind, block.flags)
      if let other = block.lz4Frame {
        (frame.lz4Frame, frame.lz4FrameByteCount) = (other, UInt32(other.count))
      }
      frame.unsyncedFrameCount = block.unsyncedFrameCount
      previousCheck = frame.bodyCheck(salt: runSalt)
      let sealed = frame.encoded(salt: runSalt)
      bytes += sealed
      let first = block.first ?? block.entries[0]
      index += Self.bytes(of: first, after: previousFirst)
      previousFirst = first
      var counts = ByteWriter()
      counts.writeVarint(block.sealedByteCount ?? UInt64(sealed.count))
      counts.writeVarint(block.entryCount ?? UInt64(block.entries.count))
      index += counts.array
    }
    var frame = FrameBytes(UInt64(blocks.count) + 1, index + indexRest, after: previousCheck)
    frame.kind = indexKind
    let entries = blocks.flatMap(\.entries)
    let counts = [entries.count, entries.count { $0[0] & 1 == 1 }, blocks.count]
    return bytes + forgedEnding(frame, counts, at: bytes.count, changeFooter)
  }
}
