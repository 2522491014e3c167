// Blocks that are found by what they say of themselves are those of the run, sound and in order, and no others.

import ByteCoding
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RunSearchTests {
  private typealias Block = RunForgery.Block
  private typealias Column = RunForgery.Column

  private static func block(_ first: UInt64) throws -> Block {
    try Block(object(first).rawValue, rowCount: 3, [Column(1, [1, nil, 3])])
  }

  private static func search(_ bytes: [UInt8]) throws(RunError) -> Run? {
    try Run(
      searching: "run", in: MemoryFolder("run", bytes), store: runStore,
      cache: BlockCache(largestByteCount: 1 << 20))
  }

  @Test func `of a sound run every block is found`() throws {
    let bytes = try RunForgery(Self.block(10), Self.block(20)).bytes
    let found = try #require(try Self.search(bytes))
    #expect(found.blockCount == 2)
    #expect(try found.samples() == run(bytes).samples())
  }

  /// What a directory says that none says.
  private static let changes: [(String, @Sendable (inout Block) -> Void)] = [
    ("no rows", { $0.rowCount = 0 }), ("more rows than a block has", { $0.rowCount = 4_097 }),
    ("rows without end", { $0.rowCount = .max }), ("a flag that nobody knows", { $0.flags = 4 }),
    (
      "a gap beyond all objects",
      { ($0.flags, $0.middle) = (1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1, 0]) }
    ),
    ("objects behind the last there can be", { $0.first = .max }),
    ("columns without end", { $0.columnCount = .max }), ("a newer format", { $0.format = 2 }),
    ("another kind", { $0.kind = 40 }),
  ]

  @Test(arguments: changes.indices)
  func `a block that contradicts itself is none, and the one behind it is found`(index: Int) throws
  {
    let (name, change) = Self.changes[index]
    var wrong = try Self.block(10)
    change(&wrong)
    let found = try #require(try Self.search(RunForgery(wrong, Self.block(20)).bytes))
    #expect(found.blockCount == 1, "\(name)")
    #expect(try found.row(of: object(20)) == .found(Row([key(1): 1])), "\(name)")
    #expect(try found.row(of: object(10)) == .absent, "\(name)")
  }

  @Test func `a block that newer code has written keeps the run from being searched`() throws {
    var newer = try Self.block(10)
    newer.flagsOfSeal = 0x80
    let error = #expect(throws: RunError.self) {
      try Self.search(RunForgery(newer, Self.block(20)).bytes)
    }
    guard case .newerFormat(let finding)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(finding.kind == .blockNewer(format: 1, flags: 0x80))
  }

  @Test func `a run of another store is searched for nothing`() throws {
    var forgery = try RunForgery(Self.block(10))
    forgery.store = StoreIdentity(high: 1, low: 2)
    let error = #expect(throws: RunError.self) { try Self.search(forgery.bytes) }
    guard case .damaged(let finding)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(finding.kind == .foreign)
  }

  @Test func `of a run that is cut within a block nobody knows what it was`() throws {
    let bytes = try RunForgery(Self.block(10), Self.block(20)).bytes
    for count in stride(from: 80, to: bytes.count, by: 3) {
      #expect(try Self.search(Array(bytes[..<count])) == nil, "\(count) bytes of \(bytes.count)")
    }
  }

  // MARK: Parts

  @Test func `a footer that begins as none does is none, whatever its check`() throws {
    let footer = Array(try RunForgery(Self.block(10)).bytes.suffix(64))
    func read(_ bytes: [UInt8]) -> RunFooter? {
      var writer = ByteWriter()
      writer.write(Array(bytes.dropLast(8)))
      writer.writeCheck(salt: runSalt)
      return writer.withBytes { RunFooter.read($0, salt: runSalt) }
    }
    #expect(read(footer)?.rowCount == 3)
    for place in [0, 3, 4, 7] {
      var other = footer
      other[place] ^= 1
      #expect(read(other) == nil, "byte \(place)")
    }
  }

  @Test func `an index that ends within an entry is none`() {
    for count in [1, 39, 41] {
      let bytes = [UInt8](repeating: 0, count: count)
      #expect(bytes.withUnsafeBytes { RunIndex($0) } == nil)
    }
  }
}
