// Following a journal that another is writing: every frame once, in order, and none before it is durable.

import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct TailTests {
  private let disk = SimulatedDisk(seed: 5)

  private func open() throws -> Journal {
    try Journal.open(on: disk, at: "store", options: .small).journal
  }

  private func poll(_ tail: JournalTail) throws -> (frames: [UInt64], finding: Finding?) {
    var frames: [UInt64] = []
    let finding = try tail.poll { frame, _ in
      frames.append(frame.number.rawValue)
      return true
    }
    return (frames, finding)
  }

  @Test func `each durable frame is handed out once, across segments`() throws {
    let journal = try open()
    let tail = try JournalTail(at: "store", on: disk)
    var seen: [UInt64] = []
    for number in 1...60 {
      try journal.commit(Content.commit(number))
      if number % 7 == 0 { try journal.beginSegment() }
      if number % 3 == 0 {
        let (frames, finding) = try poll(tail)
        #expect(finding == nil)
        seen += frames
      }
    }
    #expect(seen == Array(1...60))
    #expect(tail.next == FrameNumber(61))
    try journal.close()
    #expect(try poll(tail).frames == [61])
    #expect(try poll(tail).frames.isEmpty)
  }

  @Test func `a frame that is only written is not handed out`() throws {
    let journal = try open()
    let tail = try JournalTail(at: "store", on: disk)
    try journal.commit([1])
    try journal.commit([2], .written)
    #expect(try poll(tail).frames == [1] && tail.isBehind)
    try journal.commit([3], .written)
    #expect(try poll(tail).frames.isEmpty && tail.isBehind)
    try journal.commit([4])
    #expect(try poll(tail).frames == [2, 3, 4] && !tail.isBehind)
    try journal.close()
  }

  @Test
  func `what nothing says to be durable after a loss of power is told, until a writer has it`()
    throws
  {
    let journal = try open()
    for number in 1...3 { try journal.commit([UInt8(number)]) }
    // Its frame is durable, and the page that counts it is not.
    let image = disk.imageAfterPowerLossOfEverythingUnsynced()
    try journal.close()
    let tail = try JournalTail(at: "store", on: image)
    #expect(try poll(tail).frames == [1, 2] && tail.isBehind)
    try Journal.open(on: image, at: "store", options: .small).journal.close()
    #expect(try poll(tail).frames == [3, 4] && !tail.isBehind)
  }

  @Test(arguments: [(0, 1 << 20), (0, 66 << 20), (0xEE, 99)])
  func `more zeros than a writer leaves are damage, also behind what is not durable yet`(
    byte: UInt8, byteCount: Int
  ) throws {
    let journal = try open()
    try journal.commit([1])
    try journal.commit([2], .written)
    let image = disk.imageAfterProcessDeath()
    try journal.close()
    let path = "store/journal/0000000001.xj"
    let bytes = try #require(image.contents(of: path))
    try image.setContents(path, bytes + [UInt8](repeating: byte, count: byteCount))
    let (frames, finding) = try poll(try JournalTail(at: "store", on: image))
    #expect(frames == [1])
    #expect(finding?.kind == (byteCount > 64 << 20 ? .notAFrame : nil))
  }

  @Test func `without the edit buffer, the seals of later frames tell what is durable`() throws {
    let journal = try open()
    for number in 1...5 { try journal.commit([UInt8(number)]) }
    try disk.folder(at: "store").remove("edits")
    let tail = try JournalTail(at: "store", on: disk)
    #expect(try poll(tail).frames == [1, 2, 3, 4])
    try journal.close()
    #expect(try poll(tail).frames == [5])
  }

  @Test func `it can begin anywhere`() throws {
    let journal = try open()
    for number in 1...10 {
      try journal.commit([UInt8(number)])
      if number % 4 == 0 { try journal.beginSegment() }
    }
    #expect(
      try poll(try JournalTail(at: "store", on: disk, from: FrameNumber(6))).frames == [
        6, 7, 8, 9, 10,
      ])
    #expect(try poll(try JournalTail(at: "store", on: disk, from: FrameNumber(99))).frames.isEmpty)
    try journal.close()
  }

  @Test func `a sealed segment without its footer is told, before the next has a durable frame`()
    throws
  {
    let journal = try open()
    for number in 1...3 { try journal.commit([UInt8(number)]) }
    try journal.beginSegment()
    let path = "store/journal/0000000001.xj"
    let whole = try #require(disk.contents(of: path))
    try disk.setContents(path, whole.dropLast(48) + [UInt8](repeating: 0, count: 48))
    let tail = try JournalTail(at: "store", on: disk)
    let (frames, finding) = try poll(tail)
    #expect(frames == [1, 2, 3])
    #expect(finding?.kind == .footerMissing)
    try journal.close()
  }

  @Test(arguments: 0..<3) func `frames before a segment that is lost are handed out, once`(
    lost: Int
  ) throws {
    let journal = try open()
    for number in 1...6 {
      try journal.commit([UInt8(number)])
      if number.isMultiple(of: 2), number < 6 { try journal.beginSegment() }
    }
    try journal.close()
    let name = "000000000\(lost + 1).xj"
    let expected = Finding(
      .segmentHeaderDamaged, "journal/" + name, expected: FrameNumber(UInt64(lost * 2 + 1)))
    let path = "store/journal/" + name
    let whole = try #require(disk.contents(of: path))
    try disk.setContents(path, whole.flipping(bit: 161))
    let tail = try JournalTail(at: "store", on: disk)
    var (frames, finding) = try poll(tail)
    #expect(frames == (1...6).prefix(lost * 2).map { UInt64($0) })
    #expect(finding == expected)
    (frames, finding) = try poll(tail)
    #expect(frames == [] && finding == expected)
    // It goes on where that was brought back.
    try disk.setContents(path, whole)
    (frames, finding) = try poll(tail)
    #expect(frames == (1...7).dropFirst(lost * 2).map { UInt64($0) } && finding == nil)
  }

  @Test func `a batch that is none is told, and not handed out`() throws {
    // Five edits from the first on, of which there is none.
    let store = StoreBuilder(payloads: [[1, 0, 0], [1, 5], [6, 0, 0]])
    let tail = try JournalTail(at: "store", on: try store.disk())
    let (frames, finding) = try poll(tail)
    #expect(frames == [1])
    #expect(finding?.kind == .batchMalformed)
  }

  @Test func `a batch that does not go on where the one before has ended is told`() throws {
    let batches = [1, 2, 4, 5].map { batchBytes(firstEdit: $0, edits: [[UInt8($0)]]) }
    let store = StoreBuilder(payloads: batches)
    let expected = Finding.Kind.editsMissing(expected: EditNumber(3), found: EditNumber(4))
    let tail = try JournalTail(at: "store", on: try store.disk())
    let (frames, finding) = try poll(tail)
    #expect(frames == [1, 2] && finding?.kind == expected)
    // Who begins behind the first does not know its edits before the next batch.
    let late = try JournalTail(at: "store", on: try store.disk(), from: FrameNumber(2))
    #expect(try poll(late).finding?.kind == expected)
    let last = try JournalTail(at: "store", on: try store.disk(), from: FrameNumber(3))
    let (lastFrames, lastFinding) = try poll(last)
    #expect(lastFrames == [3] && lastFinding == nil)
  }

  @Test func `the folder it found first is followed, also where it gets another name`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    let journal = try Journal.open(on: PosixDisk(), at: path).journal
    let tail = try JournalTail(at: path, on: PosixDisk())
    try journal.commit([1])
    #expect(try poll(tail).frames == [1])
    try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
    try journal.commit([2])
    #expect(try poll(tail).frames == [2])
    try journal.close()
  }

  @Test func `a durable frame that is damaged is told, not passed over`() throws {
    let journal = try open()
    for number in 1...3 { try journal.commit([UInt8(number)]) }
    let path = "store/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: path))
    let reader = try JournalReader(at: "store", on: disk)
    var second: UInt64 = 0
    _ = try reader.forEachFrame { frame in
      if frame.number == FrameNumber(2) { second = frame.offset }
      return true
    }
    bytes[Int(second) + 60] ^= 1
    try disk.setContents(path, bytes)
    let tail = try JournalTail(at: "store", on: disk)
    let (frames, finding) = try poll(tail)
    #expect(frames == [1])
    #expect(finding?.kind == .bodyDamaged)
    #expect(finding?.expected == FrameNumber(2))
  }

  @Test(arguments: [false, true])
  func `seals behind a damaged frame testify that it was durable, whatever the buffer says`(
    isOlder: Bool
  ) throws {
    let journal = try open()
    try journal.commit([1])
    let older = try #require(disk.contents(of: "store/edits"))
    for number in 2...5 { try journal.commit([UInt8(number)]) }
    let path = "store/journal/0000000001.xj"
    let bytes = try #require(disk.contents(of: path))
    var offsets: [Int] = []
    _ = try JournalReader(at: "store", on: disk).forEachFrame { frame in
      offsets.append(Int(frame.offset))
      return true
    }
    if isOlder {
      try disk.setContents("store/edits", older)
    } else {
      try disk.folder(at: "store").remove("edits")
    }
    // Of the last frame but one the last testifies; of the last nobody does.
    for (frame, kind) in [(2, Finding.Kind?.some(.bodyDamaged)), (4, .bodyDamaged), (5, nil)] {
      try disk.setContents(path, bytes.flipping(bit: 8 * (offsets[frame - 1] + 60)))
      let (frames, finding) = try poll(try JournalTail(at: "store", on: disk))
      #expect(frames == Array(1..<UInt64(frame)), "frame \(frame)")
      #expect(finding?.kind == kind, "frame \(frame)")
    }
    try disk.setContents(path, bytes)
    #expect(try poll(try JournalTail(at: "store", on: disk)).frames == [1, 2, 3, 4])
  }

  @Test func `a frame half written is waited for`() throws {
    let journal = try open()
    let tail = try JournalTail(at: "store", on: disk)
    try journal.commit([1])
    // The write of the next frame is split, and another process looks in between.
    var between: (frames: [UInt64], finding: Finding?)?
    disk.faults = [SimulatedFault(.short, calls: [.write])]
    var writes = 0
    disk.onCall = { [disk] call in
      guard call.kind == .write else { return }
      writes += 1
      guard writes == 2 else { return }
      let image = disk.imageAfterProcessDeath()
      do {
        between = try poll(JournalTail(at: "store", on: image))
      } catch {
        Issue.record("\(error)")
      }
    }
    try journal.commit([UInt8](repeating: 9, count: 1_500))
    disk.onCall = nil
    #expect(between?.frames == [1])
    #expect(between?.finding == nil)
    let (frames, finding) = try poll(tail)
    #expect(frames == [1, 2])
    #expect(finding == nil)
    try journal.close()
  }

  @Test func `what becomes durable while frames are handed out is no damage`() throws {
    let journal = try open()
    let tail = try JournalTail(at: "store", on: disk)
    try journal.commit([1])
    try journal.commit([2], .written)
    var seen: [UInt64] = []
    var failure: (any Error)?
    let finding = try tail.poll { frame, _ in
      seen.append(frame.number.rawValue)
      do {
        // The writer goes on meanwhile, and its later frames say that the second is durable.
        if seen.count == 1 { for number: UInt8 in 3...6 { try journal.commit([number]) } }
      } catch {
        failure = error
      }
      return true
    }
    #expect(finding == nil && failure == nil)
    #expect(seen == [1, 2, 3, 4, 5] || seen == [1, 2, 3, 4, 5, 6])
    let (rest, more) = try poll(tail)
    #expect(seen + rest == [1, 2, 3, 4, 5, 6] && more == nil)
    try journal.close()
  }

  @Test func `a frame that was not taken is handed out again, and none behind it before`() throws {
    let journal = try open()
    let tail = try JournalTail(at: "store", on: disk)
    for number: UInt8 in 1...5 { try journal.commit([number]) }
    try journal.sync()
    var seen: [UInt64] = []
    for refused: UInt64 in 1...5 {
      _ = try tail.poll { frame, _ in
        seen.append(frame.number.rawValue)
        return frame.number.rawValue < refused
      }
      #expect(tail.next == FrameNumber(refused))
    }
    #expect(seen == [1, 1, 2, 2, 3, 3, 4, 4, 5])
    #expect(try poll(tail).frames == [5])
    try journal.close()
  }
}
