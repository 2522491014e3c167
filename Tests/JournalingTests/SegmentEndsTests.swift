// Tests the header and the footer of a segment: round trips, every flipped bit, every cut, newer formats.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct SegmentHeaders {
  private func read(_ bytes: [UInt8]) -> SegmentHeader.Reading {
    bytes.withUnsafeBytes { SegmentHeader.read($0) }
  }

  private func isDamaged(_ bytes: [UInt8]) -> Bool {
    if case .damaged = read(bytes) { true } else { false }
  }

  private func random(_ dice: inout Dice) -> SegmentHeaderBytes {
    var header = SegmentHeaderBytes()
    header.optionalFeatures = UInt32(truncatingIfNeeded: dice.next())
    header.store = StoreIdentity(high: dice.next(), low: dice.next())
    header.salt = dice.next()
    header.number = .random(in: 1...Limits.number, using: &dice)
    header.firstFrame = .random(in: 1...Limits.number, using: &dice)
    header.firstEdit = .random(in: 1...Limits.number, using: &dice)
    header.previousBodyCheck = dice.next()
    header.creationTime = Int64(truncatingIfNeeded: dice.next())
    header.windowByteCount = .random(in: 1...Limits.windowByteCount, using: &dice)
    return header
  }

  @Test func `a header with a number or window beyond the limits is refused`() throws {
    let changes: [(inout SegmentHeaderBytes) -> Void] = [
      { $0.number = 0 }, { $0.number = Limits.number + 1 }, { $0.firstFrame = 0 },
      { $0.firstFrame = .max }, { $0.firstEdit = 0 }, { $0.firstEdit = Limits.number + 1 },
      { $0.windowByteCount = 0 }, { $0.windowByteCount = Limits.windowByteCount + 1 },
    ]
    for change in changes {
      var header = SegmentHeaderBytes()
      _ = try SegmentHeader.sound(header.encoded())
      change(&header)
      #expect(throws: UnsoundBytes.self) { try SegmentHeader.sound(header.encoded()) }
    }
  }

  @Test func `every field is read where the format has it, and written there again`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 500)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let fields = random(&dice)
      let bytes = fields.encoded()
      #expect(bytes.count == SegmentHeader.byteCount)
      let header = try SegmentHeader.sound(bytes + [1, 2, 3])
      #expect(header.format == 1)
      #expect(header.requiredFeatures == 0)
      #expect(header.optionalFeatures == fields.optionalFeatures)
      #expect(header.store == fields.store)
      #expect(header.salt == fields.salt)
      #expect(header.number.rawValue == fields.number)
      #expect(header.firstFrame.rawValue == fields.firstFrame)
      #expect(header.firstEdit.rawValue == fields.firstEdit)
      #expect(header.previousBodyCheck == fields.previousBodyCheck)
      #expect(header.creationTime == fields.creationTime)
      #expect(header.windowByteCount == fields.windowByteCount)
      #expect(header.encoded().array == bytes, "seed \(campaign.seed), round \(round)")
    }
  }

  @Test func `every flipped bit of a header is noticed`() {
    let bytes = SegmentHeaderBytes().encoded()
    for bit in 0..<bytes.bitCount { #expect(isDamaged(bytes.flipping(bit: bit)), "bit \(bit)") }
  }

  @Test func `every cut of a header is noticed`() {
    let bytes = SegmentHeaderBytes().encoded()
    for count in 0..<bytes.count { #expect(isDamaged(Array(bytes[..<count])), "\(count) bytes") }
  }

  @Test func `a header whose check fits and whose form does not is damaged`() {
    var fields = SegmentHeaderBytes()
    fields.start[5] = 0x50
    #expect(isDamaged(fields.encoded()))
    fields = SegmentHeaderBytes()
    fields.magicNumber = 0x184D_2A59
    #expect(isDamaged(fields.encoded()))
    fields = SegmentHeaderBytes()
    fields.contentByteCount = 110
    #expect(isDamaged(fields.encoded()))
    fields = SegmentHeaderBytes()
    fields.name = Array("YJournal".utf8)
    #expect(isDamaged(fields.encoded()))
  }

  @Test func `another format or an unknown required feature is told as newer`() {
    for (format, features) in [(UInt16(0), UInt32(0)), (2, 0), (.max, 0), (1, 1), (1, 1 << 31)] {
      var fields = SegmentHeaderBytes()
      fields.format = format
      fields.requiredFeatures = features
      guard case .newer(format, features) = read(fields.encoded()) else {
        Issue.record("format \(format), features \(features) is not told as newer")
        continue
      }
      #expect(isDamaged(fields.encoded().flipping(bit: 8 * 40)), "damage comes before newness")
    }
  }
}

@Suite struct SegmentFooters {
  private let salt: UInt64 = 0x0123_4567_89AB_CDEF

  private func read(_ bytes: [UInt8], salt: UInt64) -> SegmentFooter.Reading {
    bytes.withUnsafeBytes { SegmentFooter.read($0, salt: salt) }
  }

  @Test func `every field is read where the format has it, and written there again`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 500)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      var fields = SegmentFooterBytes(
        frameCount: dice.next(), lastFrame: dice.next(), lastBodyCheck: dice.next())
      fields.lastEdit = dice.next()
      let salt = dice.next()
      let bytes = fields.encoded(salt: salt)
      #expect(bytes.count == SegmentFooter.byteCount)
      guard case .footer(let footer) = read(bytes + [9], salt: salt) else { throw UnsoundBytes() }
      #expect(footer.frameCount == fields.frameCount)
      #expect(footer.lastFrame.rawValue == fields.lastFrame)
      #expect(footer.lastEdit.rawValue == fields.lastEdit)
      #expect(footer.lastBodyCheck == fields.lastBodyCheck)
      #expect(
        footer.encoded(salt: salt).array == bytes, "seed \(campaign.seed), round \(round)")
    }
  }

  @Test func `every flipped bit of a footer is noticed`() {
    let bytes = SegmentBuilder([[1], [2]]).footer.encoded(salt: salt)
    for bit in 0..<bytes.bitCount {
      switch read(bytes.flipping(bit: bit), salt: salt) {
      case .footer: Issue.record("bit \(bit) is not noticed")
      case .other: #expect(bit < 64)
      case .damaged: #expect(bit >= 64)
      }
    }
  }

  @Test func `a footer of another salt is damaged, and a seal is no footer`() {
    let bytes = SegmentBuilder([[1]]).footer.encoded(salt: salt)
    guard case .damaged = read(bytes, salt: salt ^ 1) else {
      Issue.record("another salt fits")
      return
    }
    guard case .other = read(FrameBytes(1, []).seal(salt: salt), salt: salt) else {
      Issue.record("a seal is taken for a footer")
      return
    }
  }
}
