// Single frames are read by their places, and no others are taken for them.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct FrameFilesTests {
  private let disk = SimulatedDisk(seed: 6)

  private func payload(_ files: FrameFiles, _ place: FramePlace) throws -> [UInt8] {
    try files.frame(at: place).withPayload { Array($0) }
  }

  @Test func `every frame is read alone as it is on a walk, across segments`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    for number in 1...40 {
      try journal.appendEdit([UInt8(number)])
      try journal.commit(Content.commit(number))
      if number % 9 == 0 { try journal.beginSegment() }
    }
    var walked: [(place: FramePlace, payload: [UInt8])] = []
    let reader = try JournalReader(at: "store", on: disk)
    _ = try reader.forEachFrame {
      walked.append(($0.place, Array($0.payload)))
      return true
    }
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    #expect(walked.count == 40)
    for (place, expected) in walked.reversed() { #expect(try payload(files, place) == expected) }
    try journal.close()
  }

  @Test func `a commit is found where waiting for it said`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    for number: UInt8 in 1...30 {
      let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([number]) }
      #expect(journal.outcome(of: ticket) == nil)
      let place = try journal.wait(for: ticket, until: .synced)
      #expect(journal.outcome(of: ticket) == .success(place))
      if number % 7 == 0 { try journal.beginSegment() }
      files.update(journal.manifest)
      // First edit, no edits, one commit of one byte.
      #expect(try payload(files, place).suffix(4) == [0, 1, 2, number])
    }
    try journal.close()
  }

  @Test func `an older manifest does not take away what a newer one has named`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    let older = journal.manifest
    try journal.beginSegment()
    let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([2]) }
    let place = try journal.wait(for: ticket, until: .synced)
    files.update(journal.manifest)
    files.update(older)
    #expect(try payload(files, place).suffix(4) == [0, 1, 2, 2])
    try journal.close()
  }

  @Test func `frames of a manifest of generation 0 are read at their places, too`() throws {
    var store = StoreBuilder(payloads: [batchBytes(firstEdit: 1, edits: [[1]])])
    store.manifest.generation = 0
    let disk = try store.disk()
    let reader = try JournalReader(at: "store", on: disk)
    let files = try FrameFiles(in: reader.folder, reader.manifest)
    let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
    #expect(try files.frame(at: place).number == FrameNumber(1))
  }

  @Test(arguments: [false, true])
  func `frames of a journal that is gone are missing at their places`(hasFolder: Bool) throws {
    let store = StoreBuilder(payloads: [])
    let manifest = try JournalReader(at: "store", on: store.disk()).manifest
    let disk = SimulatedDisk(seed: 1)
    try disk.setContents("store/MANIFEST", store.manifest.encoded())
    if hasFolder { try disk.makeFolders("store/journal") }
    let files = try FrameFiles(in: disk.folderForReading(at: "store"), manifest)
    let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
    let finding = Finding(
      .segmentMissing, "journal/0000000001.xj", at: 128, expected: FrameNumber(1))
    #expect(throws: JournalError.damaged(finding)) { try files.frame(at: place) }
  }

  @Test func `a segment that cannot be opened for want of descriptors is not missing`() throws {
    let store = StoreBuilder(payloads: [batchBytes(firstEdit: 1, edits: [[1]])])
    let disk = try store.disk()
    let reader = try JournalReader(at: "store", on: disk)
    let files = try FrameFiles(in: reader.folder, reader.manifest)
    let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
    disk.faults = [SimulatedFault(.failure(.tooManyOpenFiles), calls: [.openFile])]
    let error = #expect(throws: JournalError.self) { try files.frame(at: place) }
    guard case .disk(let cause)? = error, cause.code == .tooManyOpenFiles else {
      Issue.record("it is told as \(String(describing: error))")
      return
    }
    disk.faults = []
    #expect(try files.frame(at: place).number == FrameNumber(1))
  }

  @Test func `a wrong place and every flipped bit are refused`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    for number in 1...3 { try journal.commit(Content.commit(number)) }
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    var places: [FramePlace] = []
    _ = try JournalReader(at: "store", on: disk).forEachFrame {
      places.append($0.place)
      return true
    }
    try journal.close()
    let (one, two, three) = (places[0], places[1], places[2])
    let wrong = [
      FramePlace(number: two.number, segment: one.segment, offset: one.offset),
      FramePlace(number: one.number, segment: one.segment, offset: one.offset + 1),
      FramePlace(number: one.number, segment: one.segment, offset: 1 << 40),
      FramePlace(number: one.number, segment: SegmentNumber(2), offset: one.offset),
    ]
    for place in wrong { #expect(throws: JournalError.self) { try files.frame(at: place) } }
    let file = try disk.folder(at: "store").folder("journal").file("0000000001.xj", .existing)
    for offset in two.offset..<three.offset {
      for bit in 0..<8 {
        try file.flip(bit, at: offset)
        #expect(throws: JournalError.self, "byte \(offset), bit \(bit)") {
          try files.frame(at: two)
        }
        try file.flip(bit, at: offset)
      }
    }
    #expect(try files.frame(at: two).number == two.number)
    // A seal that promises more than the file has is refused before room is made for it.
    try file.resize(to: two.offset + 60)
    let finding = Finding(
      .frameCutShort, "journal/0000000001.xj", at: two.offset, expected: two.number)
    #expect(throws: JournalError.damaged(finding)) { try files.frame(at: two) }
  }

  @Test func `a frame of newer code is refused as newer at its place, too`() throws {
    for (format, flags) in [(UInt8(2), UInt8(0)), (1, 0x10)] {
      var segment = SegmentBuilder()
      var frame = segment.frame(batchBytes(firstEdit: 1, edits: [[1]]))
      (frame.format, frame.flags) = (format, flags)
      segment.add(frame)
      let store = StoreBuilder([segment])
      let folder = try store.disk().folderForReading(at: "store")
      let manifest = try JournalReader(at: "store", on: store.disk()).manifest
      let files = try FrameFiles(in: folder, manifest)
      let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
      let finding = Finding(
        .frameNewer(format: format, flags: flags), "journal/0000000001.xj", at: 128,
        expected: FrameNumber(1))
      #expect(throws: JournalError.newerFormat(finding)) { try files.frame(at: place) }
    }
  }

  @Test func `a frame whose checks fit and whose contents do not is refused at its place`() throws {
    var segment = SegmentBuilder()
    var frame = segment.frame(batchBytes(firstEdit: 1, edits: [[1]]))
    frame.payloadByteCount += 1
    segment.add(frame)
    let disk = try StoreBuilder([segment]).disk()
    let files = try FrameFiles(
      in: disk.folderForReading(at: "store"), JournalReader(at: "store", on: disk).manifest)
    let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
    let finding = Finding(
      .frameMalformed, "journal/0000000001.xj", at: 128, expected: FrameNumber(1))
    #expect(throws: JournalError.damaged(finding)) { try files.frame(at: place) }
  }

  @Test func `a seal that promises more than any frame may have is refused at its place`() throws {
    var segment = SegmentBuilder()
    var frame = segment.frame([1])
    frame.payloadByteCount = .max
    segment.add(frame)
    let disk = try StoreBuilder([segment]).disk()
    let files = try FrameFiles(
      in: disk.folderForReading(at: "store"), JournalReader(at: "store", on: disk).manifest)
    let place = FramePlace(number: FrameNumber(1), segment: SegmentNumber(1), offset: 128)
    #expect(throws: JournalError.self) { try files.frame(at: place) }
  }

  @Test func `more segments than files may stay open are read all the same`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    var places: [FramePlace] = []
    for number: UInt8 in 1...40 {
      let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([number]) }
      places.append(try journal.wait(for: ticket, until: .synced))
      try journal.beginSegment()
    }
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    let openCount = disk.openCount
    for place in places + places.reversed() {
      #expect(try files.frame(at: place).number == place.number)
    }
    #expect(disk.openCount - openCount <= 32)
    try journal.close()
  }

  @Test
  func `a frame without payload can be read at its place, and a place beyond all files is refused`()
    throws
  {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    try journal.close()
    let again = try Journal.open(on: disk, at: "store", options: .small).journal
    var places: [FramePlace] = []
    _ = try JournalReader(at: "store", on: disk).forEachFrame {
      places.append($0.place)
      return true
    }
    let files = try FrameFiles(in: again.folder, again.manifest)
    let marker = try files.frame(at: places[1])
    #expect(marker.kind == .idleMarker)
    #expect(marker.withPayload { $0.count } == 0)
    for offset: UInt64 in [.max, .max - 10, 1 << 62, 1 << 40] {
      let place = FramePlace(number: places[0].number, segment: places[0].segment, offset: offset)
      #expect(throws: JournalError.self) { try files.frame(at: place) }
    }
    try again.close()
  }
}

extension DiskFile {
  fileprivate func flip(_ bit: Int, at offset: UInt64) throws {
    var byte: [UInt8] = [0]
    _ = try byte.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    byte[0] ^= 1 << UInt8(bit)
    try byte.withUnsafeBytes { try write($0, at: offset) }
  }
}
