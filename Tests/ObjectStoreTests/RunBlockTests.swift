// How a run is cut into blocks, and that a block of any shape is read.

import DiskAccess
import Foundation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RunBlocks {
  private func rows(_ count: UInt64, _ value: (UInt64) -> Value) -> [Sample] {
    (0..<count).map { Sample(object($0), [1: value($0)]) }
  }

  /// How many rows each block has, by the index at the end of the file.
  private func rowCounts(_ run: Run) -> [Int] { run.index.entries.map { Int($0.rowCount) } }

  @Test func `blocks are bounded by rows`() throws {
    let bound = RunOptions().blockRowCount
    let run = try run(WrittenRun(rows(UInt64(2 * bound + 100)) { .integer(Int($0)) }).bytes)
    #expect(rowCounts(run) == [bound, bound, 100])
    let small = try self.run(rows(10) { .integer(Int($0)) }) { $0.blockRowCount = 4 }
    #expect(rowCounts(small) == [4, 4, 2])
  }

  @Test func `blocks are bounded by bytes, and a row that is larger has one of its own`() throws {
    var dice = Dice(seed: 5)
    let noise = (0..<60).map { number in
      Data([UInt8](randomByteCount: number % 20 == 19 ? 50_000 : 1_000, from: &dice))
    }
    let samples = rows(60) { .data(noise[Int($0)]) }
    let run = try run(samples) { $0.blockByteCount = 10_000 }
    for entry in run.index.entries {
      #expect(entry.rowCount == 1 || entry.sealedByteCount < 11_000)
    }
    #expect(rowCounts(run).filter { $0 == 1 }.count >= 3)
    #expect(try run.samples() == samples)
  }

  @Test func `a block has objects of one origin and entity, and of numbers not too far apart`()
    throws
  {
    let samples = [
      Sample(object(5, entity: 1), [1: 1]), Sample(object(6, entity: 1), [1: 2]),
      Sample(object(7, entity: 2), [1: 3]), Sample(object(7 + 0xFFFF_FFFF, entity: 2), [1: 4]),
      Sample(object(8 + 0xFFFF_FFFF, entity: 2), [1: 5]),
      Sample(object(9 + 0xFFFF_FFFF, entity: 2, origin: 1), [1: 6]),
      Sample(object(ObjectID.largestNumber, entity: 0xFFF, origin: 0xFFFF), [1: 7]),
    ]
    let run = try run(samples)
    #expect(rowCounts(run) == [2, 2, 1, 1, 1])
    for sample in samples {
      #expect(try run.row(of: sample.object) == .found(sample.row ?? Row()))
    }
    #expect(try run.row(of: object(8, entity: 2)) == .absent)
  }

  @Test func `keys that are rare do not make blocks large`() throws {
    var dice = Dice(seed: 6)
    let samples = (0..<3_000).map { number in
      Sample(object(UInt64(number)), [1: .integer(number), UInt32(2 + dice.pick(5_000)): "rare"])
    }
    let run = try run(samples)
    #expect(run.blockCount > 5 && run.blockCount < 100)
    #expect(try run.samples() == samples)
    var wide = Row()
    for number in UInt32(0)..<3_000 { wide[key(number * 7)] = .integer(Int(number)) }
    let more = samples + [Sample(object(3_000), wide), Sample(object(3_001), [3: 4])]
    let larger = try self.run(more)
    #expect(try larger.row(of: object(3_000)) == .found(wide))
    #expect(try larger.samples() == more)
  }

  @Test func `a column larger than an LZ4 block takes several`() throws {
    var dice = Dice(seed: 7)
    let large = Data([UInt8](randomByteCount: 9 << 20, from: &dice))
    let samples = [
      Sample(object(1), [1: 1, 2: .data(large), 3: "after"]), Sample(object(2), [1: 2, 3: "it"]),
    ]
    let written = try WrittenRun(samples)
    let run = try run(written.bytes, BlockCache(largestByteCount: 1 << 20))
    try run.verify()
    #expect(try run.samples() == samples)
    #expect(try run.row(of: object(1)) == .found(samples[0].row ?? Row()))
    #expect(try run.value(of: object(1), key(3)) == .found("after"))
    #expect(run.cache.byteCount < 1 << 20, "what the cache cannot hold it does not keep")
    #expect(try lz4("-t", written.bytes) != nil)
  }

  @Test func `a row larger than a frame may be is refused`() throws {
    let text = String(repeating: "ä", count: 34 << 20)
    #expect {
      try WrittenRun([Sample(object(4), [1: .string(text)])])
    } throws: { error in
      guard case .rowTooLarge(object(4), _, Limits.payloadByteCount) = error as? RunError else {
        return false
      }
      return true
    }
    // What a guess takes for small enough, and is not.
    let half = "ä" + String(repeating: "a", count: 40 << 20)
    #expect(throws: RunError.self) { try WrittenRun([Sample(object(4), [1: .string(half)])]) }
  }

  @Test func `the lz4 tool reads a run, and shows its lists`() throws {
    let written = try WrittenRun(rows(3_000) { .string("number \($0)") })
    let shown = try #require(try lz4("-dc", written.bytes))
    let text = String(decoding: shown, as: UTF8.self)
    #expect(text.contains("bplist00") && text.contains("number 2999"))
    #expect(try lz4("-t", written.bytes) != nil)
    var spoilt = written.bytes
    spoilt[6] ^= 1
    #expect(try lz4("-t", spoilt) == nil)
  }

  private func run(
    _ samples: [Sample], _ change: (inout RunOptions) -> Void = { _ in }
  ) throws -> Run {
    let run = try ObjectStoreTests.run(WrittenRun(samples, change).bytes)
    try run.verify()
    return run
  }

  private func run(_ bytes: [UInt8], _ cache: BlockCache? = nil) throws -> Run {
    try ObjectStoreTests.run(bytes, cache)
  }

  /// What the lz4 tool says of some bytes; nil where it refuses them.
  private func lz4(_ option: String, _ bytes: [UInt8]) throws -> [UInt8]? {
    let folder = try TemporaryFolder()
    let file = URL(filePath: folder.path + "/run.lz4")
    try Data(bytes).write(to: file)
    let tool = Process()
    tool.executableURL = URL(filePath: "/usr/bin/env")
    tool.arguments = ["lz4", option, file.path]
    let output = Pipe()
    tool.standardOutput = output
    tool.standardError = FileHandle.nullDevice
    try tool.run()
    let read = try output.fileHandleForReading.readToEnd()
    tool.waitUntilExit()
    return tool.terminationStatus == 0 ? [UInt8](read ?? Data()) : nil
  }
}
