import ByteCoding
import EventCoding
import Foundation
import ObjectModel
import TestSupport
import Testing

/// What is too much, too deep or not there for whoever reads or writes, and what a part of a commit says of that.
struct LimitTests {
  /// A commit that makes an object, whose value an edit has, and the edit.
  private static func named(_ value: Value) throws -> (commit: [UInt8], edit: [UInt8]) {
    let change = ObjectChange(
      object(5), .inserted, [.init(key(2), .replaced(old: nil, new: value))])
    var sample = CommitSample(content: commit([change]))
    sample.positions = [object(5): [key(2): 0]]
    return (try sample.encoded(), try bytes(setting(value)))
  }

  /// A commit without author, message and more, with one change to one object, up to what the change is.
  private static let one: [UInt8] =
    [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0] + [1, 3, 1, 9, 0]

  // MARK: Room

  @Test func `a value of more parts than there is room for is refused, and it is told whose it is`()
    throws
  {
    let edit = try bytes(setting([1, 2, 3]))
    let narrow = EventDecoder(store: store, room: 2)
    let error = #expect(throws: EventCodingError.self) {
      try edit.withUnsafeBytes { try narrow.event($0) }
    }
    #expect(error?.code == .tooMany)
    #expect(error?.value?.object == object(5) && error?.value?.key == key(2))
    let wide = EventDecoder(store: store, room: 3)
    #expect(try edit.withUnsafeBytes { try wide.event($0) } == setting([1, 2, 3]))
  }

  @Test func `a value that an edit has takes of the commit's room, and is no damage`() throws {
    let (commit, edit) = try Self.named([1, 2, 3])
    let memory = ByteArena([edit])
    let narrow = EventDecoder(store: store, room: 2)
    let error = #expect(throws: EventCodingError.self) {
      try commit.withUnsafeBytes { try narrow.commit($0) { memory[$0] } }
    }
    #expect(error?.code == .tooMany)
    let wide = EventDecoder(store: store, room: 3)
    let read = try commit.withUnsafeBytes { try wide.commit($0) { memory[$0] } }
    #expect(read.content.changes.count == 1)
  }

  // MARK: Parts of commits

  @Test func `where no edits are given, a value that one has is missing from every part`() throws {
    let (commit, _) = try Self.named("text")
    let missing = EventCodingError.Code.editMissing(position: 0)
    commit.withUnsafeBytes { bytes in
      #expect(!decoder.isPlain(commit: bytes))
      for read in [
        { _ = try decoder.side(.after, bytes) },
        { _ = try decoder.change(of: object(5), decoder.outline(bytes), bytes) },
        { _ = try decoder.side(.after, of: object(5), decoder.outline(bytes), bytes) },
      ] {
        let error = #expect(throws: EventCodingError.self) { try read() }
        #expect(error?.code == missing)
      }
    }
  }

  @Test func `of an object that a commit has no change of there is no side`() throws {
    let changes = [5, 9].map { number in
      ObjectChange(object(number), .inserted, [.init(key(1), .replaced(old: nil, new: 1))])
    }
    let bytes = try CommitSample(content: commit(changes)).encoded()
    try bytes.withUnsafeBytes { bytes in
      let outline = try decoder.outline(bytes)
      for side in [CommitSide.Side.before, .after] {
        for other in [object(4), object(7), object(10), object(5, entity: 2)] {
          let none = try decoder.side(side, of: other, outline, bytes)
          #expect(none == nil)
        }
        let there = try decoder.side(side, of: object(9), outline, bytes)
        #expect(there?.object == object(9))
      }
    }
  }

  @Test func `a side refuses the other side's value where it is none, or too deep`() throws {
    func code(_ old: [UInt8]) throws -> EventCodingError.Code? {
      let bytes = Self.one + [5, 3] + old + [0x91, 0]
      do {
        _ = try bytes.withUnsafeBytes { try decoder.side(.after, $0) }
        return nil
      } catch {
        return (error as? EventCodingError)?.code
      }
    }
    let arrays = { (count: Int) in (0..<count).flatMap { _ -> [UInt8] in [13, 1] } }
    #expect(try code([0]) == .tagUnknown(0))
    #expect(try code(arrays(128) + [1]) == nil)
    #expect(try code(arrays(129) + [1]) == .tooDeep)
    #expect(try code(arrays(127) + [14, 0]) == nil)
    #expect(try code(arrays(128) + [14, 0]) == .tooDeep)
  }

  @Test func `the object behind the last that there can be is refused`() throws {
    let last = ObjectID.largestNumber
    let changes = [last - 1, last].map { number in
      ObjectChange(object(number), .inserted, [.init(key(1), .replaced(old: nil, new: 1))])
    }
    var bytes = try CommitSample(content: commit(changes)).encoded()
    #expect(throws: Never.self) { try bytes.withUnsafeBytes { try decoder.commit($0) } }
    let place = try #require(bytes.firstIndex(of: 0xFE))
    #expect(bytes[place + 1] == 0xFF)
    bytes[place] = 0xFF
    let error = #expect(throws: EventCodingError.self) {
      try bytes.withUnsafeBytes { try decoder.commit($0) }
    }
    #expect(error?.code == .numberTooLarge)
  }

  // MARK: Values

  @Test func `members that are lists stand in the order of their elements`() throws {
    let lists: [Value] = [[1, 1], [1, 2], [2, 1]]
    let parts = try lists.map { try bytes(of: $0) }
    #expect(try bytes(of: .set(Set(lists))) == [16, 3] + parts.joined())
    #expect(try value([16, 3] + parts.joined()) == .set(Set(lists)))
    let error = #expect(throws: EventCodingError.self) {
      try value([16, 3] + parts.reversed().joined())
    }
    #expect(error?.code == .membersNotInOrder)
  }

  @Test func `a decimal number has one form, however many zeros its digits end in`() throws {
    // The only way to digits that end in zeros: whatever computes leaves them out.
    let parts = DecimalFields(mantissa: [1500, 0, 0, 0, 0, 0, 0, 0])
    let coded = try PropertyListEncoder().encode([parts])
    let decimal = try #require(try PropertyListDecoder().decode([Decimal].self, from: coded).first)
    #expect(decimal == 1500 && decimal.significand.description == "1500")
    #expect(try bytes(of: .decimal(decimal)) == bytes(of: .decimal(1500)))
    #expect(try value(bytes(of: .decimal(decimal))) == .decimal(1500))
  }

  /// A decimal number as it is coded.
  private struct DecimalFields: Encodable {
    var exponent = 0
    var length = 1
    var isNegative = false
    var isCompact = false
    let mantissa: [UInt16]
  }

  // MARK: Writing

  @Test(arguments: [Value.dictionary([:]), .set([]), .array([])])
  func `no collection is written deeper than it is read`(_ innermost: Value) throws {
    func nested(_ depth: Int) -> Value {
      (0..<depth).reduce(innermost) { value, _ in .array([value]) }
    }
    let deepest = nested(127)
    #expect(try value(bytes(of: deepest)) == deepest)
    let error = #expect(throws: EventCodingError.self) { try bytes(of: nested(128)) }
    #expect(error?.code == .tooDeep)
  }

  @Test func `dictionaries in a set that begin alike are told apart by what comes behind`() throws {
    let members: Set<Value> = [
      ["a": 1, "b": 1], ["a": 1, "b": 2], ["a": 1], ["a": 1, "b": 1, "c": 0],
    ]
    #expect(try value(bytes(of: .set(members))) == .set(members))
  }

  @Test func `an event with a splice that cannot be is refused`() {
    let sound = Splice(prefixCount: 1, suffixCount: 0, old: "a", new: "b")
    for event in [restoring(.inserted, sound), restoring(.deleted, sound)] {
      let error = #expect(throws: EventCodingError.self) { try encoder.byteCount(of: event) }
      #expect(error?.code == .changeUnfit)
    }
    let negative = Splice(prefixCount: -1, suffixCount: 0, old: "a", new: "b")
    let error = #expect(throws: EventCodingError.self) {
      try encoder.byteCount(of: .edited(context(1), .spliced(object(1), key(1), negative)))
    }
    #expect(error?.code == .negativeCount)
    #expect(throws: Never.self) { try encoder.byteCount(of: restoring(.updated, sound)) }
  }

  private func restoring(_ kind: Restoration.Kind, _ splice: Splice) -> Event {
    .edited(context(1), .undone([Restoration(object(1), kind, [.init(key(1), .splice(splice))])]))
  }

  @Test func `a commit behind fewer edits than none is refused`() throws {
    var writer = ByteWriter()
    let content = CommitContent(
      number: 2, time: RecordedTime(rawValue: 3), context: context(1), precedingEditCount: -1,
      changes: [])
    let error = #expect(throws: EventCodingError.self) {
      try commitEncoder.append(content, to: &writer)
    }
    #expect(error?.code == .negativeCount)
    #expect(writer.array.isEmpty)
  }
}
