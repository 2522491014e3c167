import ByteCoding
import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

/// No bytes crash or hang, and whatever is taken is written again with the same bytes.
struct HostileBytesTests {
  /// One event of each kind, and some with much in them.
  private static func samples(_ dice: inout Dice) throws -> [[UInt8]] {
    try (0..<3 * Dice.eventKindCount).map { index in
      try bytes(dice.event(of: index % Dice.eventKindCount))
    }
  }

  /// Whether bytes are taken; those that are must be written again.
  private func isTaken(_ bytes: [UInt8]) -> Bool {
    let isPlain = bytes.withUnsafeBytes { decoder.isPlain(event: $0) }
    guard let event = try? event(bytes) else {
      #expect(!isPlain, "\(bytes) is no event")
      return false
    }
    if isPlain, case .unknown = event { Issue.record("\(bytes) is of newer code") }
    #expect(throws: Never.self) {
      let again = try EventCodingTests.bytes(event)
      #expect(again == bytes, "\(bytes) is \(event), which is \(again)")
    }
    return true
  }

  private func isTaken(_ bytes: [UInt8], as sample: CommitSample) -> Bool {
    guard let edits = try? sample.edits.map({ try EventCodingTests.bytes($0) }) else {
      return false
    }
    var asked: [Int] = []
    guard
      let commit = try? bytes.withUnsafeBytes({ bytes in
        try decode(bytes, edits) { asked.append($0) }
      })
    else {
      #expect(!sample.isPlain(bytes), "\(bytes) is no commit")
      return false
    }
    #expect(sample.isPlain(bytes) == commit.fields.isEmpty, "\(bytes) is \(commit)")
    // Positions are asked for in the order in which the new values are written.
    #expect(throws: Never.self) {
      let again = try written(commit, naming: asked, of: sample)
      #expect(again == bytes, "\(bytes) is \(commit), which is \(again)")
    }
    return true
  }

  private func written(
    _ commit: DecodedCommit, naming positions: [Int], of sample: CommitSample
  ) throws -> [UInt8] {
    var rest = positions[...]
    var writer = ByteWriter()
    try commitEncoder.append(commit.content, fields: commit.fields, to: &writer) {
      object, key, value in
      guard let position = rest.first, value == sample.edits[position].valueSet(object, key)
      else { return nil }
      return rest.removeFirst()
    }
    return writer.array
  }

  @Test func `an event that is cut anywhere is refused`() throws {
    var dice = Dice(seed: 11)
    for sample in try Self.samples(&dice) where EventKind(rawValue: sample[0]) != nil {
      for count in sample.indices { #expect(!isTaken(Array(sample[..<count])), "\(sample)") }
      #expect(!isTaken(sample + [0]))
    }
  }

  @Test func `a commit that is cut anywhere is refused`() throws {
    var dice = Dice(seed: 12)
    for _ in 0..<20 {
      let sample = dice.commit()
      let bytes = try sample.encoded()
      for count in bytes.indices { #expect(!isTaken(Array(bytes[..<count]), as: sample)) }
      #expect(!isTaken(bytes + [0], as: sample))
      #expect(isTaken(bytes, as: sample))
    }
  }

  @Test func `every change of a byte of an event is refused, or another event`() throws {
    var dice = Dice(seed: 13)
    var takenCount = 0
    for sample in try Self.samples(&dice).filter({ $0.count < 60 }).prefix(40) {
      for (index, byte) in sample.enumerated() {
        for change in UInt8(1)...255 {
          var changed = sample
          changed[index] = byte ^ change
          if isTaken(changed) { takenCount += 1 }
        }
      }
    }
    #expect(takenCount > 0)
  }

  @Test func `every change of a byte of a commit is refused, or another commit`() throws {
    var dice = Dice(seed: 14)
    for sample in (0..<30).map({ _ in dice.commit() }) {
      let bytes = try sample.encoded()
      guard bytes.count < 150 else { continue }
      for (index, byte) in bytes.enumerated() {
        for change in stride(from: UInt8(1), through: 255, by: 2) {
          var changed = bytes
          changed[index] = byte ^ change
          _ = isTaken(changed, as: sample)
        }
      }
    }
  }

  @Test func `events changed at random are refused, or others`() throws {
    let campaign = Campaign(count: "XJ_MUTATIONS", inGate: 150_000)
    var dice = Dice(seed: campaign.seed)
    let samples = try Self.samples(&dice)
    var takenCount = 0
    for _ in 0..<campaign.count where isTaken(dice.mutation(of: samples[dice.pick(samples.count)]))
    {
      takenCount += 1
    }
    #expect(takenCount > campaign.count / 50, "seed \(campaign.seed)")
  }

  @Test func `commits changed at random are refused, or others`() throws {
    let campaign = Campaign(count: "XJ_MUTATIONS", inGate: 60_000)
    var dice = Dice(seed: campaign.seed)
    let samples = try (0..<40).map { _ in
      let sample = dice.commit()
      return (sample, try sample.encoded())
    }
    var takenCount = 0
    for _ in 0..<campaign.count {
      let (sample, bytes) = samples[dice.pick(samples.count)]
      if isTaken(dice.mutation(of: bytes), as: sample) { takenCount += 1 }
    }
    #expect(takenCount > campaign.count / 50, "seed \(campaign.seed)")
  }

  @Test func `a count that the bytes cannot hold is refused before room is made`() throws {
    let huge: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]
    let beginnings: [[UInt8]] = [
      [33], [10, 1], [10, 1, 1, 0, 0, 1], [12, 1, 0, 1], [5, 1, 0, 1, 1], [5, 1, 0, 1, 1, 0],
      [33, 1, 1, 0, 0, 0], [33, 1, 1, 0, 0, 0, 0], [33, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0],
      [1, 1, 0, 1, 1, 8], [1, 1, 0, 1, 1, 9], [1, 1, 0, 1, 1, 12], [1, 1, 0, 1, 1, 13],
      [1, 1, 0, 1, 1, 14], [1, 1, 0, 1, 1, 16],
    ]
    for beginning in beginnings {
      let error = #expect(throws: EventCodingError.self, "\(beginning)") {
        try event(beginning + huge + Array(repeating: 0, count: 20))
      }
      #expect(error == EventCodingError(.bytes(.countTooLarge), at: beginning.count))
    }
  }
}

extension Event {
  /// The value that an edit set for an object's key.
  fileprivate func valueSet(_ object: ObjectID, _ key: KeyNumber) -> Value? {
    switch self {
    case .edited(_, .set(object, key, let value)),
      .edited(_, .setPrimitive(object, key, let value)):
      value
    default: nil
    }
  }
}

extension CommitSample {
  /// Whether bytes are plainly such a commit, in the place of this one.
  func isPlain(_ bytes: [UInt8]) -> Bool {
    guard let edits = try? edits.map({ try EventCodingTests.bytes($0) }) else { return false }
    let memory = ByteArena(edits)
    return bytes.withUnsafeBytes { decoder.isPlain(commit: $0) { memory[$0] } }
  }
}

extension Dice {
  /// The bytes with one to three changes: another byte, one more, one less, a part doubled or gone.
  mutating func mutation(of bytes: [UInt8]) -> [UInt8] {
    var changed = bytes
    for _ in 0...pick(3) {
      let place = pick(changed.count + 1)
      switch pick(6) {
      case 0: changed.insert(UInt8(pick(256)), at: place)
      case 1: changed.insert([0, 1, 0x7F, 0x80, 0xFF][pick(5)], at: place)
      case 2: changed.removeSubrange(place..<min(changed.count, place + 1 + pick(3)))
      case 3: changed.insert(contentsOf: changed[place...].prefix(pick(8)), at: place)
      case 4 where place < changed.count: changed[place] = UInt8(pick(256))
      default: if place < changed.count { changed[place] ^= 1 << UInt8(pick(8)) }
      }
    }
    return changed
  }
}
