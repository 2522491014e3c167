// What a full disk leaves of what is written in pieces.

import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct FullDiskTests {
  private let disk = SimulatedDisk(seed: 6)

  private func open() throws -> Journal {
    try Journal.open(on: disk, at: "store", options: .small).journal
  }

  /// How many bytes the disk still takes.
  private func room() throws -> UInt64 {
    let file = try disk.folder(at: "").file("probe", .emptied)
    var fits = true
    while fits {
      do {
        try [UInt8](repeating: 1, count: 1 << 16).withUnsafeBytes { bytes in
          _ = try file.append(bytes)
        }
      } catch let error as DiskError {
        #expect(error.isOutOfSpace)
        fits = false
      }
    }
    let room = try file.information().byteCount
    try file.resize(to: 0)
    return room
  }

  private func leaveRoom(of byteCount: UInt64) throws {
    let capacity: UInt64 = 4 << 20
    disk.capacityByteCount = capacity
    disk.capacityByteCount = try capacity - room() + byteCount
    #expect(try room() == byteCount)
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var dice = Dice(seed: 23)
    return (0..<count).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
  }

  private func expectNoRoom(_ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      if case .disk(let cause) = error as? JournalError { cause.isOutOfSpace } else { false }
    }
  }

  @Test(arguments: [false, true])
  func `what is too large for a full disk leaves nothing, and the room to what fits`(
    isCommit: Bool
  ) throws {
    let journal = try open()
    try journal.commit([1])
    try leaveRoom(of: 40_000)
    let small = Self.noise(20_000)
    for _ in 0..<20 {
      expectNoRoom {
        let large = Self.noise(60_000)
        if isCommit { try journal.commit(large) } else { try journal.appendEdit(large) }
      }
      #expect(try room() == 40_000)
    }
    if isCommit { try journal.commit(small) } else { try journal.appendEdit(small) }
    disk.capacityByteCount = nil
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.commits == (isCommit ? [[1], small] : [[1]]))
    #expect(content.edits == (isCommit ? [] : [small]))
    #expect(content.fault == nil)
  }

  @Test func `what fits only compressed is written`() throws {
    let journal = try open()
    try journal.commit([1])
    try leaveRoom(of: 40_000)
    let large = [UInt8](repeating: 7, count: 200_000)
    try journal.commit(large)
    try journal.appendEdit(large)
    disk.capacityByteCount = nil
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.commits == [[1], large] && content.edits == [large])
  }

  @Test func `room that was made and not needed is given back`() throws {
    let journal = try open()
    try journal.commit([1])
    try leaveRoom(of: 1 << 20)
    try journal.commit([UInt8](repeating: 7, count: 200_000))
    #expect(try room() > 1 << 20 - 20_000)
    try journal.close()
  }

  @Test func `where room cannot be made sure of, what is large is written all the same`() throws {
    for code in [SystemErrorCode.notSupported, .invalid] {
      let disk = SimulatedDisk(seed: 7)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      disk.faults = [SimulatedFault(.failure(code), calls: [.allocate], isLasting: true)]
      let large = Self.noise(60_000)
      try journal.commit(large)
      try journal.appendEdit(large)
      try journal.close()
      let content = try Listing(on: disk)
      #expect(content.commits == [large] && content.edits == [large])
    }
  }

  @Test func `room that is there already is not made again`() throws {
    var options = JournalOptions.small
    options.preallocatedByteCount = 1 << 16
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    try journal.commit([1])
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.allocate], isLasting: true)]
    let large = Self.noise(20_000)
    try journal.commit(large)
    try journal.close()
    #expect(try Listing(on: disk).commits == [[1], large])
  }

  @Test func `a disk that fails where room is made stops the journal, and loses nothing`() throws {
    let journal = try open()
    try journal.commit([1])
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.allocate])]
    #expect {
      try journal.commit(Self.noise(60_000))
    } throws: { error in
      if case .stopped(let cause) = error as? JournalError {
        cause.call == .allocate
      } else {
        false
      }
    }
    let content = try Listing(on: disk.imageAfterProcessDeath())
    #expect(content.commits == [[1]] && content.fault == nil)
  }

  @Test func `no room is made behind a segment that was sealed before the disk was full`() throws {
    let journal = try open()
    try journal.commit([1])
    disk.faults = [SimulatedFault(.failure(.tooManyOpenFiles), calls: [.openFile], isLasting: true)]
    #expect(throws: JournalError.self) { try journal.beginSegment() }
    let segment = "store/journal/0000000001.xj"
    let sealed = try #require(disk.contents(of: segment))
    #expect(throws: JournalError.self) { try journal.commit(Self.noise(60_000)) }
    #expect(disk.contents(of: segment) == sealed)
    disk.faults = []
    let large = Self.noise(60_000)
    try journal.commit(large)
    #expect(disk.contents(of: segment) == sealed)
    try journal.close()
    let content = try Listing(on: disk)
    #expect(content.commits == [[1], large] && content.fault == nil)
    try open().close()
  }
}
