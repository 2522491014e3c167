// Whether a run has a row of an object, and where, is told alike by the cache's maps, by the lists of blocks, and where
// nothing is kept.

import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RowPlaceTests {
  // Rows whose numbers have gaps of up to so many numbers.
  private static func samples(gap: UInt64, deleting deletes: Bool, _ dice: inout Dice) -> [Sample] {
    var number = UInt64(dice.pick(70))
    return (0..<700).map { _ in
      number += 1 + (gap == 0 ? 0 : UInt64(dice.pick(Int(gap))))
      let isDeleted = deletes && dice.pick(4) == 0
      let row = Row([key(1): .integer(Int(number)), key(5): .string("row \(number)")])
      return Sample(object(number), isDeleted ? nil : row)
    }
  }

  @Test(arguments: [0, 1, 3, 60, 64, 66, 130, 5_000] as [UInt64], [false, true])
  func `each number from the first to the last is found where it has a row, and only there`(
    gap: UInt64, deletes: Bool
  ) throws {
    var dice = Dice(seed: gap * 2 + (deletes ? 1 : 0))
    let samples = Self.samples(gap: gap, deleting: deletes, &dice)
    let bytes = try WrittenRun(samples) { $0.blockRowCount = 250 }.bytes
    let stored = Dictionary(uniqueKeysWithValues: samples.map { ($0.object, $0.stored) })
    let numbers = samples.map(\.object.number)
    let all = numbers[0]...numbers[numbers.count - 1]
    let numbersAsked =
      all.count <= 20_000
      ? Array(all) : numbers.flatMap { [$0 - 1, $0, $0 + 1, $0 + 63, $0 + 64] }
    for cache in [0, 1 << 24] {
      let run = try run(bytes, BlockCache(largestByteCount: cache))
      // Nothing is read at first; then all of it is there, where it is kept.
      for number in numbersAsked.filter({ _ in cache > 0 || dice.pick(20) == 0 }) {
        let asked = object(number)
        let expected = stored[asked]
        #expect(try run.stored(asked) == expected)
        #expect(try run.changed(of: asked) == expected?.changed)
        let handle = try run.handle(of: asked)
        #expect((handle == nil) == (expected == nil))
        #expect(handle?.isDeleted ?? false == (expected.map { $0.row == nil } ?? false))
        #expect(try handle?.value(key(5)) == expected?.row?[key(5)])
        switch try run.value(of: asked, key(1)) {
        case .absent: #expect(expected == nil)
        case .deleted: #expect(expected != nil && expected?.row == nil)
        case .found(let value): #expect(value == .integer(Int(number)))
        }
      }
      #expect(try run.handle(of: object(all.upperBound + 1)) == nil)
    }
  }
}
