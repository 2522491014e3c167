// Every cut and every change of a byte: refused, or read as a value that is written and read again.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct DamagedLists {
  #if DEBUG
    private static let mutationCount = 4000
  #else
    private static let mutationCount = 200_000
  #endif

  /// Small lists that have everything in them.
  private static let values: [Value] = [
    ["a": [1, -2, "é"], "b": 1.5], [true, .data(Data([1, 2, 3])), ["k": ["k": "k"]], 70_000],
    [.counter(3), nil, .decimal(12.5)],
    .set([1, "b", .reference(ObjectID(rawValue: 5, store: .init(rawValue: 6)))]),
    [
      .url(URL(filePath: "/a")),
      .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6, 7))),
    ],
    .array([.date(Date(timeIntervalSinceReferenceDate: 1)), "a string of more than fifteen"]),
  ]

  /// Whether a list is read; what is read must come back.
  private func isRead(_ bytes: [UInt8], _ note: @autoclosure () -> String) -> Bool {
    guard let value = try? PropertyListReader.decode(bytes) else { return false }
    let again = (try? PropertyListWriter.encode(value)).flatMap {
      try? PropertyListReader.decode($0)
    }
    if again != value {
      Issue.record("\(note()): \(value) comes back as \(String(describing: again))")
    }
    return true
  }

  @Test func `every cut is refused`() throws {
    for value in Self.values {
      let bytes = try PropertyListWriter.encode(value)
      for count in 0..<bytes.count {
        #expect(!isRead(Array(bytes[..<count]), "cut"), "\(count) of \(bytes.count) bytes")
      }
    }
  }

  @Test func `every other byte at every place is refused or comes back`() throws {
    var (readCount, refusedCount) = (0, 0)
    for value in Self.values {
      let bytes = try PropertyListWriter.encode(value)
      for index in bytes.indices {
        for change in 1...UInt8.max {
          var changed = bytes
          changed[index] ^= change
          if isRead(changed, "byte \(index) ^ \(change) of \(value)") {
            readCount += 1
          } else {
            refusedCount += 1
          }
        }
      }
    }
    #expect(readCount > 1000 && refusedCount > 50_000, "\(readCount) read, \(refusedCount) refused")
  }

  @Test func `several changed bytes are refused or come back`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: Self.mutationCount)
    var dice = Dice(seed: campaign.seed)
    var lists = try Self.values.map { try PropertyListWriter.encode($0) }
    for _ in 0..<20 { lists.append(try PropertyListWriter.encode(dice.anyValue(depth: 2))) }
    for round in 0..<campaign.count {
      var bytes = lists[dice.pick(lists.count)]
      for _ in 0...dice.pick(4) {
        let place = dice.pick(bytes.count)
        bytes[place] = dice.pick(2) == 0 ? UInt8(dice.pick(20)) : UInt8(dice.pick(256))
      }
      _ = isRead(bytes, "seed \(campaign.seed), round \(round)")
    }
  }
}
