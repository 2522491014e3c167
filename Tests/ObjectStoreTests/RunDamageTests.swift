// Whatever happens to a run's bytes, what it says is right or it throws; and what checks but cannot be is refused
// before it costs anything.

import Foundation
import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport
import Testing

@Suite struct RunDamage {
  private static let samples = [
    Sample(object(1), [1: 7, 2: "red", 3: ["a": [1, nil]]]), Sample(object(2), nil),
    Sample(object(4), [1: 300, 2: "red"]), Sample(object(5), [2: "Zoë"]),
    Sample(object(1, entity: 9), [1: 8]),
  ]

  private func written() throws -> [UInt8] {
    try WrittenRun(Self.samples) { $0.blockRowCount = 2 }.bytes
  }

  /// Reads all there is, in every way; anything but the truth is a violation.
  ///
  /// - Returns: whether `verify` threw.
  private func inspect(_ bytes: [UInt8], _ name: String, _ tally: Tally) -> Bool {
    guard let run = try? ObjectStoreTests.run(bytes) else { return true }
    func expect<Answer: Equatable>(
      _ what: String, _ expected: Answer, _ read: () throws -> Answer
    ) {
      // An answer of nothing is an answer too.
      guard case .success(let answer) = Result(catching: read) else { return }
      if answer != expected { tally.violation("\(name): \(what)") }
    }
    for sample in Self.samples {
      let row = sample.row.map { Run.Lookup.found($0) } ?? .deleted
      expect("row", row) { try run.row(of: sample.object) }
      expect("stored", sample.stored) { try run.stored(sample.object) }
      let value = sample.row.map { Run.Lookup.found($0[key(2)]) } ?? .deleted
      expect("value", value) { try run.value(of: sample.object, key(2)) }
    }
    expect("absent", .absent) { try run.row(of: object(3)) }
    expect("rows", Self.samples) { try run.samples() }
    expect("column", Self.samples[..<4].map { $0.row?[key(2)] }) { try column(run) }
    do throws(RunError) {
      try run.verify()
      return false
    } catch {
      return true
    }
  }

  /// The values for key 2 of the first entity's objects, none where they are deleted.
  private func column(_ run: Run) throws -> [Value?] {
    var values: [Value?] = []
    var (numbers, others): ([Int], [Int]) = ([], [])
    for block in 0..<run.blockCount {
      let batch = try run.batch(ofBlock: block)
      guard batch.object(0).entity == EntityNumber(rawValue: 3) else { continue }
      let column = try batch.column(key(2))
      column.readIntegers(into: &numbers, others: &others)
      for place in 0..<batch.count {
        values.append(batch.hasRow(place) ? try column.value(place) : .none)
      }
    }
    return values
  }

  @Test func `an undamaged run passes`() throws {
    let tally = Tally()
    #expect(!inspect(try written(), "whole", tally))
    #expect(tally.violations == "")
  }

  @Test func `every flipped bit is noticed when the run is verified, and no read is wrong`() throws
  {
    let bytes = try written()
    let tally = Tally()
    try onBothCores(bytes.count) { place in
      for bit in place * 8..<place * 8 + 8
      where !inspect(bytes.flipping(bit: bit), "bit \(bit)", tally) {
        tally.violation("bit \(bit) is not noticed")
      }
    }
    #expect(tally.violations == "")
  }

  @Test func `every run that is cut short or goes on behind its end is refused`() throws {
    let bytes = try written()
    for count in 0..<bytes.count {
      #expect(throws: RunError.self, "\(count) bytes") {
        try ObjectStoreTests.run(Array(bytes[..<count]))
      }
    }
    #expect(throws: RunError.self) { try ObjectStoreTests.run(bytes + [0]) }
    #expect(throws: RunError.self) { try ObjectStoreTests.run(bytes + bytes) }
  }

  @Test func `a file that has become shorter since it was opened is told`() throws {
    let bytes = try written()
    for count in stride(from: 0, to: bytes.count, by: 7) {
      let file = MemoryFile(Array(bytes[..<count]), name: "run", announcing: UInt64(bytes.count))
      #expect {
        _ = try ObjectStoreTests.run(file)
      } throws: { error in
        guard case .damaged(let finding) = error as? RunError else { return false }
        return finding.kind == .cutShort
      }
    }
  }

  @Test func `random noise in many places is noticed`() throws {
    let bytes = try written()
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 500)
    var dice = Dice(seed: campaign.seed)
    let tally = Tally()
    for round in 0..<campaign.count {
      var spoilt = bytes
      for _ in 0...dice.pick(4) {
        let start = dice.pick(spoilt.count)
        for place in start..<min(spoilt.count, start + 1 + dice.pick(40)) {
          spoilt[place] = UInt8(truncatingIfNeeded: dice.next())
        }
      }
      if !inspect(spoilt, "seed \(campaign.seed), round \(round)", tally), spoilt != bytes {
        tally.violation("seed \(campaign.seed), round \(round): not noticed")
      }
    }
    #expect(tally.violations == "")
  }

  @Test func `damage in one column does not keep the others from being read`() throws {
    let bytes = try written()
    let run = try ObjectStoreTests.run(bytes)
    let end = 80 + Int(run.index.entries[0].sealedByteCount)
    // The last column's end, before the end mark.
    let spoilt = try ObjectStoreTests.run(bytes.flipping(bit: (end - 5) * 8))
    #expect(try spoilt.value(of: object(1), key(1)) == .found(7))
    #expect(try spoilt.value(of: object(1), key(2)) == .found("red"))
    #expect {
      try spoilt.value(of: object(1), key(3))
    } throws: { error in
      guard case .damaged(let finding) = error as? RunError else { return false }
      return finding.kind == .columnDamaged(key(3)) && finding.offset > 128
        && finding.offset < UInt64(end)
    }
    #expect(throws: RunError.self) { try spoilt.row(of: object(1)) }
    #expect(try spoilt.row(of: object(2)) == .deleted)
    #expect(try spoilt.row(of: object(4)) == .found(Self.samples[2].row ?? Row()))
  }

  @Test func `a block of the same run in another's place is noticed`() throws {
    let samples = (0..<4).map { Sample(object($0), [1: .integer(Int($0))]) }
    let bytes = try WrittenRun(samples) { $0.blockRowCount = 2 }.bytes
    let length = Int(try ObjectStoreTests.run(bytes).index.entries[0].sealedByteCount)
    let (first, second) = (80..<80 + length, 80 + length..<80 + 2 * length)
    let swapped = bytes[..<80] + bytes[second] + bytes[first] + bytes[second.upperBound...]
    let run = try ObjectStoreTests.run(Array(swapped))
    #expect(throws: RunError.self) { try run.row(of: object(0)) }
    #expect(throws: RunError.self) { try run.samples() }
    #expect(throws: RunError.self) { try run.verify() }
  }

  @Test func `where the index is damaged, the blocks are found with all their rows`() throws {
    for seed in UInt64(1)...30 {
      var dice = Dice(seed: seed)
      let samples = dice.samples(1 + dice.pick(120))
      let written = try WrittenRun(samples) { $0.blockRowCount = 7 }
      var bytes = written.bytes
      // Within the index, which lies before the footer.
      bytes[bytes.count - RunFooter.byteCount - 20] ^= 0x10
      #expect(throws: RunError.self, "seed \(seed)") { try ObjectStoreTests.run(bytes) }
      let folder = MemoryFolder(["run": MemoryFile(bytes, name: "run")])
      let found = try #require(
        try Run(
          searching: "run", in: folder, store: runStore, cache: BlockCache(largestByteCount: 0)))
      #expect(found.blockCount == written.summary.blockCount, "seed \(seed)")
      #expect(try found.samples() == samples, "seed \(seed)")
    }
  }
}
