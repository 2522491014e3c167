import EventCoding
import Foundation
import ObjectModel
import TestSupport
import Testing

/// What can be told of bytes without making values of them is what making them would tell. That nothing is taken for
/// plain that is refused is seen to wherever hostile bytes are.
struct PlainBytesTests {
  private func isPlain(_ event: Event) throws -> Bool {
    try bytes(event).withUnsafeBytes { decoder.isPlain(event: $0) }
  }

  /// A value of each kind, and whether it is right whatever its bytes are, or is a string.
  private static let values: [(Value, Bool)] = [
    (.null, true), (.boolean(true), true), (.integer(7), true), (.integer(1 << 40), true),
    (.real(.nan), true), (.string("ä"), true),
    (.string(String(repeating: "long", count: 30)), true),
    (.data(Data([1, 2])), true), (.date(Date(timeIntervalSinceReferenceDate: 9)), true),
    (.uuid(UUID()), true), (.counter(-5), true), (.reference(object(3)), true),
    (.reference(ObjectID(rawValue: 3, store: otherStore)), true), (.decimal(1.5), false),
    (.array([1]), false), (.dictionary(["a": 1]), false), (.set([2]), false),
  ]

  @Test func `edits that set plain values, and those that make objects, are plain`() throws {
    for (value, expected) in Self.values {
      #expect(try isPlain(setting(value)) == expected, "\(value)")
      #expect(
        try isPlain(.edited(context(1), .setPrimitive(object(5), key(2), value))) == expected)
    }
    #expect(try isPlain(setting(nil)))
    #expect(try isPlain(.edited(context(1), .inserted(object(5)))))
    #expect(try isPlain(.edited(context(1), .deleted(object(5)))))
    #expect(try !isPlain(.edited(context(1), .rolledBack)))
  }

  @Test func `a text that is none is not plain`() throws {
    let right = try bytes(setting("abc"))
    #expect(right.withUnsafeBytes { decoder.isPlain(event: $0) })
    var wrong = right
    wrong[wrong.count - 1] = 0xFF
    #expect(!wrong.withUnsafeBytes { decoder.isPlain(event: $0) })
  }

  @Test func `every commit without further fields is plain`() throws {
    let campaign = Campaign(count: "XJ_COMMITS", inGate: 2_000)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let sample = dice.commit()
      let isPlain = try sample.isPlain(sample.encoded())
      #expect(isPlain == sample.fields.isEmpty, "seed \(campaign.seed), round \(round)")
    }
  }

  @Test func `a commit is not plain where a value replaces the same, or an edit sets another`()
    throws
  {
    for (value, _) in Self.values {
      for new in [value, .string("other")] {
        let change = ObjectChange(
          object(9), .updated, [.init(key(4), .replaced(old: value, new: "a new one"))])
        var sample = CommitSample(content: commit([change]))
        sample.positions = [object(9): [key(4): 0]]
        sample.edits = [.edited(context(1), .set(object(9), key(4), "a new one"))]
        let bytes = try sample.encoded()
        #expect(sample.isPlain(bytes))
        sample.edits = [.edited(context(1), .set(object(9), key(4), new))]
        #expect(sample.isPlain(bytes) == (new != value), "\(value)")
        sample.edits = [.edited(context(1), .set(object(9), key(5), "a new one"))]
        #expect(!sample.isPlain(bytes))
        sample.edits = []
        #expect(!sample.isPlain(bytes))
      }
    }
  }
}
