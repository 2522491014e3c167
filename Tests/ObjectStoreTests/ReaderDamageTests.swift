// Who only reads does without a damaged checkpoint or run where the journal has everything.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ReaderDamageTests {
  /// A store whose checkpoint or one of whose runs is damaged, closed.
  private static func life(_ kind: String, keeping: Keeping? = nil) throws -> StoreLife {
    var life = try StoreLife(seed: 3)
    for step in 1...12 {
      try life.save()
      if step % 4 == 2 { try life.store.checkpoint() }
    }
    try life.roll()
    try life.endContexts()
    if let keeping { try life.store.compact(keeping: keeping) }
    try life.store.close()
    let file = try #require(life.disk.paths.last { $0.hasSuffix(kind) })
    var bytes = try #require(life.disk.contents(of: file))
    bytes[bytes.count - 20] ^= 1
    try life.disk.setContents(file, bytes)
    return life
  }

  @Test(arguments: [".xc", ".xr"])
  func `a whole journal is read in place of a damaged checkpoint or run, and that is said`(
    kind: String
  ) throws {
    var life = try Self.life(kind)
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    #expect(try reader.head.plain() == life.state)
    for (number, state) in life.states.enumerated() {
      let past = try reader.snapshot(at: CommitNumber(rawValue: UInt64(number)))
      #expect(try past.plain() == state)
    }
    #expect(reader.findings.count == 1)
    let words = reader.findings.first?.description ?? ""
    #expect(
      words.contains(kind) && words.contains("The journal was read in its place."), "\(words)")
    #expect(try reader.refresh() == false)
    // It goes on, also when the writer has made anew what was damaged.
    try life.reopen()
    for _ in 1...6 {
      try life.save()
      try life.store.checkpoint()
      try life.endContexts()
      try reader.refresh()
    }
    try life.store.compact(keeping: .latest)
    for _ in 1...3 { try life.save() }
    try life.store.close()
    try reader.refresh()
    #expect(try reader.head.plain() == life.state)
  }

  @Test(arguments: [".xc", ".xr"])
  func `where the journal does not go back so far, damage is told`(kind: String) throws {
    let life = try Self.life(kind, keeping: .latest)
    let error = #expect(throws: StoreError.self) {
      try StoreReader(on: life.disk, at: StoreLife.path)
    }
    #expect(error?.code == .damaged)
  }
}
