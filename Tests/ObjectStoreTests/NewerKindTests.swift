// What newer code has put into the journal or attached to the manifest stays, byte for byte.

import ByteCoding
import DiskSimulation
import EventCoding
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct NewerKindTests {
  private static let path = "store"

  private static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: nil, options: .small)
  }

  /// An event that gives a key its name.
  private static func named(_ key: UInt8) -> [UInt8] { [32, key, 1, 0x61 + key] }

  // MARK: Frames

  /// A store whose first segment, which is sealed, has a frame of some kind and format.
  private static func disk(frameKind: UInt8, format: UInt8 = 1) throws -> SimulatedDisk {
    var first = SegmentBuilder()
    first.add(batchBytes(firstEdit: 1, edits: [named(0)]))
    var frame = first.frame(Array("of newer code".utf8))
    (frame.kind, frame.format) = (frameKind, format)
    first.add(frame)
    var header = StoreBuilder.header(after: first)
    header.firstEdit = 2
    var second = SegmentBuilder(header)
    second.add(batchBytes(firstEdit: 2, edits: [named(1)]))
    return try StoreBuilder([first, second]).disk()
  }

  @Test func `a compaction drops no frame of a kind that it does not know`() throws {
    let disk = try Self.disk(frameKind: 9)
    let store = try Self.open(disk)
    let segment = Self.path + "/journal/0000000001.xj"
    let before = try #require(disk.contents(of: segment))
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(error?.code == .newerFormat)
    #expect(error?.description.contains("frame 2 has something of kind 9") == true)
    #expect(disk.contents(of: segment) == before)
    #expect(throws: Never.self) { try store.compact(keeping: .everything) }
    #expect(disk.contents(of: segment) == before)
    try store.close()
  }

  @Test func `whoever reads on to a frame of a newer format is told so, and not of damage`() throws
  {
    let (disk, newer) = (try Self.disk(frameKind: 3), try Self.disk(frameKind: 3, format: 2))
    #expect(throws: StoreError.self) { try Self.open(newer) }
    let store = try Self.open(disk)
    let segment = Self.path + "/journal/0000000001.xj"
    try disk.setContents(segment, #require(newer.contents(of: segment)))
    let error = #expect(throws: StoreError.self) { try store.events() }
    #expect(error?.code == .newerFormat)
    let words = error?.description ?? ""
    #expect(words.contains("format 2") && words.contains("newer version of the program"))
    #expect(!words.contains("damaged"))
    let findings = try store.verify(deep: true).map(\.description)
    #expect(findings.contains { $0.contains("format 2") })
    #expect(!findings.contains { $0.contains("damaged") }, "\(findings)")
    try store.close()
  }

  @Test func `a compaction drops what it knows to be passed over`() throws {
    let disk = try Self.disk(frameKind: 3)
    let store = try Self.open(disk)
    try store.compact(keeping: .latest)
    #expect(!disk.paths.contains(Self.path + "/journal/0000000001.xj"))
    #expect(store.existingKey(named: "b") != nil)
    try store.close()
  }

  @Test func `a compaction drops no event of a kind that it does not know`() throws {
    let edits: [[UInt8]] = [Self.named(0), [77, 1, 2]]
    var first = SegmentBuilder()
    first.add(batchBytes(firstEdit: 1, edits: edits))
    var header = StoreBuilder.header(after: first)
    header.firstEdit = 3
    var second = SegmentBuilder(header)
    second.add(batchBytes(firstEdit: 3, edits: [Self.named(1)]))
    let disk = try StoreBuilder([first, second]).disk()
    let store = try Self.open(disk)
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(error?.code == .newerFormat)
    #expect(error?.description.contains("kind 77") == true, "\(String(describing: error))")
    #expect(disk.paths.contains(Self.path + "/journal/0000000001.xj"))
    #expect(throws: Never.self) { try store.compact(keeping: .everything) }
    try store.close()
  }

  @Test func `a compaction drops no commit that has a field which it does not know`() throws {
    // What a store begins with that has a model and a context, and a commit of newer code behind it.
    let begun = SimulatedDisk(seed: 3)
    let beginning = try JournaledStore(
      on: begun, at: Self.path, model: try StoreLife.model(), options: .small)
    let context = try beginning.beginContext(name: "newer", on: 0).number
    try beginning.close()
    var edits: [[UInt8]] = []
    _ = try JournalReader(at: Self.path, on: begun).forEachFrame { frame in
      guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
      batch.forEachEdit { _, entry in
        if case .whole(let bytes) = entry { edits.append(Array(bytes)) }
      }
      return true
    }
    let content = CommitContent(
      number: 1, time: RecordedTime(rawValue: 1 << 60), context: context,
      precedingEditCount: edits.count, changes: [])
    let tag = ManifestBytes().store.tag
    var writer = ByteWriter()
    try CommitEncoder(store: tag).append(
      content, fields: [CommitField(kind: 77, bytes: [1])], to: &writer)
    let keyCount = edits.count { $0[0] == 32 }
    var ending = ByteWriter()
    try EventEncoder(store: tag).append(.contextEnded(context), to: &ending)
    edits.append(ending.array)
    var first = SegmentBuilder()
    first.add(batchBytes(firstEdit: 1, edits: edits, commits: [writer.array]))
    var header = StoreBuilder.header(after: first)
    header.firstEdit = UInt64(edits.count) + 1
    var second = SegmentBuilder(header)
    second.add(batchBytes(firstEdit: header.firstEdit, edits: [Self.named(UInt8(keyCount))]))
    let disk = try StoreBuilder([first, second]).disk()
    let store = try Self.open(disk)
    #expect(store.lastCommit == 1)
    let error = #expect(throws: StoreError.self) { try store.compact(keeping: .latest) }
    #expect(error?.code == .newerFormat)
    #expect(error?.description.contains("kind 77") == true, "\(String(describing: error))")
    #expect(disk.paths.contains(Self.path + "/journal/0000000001.xj"))
    try store.close()
  }

  // MARK: Attachments

  /// A store with two attachments of newer code: one with a file among the snapshots, one without.
  private static func attached() throws -> (SimulatedDisk, [Manifest.Attachment]) {
    var builder = StoreBuilder(payloads: [batchBytes(firstEdit: 1, edits: [named(0)])])
    var one = ManifestBytes.Attachment("0000000007.xz", [1, 2, 3])
    var other = ManifestBytes.Attachment("elsewhere.bin", [])
    (one.kind, other.kind) = (77, 200)
    builder.manifest.attachments = [one, other]
    let disk = try builder.disk()
    try disk.makeFolders(path + "/snapshots")
    try disk.setContents(file(in: path), [7, 7, 7])
    return (
      disk,
      [
        Manifest.Attachment(kind: 77, fileName: "0000000007.xz", content: [1, 2, 3]),
        Manifest.Attachment(kind: 200, fileName: "elsewhere.bin", content: []),
      ]
    )
  }

  private static func file(in path: String) -> String { path + "/snapshots/0000000007.xz" }

  private static func unknown(
    _ disk: SimulatedDisk, at path: String = path
  ) throws -> [Manifest.Attachment] {
    try JournalReader(at: path, on: disk).manifest.attachments.filter { $0.kind > 3 }
  }

  @Test func `checkpoints and compactions keep the attachments of newer code with their files`()
    throws
  {
    let (disk, attachments) = try Self.attached()
    for _ in 1...2 {
      let store = try Self.open(disk)
      for _ in 1...2 {
        let context = try store.beginContext(name: "", on: 0)
        try store.checkpoint()
        try store.endContext(context)
        try store.compact(keeping: .latest)
        #expect(try Self.unknown(disk) == attachments)
        #expect(disk.contents(of: Self.file(in: Self.path)) == [7, 7, 7])
      }
      try store.close()
    }
    #expect(disk.paths.contains { $0.hasSuffix(".xc") })
  }

  @Test func `a backup of a store without a checkpoint has them too`() throws {
    let (disk, attachments) = try Self.attached()
    let store = try Self.open(disk)
    try store.backup(to: "copy")
    #expect(try Self.unknown(disk, at: "copy") == attachments)
    #expect(disk.contents(of: Self.file(in: "copy")) == [7, 7, 7])
    try store.close()
    let copied = try JournaledStore(on: disk, at: "copy", model: nil, options: .small)
    #expect(copied.findings == [] && copied.existingKey(named: "a") != nil)
    try copied.close()
  }

  @Test(arguments: [false, true])
  func `a backup has the attachments of newer code with their files`(isDamaged: Bool) throws {
    let (disk, attachments) = try Self.attached()
    let store = try Self.open(disk)
    try store.checkpoint()
    if isDamaged {
      // The copy does without the checkpoint then.
      let file = try #require(disk.paths.last { $0.hasSuffix(".xc") })
      try disk.setContents(file, [1, 2, 3])
    }
    try store.backup(to: "copy")
    #expect(try Self.unknown(disk, at: "copy") == attachments)
    #expect(disk.contents(of: Self.file(in: "copy")) == [7, 7, 7])
    #expect(!disk.paths.contains("copy/snapshots/elsewhere.bin"))
    try store.close()
    let copied = try JournaledStore(on: disk, at: "copy", model: nil, options: .small)
    #expect(copied.findings == [])
    #expect(copied.existingKey(named: "a") != nil)
    try copied.close()
  }
}
