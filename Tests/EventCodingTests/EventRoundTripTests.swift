import ByteCoding
import EventCoding
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

/// Events come back as they were, from as many bytes as were counted.
struct EventRoundTripTests {
  @Test(arguments: 0..<Dice.eventKindCount)
  func `events of every kind come back as they were`(kind: Int) throws {
    let campaign = Campaign(count: "XJ_EVENTS", inGate: 800)
    var dice = Dice(seed: campaign.seed &+ UInt64(kind))
    for round in 0..<campaign.count {
      let event = dice.event(of: kind)
      let bytes = try bytes(event)
      let decoded = try EventCodingTests.event(bytes)
      guard decoded == event else {
        Issue.record("seed \(campaign.seed), kind \(kind), round \(round): \(event) is \(decoded)")
        return
      }
      var writer = ByteWriter(capacity: 1)
      writer.write([7])
      try encoder.append(event, to: &writer)
      #expect(writer.array == [7] + bytes, "seed \(campaign.seed), round \(round)")
    }
  }

  @Test func `every kind of event is among the samples`() throws {
    var dice = Dice(seed: 1)
    let kinds = try (0..<Dice.eventKindCount).map { try bytes(dice.event(of: $0))[0] }
    let known = EventKind.allCases.map(\.rawValue)
    #expect(Set(kinds).isSuperset(of: known))
    #expect(Set(known).count == known.count)
  }

  @Test func `the events of every day are small`() throws {
    let cases: [(Event, Int)] = [
      (setting(.integer(5)), 6),
      (.edited(context(1), .set(object(1_000_000), key(9), .integer(111))), 8),
      (.edited(context(1), .set(object(1_000_000), key(9), .boolean(true))), 8),
      (.edited(context(1), .set(object(100), key(9), .integer(1_000))), 8),
      (.edited(context(1), .set(object(100), key(9), .string("twenty bytes of text"))), 26),
      (.edited(context(1), .inserted(object(16_000))), 5),
      (.edited(context(1), .set(object(100), key(9), .reference(object(100)))), 8),
      (.edited(context(1), .stepEnded(name: nil)), 3),
      (.timePassed(RecordedTime(rawValue: 1_700_000_000_000_000_000)), 9),
    ]
    for (event, count) in cases { #expect(try bytes(event).count == count, "\(event)") }
  }

  @Test func `setting a value without an event gives the same bytes`() throws {
    var dice = Dice(seed: 5)
    for _ in 0..<500 {
      let (object, key, value) = (dice.object(), dice.key(), dice.maybe { $0.value() })
      let context = dice.context()
      let count = try encoder.byteCount(ofSetting: key, of: object, to: value, in: context)
      var bytes = [UInt8](repeating: 0, count: count)
      bytes.withUnsafeMutableBytes {
        encoder.writeSetting(of: key, of: object, to: value, in: context, into: $0)
      }
      #expect(try bytes == EventCodingTests.bytes(.edited(context, .set(object, key, value))))
    }
  }

  @Test func `an event of a kind that newer code writes is kept byte for byte`() throws {
    let known = Set(EventKind.allCases.map(\.rawValue))
    for kind in UInt8(1)...255 where !known.contains(kind) {
      for rest: [UInt8] in [[], [0], [0xFF, 0xFE, 0], Array(repeating: kind, count: 300)] {
        let event = try EventCodingTests.event([kind] + rest)
        #expect(event == .unknown(kind: kind, bytes: rest))
        #expect(try bytes(event) == [kind] + rest)
      }
    }
  }

  @Test func `the highest bit of an unknown kind forbids going on`() throws {
    #expect(try !event([0x7F, 1]).forbidsGoingOn)
    #expect(try event([0x80, 1]).forbidsGoingOn)
    #expect(!setting(.null).forbidsGoingOn)
    for kind in EventKind.allCases { #expect(EventKind.mayBePassedOver(kind.rawValue)) }
  }

  @Test func `memory of another size than was counted is a mistake that is told`() async {
    await #expect(processExitsWith: .failure) {
      var bytes = [UInt8](repeating: 0, count: 5)
      bytes.withUnsafeMutableBytes { encoder.write(setting(.integer(5)), into: $0) }
    }
    await #expect(processExitsWith: .failure) {
      var bytes = [UInt8](repeating: 0, count: 7)
      bytes.withUnsafeMutableBytes { encoder.write(setting(.integer(5)), into: $0) }
    }
    await #expect(processExitsWith: .failure) {
      var bytes = [UInt8](repeating: 0, count: 200)
      bytes.withUnsafeMutableBytes { encoder.write(setting(nested(129)), into: $0) }
    }
  }
}
