// Runs come back as they were written, whatever is in them, and block by block as the bounds want it.

import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport
import Testing

@Suite struct Runs {
  @Test func `what is written is read, by object, by key, in order and by column`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 25)
    for seed in campaign.seed..<campaign.seed + UInt64(campaign.count) {
      var dice = Dice(seed: seed)
      let samples = dice.samples(1 + dice.pick(400))
      let written = try WrittenRun(samples) {
        $0.blockRowCount = [1, 7, 64, 1000][Int(seed % 4)]
        $0.blockByteCount = seed % 3 == 0 ? 2000 : 256 << 10
      }
      let run = try run(
        written.bytes, BlockCache(largestByteCount: [0, 9_000, 1 << 24][Int(seed % 3)]))
      try run.verify()
      #expect(try run.samples() == samples, "seed \(seed)")
      #expect(
        written.summary.rowCount == UInt64(samples.count)
          && run.rowCount == written.summary.rowCount)
      #expect(run.deletedCount == UInt64(samples.count { $0.row == nil }))
      #expect(
        run.byteCount == UInt64(written.bytes.count) && written.summary.byteCount == run.byteCount)
      #expect(run.blockCount == written.summary.blockCount)
      try checkLookups(run, samples, &dice, "seed \(seed)")
      try checkColumns(run, samples, "seed \(seed)")
    }
  }

  private func checkLookups(
    _ run: Run, _ samples: [Sample], _ dice: inout Dice, _ name: String
  ) throws {
    let all = Set(samples.map(\.object))
    for sample in samples.shuffled(using: &dice) {
      let expected = sample.row.map { Run.Lookup.found($0) } ?? .deleted
      #expect(try run.row(of: sample.object) == expected, "\(name), \(sample.object)")
      #expect(try run.stored(sample.object) == sample.stored, "\(name), \(sample.object)")
      #expect(try run.changed(of: sample.object) == sample.changed, "\(name), \(sample.object)")
      let handle = try run.handle(of: sample.object)
      #expect(handle?.isDeleted == (sample.row == nil), "\(name), \(sample.object)")
      #expect(try handle?.stored() == sample.stored, "\(name), \(sample.object)")
      for number: UInt32 in [0, 3, 50, 101, .max] {
        let expected = sample.row.map { Run.Lookup.found($0[key(number)]) } ?? .deleted
        #expect(try run.value(of: sample.object, key(number)) == expected, "\(name), \(number)")
        #expect(try handle?.value(key(number)) == sample.row?[key(number)], "\(name), \(number)")
      }
      for distance in [-1, 1, 1 << 32] {
        let raw = sample.object.rawValue &+ UInt64(bitPattern: Int64(distance))
        let other = ObjectID(rawValue: raw, store: runStore.tag)
        guard !all.contains(other) else { continue }
        #expect(try run.row(of: other) == .absent, "\(name), \(other)")
        #expect(try run.stored(other) == nil, "\(name), \(other)")
        #expect(try run.changed(of: other) == nil, "\(name), \(other)")
        #expect(try run.handle(of: other)?.isDeleted == nil, "\(name), \(other)")
        #expect(try run.value(of: other, key(0)) == .absent, "\(name), \(other)")
      }
    }
    for _ in 0..<5 {
      let (one, other) = (dice.pick(samples.count), dice.pick(samples.count))
      let (first, last) = (min(one, other), max(one, other))
      let found = try run.samples(from: samples[first].object, through: samples[last].object)
      #expect(found == Array(samples[first...last]), "\(name), \(first) to \(last)")
    }
  }

  private func checkColumns(_ run: Run, _ samples: [Sample], _ name: String) throws {
    for number: UInt32 in [0, 4, 120] {
      var (found, integers): ([Sample], [Int?]) = ([], [])
      var (numbers, others): ([Int], [Int]) = ([], [])
      for block in 0..<run.blockCount {
        let batch = try run.batch(ofBlock: block)
        let column = try batch.column(key(number))
        column.readIntegers(into: &numbers, others: &others)
        #expect(numbers.count == batch.count && others == others.sorted(), "\(name)")
        for place in 0..<batch.count where batch.hasRow(place) {
          let value = try column.value(place)
          found.append(Sample(batch.object(place), Row(value.map { [key(number): $0] } ?? [:])))
          integers.append(others.contains(place) ? nil : numbers[place])
        }
        #expect(batch.isWhole == (0..<batch.count).allSatisfy { batch.hasRow($0) }, "\(name)")
      }
      let own = samples.filter { $0.row != nil }
      #expect(found.map(\.object) == own.map(\.object), "\(name)")
      #expect(found.map { $0.row?[key(number)] } == own.map { $0.row?[key(number)] }, "\(name)")
      #expect(integers == own.map { $0.row?[key(number)]?.integer }, "\(name)")
    }
  }

  @Test func `a run of nothing is a run`() throws {
    let written = try WrittenRun([])
    let run = try run(written.bytes)
    try run.verify()
    #expect(try run.samples().isEmpty)
    #expect(try run.row(of: object(0)) == .absent)
    #expect(run.blockCount == 0 && run.rowCount == 0)
  }

  @Test func `an object without values is there, and a deleted one is told from an absent one`()
    throws
  {
    let run = try run(WrittenRun([Sample(object(1), [:]), Sample(object(2), nil)]).bytes)
    #expect(try run.row(of: object(1)) == .found(Row()))
    #expect(try run.row(of: object(2)) == .deleted)
    #expect(try run.row(of: object(3)) == .absent)
    #expect(try run.value(of: object(1), key(1)) == .found(.none))
    #expect(try run.value(of: object(2), key(1)) == .deleted)
    #expect(try run.value(of: object(3), key(1)) == .absent)
  }

  @Test func `walks stop when they are told to`() throws {
    let samples = (0..<50).map { Sample(object($0), [1: .integer(Int($0))]) }
    let run = try run(WrittenRun(samples) { $0.blockRowCount = 8 }.bytes)
    var count = 0
    try run.forEach { _, _ in
      count += 1
      return count < 20
    }
    #expect(count == 20)
  }

  @Test func `cursors of several runs go on side by side`() throws {
    let even = try run(WrittenRun((0..<40).map { Sample(object($0 * 2), [1: 0]) }).bytes)
    let odd = try run(
      WrittenRun((0..<40).map { Sample(object($0 * 2 + 1), [1: 1]) }) { $0.blockRowCount = 3 }.bytes
    )
    var (one, other) = (RunCursor(even), RunCursor(odd, from: object(1)))
    for number in UInt64(0)..<40 {
      #expect(try one.next()?.object == object(number * 2))
      #expect(try other.next()?.object == object(number * 2 + 1))
    }
    #expect(try one.next() == nil && other.next() == nil)
    var late = RunCursor(even, from: object(79))
    #expect(try late.next() == nil)
  }

  @Test func `values as deep as can be stored are kept, and a deeper one is named`() throws {
    func nested(_ depth: Int) -> Value { (0..<depth).reduce(1) { value, _ in .array([value]) } }
    let samples = [Sample(object(1), [1: nested(Value.largestDepth)])]
    let run = try run(WrittenRun(samples).bytes)
    try run.verify()
    #expect(try run.samples() == samples)
    #expect(try run.row(of: object(1)) == .found(samples[0].row ?? Row()))
    let deep = Sample(object(2), [1: 1, 4: nested(Value.largestDepth + 1)])
    #expect(throws: RunError.unwritable(object(2), key(4), .tooDeep)) {
      try WrittenRun(samples + [deep])
    }
    #expect(throws: RunError.unwritable(object(2), key(4), .decimalNotANumber)) {
      try WrittenRun(samples + [Sample(object(2), [4: .decimal(.nan)])])
    }
  }
}

@Suite struct RunWriting {
  @Test func `blocks go into another run as they are, between rows`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 25)
    for seed in campaign.seed..<campaign.seed + UInt64(campaign.count) {
      var dice = Dice(seed: seed)
      let samples = dice.samples(1 + dice.pick(200))
      let old = try run(WrittenRun(samples, salt: seed) { $0.blockRowCount = 10 }.bytes)
      let folder = try SimulatedDisk(seed: 1).folder(at: "")
      var options = RunOptions()
      options.blockRowCount = 7
      var writer = try RunWriter(
        making: "run", in: folder, store: runStore, salt: runSalt, options: options)
      var place = 0
      for (block, entry) in old.index.entries.enumerated() {
        let count = Int(entry.rowCount)
        if dice.pick(2) == 0 {
          try writer.append(SealedBlock(block, of: old))
        } else {
          for sample in samples[place..<place + count] {
            try writer.append(sample.object, sample.stored)
          }
        }
        place += count
      }
      let summary = try writer.finish()
      let new = try Run(
        "run", in: folder, store: runStore, cache: BlockCache(largestByteCount: 1 << 20))
      try new.verify()
      #expect(try new.samples() == samples, "seed \(seed)")
      #expect(summary.rowCount == UInt64(samples.count), "seed \(seed)")
      #expect(summary.deletedCount == old.deletedCount, "seed \(seed)")
    }
  }

  @Test func `a block that is damaged goes into no other run`() throws {
    let bytes = try WrittenRun((0..<20).map { Sample(object($0), [1: .integer(Int($0))]) }).bytes
    let old = try run(bytes)
    let block = 80 + 48 + 7..<80 + Int(old.index.entries[0].sealedByteCount) - 4
    for place in block {
      let spoilt = try run(bytes.flipping(bit: place * 8))
      #expect(throws: RunError.self, "byte \(place)") { _ = try SealedBlock(0, of: spoilt) }
    }
  }

  // By `try?`, since an error that is thrown ends such a process too.

  @Test func `objects out of their order, or of another store than the run's, end the process`()
    async
  {
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([Sample(object(2), nil), Sample(object(2), nil)])
    }
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([Sample(object(2), [:]), Sample(object(1), [:])])
    }
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([Sample(object(1), nil, changed: CommitNumber(rawValue: .max))])
    }
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([Sample(ObjectID(rawValue: 1, store: StoreTag(rawValue: 1)), nil)])
    }
  }

  @Test func `options out of their bounds end the process`() async {
    await #expect(processExitsWith: .failure) { _ = try? WrittenRun([]) { $0.blockRowCount = 0 } }
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([]) { $0.blockRowCount = 5000 }
    }
    await #expect(processExitsWith: .failure) { _ = try? WrittenRun([]) { $0.blockByteCount = 0 } }
    await #expect(processExitsWith: .failure) {
      _ = try? WrittenRun([]) { $0.blockByteCount = 64 << 20 }
    }
  }

  @Test func `a file that is there is not written over`() throws {
    let folder = try SimulatedDisk(seed: 1).folder(at: "")
    _ = try folder.file("run", .new)
    #expect(throws: RunError.self) {
      let writer = try RunWriter(making: "run", in: folder, store: runStore, salt: 1)
      _ = try writer.finish()
    }
  }

  @Test func `a full disk is told as one where the same call may succeed later`() throws {
    let disk = SimulatedDisk(seed: 1)
    disk.capacityByteCount = 20_000
    let folder = try disk.folder(at: "")
    var dice = Dice(seed: 1)
    do {
      var writer = try RunWriter(making: "run", in: folder, store: runStore, salt: 1)
      for number in UInt64(0)..<2_000 {
        let noise = Data([UInt8](randomByteCount: 40, from: &dice))
        let row = Row([key(1): .data(noise)])
        try writer.append(object(number), StoredRow(row, changed: 1))
      }
      _ = try writer.finish()
      Issue.record("80,000 bytes of noise do not fit")
    } catch {
      #expect(error.isOutOfSpace, "\(error)")
    }
    #expect(!RunError.damaged(RunFinding(.foreign, "run")).isOutOfSpace)
  }

  @Test func `a run whose folder is synced survives the loss of power`() throws {
    let disk = SimulatedDisk(seed: 1)
    let folder = try disk.folder(at: "")
    let samples = (0..<500).map { Sample(object($0), [1: .integer(Int($0)), 2: "text"]) }
    var writer = try RunWriter(making: "run", in: folder, store: runStore, salt: runSalt)
    for sample in samples { try writer.append(sample.object, sample.stored) }
    _ = try writer.finish()
    try folder.sync()
    for choice in disk.powerLossStates(limit: 20, seed: 1) {
      let after = try disk.image(after: choice).folder(at: "")
      let run = try Run(
        "run", in: after, store: runStore, cache: BlockCache(largestByteCount: 0))
      try run.verify()
      #expect(try run.samples() == samples)
    }
  }
}
