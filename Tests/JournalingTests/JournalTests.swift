// A journal from end to end: what is written is read, in order, through every way it can be kept.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct JournalTests {
  private let disk = SimulatedDisk(seed: 1)

  private func open(_ change: (inout JournalOptions) -> Void = { _ in }) throws -> Journal {
    var options = JournalOptions.small
    change(&options)
    return try Journal.open(on: disk, at: "store", options: options).journal
  }

  @Test func `a new journal is empty and sound`() throws {
    let (journal, report) = try Journal.open(on: disk, at: "store", options: .small)
    #expect(report == RecoveryReport())
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.commits.isEmpty && content.edits.isEmpty && content.fault == nil)
  }

  @Test func `edits and commits come back in the order they were made`() throws {
    var journal = try open()
    for number in 1...40 {
      try journal.appendEdit(Content.edit(number))
      if number % 3 == 0 { try journal.commit(Content.commit(number / 3)) }
      if number % 10 == 0 {
        try journal.close()
        journal = try open()
      }
    }
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.fault == nil)
    #expect(content.edits == (1...40).map(Content.edit))
    #expect(content.commits == (1...13).map(Content.commit))
  }

  @Test func `an edit that was never saved survives the end of the process`() throws {
    let journal = try open()
    try journal.commit([1])
    for number in 1...3 { try journal.appendEdit(Content.edit(number)) }
    let after = disk.imageAfterProcessDeath()
    let (recovered, report) = try Journal.open(on: after, at: "store", options: .small)
    #expect(report.recoveredEditCount == 3)
    #expect(report.findings.isEmpty)
    try recovered.close()
    #expect(try Listing(on: after).edits == (1...3).map(Content.edit))
    try journal.close()
  }

  @Test func `a full half is sealed without a save, and no edit is lost or moved`() throws {
    let journal = try open()
    let edits = (1...200).map(Content.edit)
    for edit in edits { try journal.appendEdit(edit) }
    #expect(try Listing(on: disk).edits.count > 100)
    #expect(try Listing(on: disk).edits.count < 200)
    try journal.close()
    #expect(try Listing(on: disk).edits == edits)
  }

  @Test func `an edit or commit too large for a batch goes in pieces and comes back whole`() throws
  {
    let options = JournalOptions.small
    let sizes = [
      1, options.largestEditByteCount, options.largestEditByteCount + 1,
      options.pieceByteCount, options.pieceByteCount + 1, 5 * options.pieceByteCount + 3,
    ]
    let values = sizes.map { size in (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ size) } }
    let journal = try open()
    for value in values {
      try journal.appendEdit(value)
      try journal.commit(value)
    }
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.fault == nil)
    #expect(content.edits == values)
    #expect(content.commits == values)
    #expect(content.kinds.filter { $0 == .piece }.count > 10)
  }

  @Test func `an edit or commit beyond the limit is refused in words, and the journal goes on`()
    throws
  {
    let journal = try open()
    let limit = Limits.entryByteCount
    let expected = JournalError.tooLarge(byteCount: limit + 1, limit: limit)
    #expect(throws: expected) { try journal.appendEdit(byteCount: limit + 1) { _ in } }
    try journal.commit([1])
    try journal.close()
    #expect(try Listing(on: disk).commits == [[1]])
  }

  @Test func `a piece that is missing or changed is told, not delivered`() throws {
    let journal = try open()
    let value = [UInt8](repeating: 5, count: 3 * JournalOptions.small.pieceByteCount)
    try journal.commit(value)
    try journal.close()
    let reader = try JournalReader(at: "store", on: disk)
    let whole = try #require(try span(in: reader))
    #expect(try reader.bytes(of: whole) == value)
    for changed in [
      Span(
        firstFrame: whole.firstFrame.next, pieceCount: 2, byteCount: value.count, check: whole.check
      ),
      Span(
        firstFrame: whole.firstFrame, pieceCount: 3, byteCount: value.count - 1, check: whole.check),
      Span(
        firstFrame: whole.firstFrame, pieceCount: 3, byteCount: value.count, check: whole.check + 1),
      Span(firstFrame: FrameNumber(900), pieceCount: 3, byteCount: value.count, check: whole.check),
      Span(firstFrame: whole.firstFrame, pieceCount: 4, byteCount: value.count, check: whole.check),
    ] {
      #expect {
        try reader.bytes(of: changed)
      } throws: { error in
        guard case .damaged(let finding) = error as? JournalError else { return false }
        return finding.kind == .piecesDamaged(first: changed.firstFrame)
      }
    }
  }

  private func span(in reader: JournalReader) throws -> Span? {
    var found: Span?
    _ = try reader.forEachFrame { frame in
      Batch(frame.payload)?.forEachCommit { if case .spanning(let span) = $0 { found = span } }
      return true
    }
    return found
  }

  @Test func `a save costs one sync and sixty-odd bytes beside its payload`() throws {
    let journal = try open { $0.preallocatedByteCount = 0 }
    try journal.commit([0])
    let before = journal.appends
    let bytes = (0..<100).map { UInt8(truncatingIfNeeded: $0 &* $0 &* 31 &+ $0 << 3) }
    try journal.commit(bytes)
    let after = journal.appends
    #expect(after.syncCount - before.syncCount == 1)
    #expect(after.byteCount - before.byteCount <= bytes.count + 63 + 5)
    try journal.close()
  }

  @Test func `no more bytes than the window stand unsynced, whatever is written`() throws {
    let journal = try open {
      $0.segmentByteCount = 1 << 20
      $0.preallocatedByteCount = 0
    }
    var unsynced = 0
    var largest = 0
    disk.onCall = { call in
      if call.kind == .write, call.path.hasSuffix(".xj") { unsynced += call.byteCount }
      if call.kind == .syncData { unsynced = 0 }
      largest = max(largest, unsynced)
    }
    var dice = Dice(seed: 3)
    for _ in 0..<200 {
      let noise = (0..<1_500).map { _ in UInt8.random(in: 0...255, using: &dice) }
      try journal.commit(noise, .written)
    }
    disk.onCall = nil
    #expect(largest > JournalOptions.small.windowByteCount / 2)
    #expect(largest <= JournalOptions.small.windowByteCount)
    try journal.close()
    #expect(try Listing(on: disk).commits.count == 200)
  }

  @Test func `what waits is synced after its delay, and quiet is marked once`() throws {
    let journal = try open()
    try journal.appendEdit([1])
    try journal.commit([2], .written)
    #expect(journal.durableFrame == .none)
    disk.advanceClock(by: 100_000_000)
    try journal.performUpkeep()
    #expect(journal.durableFrame == .none)
    disk.advanceClock(by: 150_000_000)
    #expect(try journal.performUpkeep() != nil)
    disk.advanceClock(by: 600_000_000)
    try journal.performUpkeep()
    #expect(journal.durableFrame >= FrameNumber(1))
    disk.advanceClock(by: 250_000_000)
    #expect(try journal.performUpkeep() == nil)
    #expect(try journal.performUpkeep() == nil)
    #expect(try Listing(on: disk).kinds == [.batch, .idleMarker])
    #expect(journal.durableFrame == FrameNumber(2))
    try journal.appendEdit([3])
    disk.advanceClock(by: 900_000_000)
    try journal.performUpkeep()
    try journal.close()
    #expect(try Listing(on: disk).kinds == [.batch, .idleMarker, .batch, .idleMarker])
  }

  @Test func `who leads syncs what has waited too long, also where nobody asks for it`() throws {
    let journal = try open()
    try journal.commit([1], .written)
    #expect(journal.durableFrame == .none)
    disk.advanceClock(by: 1_000_000_000)
    try journal.commit([2], .written)
    #expect(journal.durableFrame == FrameNumber(2))
    try journal.commit([3], .written)
    #expect(journal.durableFrame == FrameNumber(2))
    try journal.close()
  }

  @Test func `what waits is not put off while somebody leads`() throws {
    let journal = try open()
    let start = disk.steadyClock()
    try journal.appendEdit([1])
    disk.advanceClock(by: 700_000_000)
    var next: UInt64??
    disk.onCall = { [disk] call in
      guard call.kind == .write || call.kind == .append, next == nil else { return }
      // This thread leads right now.
      next = .some(try? journal.performUpkeep())
      disk.onCall = nil
    }
    try journal.commit([2], .written)
    let options = JournalOptions.small
    #expect(next == .some(start + options.syncDelayNanoseconds))
    try journal.close()
  }

  @Test func `a journal that is closed refuses everything and can be closed again`() throws {
    let journal = try open()
    try journal.close()
    try journal.close()
    #expect(throws: JournalError.closed) { try journal.appendEdit([1]) }
    #expect(throws: JournalError.closed) { try journal.commit([1]) }
    #expect(throws: JournalError.closed) { try journal.beginSegment() }
    #expect(throws: JournalError.closed) { try journal.replaceAttachments([]) }
    #expect(try journal.performUpkeep() == nil)
  }

  @Test func `a journal that is let go without closing loses nothing`() throws {
    do {
      let journal = try open()
      try journal.appendEdit([1])
      try journal.commit([2])
      try journal.appendEdit([3])
    }
    let journal = try open()
    try journal.close()
    #expect(try Listing(on: disk).edits == [[1], [3]])
  }

  @Test func `attachments stay with the store through segments and openings`() throws {
    let attachments = [
      Manifest.Attachment(kind: 1, fileName: "run-1", content: [1, 2, 3]),
      Manifest.Attachment(kind: 9, fileName: "checkpoint_2", content: []),
    ]
    var journal = try open()
    try journal.replaceAttachments(attachments)
    try journal.commit([1])
    try journal.beginSegment()
    try journal.close()
    journal = try open()
    #expect(journal.manifest.attachments == attachments)
    let store = journal.store
    try journal.close()
    journal = try open()
    #expect(journal.store == store)
    try journal.close()
  }

  @Test func `a segment is sealed when it is full, and its file ends with its footer`() throws {
    let journal = try open()
    for number in 1...150 { try journal.commit(Content.commit(number)) }
    try journal.close()
    let manifest = try JournalReader(at: "store", on: disk).manifest
    #expect(manifest.segments.count > 1)
    for segment in manifest.segments {
      let bytes = try #require(disk.contents(of: "store/journal/" + segment.number.fileName))
      guard let sealing = segment.sealing else { continue }
      #expect(UInt64(bytes.count) == sealing.byteCount)
      let footer = bytes.suffix(48)
      #expect(footer.prefix(4).elementsEqual([0x5F, 0x2A, 0x4D, 0x18]))
    }
    #expect(try Listing(on: disk).commits == (1...150).map(Content.commit))
  }

  @Test func `no frame is longer than the window, however many short commits are in it`() throws {
    var journal: Journal? = try open {
      $0.windowByteCount = 1 << 20
      $0.halfByteCount = 508 << 10
    }
    var dice = Dice(seed: 1)
    try journal?.appendEdit([UInt8](randomByteCount: 500_000, from: &dice))
    var largest = 0
    disk.onCall = { largest = max(largest, $0.kind == .write ? $0.byteCount : 0) }
    let epoch = journal?.commitEpoch ?? 0
    var ticket: CommitTicket?
    for number in 0...262_144 {
      let bytes = [UInt8](randomByteCount: number < 262_144 ? 1 : 128 << 10, from: &dice)
      ticket = try journal?.enqueueCommit(epoch: epoch) { _, writer in writer.write(bytes) }
    }
    if let ticket { try journal?.wait(for: ticket, until: .written) }
    disk.onCall = nil
    #expect(largest > 1 << 19)
    #expect(largest <= 1 << 20)
    journal = nil
  }

  @Test func `another window begins another segment, since recovery relies on it`() throws {
    var journal = try open()
    try journal.commit([1])
    try journal.close()
    journal = try open { $0.windowByteCount = 32 << 10 }
    try journal.commit([2])
    try journal.close()
    #expect(try JournalReader(at: "store", on: disk).manifest.segments.count == 2)
    #expect(try Listing(on: disk).commits == [[1], [2]])
  }

  @Test func `a commit knows which edits are in its own frame`() throws {
    let journal = try open()
    try journal.appendEdit([1])
    try journal.commit([9])
    try journal.appendEdit([2])
    try journal.appendEdit([3])
    var range: Range<EditNumber>?
    let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { edits, writer in
      range = edits
      writer.write(UInt8(8))
    }
    try journal.appendEdit([4])
    let frame = try journal.wait(for: ticket, until: .synced).number
    try journal.close()
    #expect(range == EditNumber(2)..<EditNumber(4))
    var found: Range<EditNumber>?
    _ = try JournalReader(at: "store", on: disk).forEachFrame { each in
      if each.number == frame, let batch = Batch(each.payload) {
        found = batch.firstEdit..<batch.nextEdit
      }
      return true
    }
    let edits = try #require(found)
    #expect(edits.lowerBound == EditNumber(2) && edits.upperBound >= EditNumber(4))
  }

  @Test func `many commits queued before anybody waits are all made, in order`() throws {
    let journal = try open()
    let tickets = try (1...60).map { number in
      try journal.enqueueCommit(epoch: 0) { _, writer in
        writer.write(Content.commit(number) + [UInt8](repeating: 1, count: 200))
      }
    }
    for ticket in tickets.reversed() { try journal.wait(for: ticket, until: .synced) }
    #expect(journal.appends.syncCount < 30)
    try journal.close()
    let commits = try Listing(on: disk).commits
    #expect(commits == (1...60).map { Content.commit($0) + [UInt8](repeating: 1, count: 200) })
  }

  @Test func `edits that come meanwhile do not put the idle marker off`() throws {
    let journal = try open()
    let begin = disk.steadyClock()
    // A write takes a millisecond, so that the first look comes too early.
    disk.onCall = { [disk] call in if call.kind == .write { disk.advanceClock(by: 1_000_000) } }
    try journal.commit([1])
    let committed = disk.steadyClock()
    disk.advanceClock(by: 100_000_000)
    try journal.appendEdit([2])
    // As the upkeep thread does: when the commit rang for it, then whenever it is told.
    var next: UInt64? = begin + 250_000_000
    while let moment = next, try !Listing(on: disk).kinds.contains(.idleMarker) {
      let now = disk.steadyClock()
      if moment > now { disk.advanceClock(by: moment - now) }
      next = try journal.performUpkeep()
    }
    #expect(disk.steadyClock() - committed < 300_000_000)
    disk.onCall = nil
    try journal.close()
  }
}
