// What a journal does when the disk fails it: full, unsyncable, or out of files.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct FailureTests {
  private let disk = SimulatedDisk(seed: 4)

  private func open() throws -> Journal {
    try Journal.open(on: disk, at: "store", options: .small).journal
  }

  private func expect<Answer>(
    _ code: SystemErrorCode, stops: Bool, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Answer
  ) {
    #expect(sourceLocation: sourceLocation) {
      _ = try body()
    } throws: { error in
      switch error as? JournalError {
      case .disk(let cause): cause.code == code && !stops
      case .stopped(let cause): cause.code == code && stops
      default: false
      }
    }
  }

  private struct NeverCameAbout: Error {
    let what: String
  }

  /// Lets time pass on the simulated disk until its threads have done something.
  private func comesAbout(
    _ what: String, on disk: SimulatedDisk? = nil, _ condition: () -> Bool
  ) throws {
    let pause = Lock()
    for _ in 0..<5_000 {
      if condition() { return }
      (disk ?? self.disk).advanceClock(by: 100_000_000)
      pause.withLock { _ = pause.wait(until: PosixDisk().steadyClock() + 2_000_000) }
    }
    throw NeverCameAbout(what: what)
  }

  @Test func `after a failed sync nothing is taken, everything says why, and reading goes on`()
    throws
  {
    let journal = try open()
    try journal.commit([1])
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.syncData])]
    expect(.inputOutput, stops: true) { try journal.commit([2]) }
    disk.faults = []
    expect(.inputOutput, stops: true) { try journal.commit([3]) }
    expect(.inputOutput, stops: true) { try journal.appendEdit([3]) }
    expect(.inputOutput, stops: true) { try journal.beginSegment() }
    expect(.inputOutput, stops: true) { try journal.replaceAttachments([]) }
    expect(.inputOutput, stops: true) { try journal.close() }
    let commits = try Listing(on: disk).commits
    #expect(commits.first == [1])
    // The kernel shows the lost bytes as if they were there; opening asks the medium.
    let again = try open()
    try again.commit([4])
    try again.close()
    #expect(try Listing(on: disk).commits == [[1], [4]])
  }

  @Test func `a full disk refuses a commit, keeps its edits, and takes the next`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.appendEdit([7])
    disk.faults = [
      SimulatedFault(.failure(.noSpace, leaving: .prefix), calls: [.write], isLasting: true)
    ]
    let large = [UInt8](repeating: 1, count: 1_900)
    for _ in 0..<3 { expect(.noSpace, stops: false) { try journal.commit(large) } }
    disk.faults = []
    try journal.commit([2])
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.commits == [[1], [2]])
    #expect(content.edits == [[7]])
  }

  @Test func `edits are refused when both halves and the disk are full, and go on with room`()
    throws
  {
    let journal = try open()
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    var taken: [[UInt8]] = []
    while taken.count < 1_000 {
      let edit = Content.edit(taken.count)
      do throws(JournalError) { try journal.appendEdit(edit) } catch {
        #expect(error.isOutOfSpace)
        break
      }
      taken.append(edit)
    }
    #expect(taken.count > 10 && taken.count < 100)
    disk.faults = []
    let last = Content.edit(taken.count)
    try journal.appendEdit(last)
    try journal.close()
    #expect(try Listing(on: disk).edits == taken + [last])
  }

  @Test func `a commit queued behind one that failed is refused too`() throws {
    let journal = try open()
    let epoch = journal.commitEpoch
    let first = try journal.enqueueCommit(epoch: epoch) { _, writer in
      writer.write([UInt8](repeating: 1, count: 1_500))
    }
    let second = try journal.enqueueCommit(epoch: epoch) { _, writer in writer.write(UInt8(2)) }
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    expect(.noSpace, stops: false) { try journal.wait(for: first, until: .synced) }
    #expect(throws: JournalError.self) { try journal.wait(for: second, until: .synced) }
    for ticket in [first, second] {
      guard case .failure? = journal.outcome(of: ticket) else {
        Issue.record(
          "a refused commit has come to \(String(describing: journal.outcome(of: ticket)))")
        return
      }
    }
    disk.faults = []
    let cause = DiskError(.write, "0000000001.xj", .noSpace)
    #expect(throws: JournalError.queuedBehindFailure(cause: cause)) {
      try journal.enqueueCommit(epoch: epoch) { _, writer in writer.write(UInt8(3)) }
    }
    try journal.commit([4])
    try journal.close()
    #expect(try Listing(on: disk).commits == [[4]])
  }

  @Test func `commits queued while one that fails is written fail behind it`() throws {
    let journal = try open()
    let first = try journal.enqueueCommit(epoch: 0) { _, writer in writer.write(UInt8(1)) }
    // The second edit does not fit the half any more, so that the first commit's batch waits.
    for number in 1...2 { try journal.appendEdit([UInt8](repeating: UInt8(number), count: 300)) }
    let second = try journal.enqueueCommit(epoch: 0) { _, writer in writer.write(UInt8(2)) }
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    #expect {
      try journal.wait(for: second, until: .synced)
    } throws: { error in
      guard case .queuedBehindFailure(let cause) = error as? JournalError else { return false }
      return cause.isOutOfSpace
    }
    expect(.noSpace, stops: false) { try journal.wait(for: first, until: .synced) }
    disk.faults = []
    try journal.commit([3])
    try journal.close()
    let listing = try Listing(on: disk)
    #expect(listing.commits == [[3]] && listing.edits.count == 2)
  }

  @Test func `a commit that is written is synced although the disk is full for the next`() throws {
    let journal = try open()
    let first = try journal.enqueueCommit(epoch: 0) { _, writer in writer.write(UInt8(1)) }
    try journal.wait(for: first, until: .written)
    let second = try journal.enqueueCommit(epoch: 0) { _, writer in
      writer.write([UInt8](repeating: 2, count: 1_500))
    }
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    #expect(try journal.wait(for: first, until: .synced).number == FrameNumber(1))
    #expect(journal.durableFrame == FrameNumber(1))
    expect(.noSpace, stops: false) { try journal.wait(for: second, until: .synced) }
    disk.faults = []
    try journal.close()
    #expect(try Listing(on: disk).commits == [[1]])
  }

  @Test func `the upkeep thread tries again when room has come`() throws {
    var options = JournalOptions.small
    options.hasUpkeepThread = true
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    try journal.appendEdit([1])
    let before = disk.callCount
    try comesAbout("the thread tries again") { disk.callCount >= before + 20 }
    #expect(journal.durableFrame == .none)
    disk.faults = []
    try comesAbout("the edit is durable") { journal.durableFrame > .none }
    try journal.close()
    #expect(try Listing(on: disk).edits == [[1]])
  }

  @Test func `a large edit or commit for which there is no room fails alone`() throws {
    let journal = try open()
    let large = [UInt8](repeating: 3, count: 20_000)
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    expect(.noSpace, stops: false) { try journal.appendEdit(large) }
    expect(.noSpace, stops: false) { try journal.commit(large) }
    disk.faults = []
    try journal.appendEdit(large)
    try journal.commit(large)
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.edits == [large] && content.commits == [large])
  }

  @Test func `attachments too large for any reader are refused, and the journal goes on`() throws {
    let journal = try open()
    let content = [UInt8](repeating: 1, count: Limits.manifestByteCount)
    #expect {
      try journal.replaceAttachments([
        Manifest.Attachment(kind: 1, fileName: "a", content: content)
      ])
    } throws: { "\($0)".contains("MANIFEST.new") }
    try journal.commit([1])
    try journal.close()
    try open().close()
  }

  @Test func `a manifest that no reader would take is refused, and the store stays open to all`()
    throws
  {
    var store = StoreBuilder(payloads: [batchBytes(firstEdit: 1, edits: [], commits: [[1]])])
    store.manifest.generation = Limits.number
    let disk = try store.disk()
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    #expect(throws: JournalError.self) { try journal.replaceAttachments([]) }
    try journal.commit([2])
    try journal.close()
    try Journal.open(on: disk, at: "store", options: options).journal.close()
    #expect(try Listing(on: disk).commits == [[1], [2]])
  }

  @Test func `a segment or manifest for which there is no room or file is begun later`() throws {
    for (call, code) in [
      (DiskError.Call.openFile, SystemErrorCode.tooManyOpenFiles), (.write, .noSpace),
      (.write, .quotaExceeded), (.rename, .noSpace),
    ] {
      let journal = try open()
      try journal.commit([1])
      for number in 1...3 {
        disk.faults = [SimulatedFault(.failure(code), calls: [call], number: number)]
        do throws(JournalError) { try journal.beginSegment() } catch {
          guard case .disk = error else {
            Issue.record("\(call) \(code): \(error)")
            continue
          }
        }
        disk.faults = []
        try journal.commit([2])
      }
      try journal.close()
      #expect(try Listing(on: disk).fault == nil)
    }
  }

  @Test func `a write that fails otherwise stops the journal, for nobody knows what it left`()
    throws
  {
    let journal = try open()
    disk.faults = [SimulatedFault(.failure(.inputOutput, leaving: .prefix), calls: [.write])]
    expect(.inputOutput, stops: true) { try journal.commit([1]) }
    disk.faults = []
    expect(.inputOutput, stops: true) { try journal.commit([2]) }
  }

  @Test func `upkeep that fails says so, and is tried again`() throws {
    let journal = try open()
    try journal.appendEdit([1])
    disk.advanceClock(by: 2_000_000_000)
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    expect(.noSpace, stops: false) { try journal.performUpkeep() }
    disk.faults = []
    try journal.performUpkeep()
    #expect(journal.durableFrame >= FrameNumber(1))
    try journal.close()
  }

  @Test func `closing on a full disk keeps the edits for the next opening`() throws {
    let journal = try open()
    try journal.appendEdit([1])
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.write], isLasting: true)]
    expect(.noSpace, stops: false) { try journal.close() }
    disk.faults = []
    let (again, report) = try Journal.open(on: disk, at: "store", options: .small)
    #expect(report.recoveredEditCount == 1)
    try again.close()
  }

  @Test func `what recovery has accepted is soon said to be durable`() throws {
    let journal = try open()
    try journal.commit([1])
    let image = disk.imageAfterProcessDeath()
    var options = JournalOptions.small
    options.hasUpkeepThread = true
    let again = try Journal.open(on: image, at: "store", options: options).journal
    try comesAbout("the marker is durable", on: image) { again.durableFrame > FrameNumber(1) }
    #expect(try Listing(on: image).kinds == [.batch, .idleMarker])
    try again.close()
    try journal.close()
  }

  @Test(arguments: [0, 1 << 60])
  func `the upkeep thread goes by the disk's clock, be it behind the machine's or ahead`(
    _ nanoseconds: UInt64
  ) throws {
    var options = JournalOptions.small
    options.hasUpkeepThread = true
    disk.advanceClock(by: nanoseconds)
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    try journal.commit([1])
    // A look at the clock moves it, so that the looks of the thread can be counted.
    disk.clockStep = 1
    let before = disk.steadyClock()
    let pause = Lock()
    pause.withLock { _ = pause.wait(until: PosixDisk().steadyClock() + 50_000_000) }
    #expect(disk.steadyClock() - before < 100, "it does not sleep")
    #expect(try Listing(on: disk).kinds == [.batch])
    try comesAbout("the marker is written") { journal.durableFrame == FrameNumber(2) }
    try journal.close()
  }

  @Test func `once a renaming has failed nothing is written or removed any more`() throws {
    try open().close()
    try disk.setContents("store/runs/run", [1])
    // At opening it is the edit buffer's; then a manifest's with a new segment, and one's with other attachments.
    for number in 1...3 {
      disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.rename], number: number)]
      let witness = Witness(disk, ofRenaming: number)
      if number == 1 {
        expect(.inputOutput, stops: false) { try open() }
      } else {
        let journal = try open()
        try journal.commit([1])
        if number == 2 {
          expect(.inputOutput, stops: true) { try journal.beginSegment() }
        } else {
          try journal.beginSegment()
        }
        expect(.inputOutput, stops: true) { try journal.replaceAttachments([]) }
        // As a checkpoint does with files that the manifest does not name.
        let refusal = DiskError(.remove, "run", .inputOutput, isRefusal: true)
        #expect(throws: refusal) { try journal.folder.folder("runs").remove("run") }
        expect(.inputOutput, stops: true) { try journal.close() }
      }
      #expect(witness.hasSeenIt && witness.callsAfter == [], "renaming \(number)")
      disk.onCall = nil
      disk.faults = []
      try open().close()
    }
  }

  /// The calls that would change something and come after a failed renaming.
  private final class Witness {
    private(set) var callsAfter: [DiskError.Call] = []
    private var renamings = 0
    private let number: Int
    var hasSeenIt: Bool { renamings >= number }

    init(_ disk: SimulatedDisk, ofRenaming number: Int) {
      self.number = number
      disk.onCall = { [unowned self] call in
        if hasSeenIt { callsAfter.append(call.kind) }
        if call.kind == .rename { renamings += 1 }
      }
    }
  }
}
