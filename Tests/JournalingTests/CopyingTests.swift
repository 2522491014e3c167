// Journals are copied while they are written.

import ByteCoding
import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct CopyingTests {
  private let disk = SimulatedDisk(seed: 9)

  private func open(_ path: String = "store") throws -> Journal {
    try Journal.open(on: disk, at: path, options: .small).journal
  }

  @Test func `damage is not copied for a whole journal`() throws {
    for offset in [200, 400] {
      let disk = SimulatedDisk(seed: 11)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      try journal.fill()
      let file = try disk.folder(at: "store").folder("journal").file("0000000002.xj", .existing)
      if offset == 200 {
        let noise: [UInt8] = [1, 2, 3]
        try noise.withUnsafeBytes { try file.write($0, at: 200) }
      } else {
        try file.resize(to: try file.information().byteCount - 60)
      }
      let error = #expect(throws: JournalError.self) {
        try journal.copy(to: "copy", on: disk) { _, _ in [] }
      }
      guard case .damaged(let finding) = error else {
        return #expect(Bool(false), "\(error as Any)")
      }
      #expect(finding.file == "journal/0000000002.xj")
      #expect(throws: JournalError.self) { try JournalReader(at: "copy", on: disk) }
      try journal.close()
    }
  }

  @Test
  func `a segment that was lengthened beyond measure is refused, and not copied in its length`()
    throws
  {
    let journal = try open()
    try journal.fill()
    try journal.close()
    let path = "store/journal/0000000001.xj"
    let whole = try #require(disk.contents(of: path))
    try disk.setContents(path, whole + [UInt8](repeating: 0, count: 160 << 20))
    let again = try open()
    var written = 0
    disk.onCall = { call in
      if call.kind == .write { written += 1 }
    }
    let error = #expect(throws: JournalError.self) {
      try again.copy(to: "copy", on: disk) { _, _ in [] }
    }
    disk.onCall = nil
    guard case .damaged? = error else { return #expect(Bool(false), "\(error as Any)") }
    // A megabyte each.
    #expect((60..<80).contains(written), "\(written) writes")
    try again.close()
  }

  @Test func `a copy has all frames and edits so far, and both go on by themselves`() throws {
    let journal = try open()
    try journal.fill()
    try journal.appendEdit(Content.edit(13))
    let attachment = Manifest.Attachment(kind: 2, fileName: "one", content: [1])
    let last = try journal.copy(to: "copy", on: disk) { _, _ in [attachment] }
    #expect(last == FrameNumber(13))
    try journal.appendEdit(Content.edit(14))
    try journal.commit(Content.commit(14))
    #expect(try disk.frames("copy") == Array(1...13))
    let copy = try open("copy")
    #expect(copy.store == journal.store)
    #expect(copy.manifest.attachments == [attachment])
    try copy.appendEdit(Content.edit(14))
    try copy.commit(Content.commit(20))
    try copy.close()
    try journal.close()
    #expect(try Listing(on: disk, at: "copy").edits.count == 14)
    #expect(try Listing(on: disk).edits.count == 14)
  }

  @Test func `a copy goes only where nothing is`() throws {
    let journal = try open()
    try journal.fill()
    try open("other").close()
    #expect(throws: JournalError.storeExists(path: "other")) {
      try journal.copy(to: "other", on: disk) { _, _ in [] }
    }
    #expect(throws: JournalError.self) { try journal.copy(to: "store", on: disk) { _, _ in [] } }
    try journal.close()
  }

  @Test
  func `a copy that fails at any call leaves no store or a whole one, and the journal as it was`()
    throws
  {
    func filled() throws -> (SimulatedDisk, Journal) {
      let disk = SimulatedDisk(seed: 10)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      try journal.fill()
      try journal.sync()
      try journal.beginSegment()
      return (disk, journal)
    }
    let (whole, source) = try filled()
    let before = whole.callCount
    _ = try source.copy(to: "copy", on: whole) { _, _ in [] }
    let callCount = whole.callCount - before
    try source.close()
    var failed = 0
    for call in 1...callCount {
      let (disk, journal) = try filled()
      disk.faults = [SimulatedFault(.failure(.noSpace), number: call)]
      do {
        _ = try journal.copy(to: "copy", on: disk) { _, _ in [] }
      } catch {
        failed += 1
        disk.faults = []
        let hasManifest = try? disk.folder(at: "copy").information(of: "MANIFEST") != nil
        #expect(hasManifest != true, "call \(call)")
        // A sync of the journal's own that failed has stopped it.
        guard (try? journal.commit(Content.commit(13))) != nil else { continue }
        _ = try journal.copy(to: "copy", on: disk) { _, _ in [] }
        #expect(try Listing(on: disk, at: "copy").commits.count == 13, "call \(call)")
      }
      try journal.close()
    }
    #expect(failed > 30)
  }

  @Test func `what a failed copy cannot take away the next one does`() throws {
    let journal = try open()
    try journal.fill()
    disk.faults = [
      SimulatedFault(.failure(.inputOutput), calls: [.remove], isLasting: true),
      SimulatedFault(
        .failure(.noSpace), calls: [.write, .append], name: "MANIFEST.new", number: 2),
    ]
    let error = #expect(throws: JournalError.self) {
      try journal.copy(to: "copy", on: disk) { _, _ in [] }
    }
    #expect(error?.isOutOfSpace == true, "it is the first error that is told: \(error as Any)")
    let left = try disk.folder(at: "copy").folder("journal").names()
    #expect(!left.isEmpty)
    disk.faults = []
    _ = try journal.copy(to: "copy", on: disk) { _, _ in [] }
    #expect(try Listing(on: disk, at: "copy").commits.count == 12)
    try journal.close()
  }

  @Test func `a copy that fails leaves a store alone that has come to its path meanwhile`() throws {
    let folder = try TemporaryFolder()
    let (path, disk) = (folder.path + "/copy", PosixDisk())
    func open(_ path: String) throws -> Journal {
      try Journal.open(on: disk, at: path, options: .small).journal
    }
    let other = try open(folder.path + "/other")
    try other.commit([7])
    try other.close()
    let journal = try open(folder.path + "/store")
    try journal.fill()
    #expect(throws: JournalError.closed) {
      try journal.copy(to: path, on: disk) { (_, _) throws(JournalError) in
        do {
          try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
          try FileManager.default.moveItem(atPath: folder.path + "/other", toPath: path)
        } catch {
          Issue.record("\(error)")
        }
        throw .closed
      }
    }
    try journal.close()
    #expect(try disk.folder(at: path).names().contains("UNFINISHED-COPY") == false)
    try open(path).close()
    var frames = 0
    _ = try JournalReader(at: path, on: disk).forEachFrame { _ in
      frames += 1
      return true
    }
    #expect(frames > 0)
    // What is left of the copy has its mark.
    #expect(try disk.folder(at: path + ".moved").names().contains("UNFINISHED-COPY"))
  }

  @Test func `a copy into a folder that cannot be opened is refused before anything is copied`()
    throws
  {
    let journal = try open()
    try journal.fill()
    try disk.makeFolders("a/copy")
    let fault = SimulatedFault(
      .failure(.accessDenied), calls: [.openFolder], name: "a", isLasting: true)
    disk.faults = [fault]
    var wasBegun = false
    let error = #expect(throws: JournalError.self) {
      try journal.copy(to: "a/copy", on: disk) { _, _ in
        wasBegun = true
        return []
      }
    }
    #expect("\(error as Any)".contains("ermission"), "\(error as Any)")
    #expect(!wasBegun)
    disk.faults = []
    #expect(try disk.folder(at: "a/copy").names().filter { $0 != "LOCK" } == [])
    // One that was begun stays as it is.
    try disk.setContents("a/copy/UNFINISHED-COPY", [1])
    try disk.setContents("a/copy/edits", [1, 2, 3])
    #expect(throws: JournalError.nameless(path: "a/copy/.")) {
      try journal.copy(to: "a/copy/.", on: disk) { _, _ in [] }
    }
    #expect(disk.contents(of: "a/copy/edits") == [1, 2, 3])
    _ = try journal.copy(to: "a/copy", on: disk) { _, _ in [] }
    #expect(try disk.frames("a/copy") == Array(1...12))
    try journal.close()
  }

  @Test func `what recovery kept makes no place for a copy, and stays beside a new store`() throws {
    let journal = try open()
    try journal.fill()
    try disk.setContents("place/recovered/edits-1", [7])
    #expect(throws: JournalError.notAStore(path: "place")) {
      try journal.copy(to: "place", on: disk) { _, _ in [] }
    }
    #expect(disk.paths.filter { $0.hasPrefix("place") } == ["place/recovered/edits-1"])
    // Beside a copy that was broken off it is no store either.
    try disk.setContents("place/UNFINISHED-COPY", [1])
    #expect(throws: JournalError.notAStore(path: "place")) { try open("place") }
    #expect(throws: JournalError.notAStore(path: "place")) {
      try journal.copy(to: "place", on: disk) { _, _ in [] }
    }
    try disk.folder(at: "place").remove("UNFINISHED-COPY")
    try open("place").close()
    #expect(disk.contents(of: "place/recovered/edits-1") == [7])
    try journal.close()
  }

  /// Does something just when a place is locked.
  private func whenLocked(_ path: String, _ body: @escaping () throws -> Void) {
    disk.onCall = { [disk] call in
      guard call.kind == .openFile, call.path == path + "/LOCK" else { return }
      disk.onCall = nil
      do { try body() } catch { Issue.record("\(error)") }
    }
  }

  @Test func `no store is made where somebody has just begun a copy`() throws {
    let source = try open()
    try source.commit([1])
    whenLocked("copy") { [disk] in try disk.setContents("copy/UNFINISHED-COPY", [1]) }
    #expect(throws: JournalError.notAStore(path: "copy")) { try open("copy") }
    // It is the copy's place still.
    _ = try source.copy(to: "copy", on: disk) { _, _ in [] }
    #expect(try Listing(on: disk, at: "copy").commits == [[1]])
    try source.close()
  }

  @Test func `a copy that is called whole while it is opened opens`() throws {
    let source = try open()
    try source.commit([1])
    _ = try source.copy(to: "copy", on: disk) { _, _ in [] }
    try disk.setContents("copy/UNFINISHED-COPY", [1])
    whenLocked("copy") { [disk] in try disk.folder(at: "copy").remove("UNFINISHED-COPY") }
    try open("copy").close()
    try source.close()
  }

  @Test(arguments: [false, true])
  func `no loss of power makes a copy anything but nothing, unfinished, or whole`(
    isSecondAttempt: Bool
  ) throws {
    // A journal of one segment, so that few calls are many states.
    let seed: UInt64 = 71
    var (states, unfinished, whole) = (0, 0, 0)
    let disk = SimulatedDisk(seed: seed)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    for number in 1...4 { try journal.commit(Content.commit(number)) }
    if isSecondAttempt {
      _ = try journal.copy(to: "copy", on: disk) { _, _ in [] }
      try disk.setContents("copy/UNFINISHED-COPY", [1])
    }

    func look(_ image: SimulatedDisk, hasReturned: Bool, _ comment: Comment) throws {
      states += 1
      let marked = image.paths.contains("copy/UNFINISHED-COPY")
      if image.paths.contains("copy/MANIFEST"), !marked { whole += 1 } else { unfinished += 1 }
      if hasReturned { #expect(!marked, comment) }
      // Whoever opens it finds all of it, or no store.
      let opened = image.imageAfterProcessDeath()
      do throws(JournalError) {
        let journal = try Journal.open(on: opened, at: "copy", making: .never, options: .small)
          .journal
        try journal.close()
        #expect(try Listing(on: opened, at: "copy").commits.count == 4, comment)
      } catch {
        let isNone = error == .notAStore(path: "copy") || error == .storeMissing(path: "copy")
        #expect(isNone && !hasReturned, "\(comment): \(error)")
      }
      let again = try Journal.open(on: image, at: "store", options: .small).journal
      do throws(JournalError) {
        _ = try again.copy(to: "copy", on: image) { _, _ in [] }
        #expect(!hasReturned, comment)
      } catch {
        #expect(error == .storeExists(path: "copy") && !marked, comment)
      }
      #expect(try Listing(on: image, at: "copy").commits.count == 4, comment)
      try Journal.open(on: image, at: "copy", options: .small).journal.close()
      try again.close()
    }
    func lookAtAll(hasReturned: Bool, limit: Int) throws {
      let losses = disk.powerLossStates(limit: limit, seed: seed)
      for (index, choice) in losses.enumerated() {
        try look(
          disk.image(after: choice), hasReturned: hasReturned,
          "call \(disk.callCount), state \(index), seed \(seed)")
      }
    }
    disk.onCall = { _ in
      do { try lookAtAll(hasReturned: false, limit: 24) } catch { Issue.record("\(error)") }
    }
    _ = try journal.copy(to: "copy", on: disk) { _, _ in [] }
    disk.onCall = nil
    try lookAtAll(hasReturned: true, limit: 500)
    try journal.close()
    #expect(states > 400 && unfinished > 100 && whole > 1, "\(states), \(unfinished), \(whole)")
  }
}
