// What a row holds, and what it does not.

import ObjectModel
import TestSupport
import Testing

@Suite struct RowTests {
  private func key(_ number: UInt32) -> KeyNumber { KeyNumber(rawValue: number) }

  @Test func `S1: a key without a value has none, which is not null`() {
    var row = Row([key(2): 1, key(4): .null])
    #expect(row[key(2)] == .some(1))
    for number: UInt32 in [1, 3, 4, 5] { #expect(row[key(number)] == Value?.none) }
    row[key(2)] = .null
    #expect(row[key(2)] == Value?.none)
    #expect(row == Row())
  }

  @Test func `a row holds what a dictionary holds, whatever is set and removed`() {
    var dice = Dice(seed: 1)
    var (row, plain) = (Row(), [KeyNumber: Value]())
    for _ in 0..<2_000 {
      let key = key(UInt32.random(in: 0..<12, using: &dice))
      let value: Value? = Bool.random(using: &dice) ? .integer(Int(dice.next() >> 60)) : .none
      row[key] = value
      plain[key] = value
      #expect(row.entries.map(\.key) == plain.keys.sorted())
      #expect(row == Row(plain))
      for (key, value) in plain { #expect(row[key] == value) }
    }
  }
}
