// Segments are dropped from the front of a journal.

import ByteCoding
import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct DroppingTests {
  private let disk = SimulatedDisk(seed: 9)

  private func open(_ path: String = "store") throws -> Journal {
    try Journal.open(on: disk, at: path, options: .small).journal
  }

  private func names(_ path: String = "store") throws -> [String] {
    try disk.folder(at: path).folder("journal").names()
  }

  @Test func `segments before a frame are dropped with their files, and nothing else is`() throws {
    let journal = try open()
    try journal.fill()
    let attachment = Manifest.Attachment(kind: 2, fileName: "one", content: [1])
    try journal.replaceAttachments([attachment], droppingBefore: FrameNumber(6))
    #expect(try names() == ["0000000002.xj", "0000000003.xj", "0000000004.xj"])
    #expect(try disk.frames() == Array(4...12))
    try journal.replaceAttachments([attachment], droppingBefore: FrameNumber(1_000))
    #expect(try disk.frames() == Array(10...12))
    #expect(journal.manifest.attachments == [attachment])
    try journal.appendEdit(Content.edit(13))
    try journal.commit(Content.commit(13))
    try journal.close()
    let again = try open()
    #expect(try disk.frames() == Array(10...14))
    try again.close()
  }

  @Test func `files that an earlier dropping left behind go with the next, and no others`() throws {
    let journal = try open()
    try journal.fill()
    _ = try disk.folder(at: "store").folder("journal").file("0000000001.txt", .new)
    disk.faults = [SimulatedFault(.failure(.inputOutput), calls: [.remove], isLasting: true)]
    #expect(throws: JournalError.self) {
      try journal.replaceAttachments([], droppingBefore: FrameNumber(4))
    }
    disk.faults = []
    #expect(journal.manifest.segments.map(\.number.rawValue) == [2, 3, 4])
    #expect(try names().count == 5)
    try journal.replaceAttachments([], droppingBefore: FrameNumber(1))
    #expect(
      try names() == ["0000000001.txt", "0000000002.xj", "0000000003.xj", "0000000004.xj"])
    try journal.close()
  }

  @Test func `who asks for frames that were dropped is told so, and never that they are damaged`()
    throws
  {
    let journal = try open()
    try journal.fill()
    let tail = try JournalTail(at: "store", on: disk)
    let before = try JournalReader(at: "store", on: disk)
    let files = try FrameFiles(in: journal.folder, journal.manifest)
    var places: [FramePlace] = []
    _ = try before.forEachFrame {
      places.append($0.place)
      return true
    }
    try journal.replaceAttachments([], droppingBefore: FrameNumber(8))
    let dropped = JournalError.framesDropped(before: FrameNumber(7))
    #expect(throws: dropped) { try tail.poll { _, _ in true } }
    #expect(throws: dropped) { try before.forEachFrame { _ in true } }
    #expect(throws: dropped) { try files.frame(at: places[0]) }
    #expect(try files.frame(at: places[8]).number == FrameNumber(9))
    let after = try JournalReader(at: "store", on: disk)
    #expect(throws: dropped) { try after.forEachFrame(from: FrameNumber(6)) { _ in true } }
    #expect(try after.forEachFrame { _ in true }.next == FrameNumber(13))
    let later = try JournalTail(at: "store", on: disk, from: FrameNumber(7))
    var seen: [UInt64] = []
    let finding = try later.poll { frame, _ in
      seen.append(frame.number.rawValue)
      return true
    }
    #expect(finding == nil)
    #expect(seen == Array(7...12))
    try journal.close()
  }
}
