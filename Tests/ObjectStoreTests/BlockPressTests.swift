import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Runs that are compressed and written beside whoever has the rows.
@Suite struct BlockPressTests {
  private let samples = (UInt64(0)..<300).map {
    $0 % 7 == 3
      ? Sample(object($0), nil)
      : Sample(object($0), [1: .integer(Int($0)), 2: .string("text \($0)")])
  }

  @Test func `a run is the same, whichever thread writes it`() throws {
    for seed in UInt64(1)...20 {
      var dice = Dice(seed: seed)
      let samples = dice.samples(1 + dice.pick(300))
      let rowCount = 1 + dice.pick(9)
      let runs = try [false, true].map { hasThread in
        try WrittenRun(samples) { ($0.blockRowCount, $0.hasThread) = (rowCount, hasThread) }
      }
      #expect(runs[0].bytes == runs[1].bytes, "seed \(seed)")
      #expect(runs[0].summary == runs[1].summary, "seed \(seed)")
    }
  }

  @Test func `blocks are taken over behind those that are being written`() throws {
    let old = try run(WrittenRun(samples) { $0.blockRowCount = 10 }.bytes)
    let folder = try SimulatedDisk(seed: 1).folder(at: "")
    var writer = try writer(in: folder, true)
    for block in old.index.entries.indices {
      let rows = samples[block * 10..<block * 10 + 10]
      if block % 2 == 0 {
        for sample in rows { try writer.append(sample.object, sample.stored) }
      } else {
        try writer.append(SealedBlock(block, of: old))
      }
    }
    let summary = try writer.finish()
    let new = try Run(
      "run", in: folder, store: runStore, cache: BlockCache(largestByteCount: 1 << 20))
    try new.verify()
    #expect(try new.samples() == samples)
    #expect(summary.blockCount == new.blockCount)
    #expect(summary.rowCount == UInt64(samples.count))
  }

  @Test func `whichever call fails, the run is not finished, and that is told`() throws {
    for hasThread in [false, true] {
      let callCount = try write(on: SimulatedDisk(seed: 1), hasThread)
      #expect(callCount > samples.count / 4)
      // The first one opens the folder.
      for call in 2...callCount {
        let disk = SimulatedDisk(seed: 1)
        disk.faults = [SimulatedFault(.failure(.inputOutput), number: call)]
        #expect(throws: RunError.self, "call \(call)") { try write(on: disk, hasThread) }
      }
    }
  }

  @Test func `a writer that is let go has written what it was given, which is no run`() throws {
    let left = try [false, true].map { hasThread in
      let disk = SimulatedDisk(seed: 1)
      let folder = try disk.folder(at: "")
      try append(samples.prefix(22), to: folder, hasThread)
      #expect(throws: RunError.self) {
        try Run("run", in: folder, store: runStore, cache: BlockCache(largestByteCount: 0))
      }
      return disk.contents(of: "run")
    }
    #expect(left[0] == left[1])
    #expect((left[0]?.count ?? 0) > 500)
  }

  private func append(
    _ samples: ArraySlice<Sample>, to folder: any DiskFolder, _ hasThread: Bool
  ) throws {
    var writer = try writer(in: folder, hasThread)
    for sample in samples { try writer.append(sample.object, sample.stored) }
  }

  private func writer(in folder: any DiskFolder, _ hasThread: Bool) throws -> RunWriter {
    var options = RunOptions()
    (options.blockRowCount, options.hasThread) = (4, hasThread)
    return try RunWriter(
      making: "run", in: folder, store: runStore, salt: runSalt, options: options)
  }

  /// - Returns: how many calls of the disk that takes.
  @discardableResult
  private func write(on disk: SimulatedDisk, _ hasThread: Bool) throws -> Int {
    var writer = try writer(in: disk.folder(at: ""), hasThread)
    for sample in samples { try writer.append(sample.object, sample.stored) }
    _ = try writer.finish()
    return disk.callCount
  }
}
