import ByteCoding
import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

/// Every reason to refuse something, by name, with its place and its sentence.
struct RefusalTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let bytes: [UInt8]
    let code: EventCodingError.Code
    let offset: Int
    var testDescription: String { "\(code)" }

    init(_ bytes: [UInt8], _ code: EventCodingError.Code, at offset: Int) {
      self.bytes = bytes
      self.code = code
      self.offset = offset
    }
  }

  // MARK: Reading

  private static let set: [UInt8] = [1, 1, 3, 5, 2]
  private static let large: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x7F]
  /// One more than the largest number of a commit or context.
  private static let beyond: [UInt8] = [0x81] + Array(repeating: 0x80, count: 7) + [0x40]

  static let events = [
    Case([], .bytes(.endOfBytes), at: 0),
    Case([0], .noKind, at: 0),
    Case([0, 1, 2], .noKind, at: 0),
    Case([14, 1, 0], .bytes(.bytesLeftOver), at: 2),
    Case([14, 0x80, 0], .bytes(.integerNotShortest), at: 1),
    Case([14] + Array(repeating: 0xFF, count: 10), .bytes(.integerTooLarge), at: 1),
    Case([9, 1, 2], .choiceUnknown(2), at: 2),
    Case([8, 1, 7], .choiceUnknown(7), at: 2),
    Case([12, 1, 2, 0, 0], .choiceUnknown(2), at: 2),
    Case([10, 1, 1, 3, 0, 0, 0], .choiceUnknown(3), at: 3),
    Case([33, 1, 1, 0, 0, 4, 0, 0, 0], .choiceUnknown(4), at: 5),
    Case([33, 1, 1, 0, 0, 0, 1, 0, 14, 0, 0, 0, 0, 0, 0, 0], .choiceUnknown(14), at: 8),
    Case([33, 1, 1, 0, 0, 0, 1, 0, 0, 16, 0, 0, 0, 0, 0, 0], .choiceUnknown(16), at: 9),
    Case([33, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0], .choiceUnknown(3), at: 11),
    Case([33, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 5, 0, 0, 0, 0], .choiceUnknown(5), at: 13),
    Case([33, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0], .tagUnknown(0), at: 14),
    Case([33, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0], .choiceUnknown(4), at: 14),
    Case([33, 1, 0x80, 0x20, 0, 0, 0, 0, 0, 0], .numberTooLarge, at: 2),
    Case([14] + beyond, .numberTooLarge, at: 1),
    Case([13, 1] + beyond, .numberTooLarge, at: 2),
    Case([36] + beyond + [0, 0, 0], .numberTooLarge, at: 1),
    Case([36, 1, 0] + beyond + [0], .numberTooLarge, at: 3),
    Case([36, 1, 0, 0, 1] + beyond, .numberTooLarge, at: 5),
    Case([39, 0, 1] + beyond, .numberTooLarge, at: 3),
    Case([1, 1] + large + [0, 1, 1], .numberTooLarge, at: 2),
    Case([1, 1, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 2, 1, 1], .numberTooLarge, at: 3),
    Case([1, 1, 0, 1] + large + [1], .numberTooLarge, at: 4),
    Case(set + [19], .tagUnknown(19), at: 5),
    Case(set + [0x3F], .tagUnknown(0x3F), at: 5),
    Case(set + [13, 1, 0], .tagUnknown(0), at: 7),
    Case(set + [8, 0], .notShortest, at: 5),
    Case(set + [0x42, 0xC3, 0x28], .textNotUnicode, at: 6),
    Case([32, 1, 2, 0xC3, 0x28], .textNotUnicode, at: 3),
    Case(set + [12, 1, 0x20], .urlUnreadable, at: 5),
    Case(set + [12, 0], .urlUnreadable, at: 5),
    Case(set + [18, 0xEF, 0x89, 0x67, 0x45, 0x23, 1, 0xCD, 0xAB, 1, 1], .ownStoreNamed, at: 5),
    Case(set + [14, 2, 1, 0x62, 1, 1, 0x61, 1], .keysNotInOrder, at: 10),
    Case(set + [14, 2, 1, 0x61, 1, 1, 0x61, 1], .keysNotInOrder, at: 10),
    Case(set + [14, 2, 3, 0x65, 0xCC, 0x81, 1, 2, 0xC3, 0xA9, 1], .keysNotInOrder, at: 12),
    Case(set + [16, 2, 0x92, 0x91], .membersNotInOrder, at: 8),
    Case(set + [16, 2, 0x91, 0x91], .membersNotInOrder, at: 8),
  ]

  @Test func `members that only look the same are two`() throws {
    let bytes = Self.set + [16, 2, 14, 1, 3, 0x65, 0xCC, 0x81, 1, 14, 1, 2, 0xC3, 0xA9, 1]
    guard case .edited(_, .set(_, _, .set(let members))) = try event(bytes) else {
      Issue.record("no set")
      return
    }
    #expect(members.count == 2)
  }

  @Test(arguments: events) func `an event that no writer writes is refused`(refused: Case) {
    #expect(throws: EventCodingError(refused.code, at: refused.offset)) {
      try event(refused.bytes)
    }
  }

  /// A commit without author, message and more, up to its changes.
  private static let head: [UInt8] = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0]
  /// The same with one change to one object, of which the first byte is still to come.
  private static let one: [UInt8] = head + [1, 3, 1, 9, 0]

  static let commits = [
    Case([], .bytes(.endOfBytes), at: 0),
    Case([0], .formatUnknown(0), at: 0),
    Case([2] + head, .formatUnknown(2), at: 0),
    Case([1] + beyond + head.dropFirst(2), .numberTooLarge, at: 1),
    Case(head + [0, 0, 0], .bytes(.bytesLeftOver), at: 18),
    Case(head + [0, 1, 128, 0], .fieldUnknown(kind: 128), at: 18),
    Case(head + [0, 1, 0, 0], .fieldsNotInOrder, at: 18),
    Case(head + [0, 2, 1, 0, 1, 0], .fieldsNotInOrder, at: 20),
    Case(head + [1, 3, 0, 0, 0, 0], .changeOfNothing, at: 18),
    Case(head + [2, 3, 1, 9, 0, 1, 3, 1, 9, 0, 1, 0], .keysNotInOrder, at: 22),
    Case(head + [1, 3, 1, 9, 2, 1, 0, 0], .previousNotBefore, at: 20),
    Case(one + [3, 0], .choiceUnknown(3), at: 21),
    Case(one + [0xFC, 0xFF, 0xFF, 0xFF, 1, 0], .bytes(.countTooLarge), at: 21),
    Case(one + [5, 3, 0x90, 0x90, 0], .changeOfNothing, at: 22),
    Case(one + [5, 6, 0, 0], .changeOfNothing, at: 22),
    Case(
      one + [5, 6, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0], .changeOfNothing,
      at: 22),
    Case(one + [5, 7, 0, 0, 0], .changeOfNothing, at: 22),
    Case(one + [5, 7, 1, 0x91, 1, 0x91, 0], .changeUnfit, at: 22),
    Case(one + [5, 5, 0, 0, 0x41, 0x61, 0x41, 0x61, 0], .changeOfNothing, at: 22),
    Case(one + [5, 5, 0, 0, 0x41, 0x61, 0x91, 0], .changeUnfit, at: 22),
    Case(one + [5, 0, 0, 0], .tagUnknown(0), at: 23),
    Case(one + [5, 1, 1, 0], .numberTooLarge, at: 23),
    Case(one + [5, 1, 0, 0], .editMissing(position: 0), at: 23),
    Case(one + [4, 2, 0x91, 0], .changeUnfit, at: 22),
    Case(one + [6, 0, 0x91, 0], .changeUnfit, at: 22),
    Case(one + [6, 6, 2, 0], .changeUnfit, at: 22),
    Case(one + [5, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0x91, 0], .numberTooLarge, at: 22),
  ]

  @Test(arguments: commits) func `a commit that no writer writes is refused`(refused: Case) {
    #expect(throws: EventCodingError(refused.code, at: refused.offset)) {
      try refused.bytes.withUnsafeBytes { try decoder.commit($0) }
    }
  }

  // MARK: Writing

  static let unwritable: [(Event, EventCodingError)] = [
    (setting(.decimal(.nan)), EventCodingError(.decimalUnreadable, at: 5)),
    (setting(nested(129)), EventCodingError(.tooDeep, at: 5 + 2 * 128)),
    (
      .edited(context(1), .inserted(ObjectID(rawValue: 1, store: otherStore))),
      EventCodingError(.objectOfAnotherStore, at: 2)
    ),
  ]

  @Test(arguments: unwritable)
  func `an event that no reader takes is refused, and leaves the writer as it was`(
    event: Event, error: EventCodingError
  ) throws {
    #expect(throws: error) { try encoder.byteCount(of: event) }
    var writer = ByteWriter()
    writer.write([1, 2])
    var thrown: EventCodingError?
    do { try encoder.append(event, to: &writer) } catch { thrown = error }
    #expect(thrown == error)
    #expect(writer.array == [1, 2])
  }

  @Test func `an unknown event of a known kind, or of none, is refused`() {
    for kind in EventKind.allCases.map(\.rawValue) + [0] {
      #expect(throws: EventCodingError(.kindKnown(kind), at: 0)) {
        try encoder.byteCount(of: .unknown(kind: kind, bytes: []))
      }
    }
  }

  @Test func `numbers beyond the largest are refused`() {
    let large = EntityNumber(rawValue: 4096)
    let events: [Event] = [
      .numbersReserved(origin: 0, large, through: 1),
      .numbersReserved(origin: 0, .largest, through: ObjectID.largestNumber + 1),
      .modelAdopted([NumberedEntity(large, EntityDescription("A"))]),
      .contextEnded(context(ContextNumber.largest.rawValue + 1)),
      .edited(context(.max), .set(object(1), key(1), nil)),
      .edited(context(1), .merged(CommitNumber.largest.next)),
      .tagged("late", CommitNumber(rawValue: .max)),
    ]
    for event in events {
      let error = #expect(throws: EventCodingError.self) { try encoder.byteCount(of: event) }
      #expect(error?.code == .numberTooLarge)
    }
  }

  static let unfit: [(ObjectChange.Kind, ValueChange, EventCodingError.Code)] = [
    (.updated, .replaced(old: 1, new: 1), .changeOfNothing),
    (.updated, .replaced(old: nil, new: nil), .changeOfNothing),
    (.inserted, .replaced(old: 1, new: 2), .changeUnfit),
    (.deleted, .replaced(old: 1, new: 2), .changeUnfit),
    (.inserted, .counted(1), .changeUnfit),
    (.updated, .counted(0), .changeOfNothing),
    (.updated, .counted(.min), .changeOfNothing),
    (.updated, .regrouped(inserted: [], removed: []), .changeOfNothing),
    (.updated, .regrouped(inserted: [1, 2], removed: [2]), .changeUnfit),
    (
      .updated, .spliced(Splice(prefixCount: -1, suffixCount: 0, old: "", new: "a")), .negativeCount
    ),
    (
      .updated, .spliced(Splice(prefixCount: 0, suffixCount: 0, old: "a", new: "a")),
      .changeOfNothing
    ),
    (.updated, .spliced(Splice(prefixCount: 0, suffixCount: 0, old: 1, new: 2)), .changeUnfit),
    (.updated, spliced(further: .init(keptCount: 0, old: "", new: "b")), .changeUnfit),
    (.updated, spliced(further: .init(keptCount: 1, old: "", new: [])), .changeUnfit),
    (.updated, spliced(further: .init(keptCount: 1, old: "b", new: "b")), .changeOfNothing),
  ]

  /// A change of nothing at the first place, and another place.
  private static func spliced(further part: Splice.Part) -> ValueChange {
    .spliced(Splice(prefixCount: 0, suffixCount: 0, old: "a", new: "a", further: [part]))
  }

  @Test(arguments: unfit.indices)
  func `a change that changes nothing or does not fit is refused`(index: Int) throws {
    let (kind, change, code) = Self.unfit[index]
    #expect(try refusal(of: [ObjectChange(object(1), kind, [.init(key(1), change)])]) == code)
  }

  @Test func `a commit beyond the last one that there can be is refused`() throws {
    func commit(_ number: CommitNumber) -> CommitContent {
      CommitContent(
        number: number, time: RecordedTime(rawValue: 3), context: context(1), changes: [])
    }
    var writer = ByteWriter()
    try commitEncoder.append(commit(.largest), to: &writer)
    let last = try writer.withBytes { try decoder.commit($0) }
    #expect(last.content.number == .largest)
    let before = writer.array
    do {
      try commitEncoder.append(commit(CommitNumber.largest.next), to: &writer)
      Issue.record("it was written")
    } catch {
      #expect(error.code == .numberTooLarge)
    }
    #expect(writer.array == before)
  }

  @Test func `changes that are not in order or not unique are refused`() throws {
    let (one, two) = (
      ObjectChange.Entry(key(1), .counted(1)), ObjectChange.Entry(key(2), .counted(1))
    )
    let object = object(1)
    #expect(try refusal(of: [ObjectChange(object, .updated, [two, one])]) == .keysNotInOrder)
    #expect(try refusal(of: [ObjectChange(object, .updated, [one, one])]) == .keysNotInOrder)
    let change = ObjectChange(object, .updated, [one])
    #expect(try refusal(of: [change, change]) == .objectTwice)
    let foreign = ObjectChange(ObjectID(rawValue: 1, store: otherStore), .updated, [one])
    #expect(try refusal(of: [foreign]) == .objectOfAnotherStore)
  }

  @Test func `an object cannot have been changed before by the same commit or a later one`() throws
  {
    for number: CommitNumber in [2, 3] {
      let change = ObjectChange(object(1), .inserted, [], after: number)
      #expect(try refusal(of: [change]) == .previousNotBefore)
    }
  }

  @Test func `fields and positions that cannot be are refused`() throws {
    let field = { CommitField(kind: $0, bytes: []) }
    #expect(try refusal(of: [], fields: [field(128)]) == .fieldUnknown(kind: 128))
    #expect(try refusal(of: [], fields: [field(0)]) == .fieldsNotInOrder)
    #expect(try refusal(of: [], fields: [field(2), field(2)]) == .fieldsNotInOrder)
    let change = ObjectChange(object(1), .inserted, [.init(key(1), .replaced(old: nil, new: 1))])
    for position in [-1, Int.max] {
      #expect(try refusal(of: [change], position: position) == .negativeCount)
    }
  }

  /// Why a commit cannot be written.
  private func refusal(
    of changes: [ObjectChange], fields: [CommitField] = [], position: Int? = nil
  ) throws -> EventCodingError.Code? {
    var writer = ByteWriter()
    writer.write([1, 2])
    defer { #expect(writer.array == [1, 2]) }
    do {
      try commitEncoder.append(commit(changes), fields: fields, to: &writer) { _, _, _ in position }
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: Wording

  static let codes: [EventCodingError.Code] = [
    .bytes(.endOfBytes), .bytes(.countTooLarge), .noKind, .choiceUnknown(47), .tagUnknown(47),
    .notShortest, .textNotUnicode, .ownStoreNamed, .editMissing(position: 47),
    .editUnfit(position: 47), .formatUnknown(47), .fieldUnknown(kind: 47), .objectOfAnotherStore,
    .kindKnown(47), .negativeCount, .objectTwice, .numberTooLarge, .decimalUnreadable,
    .urlUnreadable, .tooDeep, .keysNotInOrder, .membersNotInOrder, .fieldsNotInOrder,
    .changeOfNothing, .changeUnfit, .previousNotBefore, .tooMany,
  ]

  @Test func `every error is one sentence unlike all others, with its place`() {
    let sentences = Self.codes.map { EventCodingError($0, at: 815).description }
    #expect(Set(sentences).count == Self.codes.count)
    for (code, sentence) in zip(Self.codes, sentences) {
      #expect(sentence.hasSuffix(", at byte 815"))
      #expect(!sentence.contains(".") && !sentence.contains("("))
      #expect("\(code)".contains("47") == sentence.contains("47"), "\(sentence)")
    }
    #expect(
      EventCodingError(.bytes(.endOfBytes), at: 3).description
        == "the bytes end too early, at byte 3")
  }
}
