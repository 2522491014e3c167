// Index runs whose checks are right and whose contents are not: each is refused with the finding that fits.

import DiskSimulation
import Journaling
import ObjectStore
import TestSupport
import Testing

@Suite struct IndexRefusalTests {
  /// Two blocks: an integer of two objects, one of them removed, and another integer.
  private static func sound() -> IndexForgery {
    let head: UInt64 = 1 << 32 | 2 << 1
    return IndexForgery(
      .init([head, 1 << 63 | 5, 0, 0, 0, 7], [head | 1, 1 << 63 | 5, 0, 0, 0, 9]),
      .init([head, 1 << 63 | 6, 0, 0, 0, 7]))
  }

  private func open(_ forgery: IndexForgery) throws(RunError) -> IndexRun {
    try IndexRun(
      "index", in: MemoryFolder("index", forgery.bytes), store: runStore,
      cache: BlockCache(largestByteCount: 1 << 20))
  }

  /// What is said of a forgery when it is opened and verified.
  private func finding(_ change: (inout IndexForgery) -> Void) -> RunFinding.Kind? {
    finding(change) { (run) throws(RunError) in try run.verify() }
  }

  /// What is said of a forgery when it is opened and used.
  private func finding(
    _ change: (inout IndexForgery) -> Void, _ use: (IndexRun) throws(RunError) -> Void
  ) -> RunFinding.Kind? {
    var forgery = Self.sound()
    change(&forgery)
    do throws(RunError) {
      try use(open(forgery))
      return nil
    } catch {
      switch error {
      case .damaged(let finding), .newerFormat(let finding): return finding.kind
      default: return nil
      }
    }
  }

  @Test func `a sound one passes`() throws {
    let run = try open(Self.sound())
    try run.verify()
    #expect(run.entryCount == 3 && run.removedCount == 1 && run.blockCount == 2)
    #expect(try open(IndexForgery()).entryCount == 0)
  }

  @Test func `the header of another file, of newer code or of another store is told`() {
    #expect(finding { $0.name = 0x0000_4E55_522D_4A58 } == .headerDamaged)
    #expect(finding { $0.format = 2 } == .newer(format: 2, requiredFeatures: 0))
    #expect(finding { $0.store = StoreIdentity(high: 1, low: 1) } == .foreign)
  }

  @Test func `an index that contradicts itself or its file is refused`() {
    #expect(finding { $0.indexKind = 33 } == .indexDamaged)
    #expect(finding { $0.indexRest = [1] } == .indexMalformed)
    #expect(finding { $0.changeFooter = { $0[0] += 1 } } == .indexMalformed)
    #expect(finding { $0.changeFooter = { $0[1] = 4 } } == .indexMalformed)
    #expect(finding { $0.changeFooter = { $0[1] = 2 } } == .indexMalformed)
    #expect(finding { $0.changeFooter = { $0[2] = 1 << 62 } } == .indexDamaged)
    #expect(finding { $0.changeFooter = { $0[2] = 10_000 } } == .indexDamaged)
    #expect(finding { $0.blocks[0].sealedByteCount = 200 } == .indexMalformed)
    #expect(finding { $0.blocks[0].sealedByteCount = 48 } == .indexMalformed)
    #expect(finding { $0.blocks[0].sealedByteCount = 1 << 40 } == .indexMalformed)
    #expect(finding { $0.blocks[0].entryCount = 0 } == .indexMalformed)
    #expect(finding { $0.blocks[0].entryCount = 1_025 } == .indexMalformed)
    #expect(finding { $0.blocks[1].first = $0.blocks[0].entries[0] } == .indexMalformed)
    #expect(finding { $0.blocks.swapAt(0, 1) } == .indexMalformed)
  }

  @Test func `a block that is none, or not what the index says, is refused`() {
    #expect(finding { $0.blocks[0].kind = 32 } == .blockDamaged)
    #expect(finding { $0.blocks[0].unsyncedFrameCount = 1 } == .blockMalformed)
    #expect(finding { $0.blocks[0].flags = 0x80 } == .blockNewer(format: 1, flags: 0x80))
    #expect(finding { $0.blocks[0].flags = 1 } == nil, "a flag that may be ignored")
    // What is stored begins as an LZ4 frame does, and is none.
    let none: [UInt8] = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73, 9, 0, 0, 0, 1, 2, 0, 0, 0, 0]
    #expect(finding { $0.blocks[0].lz4Frame = none } == .blockMalformed)
    #expect(finding { $0.blocks[1].first = $0.blocks[0].entries[1] } == .blockMalformed)
    #expect(finding { $0.blocks[0].entries.swapAt(0, 1) } == .blockMalformed)
    #expect(
      finding { forgery in
        // As many in all as the footer says.
        forgery.blocks[0].entryCount = 1
        forgery.blocks[1].entryCount = 2
      } == .blockMalformed)
    #expect(
      finding { $0.blocks[0].entries[1] = $0.blocks[1].entries[0] } == .blockMalformed,
      "it reaches into the next block")
    let whileReading = finding {
      $0.blocks[0].entries[1] = $0.blocks[1].entries[0]
    } _: { (run) throws(RunError) in
      _ = try run.entries(ofBlock: 0, from: .least, before: .greatest)
    }
    #expect(whileReading == .blockMalformed, "who merges it with another relies on its order")
    let beyond = finding {
      $0.blocks[0].entries[1] = [0xFFFF_FFFF << 32 | 0x200, 0, 0, 0, 0, 0]
    } _: { (run) throws(RunError) in
      _ = try run.entries(ofBlock: 0, from: .least, before: .greatest)
    }
    #expect(beyond == .blockMalformed, "no index has an entry behind all others")
    let unreadable = finding {
      $0.blocks[0].payload = [63]
    } _: { (run) throws(RunError) in
      _ = try run.entries(ofBlock: 0, from: .least, before: .greatest)
    }
    #expect(unreadable == .blockMalformed)
    let first = IndexForgery.bytes(
      of: Self.sound().blocks[0].entries[0], after: [UInt64](repeating: 0, count: 6))
    #expect(
      finding { $0.blocks[0].payload = first + [32] } == .blockMalformed,
      "an entry that differs in the object ends before it says how")
    let excess = finding {
      $0.blocks[1].payload =
        IndexForgery.bytes(of: $0.blocks[1].entries[0], after: [UInt64](repeating: 0, count: 6))
        + [0]
    } _: { (run) throws(RunError) in
      _ = try run.entries(ofBlock: 1, from: .greatest, before: .greatest)
    }
    #expect(excess == .blockMalformed, "something stands behind the last entry")
    #expect(
      finding { $0.blocks[0].payload = [UInt8](repeating: 1, count: 65_537) } == .blockMalformed)
  }

  @Test func `a run that has become another since it was opened is told by verifying`() throws {
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("index", Self.sound().bytes)
    let run = try IndexRun(
      "index", in: disk.folder(at: ""), store: runStore,
      cache: BlockCache(largestByteCount: 1 << 20))
    try run.verify()
    var other = Self.sound()
    other.blocks.removeLast()
    try disk.setContents("index", other.bytes)
    let error = #expect(throws: RunError.self) { try run.verify() }
    guard case .damaged(let finding)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(finding.kind == .indexDamaged)
  }

  @Test(arguments: [
    "no word differs", "a seventh word differs", "no bytes between", "more zeros than bytes",
    "a zero not counted at the low end", "a zero not counted at the high end", "cut short",
    "bytes behind the last", "nothing behind what differs", "nothing",
  ])
  func `an entry that is not written as it should be is refused`(fault: String) {
    let found = finding { forgery in
      let entries = forgery.blocks[1].entries
      var bytes = IndexForgery.bytes(
        of: entries[0], after: [UInt64](repeating: 0, count: 6))
      switch fault {
      case "no word differs": bytes[0] = 0
      case "a seventh word differs": bytes[0] |= 64
      case "no bytes between": bytes[1] = 0x44
      case "more zeros than bytes": bytes[1] = 0xFF
      case "a zero not counted at the low end":
        bytes.replaceSubrange((bytes.count - 2)..., with: [0x60, 0, 7])
      case "a zero not counted at the high end":
        bytes.replaceSubrange((bytes.count - 2)..., with: [0x60, 7, 0])
      case "cut short": bytes.removeLast()
      case "bytes behind the last": bytes.append(0)
      case "nothing behind what differs": bytes.removeLast(bytes.count - 1)
      default: bytes = []
      }
      forgery.blocks[1].payload = bytes
    }
    #expect(found == .blockMalformed)
  }
}
