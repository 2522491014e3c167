// What recovery takes out of a store: it is kept once, and told until somebody was told.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct RecoveredFilesTests {
  private let batches = (1...3).map { number in
    batchBytes(firstEdit: UInt64(number), edits: [[UInt8(number)]], commits: [[9, UInt8(number)]])
  }

  private let options = {
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20  // as the builders' headers have it
    return options
  }()

  private func open(_ disk: SimulatedDisk) throws -> RecoveryReport {
    let (journal, report) = try Journal.open(on: disk, at: "store", options: options)
    try journal.close()
    return report
  }

  private func half(_ firstEdit: UInt64, _ edits: [[UInt8]]) -> EditBufferBytes.Half {
    EditBufferBytes.Half(from: firstEdit, edits)
  }

  @Test func `what an opening cut that then failed is told by later ones, until somebody was told`()
    throws
  {
    let torn = [UInt8](repeating: 0xEE, count: 6_000)
    var store = StoreBuilder(payloads: batches)
    let kept = "recovered/0000000001-\(store.segments[0].bytes.count)-1"
    store.segments[0].add(bytes: torn)
    let disk = try store.disk()
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.rename], number: 2)]
    #expect(throws: JournalError.self) { try open(disk) }
    disk.faults = []
    // Neither a failure nor the end of power makes it forgotten.
    for image in [disk.imageAfterProcessDeath(), disk.imageAfterPowerLossOfEverythingUnsynced()] {
      for _ in 1...2 {
        let report = try open(image)
        #expect(report.tornTail == nil && report.savedEarlier == [kept])
        #expect(report.savedFiles == [kept])
      }
      let journal = try Journal.open(on: image, at: "store", options: options).journal
      journal.noteSavedFilesTold()
      try journal.close()
      #expect(try open(image).savedFiles == [])
      #expect(try image.folder(at: "store/recovered").names() == [String(kept.dropFirst(10))])
      #expect(image.contents(of: "store/" + kept) == torn)
    }
  }

  @Test func `a marker without a file, or of a strange name, tells nothing`() throws {
    let disk = try StoreBuilder(payloads: batches).disk()
    for name in ["gone.untold", "a b", "a b.untold", ".untold"] {
      try disk.setContents("store/recovered/" + name, [1])
    }
    #expect(try open(disk).savedFiles == [])
  }

  @Test func `openings that find the disk full keep a damaged edit buffer once, and no attempts`()
    throws
  {
    var store = StoreBuilder(payloads: batches)
    store.edits?.halfByteCount = 512
    store.edits?.halves = [half(4, [[4]]), half(6, [[6]])]
    let disk = try store.disk()
    let before = try #require(store.edits?.encoded())
    func fail(_ name: String) {
      disk.faults = [
        SimulatedFault(.failure(.noSpace, leaving: .prefix), calls: [.write, .append], name: name)
      ]
      #expect(throws: JournalError.self) { try open(disk) }
      disk.faults = []
    }
    fail("saved.new")
    #expect(try disk.folder(at: "store/recovered").names() == [])
    for _ in 1...3 {
      fail("edits.new")
      #expect(disk.contents(of: "store/edits.new") == nil)
      #expect(try disk.folder(at: "store/recovered").names() == ["edits-1", "edits-1.untold"])
    }
    #expect(disk.contents(of: "store/recovered/edits-1") == before)
    let report = try open(disk)
    #expect(report.editBufferSavedAs == "recovered/edits-1" && report.savedEarlier == [])
  }

  @Test func `damaged edit buffers of one length are kept each in its file`() throws {
    var store = StoreBuilder(payloads: batches)
    store.edits?.halfByteCount = 512
    let disk = try store.disk()
    var kept: [[UInt8]] = []
    for number in 1...2 {
      store.edits?.halves = [half(4, [[4]]), half(6, [[UInt8(number)]])]
      kept.append(try #require(store.edits?.encoded()))
      try disk.setContents("store/edits", kept[number - 1])
      #expect(try open(disk).editBufferSavedAs == "recovered/edits-\(number)")
    }
    #expect(kept[0].count == kept[1].count && kept[0] != kept[1])
    for number in 1...2 {
      #expect(disk.contents(of: "store/recovered/edits-\(number)") == kept[number - 1])
    }
  }

  @Test func `where the folder cannot be read nobody counts as told`() throws {
    var store = StoreBuilder(payloads: batches)
    store.segments[0].add(bytes: [UInt8](repeating: 0xEE, count: 100))
    let disk = try store.disk()
    let (journal, report) = try Journal.open(on: disk, at: "store", options: options)
    disk.faults = [SimulatedFault(.failure(.tooManyOpenFiles), name: "recovered")]
    journal.noteSavedFilesTold()
    disk.faults = []
    try journal.close()
    #expect(report.savedFiles.count == 1)
    #expect(try open(disk).savedFiles == report.savedFiles)
  }

  @Test func `a new edit buffer says which frames are durable before it takes the old one's place`()
    throws
  {
    let disk = try StoreBuilder(payloads: batches).disk()
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    let image = disk.imageAfterPowerLossOfEverythingUnsynced()
    let edits = try EditBufferContents(
      in: image.folderForReading(at: "store"), store: journal.store)
    #expect(edits.durableThrough == FrameNumber(3))
    try journal.close()
  }

  @Test func `damage where leftover pieces are is found before a torn tail is cut`() throws {
    var first = SegmentBuilder()
    var piece = first.frame([1])
    piece.kind = 3
    first.add(piece)
    var second = SegmentBuilder(batches, StoreBuilder.header(after: first))
    second.add(bytes: [UInt8](repeating: 0xEE, count: 100))
    var store = StoreBuilder([first, second])
    var reference = ByteWriter()
    Span(firstFrame: FrameNumber(1), pieceCount: 1, byteCount: 1, check: 1).write(to: &reference)
    var half = half(4, [reference.withBytes { Array($0) }])
    half.spans = [0]
    store.edits?.halves = [half, nil]
    let disk = try store.disk()
    var bytes = store.segments[0].bytes
    bytes[60] ^= 1
    try disk.setContents("store/journal/0000000001.xj", bytes)
    #expect(throws: JournalError.self) { try open(disk) }
    #expect(disk.contents(of: "store/journal/0000000002.xj") == store.segments[1].bytes)
    #expect(!disk.paths.contains { $0.hasPrefix("store/recovered") })
  }
}
