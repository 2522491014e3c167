import ByteCoding
import EventCoding
import ObjectModel
import TestSupport
import Testing

/// One side of a commit, or one change of it, says what the whole commit says.
struct CommitPartsTests {
  /// What a side must say of a change.
  private func values(_ change: ObjectChange, _ side: CommitSide.Side) -> [Row.Entry] {
    change.entries.compactMap { entry in
      guard case .replaced(let old, let new) = entry.change else { return nil }
      return Row.Entry(entry.key, (side == .before ? old : new) ?? .null)
    }
  }

  private func differences(_ change: ObjectChange) -> [ObjectChange.Entry] {
    change.entries.filter { if case .replaced = $0.change { false } else { true } }
  }

  @Test func `each side of a commit is what both sides say of it`() throws {
    let campaign = Campaign(count: "XJ_COMMITS", inGate: 2_000)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let sample = dice.commit()
      var head = sample.content
      head.changes = []
      for side in [CommitSide.Side.before, .after] {
        let read = try sample.side(side)
        let both = try sample.side(side, withOther: true).objects
        let isRight =
          read.head == head
          && zip(read.objects, sample.content.changes).allSatisfy { object, change in
            object.object == change.object && object.kind == change.kind
              && object.previous == change.previous && object.values == values(change, side)
              && object.differences == differences(change) && object.others.isEmpty
          }
          && zip(both, sample.content.changes).allSatisfy { object, change in
            object.values == values(change, side)
              && object.others == values(change, side == .before ? .after : .before)
              && object.differences == differences(change)
          }
        guard isRight, read.objects.count == sample.content.changes.count else {
          Issue.record("seed \(campaign.seed), round \(round): \(sample) is \(read)")
          return
        }
      }
    }
  }

  @Test func `each change of a commit is found by itself`() throws {
    let campaign = Campaign(count: "XJ_COMMITS", inGate: 1_000)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let sample = dice.commit()
      var head = sample.content
      head.changes = []
      let isRight = try sample.withOutline { outline, change in
        guard outline.head == head else { return false }
        let there = Set(sample.content.changes.map(\.object))
        return try sample.content.changes.allSatisfy { expected in
          let next = ObjectID(
            rawValue: expected.object.rawValue + 1, store: expected.object.store)
          return try change(expected.object) == expected
            && (try there.contains(next) || change(next) == nil)
        }
      }
      guard isRight else {
        Issue.record("seed \(campaign.seed), round \(round): \(sample)")
        return
      }
    }
  }

  @Test func `a change is found among many, with values named by edits`() throws {
    var sample = CommitSample(content: commit([]))
    var changes: [ObjectChange] = []
    for number in 0..<1_000 {
      let object = object(UInt64(number * 3 + 1))
      let value = Value.string("a text that edit \(number) sets")
      sample.positions[object] = [key(1): sample.edits.count]
      sample.edits.append(.edited(context(1), .set(object, key(1), value)))
      changes.append(
        ObjectChange(object, .inserted, [.init(key(1), .replaced(old: nil, new: value))]))
    }
    sample.content = commit(changes)
    try sample.withOutline { outline, change in
      #expect(outline.byteCount < 4 * changes.count)
      for expected in changes {
        let found = try change(expected.object)
        #expect(found == expected)
      }
      for number in [0, 2, 3, 1_500, 2_997, 2_999, 1 << 35] {
        let found = try change(object(UInt64(number)))
        #expect(found == nil)
      }
    }
  }

  @Test func `a side that is cut anywhere is refused`() throws {
    var dice = Dice(seed: 5)
    for _ in 0..<40 {
      let sample = dice.commit()
      let bytes = try sample.encoded()
      for count in bytes.indices {
        for side in [CommitSide.Side.before, .after] {
          #expect(throws: EventCodingError.self) {
            _ = try sample.side(side, of: Array(bytes.prefix(count)))
          }
        }
      }
    }
  }

  @Test func `a side takes no form that does not fit what becomes of the object`() throws {
    let change = ObjectChange(
      object(9), .updated, [.init(key(4), .replaced(old: .integer(1), new: .integer(2)))])
    let sample = CommitSample(content: commit([change]))
    var bytes = try sample.encoded()
    let place = try #require(
      bytes.indices.dropLast().last {
        bytes[$0] == 1 << 2 | ObjectChange.Kind.updated.rawValue && bytes[$0 + 1] == 4 << 3 | 3
      })
    for kind in [ObjectChange.Kind.inserted, .deleted] {
      bytes[place] = 1 << 2 | kind.rawValue
      for side in [CommitSide.Side.before, .after] {
        #expect(throws: EventCodingError(.changeUnfit, at: place + 1)) {
          try sample.side(side, of: bytes)
        }
      }
    }
  }
}

extension CommitSample {
  fileprivate func side(
    _ side: CommitSide.Side, of bytes: [UInt8]? = nil, withOther: Bool = false
  ) throws -> CommitSide {
    let memory = ByteArena(try edits.map { try EventCodingTests.bytes($0) })
    return try (bytes ?? encoded()).withUnsafeBytes { bytes in
      try decoder.side(side, bytes, other: withOther ? { _, _ in true } : nil) { memory[$0] }
    }
  }

  fileprivate func withOutline<Answer>(
    _ body: (CommitOutline, (ObjectID) throws -> ObjectChange?) throws -> Answer
  ) throws -> Answer {
    let memory = ByteArena(try edits.map { try EventCodingTests.bytes($0) })
    return try encoded().withUnsafeBytes { bytes in
      let outline = try decoder.outline(bytes)
      return try body(outline) { try decoder.change(of: $0, outline, bytes) { memory[$0] } }
    }
  }
}
