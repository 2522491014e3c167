// What newer code has put into the journal stays, byte for byte.

import DiskSimulation
import Journaling
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

  /// A store whose first segment, which is sealed, has a frame of some kind.
  private static func disk(frameKind: UInt8) throws -> SimulatedDisk {
    var first = SegmentBuilder()
    first.add(batchBytes(firstEdit: 1, edits: [named(0)]))
    var frame = first.frame(Array("of newer code".utf8))
    frame.kind = frameKind
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

  @Test func `a compaction drops what it knows to be passed over`() throws {
    let disk = try Self.disk(frameKind: 3)
    let store = try Self.open(disk)
    try store.compact(keeping: .latest)
    #expect(!disk.paths.contains(Self.path + "/journal/0000000001.xj"))
    #expect(store.existingKey(named: "b") != nil)
    try store.close()
  }
}
