// Files of a checkpoint that are gone, another's, or of newer code: what is copied without them, and what is refused.

import DiskAccess
import DiskSimulation
import EventFold
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct CheckpointFilesTests {
  private static let snapshots = StoreLife.path + "/snapshots"

  /// A closed store with a checkpoint of which compaction has dropped the past, or not.
  private static func life(compacted: Bool = false) throws -> StoreLife {
    var life = try StoreLife(seed: 12)
    for _ in 1...20 { try life.save() }
    try life.endContexts()
    if compacted { try life.store.compact(keeping: .latest) } else { try life.store.checkpoint() }
    try life.store.close()
    return life
  }

  private static func name(_ ending: String, _ disk: SimulatedDisk) throws -> String {
    let path = try #require(disk.paths.last { $0.hasSuffix(ending) })
    return String(path.dropFirst(snapshots.count + 1))
  }

  private static func manifest(_ disk: SimulatedDisk) throws -> Manifest {
    try JournalReader(at: StoreLife.path, on: disk).manifest
  }

  private static func checkpoint(_ attachments: [Manifest.Attachment]) -> String? {
    attachments.lazy.map(\.fileName).first { $0.hasSuffix(".xc") }
  }

  // MARK: Backups

  @Test(arguments: [".xr", ".xc"], [false, true])
  func `a backup is whole, also where somebody removes a file that the store has open`(
    ending: String, compacted: Bool
  ) throws {
    let life = try Self.life(compacted: compacted)
    let store = try life.store()
    let name = try Self.name(ending, life.disk)
    try life.disk.folder(at: Self.snapshots).remove(name)
    try store.backup(to: "copy")
    try store.close()
    let copy = try life.store(at: "copy")
    #expect(try copy.head.plain() == life.state)
    #expect(try copy.verify(deep: true) == [])
    try copy.close()
  }

  @Test func `attachments of newer code are copied where there is no folder of snapshots`() throws {
    let disk = SimulatedDisk(seed: 2)
    var manifest = try Self.manifest(Self.life().disk)
    manifest.attachments = [Manifest.Attachment(kind: 77, fileName: "one.xz", content: [1])]
    let (attachments, findings) = try Checkpoint.copyFiles(
      manifest, in: MemoryFolder([:]), to: disk.folder(at: ""))
    #expect(attachments == manifest.attachments)
    #expect(findings.count == 1)
  }

  // MARK: Opening

  @Test(arguments: ["another", "newer"])
  func `an index run that is another is made anew, and one of newer code is refused`(
    fault: String
  ) throws {
    let life = try Self.life(compacted: true)
    let name = try Self.name(".xi", life.disk)
    var forgery = IndexForgery()
    forgery.store = try Self.manifest(life.disk).store
    if fault == "newer" { forgery.format = 2 }
    try life.disk.setContents(Self.snapshots + "/" + name, forgery.bytes)
    if fault == "newer" {
      let error = #expect(throws: StoreError.self) { try life.store() }
      #expect(error?.code == .newerFormat)
      return
    }
    let store = try life.store()
    #expect(store.findings.count == 1)
    #expect(store.findings.first?.description.contains(name) == true)
    var dice = Dice(seed: 1)
    #expect(try IndexOracle(store.head, store.existingKey).fault(&dice) == nil)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }

  // MARK: Lost manifests

  @Test func `the newest checkpoint that is sound is found, where there is any`() throws {
    let disk = try Self.life().disk
    var manifest = try Self.manifest(disk)
    let checkpoint = try #require(Self.checkpoint(manifest.attachments))
    let attachments = manifest.attachments
    manifest.attachments = []
    func newest() throws(StoreError) -> String? {
      let folder: any DiskFolder
      do { folder = try disk.folder(at: StoreLife.path) } catch { return nil }
      return Self.checkpoint(
        try Checkpoint.attachmentsOfNewest(in: folder, of: manifest.store, manifest))
    }
    #expect(try newest() == checkpoint)
    let bytes = try #require(disk.contents(of: Self.snapshots + "/" + checkpoint))
    try disk.setContents(Self.snapshots + "/9999999990.xc", Array(bytes.dropLast()))
    try disk.setContents(Self.snapshots + "/9999999991.xc", [1, 2, 3])
    #expect(try newest() == checkpoint)
    var head = Array(bytes[..<36])
    head[8] = 9
    var fields: [String: Value] = [:]
    let image = disk.imageAfterProcessDeath()
    for name in ["9999999990.xc", "9999999991.xc"] {
      try image.folder(at: Self.snapshots).remove(name)
    }
    try image.forgeCheckpoint { fields = $0 }
    try disk.setContents(
      Self.snapshots + "/9999999992.xc", checkpointBytes(fields, head: head))
    let error = #expect(throws: StoreError.self) { try newest() }
    #expect(error?.code == .newerFormat, "what is newer is not passed over")
    #expect(attachments.count > 1)
  }

  @Test func `where there is no folder of snapshots there is no checkpoint, and no damage`() throws
  {
    let manifest = try Self.manifest(Self.life().disk)
    var bare = manifest
    bare.attachments = []
    for folder in [MemoryFolder([:]), MemoryFolder(["snapshots": MemoryFile([1])])] {
      let none = try Checkpoint.attachmentsOfNewest(in: folder, of: manifest.store, bare)
      #expect(none == [])
      #expect(throws: Never.self) { try Checkpoint.refuseDamagedRuns(of: bare, in: folder) }
    }
  }

  // MARK: What is open

  @Test func `a checkpoint keeps within which context a draft is`() throws {
    let disk = SimulatedDisk(seed: 5)
    func open(_ disk: SimulatedDisk) throws -> JournaledStore {
      try JournaledStore(
        on: disk, at: StoreLife.path, model: try StoreLife.model(), options: .small)
    }
    let store = try open(disk)
    let outer = try store.beginContext(name: "outer", on: store.lastCommit)
    let inner = try store.beginContext(name: "inner", on: store.lastCommit, within: outer)
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    for context in [outer, inner] {
      try store.record(.inserted(object), by: context)
      try store.record(.set(object, try store.key(named: "title"), "one"), by: context)
    }
    try store.checkpoint()
    let again = try open(disk.imageAfterProcessDeath())
    #expect(again.findings == [])
    let drafts = again.unsavedDrafts
    #expect(Set(drafts.map(\.contextName)) == ["outer", "inner"])
    #expect(try again.verify(deep: true) == [])
    let draft = try #require(drafts.first { $0.contextName == "inner" })
    #expect(try again.resume(draft).content.parent == outer.number)
    try again.close()
  }

  @Test func `a compaction right behind a change of the model keeps the state under the new one`()
    throws
  {
    let life = try Self.life()
    let model = try ManagedObjectModel(
      entities: StoreLife.model().descriptions + [EntityDescription("Other")])
    let store = try JournaledStore(
      on: life.disk, at: StoreLife.path, model: model, options: .small)
    #expect(try store.compact(keeping: .latest))
    #expect(try store.head.plain() == life.state)
    #expect(try store.verify(deep: true) == [])
    #expect(try store.compact(keeping: .latest), "also where nothing has changed since")
    try store.close()
    let again = try JournaledStore(
      on: life.disk, at: StoreLife.path, model: model, options: .small)
    #expect(try again.head.plain() == life.state)
    try again.close()
  }

  @Test func `rows whose neighbours were large and are gone are merged all the same`() throws {
    let disk = SimulatedDisk(seed: 9)
    var options = StoreOptions()
    options.journal = .small
    let store = try JournaledStore(
      on: disk, at: StoreLife.path, model: try StoreLife.model(), options: options)
    let title = try store.key(named: "title")
    func commit(_ changes: [CommitRequest.Object]) throws {
      let context = try store.beginContext(name: "", on: store.lastCommit)
      _ = try store.commit(CommitRequest(changes), by: context)
      try store.endContext(context)
      try store.checkpoint()
    }
    var (left, gone): ([ObjectID: Row], [ObjectID: Row]) = ([:], [:])
    for number in 0..<300 {
      let letter = Character(UnicodeScalar(UInt8(97 + number % 26)))
      let (small, large) = (
        try store.newObject(of: EntityNumber(rawValue: 0)),
        try store.newObject(of: EntityNumber(rawValue: 0))
      )
      left[small] = Row([title: .string("\(number)")])
      gone[large] = Row([title: .string(String(repeating: letter, count: 60_000))])
    }
    try commit(
      left.merging(gone) { one, _ in one }.sorted { $0.key < $1.key }
        .map { .init($0.key, base: .none, nil, to: $0.value) })
    let made = store.lastCommit
    try commit(gone.sorted { $0.key < $1.key }.map { .init($0.key, base: made, $0.value, to: nil) })
    #expect(try store.compact(keeping: .latest))
    #expect(try store.head.plain() == left)
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }
}
