// Tests the seal of a frame: what is written is read, every flipped bit is noticed, and no other salt fits.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct SealBytes {
  private let salt: UInt64 = 0x0123_4567_89AB_CDEF

  private func read(_ bytes: [UInt8], salt: UInt64) -> Seal.Reading {
    bytes.withUnsafeBytes { Seal.read($0, salt: salt) }
  }

  private func random(_ dice: inout Dice) -> FrameBytes {
    var frame = FrameBytes(dice.next(), [1, 2, 3], after: dice.next())
    frame.unsyncedFrameCount = UInt32(truncatingIfNeeded: dice.next())
    frame.lz4FrameByteCount = UInt32(truncatingIfNeeded: dice.next())
    frame.payloadByteCount = UInt32(truncatingIfNeeded: dice.next())
    frame.claimedBodyCheck = dice.next()
    frame.kind = UInt8(truncatingIfNeeded: dice.next())
    frame.flags = UInt8(truncatingIfNeeded: dice.next())
    frame.format = UInt8(truncatingIfNeeded: dice.next())
    frame.reserved = UInt8(truncatingIfNeeded: dice.next())
    return frame
  }

  @Test func `every field is read where the format has it, and written there again`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 500)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let frame = random(&dice)
      let salt = dice.next()
      let bytes = frame.seal(salt: salt)
      #expect(bytes.count == Seal.byteCount)
      guard case .seal(let seal) = read(bytes + [0xAA], salt: salt) else {
        Issue.record("seed \(campaign.seed), round \(round): the seal is not read")
        continue
      }
      #expect(seal.number.rawValue == frame.number)
      #expect(seal.bodyCheck == frame.claimedBodyCheck)
      #expect(seal.previousBodyCheck == UInt32(truncatingIfNeeded: frame.previousBodyCheck))
      #expect(seal.unsyncedFrameCount == frame.unsyncedFrameCount)
      #expect(seal.lz4FrameByteCount == frame.lz4FrameByteCount)
      #expect(seal.payloadByteCount == frame.payloadByteCount)
      #expect(seal.kind == FrameKind(rawValue: frame.kind))
      #expect(seal.flags == frame.flags)
      #expect(seal.format == frame.format)
      #expect(seal.reserved == frame.reserved)
      #expect(seal.sealedByteCount == 48 + Int(frame.lz4FrameByteCount))
      var again = [UInt8](repeating: 0xEE, count: Seal.byteCount)
      again.withUnsafeMutableBytes { target in
        if let base = target.baseAddress { seal.write(to: base, salt: salt) }
      }
      #expect(again == bytes, "seed \(campaign.seed), round \(round)")
    }
  }

  @Test func `every flipped bit of a seal is noticed`() {
    let bytes = FrameBytes(7, [1, 2, 3], after: 99).seal(salt: salt)
    for bit in 0..<bytes.bitCount {
      switch read(bytes.flipping(bit: bit), salt: salt) {
      case .seal: Issue.record("bit \(bit) is not noticed")
      case .other: #expect(bit < 64, "the first eight bytes say that it is a seal")
      case .damaged(let seal, let difference):
        #expect(bit >= 64)
        #expect(difference != UInt32(truncatingIfNeeded: salt))
        #expect(bit / 64 != 1 || seal.number != FrameNumber(7), "the fields are what they say")
      }
    }
  }

  @Test func `another salt does not fit, and the difference is that of the salts`() {
    let bytes = FrameBytes(7, [1, 2, 3]).seal(salt: salt)
    for bit in 0..<32 {
      let other = salt ^ 1 << UInt64(bit)
      guard case .damaged(let seal, let difference) = read(bytes, salt: other) else {
        Issue.record("salt \(other) fits")
        continue
      }
      #expect(seal.number == FrameNumber(7))
      #expect(difference == UInt32(truncatingIfNeeded: salt))
    }
  }

  @Test func `zeros and noise are no seal`() {
    #expect(isOther([UInt8](repeating: 0, count: 48)))
    #expect(isOther([UInt8](repeating: 0xFF, count: 48)))
    #expect(isOther(SegmentBuilder().footer.encoded(salt: salt)))
  }

  private func isOther(_ bytes: [UInt8]) -> Bool {
    if case .other = read(bytes, salt: salt) { true } else { false }
  }

  @Test func `a seal testifies to the frames before those that were not synced`() throws {
    let cases: [(number: UInt64, unsynced: UInt32, through: UInt64)] = [
      (1, 0, 0), (1, 1, 0), (2, 0, 1), (2, 1, 0), (10, 0, 9), (10, 3, 6), (10, 9, 0), (10, 10, 0),
      (10, .max, 0), (0, 0, 0), (0, 5, 0), (.max, 0, .max - 1), (.max, 1, .max - 2),
    ]
    for (number, unsynced, through) in cases {
      var frame = FrameBytes(number, [])
      frame.unsyncedFrameCount = unsynced
      guard case .seal(let seal) = read(frame.seal(salt: salt), salt: salt) else {
        throw UnsoundBytes()
      }
      #expect(seal.durableThrough == FrameNumber(through), "frame \(number), \(unsynced) unsynced")
    }
  }

  @Test func `kinds keep their numbers`() {
    #expect(FrameKind.batch.rawValue == 1)
    #expect(FrameKind.idleMarker.rawValue == 2)
    #expect(FrameKind.piece.rawValue == 3)
  }
}

@Suite struct Checksums {
  @Test func `the check is XXH3 of 64 bits, exclusive-or the salt`() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(Checksum.of(nothing, salt: 0) == 0x2D06_8005_38D3_94C2)
    #expect(Checksum.of(nothing, salt: .max) == ~0x2D06_8005_38D3_94C2)
  }

  @Test func `a check covers what was written from its start on`() {
    var writer = ByteWriter()
    writer.write([1, 2, 3, 4])
    writer.writeCheck(from: 2, salt: 5)
    let expected = [UInt8]([3, 4]).withUnsafeBytes { Checksum.of($0, salt: 5) }
    #expect(writer.array.count == 12)
    #expect(throws: Never.self) {
      try writer.array.read { reader in
        _ = try reader.readBytes(4)
        let stored = try reader.readInteger(UInt64.self)
        #expect(stored == expected)
      }
    }
  }
}
