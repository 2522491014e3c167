// Object IDs: their parts, their URIs, their JSON, their order; and the numbers beside them.

import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite struct ObjectIDs {
  private static let sample = ObjectID(
    origin: 1, entity: EntityNumber(rawValue: 3), number: 17,
    store: StoreTag(rawValue: 0x0123_4567_89AB_CDEF))
  private static let sampleURI = "xjournal://0123456789abcdef/1/3/17"

  @Test func `the parts of an ID come back at their limits, each in its own bits`() {
    var seen: Set<ObjectID> = []
    for origin in [0, 1, UInt16.max] {
      for entity in [0, 1, EntityNumber.largest.rawValue] {
        for number in [0, 1, ObjectID.largestNumber] {
          let store = StoreTag(rawValue: 5)
          let id = ObjectID(
            origin: origin, entity: EntityNumber(rawValue: entity), number: number, store: store)
          #expect(id.origin == origin && id.entity.rawValue == entity && id.number == number)
          #expect(ObjectID(rawValue: id.rawValue, store: store) == id)
          seen.insert(id)
        }
      }
    }
    #expect(seen.count == 27)
    #expect(ObjectID.largestNumber == 0xF_FFFF_FFFF && EntityNumber.largest.rawValue == 0xFFF)
    #expect(MemoryLayout<ObjectID>.size == 16)
  }

  @Test func `a number that has no room in an ID traps`() async {
    await #expect(processExitsWith: .failure) {
      _ = ObjectID(
        entity: EntityNumber(rawValue: 0x1000), number: 0, store: StoreTag(rawValue: 0))
    }
    await #expect(processExitsWith: .failure) {
      _ = ObjectID(
        entity: EntityNumber(rawValue: 0), number: 1 << 36, store: StoreTag(rawValue: 0))
    }
  }

  @Test func `S6: an ID of another store is another ID`() {
    let store = StoreTag(rawValue: 1)
    let other = ObjectID(rawValue: Self.sample.rawValue, store: store)
    #expect(other != Self.sample && other.store != Self.sample.store)
  }

  @Test func `S6: an ID has a URI that parses back`() throws {
    #expect(Self.sample.uri == Self.sampleURI)
    #expect("\(Self.sample)" == Self.sampleURI)
    #expect(try ObjectID(uri: Self.sampleURI) == Self.sample)
    let campaign = Campaign(count: "XJ_IDS", inGate: 500)
    var dice = Dice(seed: campaign.seed)
    for _ in 0..<campaign.count {
      let id = dice.objectID()
      #expect(try ObjectID(uri: id.uri) == id, "seed \(campaign.seed)")
    }
  }

  private static let malformed = [
    "", "xjournal://", "xjournal:///1/3/17", "http://0123456789abcdef/1/3/17",
    "0123456789abcdef/1/3/17", "XJOURNAL://0123456789abcdef/1/3/17",
    "xjournal://0123456789ABCDEF/1/3/17", "xjournal://123456789abcdef/1/3/17",
    "xjournal://00123456789abcdef/1/3/17", "xjournal://0123456789abcdeg/1/3/17",
    "xjournal://+123456789abcdef/1/3/17", "xjournal://0123456789abcdef/1/3",
    "xjournal://0123456789abcdef/1/3/17/", "xjournal://0123456789abcdef/1/3/17/4",
    "xjournal://0123456789abcdef//3/17", "xjournal://0123456789abcdef/1/3/",
    "xjournal://0123456789abcdef/01/3/17", "xjournal://0123456789abcdef/+1/3/17",
    "xjournal://0123456789abcdef/-1/3/17", "xjournal://0123456789abcdef/65536/3/17",
    "xjournal://0123456789abcdef/1/4096/17", "xjournal://0123456789abcdef/1/3/68719476736",
    "xjournal://0123456789abcdef/1/3/99999999999999999999999",
    " xjournal://0123456789abcdef/1/3/17",
    "xjournal://0123456789abcdef/1/3/17 ", "xjournal://0123456789abcdef/1/3/17\n",
    "xjournal://0123456789abcdef/1/3/17?x", "xjournal://0123456789abcdef/1/3/x",
    "xjournal://0123456789abcdef/1/3/１７", "xjournal://0123456789abcdef/1/3/17\u{301}",
    "xjournal:/\u{301}/0123456789abcdef/1/3/17", "xjournal://0123456789abcdef/1/3/0x11",
  ]

  @Test(arguments: malformed) func `S6: no other text is the URI of an object`(text: String) {
    #expect(throws: ObjectIDError.notAURI(text)) { try ObjectID(uri: text) }
    #expect(
      "\(ObjectIDError.notAURI(text))"
        == "‘\(text)’ is not the URI of an object; one looks like xjournal://0123456789abcdef/0/3/17."
    )
  }

  @Test func `the URI that the error gives as an example is one`() throws {
    #expect(try ObjectID(uri: "xjournal://0123456789abcdef/0/3/17").number == 17)
  }

  @Test func `an ID is its URI in JSON, and comes back`() throws {
    let json = try JSONEncoder().encode([Self.sample])
    #expect(
      String(decoding: json, as: UTF8.self).replacing("\\/", with: "/") == "[\"\(Self.sampleURI)\"]"
    )
    #expect(try JSONDecoder().decode([ObjectID].self, from: json) == [Self.sample])
  }

  @Test func `JSON that is no URI is refused with the sentence`() {
    do {
      _ = try JSONDecoder().decode([ObjectID].self, from: Data("[\"nonsense\"]".utf8))
      Issue.record("nonsense was read")
    } catch DecodingError.dataCorrupted(let context) {
      #expect(context.debugDescription == "\(ObjectIDError.notAURI("nonsense"))")
    } catch {
      Issue.record("another error: \(error)")
    }
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode([ObjectID].self, from: Data("[17]".utf8))
    }
  }

  @Test func `IDs stand in the order of store, origin, entity and number`() {
    func id(_ store: UInt64, _ origin: UInt16, _ entity: UInt16, _ number: UInt64) -> ObjectID {
      ObjectID(
        origin: origin, entity: EntityNumber(rawValue: entity), number: number,
        store: StoreTag(rawValue: store))
    }
    let sorted = [
      id(0, 0, 0, 0), id(0, 0, 0, 9), id(0, 0, 1, 0), id(0, 0, 10, 0), id(0, 1, 0, 0),
      id(0, .max, 0, 0), id(1, 0, 0, 0), id(.max, 0, 0, 0),
    ]
    #expect(sorted.reversed().sorted() == sorted)
    #expect(!(sorted[0] < sorted[0]))
  }
}

@Suite struct Numbers {
  @Test func `numbers of all sorts stand in their order`() {
    #expect(CommitNumber(rawValue: 1) < CommitNumber(rawValue: 2))
    #expect(EntityNumber(rawValue: 1) < EntityNumber(rawValue: 2))
    #expect(KeyNumber(rawValue: 1) < KeyNumber(rawValue: 2))
    #expect(ContextNumber(rawValue: 1) < ContextNumber(rawValue: 2))
    #expect(RecordedTime(rawValue: -1) < RecordedTime(rawValue: 2))
    #expect(StoreTag(rawValue: 1) < StoreTag(rawValue: 2))
  }

  @Test func `commits are counted from one and print as digits`() {
    #expect(CommitNumber.none.next == 1)
    #expect("\(CommitNumber(rawValue: 41))" == "41")
    #expect(CommitNumber(rawValue: .max).next == .none)
  }
}
