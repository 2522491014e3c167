// Tests what is said where it cannot be read how many frames are durable, and what stands behind those that are shown.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct DurabilityTests {
  private let sound: EditBufferBytes = {
    var buffer = EditBufferBytes()
    buffer.slots = [7, 8]
    return buffer
  }()

  private func finding(_ bytes: [UInt8]) throws -> Finding.Kind? {
    try EditBufferContents.durabilityFinding(
      in: MemoryFolder(JournalFiles.edits, bytes), store: sound.store)?.kind
  }

  @Test func `what is wrong with the counts is told by its kind`() throws {
    #expect(try finding(sound.encoded()) == nil)
    for slots in [[nil, nil], [7, nil], [nil, 8]] as [[UInt64?]] {
      var buffer = sound
      buffer.slots = slots
      #expect(try finding(buffer.encoded()) == .editCountDamaged, "\(slots) may lack a later one")
    }
    #expect(
      try EditBufferContents.durabilityFinding(in: MemoryFolder([:]), store: sound.store)
        == Finding(.editBufferMissing, JournalFiles.edits))
    #expect(try finding(Array(sound.encoded().prefix(4095))) == .editBufferDamaged)
    #expect(try finding(sound.encoded().flipping(bit: 3)) == .editBufferDamaged)

    var newer = sound
    (newer.format, newer.requiredFeatures) = (2, 5)
    #expect(try finding(newer.encoded()) == .editBufferNewer(format: 2, requiredFeatures: 5))

    var foreign = sound
    foreign.store = StoreIdentity(high: 1, low: 2)
    #expect(try finding(foreign.encoded()) == .editBufferForeign)

    var bytes = sound.encoded()
    bytes[1024] ^= 1
    #expect(try finding(bytes) == .editCountDamaged, "one of both")
    bytes[2048] ^= 1
    #expect(try finding(bytes) == .editBufferDamaged, "both")
    for byte in 1024..<1040 { bytes[byte] = 0 }
    #expect(try finding(bytes) == .editBufferDamaged, "the second, which follows the first")
  }

  @Test func `a disk that fails is not taken for damage, and what is no file is`() throws {
    func finding(_ code: SystemErrorCode) throws -> Finding? {
      let failure = DiskError(code == .isFolder ? .openFile : .read, JournalFiles.edits, code)
      let file = MemoryFile(sound.encoded(), failure: failure)
      return try EditBufferContents.durabilityFinding(
        in: MemoryFolder([JournalFiles.edits: file]), store: sound.store)
    }
    #expect(throws: DiskError(.read, JournalFiles.edits, .inputOutput)) {
      try finding(.inputOutput)
    }
    #expect(try finding(.isFolder) == Finding(.editBufferDamaged, JournalFiles.edits))
  }

  @Test func `what stands behind a frame is counted as far as it can be read`() throws {
    let disk = SimulatedDisk(seed: 9)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.fill()
    try journal.close()
    func beyond(_ frame: UInt64) throws -> JournalReader.Beyond {
      try JournalReader(at: "store", on: disk).beyond(FrameNumber(frame))
    }
    let all = try beyond(0)
    #expect(all.segmentCount == 4)
    #expect(try beyond(6).segmentCount == 2)
    #expect(try beyond(1_000) == JournalReader.Beyond())

    // The header of the second segment, and with it all that is in it.
    let path = "store/journal/0000000002.xj"
    let bytes = try #require(disk.contents(of: path))
    try disk.setContents(path, bytes.flipping(bit: 8 * 20))
    let rest = try beyond(0)
    #expect(rest.segmentCount == 3)
    #expect(rest.byteCount < all.byteCount)
    #expect(rest.byteCount >= all.byteCount - UInt64(bytes.count))
  }

  @Test func `when a segment was begun is read of each`() throws {
    let disk = SimulatedDisk(seed: 9)
    disk.setWallClock(1_000)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    for number in 1...3 {
      try journal.commit(Content.commit(number))
      disk.setWallClock(1_000 + Int64(number))
      try journal.beginSegment()
    }
    try journal.close()
    let reader = try JournalReader(at: "store", on: disk)
    for place in 0..<4 {
      #expect(try reader.creationTime(ofSegmentAt: place) == 1_000 + Int64(place))
    }

    // A segment that does not follow the one before is not believed.
    let other = try #require(disk.contents(of: "store/journal/0000000002.xj"))
    try disk.setContents("store/journal/0000000003.xj", other)
    #expect(throws: JournalError.self) { try reader.creationTime(ofSegmentAt: 2) }
  }
}
