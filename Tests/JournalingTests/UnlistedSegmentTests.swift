import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

/// What stands behind the last segment that a manifest names.
@Suite struct UnlistedSegmentTests {
  private let disk: SimulatedDisk

  init() { self.init(seed: 51) }

  private init(seed: UInt64) { disk = SimulatedDisk(seed: seed) }

  /// A journal of four segments, and its manifest as it was before the last two were begun.
  private func older() throws -> Manifest {
    let journal = try Journal.open(on: disk, at: "store", making: .ifMissing, options: .small)
      .journal
    try journal.fill()
    try journal.close()
    var manifest = try JournalReader(at: "store", on: disk).manifest
    manifest.segments.removeLast(2)
    manifest.segments[1].sealing = nil
    return manifest
  }

  private func put(_ manifest: Manifest) throws {
    try disk.setContents("store/MANIFEST", manifest.encoded().withBytes { Array($0) })
  }

  private static func path(_ number: Int) -> String { "store/journal/000000000\(number).xj" }

  @Test func `a segment that the manifest does not come to name is found`() throws {
    let manifest = try older()
    let folder = try disk.folderForReading(at: "store")
    #expect(try manifest.unlistedSegment(in: folder) == nil, "another manifest names it")
    try put(manifest)
    let finding = Finding(.segmentUnlisted, "journal/0000000003.xj")
    #expect(try manifest.unlistedSegment(in: folder) == finding)
    try disk.folder(at: "store/journal").remove("0000000003.xj")
    let later = Finding(.segmentUnlisted, "journal/0000000004.xj")
    #expect(try manifest.unlistedSegment(in: folder) == later)
    try disk.folder(at: "store").rename("journal", to: "elsewhere")
    #expect(try manifest.unlistedSegment(in: folder) == nil)
  }

  @Test func `what is no segment of the store, or has no frames, is nothing`() throws {
    let manifest = try older()
    try put(manifest)
    let segment = try #require(disk.contents(of: Self.path(3)))
    try disk.folder(at: "store/journal").remove("0000000004.xj")
    let folder = try disk.folderForReading(at: "store")
    let other = UnlistedSegmentTests(seed: 52)
    _ = try other.older()
    try disk.setContents(Self.path(3), try #require(other.disk.contents(of: Self.path(3))))
    #expect(try manifest.unlistedSegment(in: folder) == nil, "it is of another store")
    let header = Array(segment.prefix(SegmentHeader.byteCount))
    for bytes in [header, header + [0, 0, 0], Array(header.dropLast()), [], [1, 2, 3]] {
      try disk.setContents(Self.path(3), bytes)
      #expect(try manifest.unlistedSegment(in: folder) == nil, "\(bytes.count) bytes")
    }
    try disk.folder(at: "store/journal").remove("0000000003.xj")
    try disk.setContents(Self.path(4), segment)
    #expect(try manifest.unlistedSegment(in: folder) == nil, "it has another number")
    try disk.folder(at: "store/journal").remove("0000000004.xj")
    try disk.folder(at: "store/journal").makeFolder("0000000005.xj")
    #expect(try manifest.unlistedSegment(in: folder) == nil, "it is no file")
  }

  @Test func `a segment that cannot be read is told, and one that goes meanwhile is none`() throws {
    let manifest = try older()
    try put(manifest)
    disk.faults = [
      SimulatedFault(.failure(.inputOutput), calls: [.openFile], name: "0000000003.xj")
    ]
    let folder = try disk.folderForReading(at: "store")
    #expect(throws: JournalError.self) { try manifest.unlistedSegment(in: folder) }
    disk.faults = []
    for number in 3...4 {
      disk.faults.append(
        SimulatedFault(
          .failure(.notFound), calls: [.openFile], name: "000000000\(number).xj", isLasting: true))
    }
    #expect(try manifest.unlistedSegment(in: folder) == nil)
  }
}
