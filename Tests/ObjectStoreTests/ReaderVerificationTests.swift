// Who only looks finds what is wrong, and what is unsaved, as whoever writes does; beside a writer too.

import DiskAccess
import DiskSimulation
import EventFold
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct ReaderVerificationTests {
  @Test(arguments: UInt64(1)...12)
  func `a reader verifies random histories as their writer does, and finds the same drafts`(
    seed: UInt64
  ) throws {
    var life = try EditingLife(seed: seed)
    for step in 0..<120 {
      try life.move()
      if step % 25 == 0 { try life.keepHouse() }
    }
    try life.store.checkpoint()
    for _ in 0..<20 { try life.move() }
    let image = life.disk.imageAfterProcessDeath()
    let reader = try StoreReader(on: image, at: EditingLife.path)
    let verification = try reader.verification(deep: true)
    #expect(verification.findings == [])
    // What is in frames of which it is not known that they are durable is not shown yet.
    guard !reader.isBehind else { return }
    let unsaved = try reader.unsavedWork()
    let writer = try JournaledStore(
      on: image, at: EditingLife.path, model: nil, options: .small)
    let own = try writer.verification()
    #expect(own.findings == [])
    #expect(verification.comparedCommitCount <= own.comparedCommitCount)
    let drafts = writer.unsavedDrafts
    #expect(unsaved.map(\.contextName) == drafts.map(\.contextName))
    #expect(unsaved.map(\.editCount) == drafts.map(\.editCount))
    #expect(unsaved.map { $0.changes.map(\.objectID) } == drafts.map(\.objectIDs))
    try writer.close()
  }

  @Test func `what is unsaved is told with old and new, while it is made and after a crash`() throws
  {
    let disk = SimulatedDisk(seed: 3)
    let store = try JournaledStore(
      on: disk, at: "Life.xjournal", model: try StoreLife.model(), options: .small)
    let context = try store.beginContext(name: "first", on: store.head.number)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let key = try store.key(named: "title")
    try store.record(.inserted(object), by: context)
    try store.record(.set(object, key, "one"), by: context)
    _ = try store.commit(
      CommitRequest([.init(object, base: .none, nil, to: Row([key: "one"]))]), by: context)
    let reader = try StoreReader(on: disk, at: "Life.xjournal")
    #expect(try reader.unsavedWork().isEmpty)
    try store.record(.set(object, key, "two"), by: context)
    for reader in [reader, try StoreReader(on: disk.imageAfterProcessDeath(), at: "Life.xjournal")]
    {
      let work = try #require(try reader.unsavedWork().first)
      #expect(work.contextName == "first" && work.editCount == 1 && work.base == 1)
      #expect(work.problem == nil)
      #expect(work.changes.map(\.kind) == [.updated])
      #expect(work.changes.first?.values == ["title": .init(old: "one", new: "two")])
    }
    try store.endContext(context)
    try store.close()
  }

  @Test func `a reader finds a byte that has changed anywhere in the journal`() throws {
    var options = StoreOptions.small
    options.closingByteCount = 0
    var life = try StoreLife(seed: 23, options: options)
    for _ in 0..<6 { try life.save() }
    try life.roll()
    for _ in 0..<6 { try life.save() }
    try life.store.close()
    let name = "\(StoreLife.path)/journal/0000000001.xj"
    let bytes = try #require(life.disk.contents(of: name))
    for offset in stride(from: 0, to: bytes.count, by: 97) {
      var changed = bytes
      changed[offset] ^= 0x10
      try life.disk.setContents(name, changed)
      let findings: [StoreFinding]
      do throws(StoreError) {
        findings = try StoreReader(on: life.disk, at: StoreLife.path).verification().findings
      } catch {
        #expect(error.code == .damaged || error.code == .newerFormat, "byte \(offset): \(error)")
        continue
      }
      #expect(!findings.isEmpty, "byte \(offset)")
    }
  }

  @Test func `a reader finds a bit that has changed anywhere in a run of indexes`() throws {
    let (disk, name) = try Self.indexRun()
    let bytes = try #require(disk.contents(of: name))
    for offset in 0..<bytes.count where offset < 160 || offset % 5 == 0 {
      var changed = bytes
      changed[offset] ^= 1 << UInt8(offset % 8)
      try disk.setContents(name, changed)
      let findings = try StoreReader(on: disk, at: StoreLife.path).verification().findings
      #expect(!findings.isEmpty, "byte \(offset)")
    }
    try disk.setContents(name, bytes)
    #expect(try StoreReader(on: disk, at: StoreLife.path).verification(deep: true).findings == [])
  }

  @Test(arguments: [false, true])
  func `a reader finds a run of indexes that is missing, emptied, longer, or another`(deep: Bool)
    throws
  {
    let (disk, name) = try Self.indexRun()
    let bytes = try #require(disk.contents(of: name))
    let (folder, file) = (
      try disk.folder(at: "\(StoreLife.path)/snapshots"),
      String(name.dropFirst("\(StoreLife.path)/snapshots/".count))
    )
    let others: [[UInt8]?] = [
      nil, [], bytes + [0], Array(bytes.dropLast()), IndexForgery().bytes,
    ]
    for changed in others {
      try folder.remove(file)
      if let changed { try disk.setContents(name, changed) }
      let reader = try StoreReader(on: disk, at: StoreLife.path)
      let findings = try reader.verification(deep: deep).findings
      #expect(findings.count == 1, "\(findings)")
      #expect(findings.first?.description.contains(file) == true, "\(findings)")
      #expect(findings.first?.description.contains("The rows have everything of it") == true)
      if changed == nil { try disk.setContents(name, bytes) }
    }
  }

  /// A closed store with a run of indexes, of which compaction has dropped the past.
  private static func indexRun() throws -> (SimulatedDisk, name: String) {
    var life = try StoreLife(seed: 9)
    for _ in 1...30 { try life.save() }
    try life.roll()
    try life.endContexts()
    try life.store.compact(keeping: .latest)
    try life.store.close()
    return (life.disk, try #require(life.disk.paths.last { $0.hasSuffix(".xi") }))
  }

  @Test func `beside a writer nothing is found that is not so`() throws {
    var life = try StoreLife(seed: 31)
    try life.save()
    let reader = try StoreReader(on: life.disk, at: StoreLife.path)
    for step in 0..<30 {
      try life.save()
      switch step % 6 {
      case 1: try life.roll()
      case 3: try life.store.checkpoint()
      case 5: try life.store.compact(keeping: .everything)
      default: break
      }
      let verification = try reader.verification(deep: step % 2 == 0)
      #expect(verification.findings == [], "step \(step)")
      try reader.refresh()
    }
    try life.store.close()
  }

  @Test
  func `nothing is found that is not so where compaction has dropped all that a reader shows`()
    throws
  {
    var life = try StoreLife(seed: 31)
    try life.save()
    for _ in 0..<12 {
      let reader = try StoreReader(on: life.disk, at: StoreLife.path)
      for _ in 0..<3 { try life.save() }
      try life.endContexts()
      try life.roll()
      // One that is open when the state is written anew.
      _ = try life.store.beginContext(name: "open", on: life.store.lastCommit)
      try life.store.compact(keeping: .latest)
      #expect(try reader.verification(deep: true).findings == [])
    }
    try life.store.close()
  }

  @Test func `files of any length have a length together`() {
    func file(_ byteCount: UInt64) -> StoreFile {
      StoreFile(folder: "", name: "x", byteCount: byteCount, allocatedByteCount: 0)
    }
    let large = UInt64(Int64.max)
    #expect([file(3), file(4)].byteCount == 7)
    #expect([file(large), file(large), file(large)].byteCount == .max)
  }

  @Test func `the files of a store are listed with their folders`() throws {
    var life = try StoreLife(seed: 5)
    try life.save()
    try life.store.close()
    let files = try StoreReader(on: life.disk, at: StoreLife.path).files()
    #expect(files.contains { $0.folder.isEmpty && $0.name == "MANIFEST" })
    #expect(files.contains { $0.folder == "journal" && $0.name == "0000000001.xj" })
    #expect(files.allSatisfy { $0.byteCount > 0 || $0.name == "LOCK" })
  }
}
