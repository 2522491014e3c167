// Tests the manifest: round trips by seed, and that nothing flipped, cut, inconsistent or newer is taken.

import ByteCoding
import Journaling
import TestSupport
import Testing

@Suite struct Manifests {
  private func isDamaged(_ bytes: [UInt8]) -> Bool {
    if case .damaged = bytes.withUnsafeBytes({ Manifest.read($0) }) { true } else { false }
  }

  private func isTaken(_ bytes: ManifestBytes) -> Bool {
    if case .manifest = bytes.read() { true } else { false }
  }

  private func random(_ dice: inout Dice) -> ManifestBytes {
    var fields = ManifestBytes([])
    var frame = UInt64.random(in: 1...1000, using: &dice)
    let first = UInt64.random(in: 1...1000, using: &dice)
    let count = UInt64.random(in: 0...4, using: &dice)
    for number in first..<first + count {
      var segment = ManifestBytes.Segment(number, from: frame)
      // A sealed segment may also be without frames.
      segment.lastFrame = frame - 1 + UInt64.random(in: 0...50, using: &dice)
      segment.salt = dice.next()
      segment.lastBodyCheck = dice.next()
      segment.byteCount = UInt64.random(in: 1...(.max), using: &dice)
      fields.segments.append(segment)
      frame = segment.lastFrame + 1
    }
    fields.segments.append(ManifestBytes.Segment(first + count, from: frame))
    for index in 0..<Int.random(in: 0...3, using: &dice) {
      let length = Int.random(in: 0...40, using: &dice)
      var attachment = ManifestBytes.Attachment(
        "run-\(index).plist", [UInt8](randomByteCount: length, from: &dice))
      attachment.kind = UInt8(truncatingIfNeeded: dice.next())
      fields.attachments.append(attachment)
    }
    fields.optionalFeatures = UInt32(truncatingIfNeeded: dice.next())
    fields.store = StoreIdentity(high: dice.next(), low: dice.next())
    fields.generation = .random(in: 0...Limits.number, using: &dice)
    fields.durableThrough = .random(in: 0...Limits.number, using: &dice)
    return fields
  }

  @Test func `every field is read where the format has it, and written there again`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 300)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let fields = random(&dice)
      guard case .manifest(let manifest) = fields.read() else {
        Issue.record("seed \(campaign.seed), round \(round): a sound manifest is refused")
        continue
      }
      #expect(manifest.store == fields.store)
      #expect(manifest.generation == fields.generation)
      #expect(manifest.durableThrough.rawValue == fields.durableThrough)
      #expect(manifest.optionalFeatures == fields.optionalFeatures)
      #expect(manifest.segments.map(\.number.rawValue) == fields.segments.map(\.number))
      #expect(manifest.segments.map(\.salt) == fields.segments.map(\.salt))
      #expect(manifest.segments.map(\.firstFrame.rawValue) == fields.segments.map(\.firstFrame))
      let sealed = fields.segments.dropLast()
      let sealings = manifest.segments.compactMap(\.sealing)
      #expect(sealings.map(\.lastFrame.rawValue) == sealed.map(\.lastFrame))
      #expect(sealings.map(\.lastBodyCheck) == sealed.map(\.lastBodyCheck))
      #expect(sealings.map(\.byteCount) == sealed.map(\.byteCount))
      #expect(manifest.attachments.map(\.kind) == fields.attachments.map(\.kind))
      let names = manifest.attachments.map { Array($0.fileName.utf8) }
      #expect(names == fields.attachments.map(\.fileName))
      #expect(manifest.attachments.map(\.content) == fields.attachments.map(\.content))
      #expect(
        manifest.encoded().array == fields.encoded(), "seed \(campaign.seed), round \(round)")
    }
  }

  /// Two sealed segments, the active one and an attachment.
  private var usual: ManifestBytes {
    var fields = ManifestBytes([.init(3, 5...9), .init(4, 10...20), .init(5, from: 21)])
    fields.attachments = [.init("run-1", [1, 2, 3])]
    return fields
  }

  @Test func `every flipped bit of a manifest is noticed`() {
    let bytes = usual.encoded()
    for bit in 0..<bytes.bitCount { #expect(isDamaged(bytes.flipping(bit: bit)), "bit \(bit)") }
  }

  @Test func `every cut of a manifest and every byte behind it is noticed`() {
    let bytes = usual.encoded()
    for count in 0..<bytes.count { #expect(isDamaged(Array(bytes[..<count])), "\(count) bytes") }
    #expect(isDamaged(bytes + [0]))
    #expect(isDamaged(bytes + bytes))
  }

  /// What cannot come from a crash: the check fits, and the rest does not.
  @Test func `a cut whose check fits is refused at every length`() {
    let whole = usual.encoded().dropLast(8)
    for count in 0..<whole.count {
      var writer = ByteWriter()
      writer.write(Array(whole.prefix(count)))
      writer.writeCheck(salt: 0)
      #expect(isDamaged(writer.array), "\(count) bytes")
    }
    var fields = usual
    fields.trailing = [0]
    #expect(isDamaged(fields.encoded()))
    fields = usual
    fields.name[0] = UInt8(ascii: "Y")
    #expect(isDamaged(fields.encoded()))
  }

  @Test func `counts that the bytes cannot hold are refused before anything is made for them`() {
    for claimed in [UInt32.max, 1 << 31, 4, 1_000_000] {
      var fields = usual
      fields.claimedSegmentCount = claimed
      #expect(isDamaged(fields.encoded()), "\(claimed) segments")
      fields = usual
      fields.claimedAttachmentCount = claimed
      #expect(isDamaged(fields.encoded()), "\(claimed) attachments")
    }
    var fields = usual
    fields.claimedSegmentCount = 2
    #expect(isDamaged(fields.encoded()))
    fields = usual
    fields.claimedAttachmentCount = 0
    #expect(isDamaged(fields.encoded()))
  }

  @Test func `a newer format or an unknown required feature is told as newer`() {
    for (format, features) in [(UInt16(0), UInt32(0)), (2, 0), (.max, 0), (1, 1), (1, 1 << 31)] {
      var fields = usual
      fields.format = format
      fields.requiredFeatures = features
      guard case .newer(format, features) = fields.read() else {
        Issue.record("format \(format), features \(features) is not told as newer")
        continue
      }
    }
  }

  @Test func `segments that do not follow one another are refused`() {
    typealias Segment = ManifestBytes.Segment
    let lists: [String: [Segment]] = [
      "none": [],
      "the last one sealed": [Segment(1, 1...5)],
      "an active one before the last": [Segment(1, from: 1), Segment(2, from: 1)],
      "a number left out": [Segment(1, 1...5), Segment(3, from: 6)],
      "a number twice": [Segment(1, 1...5), Segment(1, from: 6)],
      "numbers backwards": [Segment(2, 1...5), Segment(1, from: 6)],
      "a frame left out": [Segment(1, 1...5), Segment(2, from: 7)],
      "a frame twice": [Segment(1, 1...5), Segment(2, from: 5)],
      "frame 0 first": [Segment(1, from: 0)],
      "segment 0 first": [Segment(0, from: 1)],
    ]
    for (fault, segments) in lists {
      #expect(!isTaken(ManifestBytes(segments)), "\(fault)")
    }
    var backwards = Segment(1, from: 9)
    (backwards.lastFrame, backwards.byteCount) = (7, 100)
    #expect(!isTaken(ManifestBytes([backwards, Segment(2, from: 8)])), "ends before it begins")
    backwards.lastFrame = 8
    #expect(isTaken(ManifestBytes([backwards, Segment(2, from: 9)])), "sealed without frames")
  }

  @Test func `a generation that could not be counted on is refused`() {
    var fields = ManifestBytes([ManifestBytes.Segment(1, from: 1)])
    fields.generation = Limits.number
    #expect(isTaken(fields))
    for generation in [Limits.number + 1, .max] {
      fields.generation = generation
      #expect(isDamaged(fields.encoded()))
    }
  }

  @Test func `attachments with names that may not stand in a store are refused`() {
    let names = ["", ".", "..", "../up", "a/b", "/etc", ".hidden", "a b", "ä", "a\0", "a\\b"]
    for name in names + [String(repeating: "a", count: 129)] {
      var fields = usual
      fields.attachments = [.init("fine"), .init(name)]
      #expect(!isTaken(fields), "“\(name)”")
    }
    var fields = usual
    fields.attachments = [.init(String(repeating: "a", count: 128), [0]), .init("A-z_0.9")]
    #expect(isTaken(fields))
    fields.attachments[1].fileName = [0xFF, 0xFE]
    #expect(!isTaken(fields), "bytes that are no text")
  }

  @Test func `a manifest made another one is read as that one`() throws {
    guard case .manifest(var manifest) = usual.read() else { throw UnsoundBytes() }
    manifest.attachments.append(.init(kind: 9, fileName: "checkpoint-4", content: [4, 5]))
    manifest.generation += 1
    manifest.durableThrough = FrameNumber(20)
    let again = manifest.encoded().withBytes { Manifest.read($0) }
    guard case .manifest(let read) = again else { throw UnsoundBytes() }
    #expect(read == manifest)
  }
}
