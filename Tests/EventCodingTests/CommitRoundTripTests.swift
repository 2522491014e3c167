import ByteCoding
import EventCoding
import ObjectModel
import TestSupport
import Testing

/// Commits come back as they were, with values named by edits and with fields of newer code.
struct CommitRoundTripTests {
  @Test func `commits come back as they were`() throws {
    let campaign = Campaign(count: "XJ_COMMITS", inGate: 3_000)
    var dice = Dice(seed: campaign.seed)
    var namedCount = 0
    for round in 0..<campaign.count {
      let sample = dice.commit()
      let decoded = try sample.decoded(sample.encoded())
      guard decoded == DecodedCommit(content: sample.content, fields: sample.fields) else {
        Issue.record("seed \(campaign.seed), round \(round): \(sample) is \(decoded)")
        return
      }
      namedCount += sample.edits.count
    }
    #expect(namedCount > campaign.count)
  }

  @Test func `the order in which objects are given is not written`() throws {
    var dice = Dice(seed: 3)
    for _ in 0..<200 {
      var sample = dice.commit()
      let bytes = try sample.encoded()
      let content = sample.content
      sample.content = CommitContent(
        number: content.number, time: content.time, context: content.context,
        contextName: content.contextName,
        precedingEditCount: content.precedingEditCount, author: content.author,
        message: content.message, userInfo: content.userInfo,
        changes: content.changes.shuffled(using: &dice))
      #expect(try sample.encoded() == bytes)
    }
  }

  @Test func `a save of one small value is small`() throws {
    let change = ObjectChange.Entry(key(4), .replaced(old: .integer(1), new: .integer(2)))
    let sample = CommitSample(content: commit([ObjectChange(object(9), .updated, [change])]))
    #expect(try sample.encoded().count == 26)
  }

  @Test func `an object made by edits takes two bytes a value in its commit`() throws {
    let objects = (0..<100).map { object(UInt64(1_000 + $0)) }
    let text = Value.string("a text that is not said twice")
    var sample = CommitSample(content: commit([]))
    var changes: [ObjectChange] = []
    for object in objects {
      sample.edits.append(.edited(context(1), .inserted(object)))
      for number: UInt32 in 0..<6 {
        sample.positions[object, default: [:]][key(number)] = sample.edits.count
        sample.edits.append(.edited(context(1), .set(object, key(number), text)))
      }
      let entries = (0..<6).map { ObjectChange.Entry(key($0), .replaced(old: nil, new: text)) }
      changes.append(ObjectChange(object, .inserted, entries))
    }
    sample.content = commit(changes)
    let bytes = try sample.encoded()
    #expect(bytes.count < 100 * 15 + 30)
    #expect(try sample.decoded(bytes).content == sample.content)
  }

  @Test func `a field of newer code is kept where it may be passed over`() throws {
    let fields = [CommitField(kind: 1, bytes: []), CommitField(kind: 127, bytes: [1, 2, 3])]
    let sample = CommitSample(content: commit([]), fields: fields)
    let decoded = try sample.decoded(sample.encoded())
    #expect(decoded.fields == fields)
    #expect(
      try CommitSample(content: decoded.content, fields: decoded.fields).encoded()
        == sample.encoded())
  }

  // MARK: Positions in the batch

  private static let named = ObjectChange(
    object(9), .updated, [ObjectChange.Entry(key(4), .replaced(old: nil, new: "new"))])

  private func sample(_ edits: [Event], position: Int = 1) -> CommitSample {
    CommitSample(
      content: commit([Self.named]), edits: edits, positions: [object(9): [key(4): position]])
  }

  private let other = Event.edited(context(1), .inserted(object(9)))

  @Test(arguments: [
    Edit.set(object(9), key(4), "new"), .setPrimitive(object(9), key(4), "new"),
  ])
  func `a value is found in the edit that set it`(edit: Edit) throws {
    let sample = sample([other, .edited(context(77), edit), other])
    #expect(try sample.decoded(sample.encoded()).content == sample.content)
  }

  @Test func `only new values are looked up, each once and with its object and key`() throws {
    var asked: [Value?] = []
    let changes = ObjectChange(
      object(9), .updated,
      [
        .init(key(1), .replaced(old: "old", new: nil)), .init(key(2), .counted(1)),
        .init(key(3), .replaced(old: "old", new: "new")),
      ])
    var writer = ByteWriter()
    try commitEncoder.append(commit([changes]), to: &writer) { object, key, value in
      #expect(object == changes.object && key == KeyNumber(rawValue: 3))
      asked.append(value)
      return nil
    }
    #expect(asked == ["new"])
  }

  @Test func `an edit that the batch does not have is missing`() throws {
    for (count, position) in [(0, 0), (1, 1), (3, 3), (3, 4_000)] {
      let sample = sample(Array(repeating: other, count: count), position: position)
      let error = #expect(throws: EventCodingError.self) {
        try sample.decoded(sample.encoded())
      }
      #expect(error?.code == .editMissing(position: position))
    }
  }

  @Test(arguments: [
    Edit.set(object(8), key(4), "new"), .set(object(9), key(5), "new"),
    .set(object(9), key(4), nil), .inserted(object(9)), .deleted(object(9)), .rolledBack,
  ])
  func `an edit that set something else does not have the value`(edit: Edit) throws {
    let sample = sample([other, .edited(context(1), edit)])
    let error = #expect(throws: EventCodingError.self) { try sample.decoded(sample.encoded()) }
    #expect(error?.code == .editUnfit(position: 1))
  }

  @Test func `an edit whose bytes are wrong does not have the value`() throws {
    let sound = try bytes(.edited(context(1), .set(object(9), key(4), "new")))
    let commit = try sample([]).encoded()
    for edit in [[], Array(sound.dropLast()), sound + [0], [0x22] + sound] {
      let error = #expect(throws: EventCodingError.self) {
        try commit.withUnsafeBytes { try decode($0, [sound, edit]) }
      }
      #expect(error?.code == .editUnfit(position: 1))
    }
  }
}

/// A commit of these changes, with small numbers.
func commit(_ changes: [ObjectChange]) -> CommitContent {
  CommitContent(
    number: 2, time: RecordedTime(rawValue: 3), context: context(1), changes: changes)
}
