// A damaged index run is told, and made anew of the rows, whatever the journal still has.

import DiskAccess
import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct IndexDamageTests {
  /// A closed store of which compaction has dropped the past, or not.
  private static func life(compacted: Bool) throws -> (life: StoreLife, file: String) {
    var life = try StoreLife(seed: 9)
    for _ in 1...30 { try life.save() }
    try life.roll()
    try life.endContexts()
    try life.store.compact(keeping: compacted ? .latest : .everything)
    try life.store.close()
    return (life, try #require(life.disk.paths.last { $0.hasSuffix(".xi") }))
  }

  /// Damages a block that opening does not read.
  private static func damage(_ file: String, _ disk: SimulatedDisk) throws {
    var bytes = try #require(disk.contents(of: file))
    for place in 150..<200 { bytes[place] ^= 0x55 }
    try disk.setContents(file, bytes)
  }

  /// What indexes tell that is not so; nil where all is well.
  private static func fault(_ store: ReadableStore) throws -> String? {
    var dice = Dice(seed: 1)
    do {
      return try IndexOracle(store.head, store.existingKey).fault(&dice)
    } catch let error as StoreError {
      #expect(error.code == .damaged)
      return error.description
    }
  }

  enum Occasion: CaseIterable {
    case saving, checkpoint, closing
  }

  @Test(arguments: Occasion.allCases, [false, true])
  func `a damaged block of an index is told when it is read, and made anew by whatever writes next`(
    occasion: Occasion, compacted: Bool
  ) throws {
    let (life, file) = try Self.life(compacted: compacted)
    try Self.damage(file, life.disk)
    var store = try life.store()
    #expect(store.findings == [])
    #expect(try Self.fault(store) != nil)
    switch occasion {
    case .saving:
      var program = try NoteProgram(store)
      try program.save()
    case .checkpoint: try store.checkpoint()
    case .closing:
      try store.close()
      store = try life.store()
    }
    #expect(try Self.fault(store) == nil)
    #expect(store.findings.count == (occasion == .closing ? 0 : 1))
    #expect(try store.verify(deep: true) == [])
    try store.close()
    let again = try life.store()
    #expect(again.findings == [])
    #expect(try Self.fault(again) == nil)
    try again.close()
  }

  @Test func `where rows are damaged too and cannot be made anew, checkpoints are written`() throws
  {
    let (life, file) = try Self.life(compacted: true)
    try Self.damage(file, life.disk)
    let rows = try #require(life.disk.paths.last { $0.hasSuffix(".xr") })
    try Self.damage(rows, life.disk)
    let store = try life.store()
    #expect(try store.verify().count > 1)
    let context = try store.beginContext(name: "", on: store.lastCommit)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let request = CommitRequest([.init(object, base: .none, nil, to: Row())])
    _ = try store.commit(request, by: context)
    try store.checkpoint()
    #expect(store.unflushedByteCount == 0 && store.findings == [])
    try store.close()
  }

  @Test(arguments: [false, true])
  func `who only reads is answered from the rows once it is refreshed`(compacted: Bool) throws {
    let (life, file) = try Self.life(compacted: compacted)
    try Self.damage(file, life.disk)
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    #expect(try Self.fault(reader) != nil)
    try reader.refresh()
    #expect(try Self.fault(reader) == nil)
    #expect(try reader.head.plain() == life.state)
  }

  @Test(arguments: ["missing", "cut short", "another"])
  func `verifying tells of what stands under the name of an index run now`(fault: String) throws {
    let (life, file) = try Self.life(compacted: true)
    let store = try life.store()
    let name = String(file.dropFirst(StoreLife.path.count + "/snapshots/".count))
    let bytes = try #require(life.disk.contents(of: file))
    // What is open stays as it is.
    try life.disk.folder(at: StoreLife.path + "/snapshots").remove(name)
    switch fault {
    case "cut short": try life.disk.setContents(file, Array(bytes.dropLast()))
    case "another": try life.disk.setContents(file, IndexForgery().bytes)
    default: break
    }
    let findings = try store.verify()
    #expect(findings.count == 1)
    #expect(findings.first?.description.contains(name) == true, "\(findings)")
    try store.close()
  }
}
