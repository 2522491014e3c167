// What opening makes of stores put together byte by byte: what is accepted, cut, kept and refused.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct RecoveryTests {
  private let batches = (1...3).map { number in
    batchBytes(firstEdit: UInt64(number), edits: [[UInt8(number)]], commits: [[9, UInt8(number)]])
  }

  private func options(_ change: (inout JournalOptions) -> Void = { _ in }) -> JournalOptions {
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20  // as the builders' headers have it
    change(&options)
    return options
  }

  private func open(
    _ disk: SimulatedDisk, checkingFrom first: FrameNumber? = nil
  ) throws -> RecoveryReport {
    let (journal, report) = try Journal.open(
      on: disk, at: "store", options: options(), checkingFrom: first)
    try journal.close()
    return report
  }

  private func expect(
    _ kind: Finding.Kind, isNewer: Bool = false, from first: FrameNumber? = nil,
    sourceLocation: SourceLocation = #_sourceLocation, _ store: StoreBuilder,
    _ change: (SimulatedDisk) throws -> Void = { _ in }
  ) throws {
    let disk = try store.disk()
    try change(disk)
    #expect(sourceLocation: sourceLocation) {
      _ = try open(disk, checkingFrom: first)
    } throws: { error in
      switch error as? JournalError {
      case .damaged(let finding): finding.kind == kind && !isNewer
      case .newerFormat(let finding): finding.kind == kind && isNewer
      default: false
      }
    }
  }

  @Test func `a store put together from the document alone opens and reads`() throws {
    let disk = try StoreBuilder(payloads: batches).disk()
    #expect(try open(disk) == RecoveryReport())
    let listing = try Listing(on: disk)
    #expect(listing.fault == nil)
    #expect(listing.edits == [[1], [2], [3]])
    #expect(listing.commits == [[9, 1], [9, 2], [9, 3]])
  }

  @Test func `an opening whose folder syncs fail recovers nothing, and the next one all`() throws {
    var store = StoreBuilder(payloads: batches)
    store.edits?.halves = [EditBufferBytes.Half(from: 4, [[4], [5]]), nil]
    for number in 1...2 {
      let disk = try store.disk()
      disk.faults = [
        SimulatedFault(.failure(.inputOutput), calls: [.syncFolder], number: number)
      ]
      #expect(throws: JournalError.self) { try open(disk) }
      let image = disk.imageAfterPowerLossOfEverythingUnsynced()
      _ = try open(image)
      #expect(try Listing(on: image).edits == [[1], [2], [3], [4], [5]])
    }
  }

  @Test func `a torn tail is kept aside byte for byte, cut, and told`() throws {
    let torn = [UInt8](repeating: 0xEE, count: 60_000)
    for round in 1...2 {
      var store = StoreBuilder(payloads: batches)
      let end = UInt64(store.segments[0].bytes.count)
      store.segments[0].add(bytes: torn)
      store.segments[0].addZeros(500)
      let disk = try store.disk()
      if round == 2 {
        try disk.makeFolders("store/recovered")
        try disk.setContents("store/recovered/0000000001-\(end)-1", [1])
      }
      let tail = try #require(try open(disk).tornTail)
      #expect(tail.byteCount == UInt64(torn.count))
      #expect(tail.finding.kind == .notAFrame)
      #expect(tail.finding.offset == end)
      #expect(tail.savedAs == "recovered/0000000001-\(end)-\(round)")
      #expect(disk.contents(of: "store/" + tail.savedAs) == torn)
      #expect(try Listing(on: disk).commits.count == 3)
    }
  }

  @Test func `more bad bytes than the window are damage`() throws {
    var store = StoreBuilder(payloads: batches)
    store.segments[0].add(bytes: [UInt8](repeating: 0xEE, count: (1 << 20) + 1))
    try expect(.notAFrame, store)
  }

  @Test func `a segment whose footer was written and no more is gone on from`() throws {
    for zeros in [0, 100] {
      var store = StoreBuilder(payloads: batches)
      store.segments[0].addFooter()
      store.segments[0].addZeros(zeros)
      let disk = try store.disk()
      #expect(try open(disk) == RecoveryReport())
      let manifest = try JournalReader(at: "store", on: disk).manifest
      #expect(manifest.segments.count == 2)
      #expect(try Listing(on: disk).fault == nil)
    }
  }

  @Test func `frames that others know of and that are not there are lost, not torn`() throws {
    var store = StoreBuilder(payloads: batches)
    store.manifest.durableThrough = 4
    try expect(.framesLost(through: FrameNumber(4)), store)
    store.segments[0].addFooter()
    try expect(.framesLost(through: FrameNumber(4)), store)
  }

  @Test func `a sealed segment is held against the manifest when it is checked`() throws {
    let first = SegmentBuilder(batches)
    let second = SegmentBuilder(StoreBuilder.header(after: first))
    let store = StoreBuilder([first, second])
    _ = try open(try store.disk(), checkingFrom: FrameNumber(1))
    let sound = store.segments[0].bytes
    try expect(.bodyDamaged, from: FrameNumber(1), store) { disk in
      try disk.setContents(store.path(0), sound.flipping(bit: 8 * (128 + 60)))
    }
    // Not read, it is not noticed.
    let unread = try store.disk()
    try unread.setContents(store.path(0), sound.flipping(bit: 8 * (128 + 60)))
    _ = try open(unread, checkingFrom: FrameNumber(4))
    // Another end of the same life: its own footer is sound.
    var other = SegmentBuilder(Array(batches.prefix(2)) + [batchBytes(firstEdit: 3, edits: [[7]])])
    other.addFooter()
    other.addZeros(sound.count)
    try expect(.segmentForeign, from: FrameNumber(1), store) { disk in
      try disk.setContents(store.path(0), other.bytes)
    }
    try expect(.footerMissing, from: FrameNumber(1), store) { disk in
      let zeros = [UInt8](repeating: 0, count: 48)
      try disk.setContents(store.path(0), sound.dropLast(48) + zeros)
    }
    try expect(.framesLost(through: FrameNumber(3)), from: FrameNumber(1), store) { disk in
      let zeros = [UInt8](repeating: 0, count: sound.count - 128)
      try disk.setContents(store.path(0), sound.prefix(128) + zeros)
    }
  }

  @Test func `a segment that follows another than the one before it is refused`() throws {
    let first = SegmentBuilder(batches)
    var header = StoreBuilder.header(after: first)
    header.previousBodyCheck ^= 1
    var second = SegmentBuilder(header)
    second.add(batchBytes(firstEdit: 4, edits: [[4]]))
    let store = StoreBuilder([first, second])
    try expect(.segmentForeign, from: FrameNumber(1), store)
    try expect(.segmentForeign, store)
    let finding = Finding(.segmentForeign, "journal/0000000002.xj", expected: FrameNumber(4))
    #expect(throws: JournalError.damaged(finding)) {
      try JournalReader(at: "store", on: try store.disk()).forEachFrame { _ in true }
    }
  }

  @Test func `what newer code wrote is refused as newer, whichever file it is in`() throws {
    var store = StoreBuilder(payloads: batches)
    store.manifest.format = 2
    try expect(.manifestNewer(format: 2, requiredFeatures: 0), isNewer: true, store)
    #expect(throws: JournalError.self) { try JournalReader(at: "store", on: try store.disk()) }
    store = StoreBuilder(payloads: batches)
    store.edits?.requiredFeatures = 4
    try expect(.editBufferNewer(format: 1, requiredFeatures: 4), isNewer: true, store)
    store = StoreBuilder(payloads: batches)
    var frame = store.segments[0].frame(batches[0])
    frame.format = 2
    store.segments[0].add(frame)
    try expect(.frameNewer(format: 2, flags: 0), isNewer: true, store)
    var header = SegmentHeaderBytes()
    header.requiredFeatures = 1
    store = StoreBuilder([SegmentBuilder(batches, header)])
    try expect(.segmentNewer(format: 1, requiredFeatures: 1), isNewer: true, store)
  }

  @Test func `a damaged header or manifest is damage, for readers too`() throws {
    let store = StoreBuilder(payloads: batches)
    try expect(.segmentHeaderDamaged, store) { disk in
      try disk.setContents(store.path(0), store.segments[0].bytes.flipping(bit: 300))
    }
    for bytes in [[], [UInt8](repeating: 1, count: 100)] {
      try expect(.manifestDamaged, store) { try $0.setContents("store/MANIFEST", bytes) }
      let disk = try store.disk()
      try disk.setContents("store/MANIFEST", bytes)
      #expect(throws: JournalError.self) { try JournalReader(at: "store", on: disk) }
    }
  }

  @Test func `a manifest beyond the limit is damaged without being read`() throws {
    try expect(.manifestDamaged, StoreBuilder(payloads: batches)) { disk in
      try disk.folder(at: "store").file("MANIFEST", .existing)
        .resize(to: UInt64(Limits.manifestByteCount) + 1)
    }
  }

  @Test func `frames whose checks fit and whose contents do not are never delivered`() throws {
    var store = StoreBuilder(payloads: batches)
    store.segments[0].add([0, 0, 0])
    try expect(.batchMalformed, store)
    #expect(try ending(store).finding?.kind == .batchMalformed)
    #expect(try ending(StoreBuilder(payloads: [[]])).finding?.kind == .batchMalformed)
    // The first bytes alone say what edits it has.
    #expect(
      try ending(StoreBuilder(payloads: [[1, 5], [6, 0, 0]])).finding?.kind == .batchMalformed)
    store = StoreBuilder(payloads: batches)
    var frame = store.segments[0].frame(batches[0])
    frame.payloadByteCount += 1
    store.segments[0].add(frame)
    try expect(.frameMalformed, store)
    #expect(try ending(store).finding?.kind == .frameMalformed)
    store = StoreBuilder(payloads: [batches[0], batches[2]])
    let gap = Finding.Kind.editsMissing(expected: EditNumber(2), found: EditNumber(3))
    #expect(try ending(store).finding?.kind == gap)
    #expect(try ending(store).next == FrameNumber(2))
  }

  @Test func `a reader tells a sealed segment without its footer or frames`() throws {
    let first = SegmentBuilder(batches)
    let store = StoreBuilder([first, SegmentBuilder(StoreBuilder.header(after: first))])
    for (kept, kind) in [
      (first.bytes.count, Finding.Kind.footerMissing), (128, .framesLost(through: FrameNumber(3))),
    ] {
      let disk = try store.disk()
      let zeros = [UInt8](repeating: 0, count: store.segments[0].bytes.count - kept)
      try disk.setContents(store.path(0), store.segments[0].bytes.prefix(kept) + zeros)
      let ending = try JournalReader(at: "store", on: disk).forEachFrame { _ in true }
      #expect(ending.finding?.kind == kind)
    }
  }

  private func ending(_ store: StoreBuilder) throws -> JournalReader.Ending {
    try JournalReader(at: "store", on: try store.disk()).forEachFrame { _ in true }
  }

  @Test func `a reader stops where it is told, and within any segment`() throws {
    let first = SegmentBuilder(batches)
    var header = StoreBuilder.header(after: first)
    header.firstEdit = 4
    let second = SegmentBuilder([batchBytes(firstEdit: 4, edits: [])], header)
    let reader = try JournalReader(at: "store", on: try StoreBuilder([first, second]).disk())
    #expect(try reader.forEachFrame { $0.number < FrameNumber(2) }.next == FrameNumber(3))
    #expect(try reader.forEachFrame(from: FrameNumber(3)) { _ in true }.next == FrameNumber(5))
    #expect(try reader.forEachFrame(from: FrameNumber(4)) { _ in true }.next == FrameNumber(5))
  }

  private func half(_ firstEdit: UInt64, _ edits: [[UInt8]]) -> EditBufferBytes.Half {
    EditBufferBytes.Half(from: firstEdit, edits)
  }

  @Test func `edits that only the buffer holds are taken up to the first hole`() throws {
    var store = StoreBuilder(payloads: batches)
    store.edits?.halfByteCount = 512
    store.edits?.halves = [half(4, [[4], [5]]), half(6, [[6]])]
    var disk = try store.disk()
    var report = try open(disk)
    #expect(report.recoveredEditCount == 3 && report.findings.isEmpty)
    #expect(try Listing(on: disk).edits == [[1], [2], [3], [4], [5], [6]])
    store.edits?.halves = [half(4, [[4]]), half(6, [[6]])]
    disk = try store.disk()
    report = try open(disk)
    #expect(report.recoveredEditCount == 1)
    #expect(
      report.findings.map(\.kind)
        == [.editsMissing(expected: EditNumber(5), found: EditNumber(6))])
    let kept = try #require(report.editBufferSavedAs)
    #expect(kept == "recovered/edits-1")
    #expect(disk.contents(of: "store/" + kept) == store.edits?.encoded())
  }

  @Test func `an edit whose pieces did not survive is a hole`() throws {
    var reference = ByteWriter()
    Span(firstFrame: FrameNumber(4), pieceCount: 1, byteCount: 3, check: 1).write(to: &reference)
    let span = reference.withBytes { Array($0) }
    for bytes in [span, [1, 2, 3]] {
      var store = StoreBuilder(payloads: batches)
      var half = half(4, [[4], bytes, [6]])
      half.spans = [1]
      store.edits?.halves = [half, nil]
      let disk = try store.disk()
      let report = try open(disk)
      #expect(report.recoveredEditCount == 1)
      #expect(report.findings.map(\.kind) == [.editDamaged(expected: EditNumber(5))])
    }
  }

  @Test func `leftover edits larger than a batch takes are put into pieces`() throws {
    var store = StoreBuilder(payloads: batches)
    let large = [UInt8](repeating: 3, count: 300_000)
    store.edits?.halfByteCount = 1 << 20
    store.edits?.halves = [half(4, [[4], large, [6]]), nil]
    let disk = try store.disk()
    #expect(try open(disk).recoveredEditCount == 3)
    #expect(try Listing(on: disk).edits.suffix(3) == [[4], large, [6]])
  }

  @Test func `a disk that fails while a store is opened is told as such`() throws {
    let store = StoreBuilder(payloads: batches)
    let faults = [
      SimulatedFault(.failure(.inputOutput), calls: [.openFolder], name: "journal"),
      SimulatedFault(.failure(.inputOutput), calls: [.openFile], name: "0000000001.xj"),
      SimulatedFault(.failure(.inputOutput), calls: [.read], name: "MANIFEST"),
      SimulatedFault(.failure(.inputOutput), calls: [.openFolder], name: "store"),
      SimulatedFault(.failure(.inputOutput), calls: [.random]),
    ]
    for fault in faults {
      let disk = try store.disk()
      disk.faults = [fault]
      #expect(throws: JournalError.self, "\(fault)") { try open(disk) }
      disk.faults = [fault]
      if fault.calls != [.random] {
        #expect(throws: JournalError.self, "\(fault)") {
          try JournalReader(at: "store", on: disk).forEachFrame { _ in true }
        }
      }
      disk.faults = []
      #expect(try open(disk) == RecoveryReport())
    }
  }

  @Test func `a follower tells lost and malformed frames, behind a footer too, and waits at one`()
    throws
  {
    var store = StoreBuilder(payloads: batches)
    store.manifest.durableThrough = 4
    #expect(try poll(store)?.kind == .framesLost(through: FrameNumber(4)))
    store = StoreBuilder(payloads: batches)
    var frame = store.segments[0].frame(batches[0])
    frame.payloadByteCount += 1
    store.segments[0].add(frame)
    store.manifest.durableThrough = 4
    #expect(try poll(store)?.kind == .frameMalformed)
    store = StoreBuilder(payloads: batches)
    store.segments[0].addFooter()
    store.manifest.durableThrough = 4
    #expect(try poll(store)?.kind == .framesLost(through: FrameNumber(4)))
    store.manifest.durableThrough = 3
    #expect(try poll(store) == nil)
    store = StoreBuilder(payloads: batches)
    store.segments[0].add(bytes: [1, 2, 3])
    store.manifest.durableThrough = 3
    #expect(try poll(store) == nil)
    let first = SegmentBuilder(batches)
    store = StoreBuilder([first, SegmentBuilder(StoreBuilder.header(after: first))])
    #expect(try poll(store) == nil)
  }

  @Test func `a follower waits at a footer where the next segment is named just then`() throws {
    var first = SegmentBuilder(batches)
    first.addFooter()
    var store = StoreBuilder([first])
    store.manifest.durableThrough = 4
    let next = SegmentBuilder(StoreBuilder.header(after: first))
    let later = try #require(try StoreBuilder([first, next]).disk().contents(of: "store/MANIFEST"))
    let disk = try store.disk()
    let watched = WatchedDisk(disk)
    watched.onLook = { name in
      guard name.hasSuffix(".xj") else { return }
      #expect(throws: Never.self) { try disk.setContents("store/MANIFEST", later) }
    }
    #expect(try JournalTail(at: "store", on: watched).poll { _, _ in true } == nil)
  }

  private func poll(_ store: StoreBuilder) throws -> Finding? {
    try JournalTail(at: "store", on: try store.disk()).poll { _, _ in true }
  }

  @Test func `a recovery that was broken off takes no frame of its own for a piece`() throws {
    let disk = SimulatedDisk(seed: 1)
    let life = JournalLife(disk)
    try life.open()
    let journal = try #require(life.journal)
    try life.edit(journal)
    life.ledger.largeEdits.insert(2)
    try life.edit(journal)
    // A loss of power that leaves all of the edit buffer, and of the segment what was synced.
    let segment = "store/journal/0000000001.xj"
    let durable = try #require(disk.durableContents(of: segment))
    let image = disk.imageAfterProcessDeath()
    try image.setContents(segment, durable)
    life.abandon()
    // The first recovery seals the small edit, and finds no room for a new edit buffer.
    image.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], name: "edits.new")]
    #expect(throws: JournalError.self) {
      try Journal.open(on: image, at: "store", options: .small)
    }
    image.faults = []
    let (again, report) = try Journal.open(on: image, at: "store", options: .small)
    #expect(report.recoveredEditCount == 0)
    let content = try JournalContent(on: image, at: "store", life.ledger)
    #expect(content.fault == nil)
    #expect(try Listing(on: image).edits.count == 1)
    try again.close()
  }

  @Test func `recovery writes no frame before the manifest is durable that names its segment`()
    throws
  {
    let disk = SimulatedDisk(seed: 1)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    try journal.appendEdit([2])
    // The process ends when the next segment's manifest has its name, which is not durable.
    var image: SimulatedDisk?
    var isRenamed = false
    disk.onCall = { [disk] call in
      if isRenamed, call.kind == .syncFolder { image = image ?? disk.imageAfterProcessDeath() }
      if call.kind == .rename { isRenamed = true }
    }
    try journal.beginSegment()
    disk.onCall = nil
    let left = try #require(image)
    var errors: [JournalError] = []
    left.onCall = { [left] _ in
      let unplugged = left.imageAfterPowerLossOfEverythingUnsynced()
      do throws(JournalError) {
        _ = try Journal.open(on: unplugged, at: "store", options: .small)
      } catch { errors.append(error) }
    }
    let (again, report) = try Journal.open(on: left, at: "store", options: .small)
    left.onCall = nil
    #expect(report.recoveredEditCount == 1 && errors == [])
    try again.close()
    try journal.close()
  }

  @Test func `a sealed segment of newer code is newer, and not damaged`() throws {
    var first = SegmentBuilder([batchBytes(firstEdit: 1, edits: [[1]], commits: [[9]])])
    var frame = first.frame([1])
    frame.flags = 0x10
    first.add(frame)
    var header = StoreBuilder.header(after: first)
    header.firstEdit = 2
    let store = StoreBuilder([first, SegmentBuilder(header)])
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20
    let error = #expect(throws: JournalError.self) {
      try Journal.open(
        on: try store.disk(), at: "store", options: options, checkingFrom: FrameNumber(1))
    }
    guard case .newerFormat? = error else { return #expect(Bool(false), "\(error as Any)") }
  }
}
