import ByteCoding
import DiskAccess
import Foundation
import Journaling

/// The store that docs/format.md takes to pieces, written by the journal itself with fixed numbers in
/// the place of random ones.
final class FormatExample {
  static let journalName = "Example.xjournal"
  static let store = StoreIdentity(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
  static let attachment = Manifest.Attachment(
    kind: 1, fileName: "example.bin", content: [0xC0, 0xFF, 0xEE])

  private let folder: URL
  private let journal: Journal
  var path: String { folder.appending(path: Self.journalName).path }

  /// Makes the store in a temporary folder, and leaves its journal open: nothing is tidied up by a close.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "format-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let disk = ExampleDisk()
    var options = JournalOptions()
    options.segmentByteCount = 256
    options.halfByteCount = 256
    options.preallocatedByteCount = 0
    options.hasUpkeepThread = false
    options.allowsNetworkFileSystems = true
    journal = try Journal.open(
      on: disk, at: folder.appending(path: Self.journalName).path, options: options
    ).journal
    try journal.replaceAttachments([Self.attachment])
    try append("first edit")
    try append("and its successor")
    try commit("both saved")
    disk.advance(bySeconds: 60)
    try journal.performUpkeep()
    try append("Zoë")
    try commit("all")
    try append("not saved")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func bytes(of name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: Self.journalName).appending(path: name)))
  }

  private func append(_ text: String) throws {
    _ = try Array(text.utf8).withUnsafeBytes { bytes in try journal.appendEdit(bytes) }
  }

  private func commit(_ text: String) throws {
    _ = try Array(text.utf8).withUnsafeBytes { bytes in try journal.commit(bytes) }
  }
}

/// The disk of this machine with clocks that stand still and random numbers known beforehand.
private final class ExampleDisk: Disk, @unchecked Sendable {
  private let disk = PosixDisk()
  private var seconds: UInt64 = 0
  private var numbers: [UInt64] = [
    FormatExample.store.high, FormatExample.store.low, 0x1111_2222_3333_4444,
    0x5555_6666_7777_8888, 0x9999_AAAA_BBBB_CCCC,
  ]

  func advance(bySeconds seconds: UInt64) { self.seconds += seconds }

  func folder(at path: String) throws(DiskError) -> any DiskFolder { try disk.folder(at: path) }

  func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try disk.folderForReading(at: path)
  }

  func wallClock() -> Int64 { Int64(1_700_000_000 + seconds) * 1_000_000_000 }
  func steadyClock() -> UInt64 { (1 + seconds) * 1_000_000_000 }
  func processNumber() -> Int32 { 4711 }
  func wait(on lock: Lock, until moment: UInt64) -> Bool { disk.wait(on: lock, until: moment) }

  func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    precondition(buffer.count == 8 && !numbers.isEmpty, "the example takes five random numbers")
    buffer.storeBytes(of: numbers.removeFirst().littleEndian, as: UInt64.self)
  }
}
