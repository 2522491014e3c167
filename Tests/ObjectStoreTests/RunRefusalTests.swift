// Runs whose checks are right and whose contents are not: each is refused with the finding that fits, and
// without taking memory for what it claims.

import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport
import Testing

@Suite struct RunRefusals {
  private typealias Block = RunForgery.Block
  private typealias Column = RunForgery.Column

  private let first = object(10).rawValue

  private func block() throws -> Block {
    try Block(first, rowCount: 3, [Column(1, [1, nil, 3]), Column(5, ["a", "b", nil])])
  }

  /// What is found in a run by opening it and verifying it; nil where it is sound.
  private func finding(_ bytes: [UInt8]) -> RunFinding.Kind? {
    do throws(RunError) {
      try run(bytes).verify()
      return nil
    } catch {
      switch error {
      case .damaged(let finding), .newerFormat(let finding): return finding.kind
      default:
        Issue.record("\(error)")
        return nil
      }
    }
  }

  private func finding(_ change: (inout Block) throws -> Void) throws -> RunFinding.Kind? {
    var block = try block()
    try change(&block)
    return finding(RunForgery(block).bytes)
  }

  @Test func `a forged run whose fields are right is read`() throws {
    #expect(try finding { _ in } == nil)
    let run = try run(RunForgery(block()).bytes)
    #expect(try run.row(of: object(10)) == .found(Row([key(1): 1, key(5): "a"])))
    #expect(try run.row(of: object(12)) == .found(Row([key(1): 3])))
  }

  @Test func `a header of newer code or another store is told as such`() throws {
    var forgery = RunForgery(try block())
    forgery.format = 2
    #expect(finding(forgery.bytes) == .newer(format: 2, requiredFeatures: 0))
    forgery.format = 1
    forgery.requiredFeatures = 4
    #expect(finding(forgery.bytes) == .newer(format: 1, requiredFeatures: 4))
    forgery.requiredFeatures = 0
    forgery.store = StoreIdentity(high: 1, low: 2)
    #expect(finding(forgery.bytes) == .foreign)
  }

  @Test func `an index that contradicts itself or the file is refused`() throws {
    let changes: [(inout Block) -> Void] = [
      { $0.last = $0.first - 1 }, { $0.last = $0.first + 1 << 36 }, { $0.last = $0.first + 1 },
      { $0.last = $0.first + 1 << 33 }, { $0.rowCountOfIndex = 0 },
      { ($0.rowCountOfIndex, $0.last) = (4097, $0.first + 5000) },
      { $0.sealedByteCount = 10 }, { $0.sealedByteCount = .max }, { $0.sealedByteCount = 200 },
      { $0.directoryByteCount = 0 }, { $0.directoryByteCount = .max },
      { $0.directoryByteCount = 64 << 20 }, { $0.storedDirectoryByteCount = 60_000 },
      { $0.storedDirectoryByteCount = .max },
    ]
    for (number, change) in changes.enumerated() {
      #expect(try finding(change) == .indexMalformed, "change \(number)")
    }
    #expect(try finding { $0.storedDirectoryByteCount = 0 } == .directoryDamaged)
    let good = try block()
    var forgery = RunForgery(good, good)
    #expect(finding(forgery.bytes) == .indexMalformed, "blocks ascend")
    forgery = RunForgery(good)
    forgery.indexPayload = [UInt8](repeating: 0, count: 39)
    #expect(finding(forgery.bytes) == .indexMalformed)
    forgery.indexPayload = []
    #expect(finding(forgery.bytes) == .indexMalformed)
  }

  @Test func `a frame of the index that is another one is refused`() throws {
    var forgery = RunForgery(try block())
    forgery.indexKind = 32
    #expect(finding(forgery.bytes) == .indexDamaged)
    forgery.indexKind = 33
    let changes: [(expected: RunFinding.Kind, change: (inout FrameBytes) -> Void)] = [
      (.indexDamaged, { $0.number = 3 }), (.indexMalformed, { $0.previousBodyCheck = 1 }),
      (.indexDamaged, { $0.unsyncedFrameCount = 1 }), (.indexDamaged, { $0.claimedBodyCheck = 1 }),
      (.indexDamaged, { $0.lz4FrameByteCount += 1 }),
      (.indexMalformed, { $0.payloadByteCount += 40 }),
      (.indexDamaged, { $0.payloadByteCount = .max }),
      (.blockNewer(format: 2, flags: 0), { $0.format = 2 }),
      (.blockNewer(format: 1, flags: 0x10), { $0.flags = 0x10 }),
    ]
    for (expected, change) in changes {
      forgery.changeIndex = change
      #expect(finding(forgery.bytes) == expected)
    }
  }

  @Test func `a footer that leads elsewhere is refused`() throws {
    var forgery = RunForgery(try block())
    let changes: [(RunFinding.Kind, (inout [UInt64]) -> Void)] = [
      (.indexMalformed, { $0[0] += 1 }), (.indexMalformed, { $0[1] = 1 }),
      (.indexMalformed, { $0[1] = 9 }), (.indexDamaged, { $0[2] += 1 }),
      (.indexDamaged, { $0[2] = .max }), (.footerDamaged, { $0[3] = 79 }),
      (.footerDamaged, { $0[3] = .max }), (.footerDamaged, { $0[3] += 1 }),
      (.footerDamaged, { $0[4] = .max }), (.footerDamaged, { $0[4] -= 1 }),
      (
        .indexDamaged,
        {
          $0[3] += 1; $0[4] -= 1
        }
      ),
      (
        .indexDamaged,
        {
          $0[3] += $0[4]; $0[4] = 0
        }
      ),
      (.indexDamaged, { $0[5] ^= 1 }),
    ]
    for (number, (expected, change)) in changes.enumerated() {
      forgery.changeFooter = change
      #expect(finding(forgery.bytes) == expected, "change \(number)")
    }
  }

  @Test func `a directory that contradicts itself or the index is refused`() throws {
    let changes: [(inout Block) throws -> Void] = [
      { $0.flags = 4 }, { $0.rowCount = 4 }, { $0.rowCount = .max }, { $0.rest = [0] },
      { $0.columnCount = 1 }, { $0.columnCount = 3 }, { $0.columnCount = .max },
      { $0.columns[0].storedByteCount += 1 }, { $0.columns[1].storedByteCount -= 1 },
      { $0.commits.storedByteCount = .max }, { $0.commits.storedByteCount = 0 },
      { $0.columns[0].storedByteCount = 0 }, { $0.columns[0].storedByteCount = .max },
      { $0.columns[1].byteCount = 64 << 20 }, { $0.columns[1].byteCount = .max },
      { $0.columns.swapAt(0, 1) }, { $0.columns[1].key = 1 },
      {
        $0.flags = 1; $0.middle = [0, 0]; $0.last += 1
      },
      {
        $0.flags = 1; $0.middle = [1, 1]
      },
      {
        $0.flags = 1; $0.middle = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0]
      },
      { $0.last += 1 },
      {
        $0.flags = 2; $0.middle = [8]
      },
      {
        $0.flags = 2; $0.middle = []
      },
      { $0.storedDirectory = [0, 0, 0, 0] }, { $0.storedDirectory = RunForgery.blocks([1]) },
      { $0.storedDirectory = RunForgery.blocks($0.directory + [0]) },
    ]
    for (number, change) in changes.enumerated() {
      let found = try finding(change)
      #expect(found == .directoryMalformed, "change \(number): \(String(describing: found))")
    }
    #expect(try finding { $0.format = 2 } == .directoryNewer(format: 2))
  }

  @Test func `gaps and deletions that a directory states are taken`() throws {
    var block = try Block(first, rowCount: 3, [Column(1, [1, nil, 3])])
    (block.flags, block.middle, block.last) = (3, [0, 4, 0b010], first + 6)
    var forgery = RunForgery(block)
    forgery.changeFooter = { $0[1] = 1 }
    let run = try run(forgery.bytes)
    try run.verify()
    #expect(try run.row(of: object(11)) == .deleted)
    #expect(try run.row(of: object(16)) == .found(Row([key(1): 3])))
    #expect(try run.row(of: object(12)) == .absent)
    block.middle = [0, 4, 0b100]
    forgery.blocks = [block]
    #expect(finding(forgery.bytes) == .columnMalformed(key(1)), "a deleted object has no values")
  }

  @Test func `a column that is no list of as many values is refused`() throws {
    let lists: [[UInt8]] = [
      [], [1, 2, 3], try PropertyListWriter.encode([1, 2]), try PropertyListWriter.encode("text"),
      try PropertyListWriter.encode(["a": 1]), try PropertyListWriter.encode(.set([1, 2])),
      try PropertyListWriter.encode([1, 2, 3, 4]), try PropertyListWriter.encode([1, 2, 3]) + [0],
    ]
    for list in lists {
      let found = try finding { $0.columns[1] = Column(5, list: list) }
      #expect(found == (list.isEmpty ? .directoryMalformed : .columnMalformed(key(5))), "\(list)")
    }
    // An element that cannot be read, behind two that can.
    var list = try PropertyListWriter.encode([1, 2, "abc"])
    list[8 + 4] = 0x7F
    let spoilt = Column(5, list: list)
    var block = try block()
    block.columns[1] = spoilt
    let run = try run(RunForgery(block).bytes)
    #expect(try run.value(of: object(10), key(5)) == .found(1))
    for _ in 0..<2 {
      #expect(throws: RunError.self) { try run.value(of: object(12), key(5)) }
      #expect(throws: RunError.self) { try run.row(of: object(12)) }
    }
    #expect(throws: RunError.self) { try run.samples() }
    #expect(finding(RunForgery(block).bytes) == .columnMalformed(key(5)))
  }

  @Test func `a column that gives more or less than it claims is refused`() throws {
    let changes: [(inout Column) -> Void] = [
      { $0.byteCount += 1 }, { $0.byteCount -= 1 }, { $0.byteCount = 0 },
      { $0.stored = [UInt8](repeating: 0xFF, count: 8) + $0.stored.dropFirst(8) },
    ]
    for change in changes {
      var block = try block()
      change(&block.columns[1])
      let run = try run(RunForgery(block).bytes)
      #expect(try run.value(of: object(10), key(1)) == .found(1))
      #expect {
        try run.value(of: object(10), key(5))
      } throws: { error in
        guard case .damaged(let finding) = error as? RunError else { return false }
        return finding.kind == .columnMalformed(key(5))
      }
      #expect(finding(RunForgery(block).bytes) == .blockMalformed)
    }
  }

  @Test func `a column of commits that holds something else is refused`() throws {
    let beyond = Value.integer(1 << 62 + 1)
    for values: [Value] in [
      [1, 2], [1, 2, "a"], [1, nil, 3], [1, 2, -3], [1.5, 2, 3], [1, 2, beyond],
    ] {
      var block = try block()
      block.commits = try Column(nil, values)
      #expect(finding(RunForgery(block).bytes) == .columnMalformed(nil))
      let run = try run(RunForgery(block).bytes)
      #expect(throws: RunError.self) { try (10...12).map { try run.stored(object($0)) } }
      #expect(throws: RunError.self) { try run.samples() }
      #expect(try run.row(of: object(10)) == .found(Row([key(1): 1, key(5): "a"])))
    }
    // One that cannot be read, behind two that can.
    var list = try PropertyListWriter.encode([1, 2, "abc"])
    list[8 + 4] = 0x7F
    var spoilt = try self.block()
    spoilt.commits = Column(nil, list: list)
    #expect(finding(RunForgery(spoilt).bytes) == .columnMalformed(nil))
    let run = try run(RunForgery(spoilt).bytes)
    #expect(try run.stored(object(10))?.changed == 1)
    #expect(throws: RunError.self) { try run.stored(object(12)) }
    #expect(throws: RunError.self) { try run.samples() }
    var block = try block()
    block.commits.stored[5] ^= 1
    block.commits.byteCount += 1
    #expect(finding(RunForgery(block).bytes) == .blockMalformed)
    block.commits.storedByteCount += 1
    #expect(finding(RunForgery(block).bytes) == .directoryMalformed)
  }

  @Test func `a seal that does not fit its block is noticed by verifying`() throws {
    #expect(try finding { $0.kind = 33 } == .blockDamaged)
    #expect(try finding { $0.number = 2 } == .blockDamaged)
    #expect(try finding { $0.previousBodyCheck = 5 } == .blockDamaged)
    #expect(try finding { $0.payloadByteCount = .max } == .blockDamaged)
    #expect(try finding { $0.payloadByteCount = 300 } == .blockMalformed)
    #expect(try finding { $0.unsyncedFrameCount = 1 } == .blockMalformed)
    #expect(try finding { $0.flagsOfSeal = 0x80 } == .blockNewer(format: 1, flags: 0x80))
    #expect(try finding { $0.flagsOfSeal = 0x01 } == nil, "a flag that may be ignored")
  }

  @Test func `every finding is worded, and no two alike`() {
    let kinds: [RunFinding.Kind] = [
      .headerDamaged, .newer(format: 2, requiredFeatures: 0), .foreign, .footerDamaged, .cutShort,
      .indexDamaged, .indexMalformed, .blockDamaged, .blockNewer(format: 2, flags: 0),
      .blockMalformed, .directoryDamaged, .directoryNewer(format: 2), .directoryMalformed,
      .columnDamaged(key(4)), .columnMalformed(key(4)), .columnDamaged(nil), .columnMalformed(nil),
    ]
    #expect(Set(kinds.map { "\($0)" }).count == kinds.count)
    let finding = RunFinding(.columnDamaged(key(4)), "7.run", at: 80)
    #expect("\(finding)" == "7.run, byte 80: the column of key 4, whose check does not fit")
    #expect("\(RunFinding(.foreign, "7.run"))" == "7.run: a run of another store")
    let errors: [RunError] = [
      .damaged(finding), .newerFormat(finding), .unwritable(object(1), key(4), .tooDeep),
      .rowTooLarge(object(1), byteCount: 9, limit: 8), .tooManyBlocks(limit: 8),
    ]
    for error in errors {
      #expect("\(error)".hasSuffix(".") && "\(error)".contains("; "), "\(error)")
      #expect(!"\(error)".contains("Error") && !"\(error)".contains("\n"), "\(error)")
    }
  }
}
