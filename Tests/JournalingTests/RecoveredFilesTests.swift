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

  @Test func `damage of the pieces of a leftover edit is damage, and no hole in the edits`() throws
  {
    let disk = SimulatedDisk(seed: 4)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    try journal.appendEdit([UInt8](repeating: 5, count: 3_000))
    try journal.beginSegment()
    let edits: [[UInt8]] = [[1, 2, 3], [1, 2, 4]]
    for edit in edits { try journal.appendEdit(edit) }
    let path = "store/journal/0000000001.xj"
    let whole = disk.imageAfterProcessDeath()
    let bytes = try #require(whole.contents(of: path))
    try journal.close()
    for offset in 130..<bytes.count {
      let image = whole.imageAfterProcessDeath()
      try image.setContents(path, bytes.flipping(bit: 8 * offset))
      #expect("byte \(offset) of \(bytes.count)") { try open(image) } throws: { error in
        guard case .damaged(let finding)? = error as? JournalError else { return false }
        return finding.file.hasSuffix("0000000001.xj")
      }
      #expect(!image.paths.contains { $0.hasPrefix("store/recovered") })
    }
    #expect(try open(whole).recoveredEditCount == 3)
  }

  @Test func `edits that frames hold are not called lost where the buffer has not all of them`()
    throws
  {
    let disk = SimulatedDisk(seed: 3)
    var options = options
    options.halfByteCount = 4096
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    for number in UInt8(1)...4 {
      for _ in 1...2 { try journal.appendEdit([UInt8](repeating: number, count: 600)) }
      if number < 4 { try journal.commit([number]) }
    }
    let image = disk.imageAfterProcessDeath()
    let edits = try #require(image.contents(of: "store/edits"))
    try journal.close()
    // Of the older half a sector is missing, which frames hold; of the newer one another, which none does.
    for (half, lost) in [(0, 0), (1, 2)] {
      let copy = image.imageAfterProcessDeath()
      let start = EditBufferLayout.firstHalfOffset + half * 4096 + 512
      var damaged = edits
      damaged.replaceSubrange(start..<start + 512, with: [UInt8](repeating: 0xEE, count: 512))
      try copy.setContents("store/edits", damaged)
      let told = try open(copy).findings.map(\.kind)
      #expect(told == (lost > 0 ? [.editDamaged(expected: EditNumber(7))] : []))
      #expect(try Listing(on: copy).edits.count == 8 - lost)
    }
  }

  @Test func `a journal that was idle does not lose what it held to zeros up to its end`() throws {
    let disk = SimulatedDisk(seed: 5)
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    var ends: [Int] = []
    for number in UInt8(1)...6 {
      let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write([number]) }
      ends.append(Int(try journal.wait(for: ticket, until: .synced).offset))
      disk.advanceClock(by: 10_000_000_000)
      try journal.performUpkeep()
    }
    let image = disk.imageAfterPowerLossOfEverythingUnsynced()
    let path = "store/journal/0000000001.xj"
    let bytes = try #require(image.contents(of: path))
    for end in ends + ends.map({ $0 + 20 }) {
      let copy = image.imageAfterProcessDeath()
      let zeros = [UInt8](repeating: 0, count: bytes.count - end)
      try copy.setContents(path, Array(bytes[..<end]) + zeros)
      #expect(throws: JournalError.self, "zeros from \(end) on") { try open(copy) }
    }
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
