// Who may open a store, where a store may be made, and what is said to those who may not.

import DiskAccess
import DiskSimulation
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct OpeningTests {
  private let disk = SimulatedDisk(seed: 2)

  @discardableResult
  private func open(
    _ path: String = "store", making: Journal.Making = .ifMissing,
    _ change: (inout JournalOptions) -> Void = { _ in }
  ) throws -> Journal {
    var options = JournalOptions.small
    change(&options)
    return try Journal.open(on: disk, at: path, making: making, options: options).journal
  }

  @Test func `a second opening in this process is refused, and the first goes on`() throws {
    let first = try open()
    #expect(throws: JournalError.alreadyOpen(path: "store")) { try open() }
    try first.commit([1])
    try first.close()
    try open().close()
  }

  @Test func `a store that another process writes is refused with that process named`() throws {
    try open().close()
    let folder = try disk.folder(at: "store")
    let holder = try folder.file("LOCK", .existing)
    #expect(try holder.lock())
    try holder.resize(to: 0)
    _ = try Array("process 4711\n".utf8).withUnsafeBytes { try holder.append($0) }
    #expect(throws: JournalError.inUse(path: "store", holder: "process 4711")) { try open() }
    try holder.resize(to: 0)
    #expect {
      try open()
    } throws: { "\($0)".contains("did not say") }
    try holder.close()
    try open().close()
  }

  @Test func `who takes the lock's file for stale and removes it does not get the store`() throws {
    let first = try open()
    try first.commit([1])
    try disk.folder(at: "store").remove("LOCK")
    #expect(throws: JournalError.alreadyOpen(path: "store")) { try open() }
    try first.commit([2])
    try first.close()
    try open().close()
    #expect(try Listing(on: disk, at: "store").commits == [[1], [2]])
  }

  @Test func `another process does not get it either, though the file says nothing of the holder`()
    throws
  {
    try open().close()
    // As a writer holds it whose file was removed.
    let folder = try disk.folder(at: "store")
    #expect(try folder.lock())
    try folder.remove("LOCK")
    #expect(throws: JournalError.inUse(path: "store", holder: "which did not say its number")) {
      try open()
    }
    folder.unlock()
    try open().close()
  }

  @Test func `the lock is free as soon as its holder is dead`() throws {
    let journal = try open()
    try journal.commit([1])
    let after = disk.imageAfterProcessDeath()
    try Journal.open(on: after, at: "store", options: .small).journal.close()
    try journal.close()
  }

  @Test func `no store is made where none was asked for`() throws {
    #expect(throws: JournalError.storeMissing(path: "store")) { try open(making: .never) }
    #expect(disk.paths.isEmpty)
    try disk.makeFolders("store")
    #expect(throws: JournalError.storeMissing(path: "store")) { try open(making: .never) }
    #expect(throws: JournalError.storeMissing(path: "store")) {
      try JournalReader(at: "store", on: disk)
    }
    #expect(throws: JournalError.storeMissing(path: "none")) {
      try JournalReader(at: "none", on: disk)
    }
  }

  @Test func `a folder with other files is left alone`() throws {
    try disk.makeFolders("store")
    try disk.setContents("store/letter.txt", [1, 2, 3])
    #expect(throws: JournalError.notAStore(path: "store")) { try open() }
    #expect(disk.paths == ["store", "store/letter.txt"] || disk.paths == ["store/letter.txt"])
  }

  @Test func `a journal folder with other files is left alone`() throws {
    try disk.makeFolders("store/journal")
    try disk.setContents("store/journal/letter.txt", [1, 2, 3])
    #expect(throws: JournalError.notAStore(path: "store")) { try open() }
    #expect(disk.contents(of: "store/journal/letter.txt") == [1, 2, 3])
  }

  @Test func `an empty segment beside other files is nobody's store, and stays`() throws {
    try disk.makeFolders("store/journal")
    try disk.setContents("store/journal/0000000001.xj", [])
    try disk.setContents("store/letter.txt", [1, 2, 3])
    #expect(throws: JournalError.notAStore(path: "store")) { try open() }
    #expect(throws: JournalError.storeMissing(path: "store")) {
      try JournalReader(at: "store", on: disk)
    }
    #expect(disk.contents(of: "store/letter.txt") == [1, 2, 3])
    #expect(disk.contents(of: "store/journal/0000000001.xj") == [])
  }

  @Test(arguments: ["", "/", ".", "a/."])
  func `no store is made at a path that names no folder of its own`(path: String) throws {
    #expect(throws: JournalError.nameless(path: path)) { try open(path) }
    #expect(throws: JournalError.storeMissing(path: path)) { try open(path, making: .never) }
    #expect(disk.paths.isEmpty)
  }

  @Test func `nor is it at one that goes back up`() throws {
    let folder = try TemporaryFolder()
    for path in ["/none/..", "/..", ""].map({ folder.path + $0 + "/." }) {
      #expect(throws: JournalError.self) {
        try Journal.open(on: PosixDisk(), at: path, options: .small)
      }
    }
    #expect(throws: JournalError.nameless(path: folder.path + "/none/..")) {
      try Journal.open(on: PosixDisk(), at: folder.path + "/none/..", options: .small)
    }
    #expect(try PosixDisk().folder(at: folder.path).names() == [])
  }

  @Test func `what keeps a store from opening is told also from within its folder`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    for code in [SystemErrorCode.tooManyOpenFiles, .inputOutput] {
      disk.faults = [SimulatedFault(.failure(code), calls: [.openFolder])]
      #expect {
        try open("store/.")
      } throws: { error in
        guard case .disk(let cause) = error as? JournalError else { return false }
        return cause.code == code
      }
    }
    disk.faults = []
    try disk.folder(at: "store").remove("MANIFEST")
    let before = files()
    let damage = JournalError.damaged(Finding(.manifestMissing, "MANIFEST"))
    #expect(throws: damage) { try open("store/.") }
    #expect(throws: damage) { try open("store/.", making: .never) }
    #expect(files() == before)
  }

  @Test func `what an attempt to make a store has left makes none from within`() throws {
    try disk.makeFolders("store/journal")
    #expect(throws: JournalError.nameless(path: "store/.")) { try open("store/.") }
    #expect(throws: JournalError.storeMissing(path: "store/.")) {
      try open("store/.", making: .never)
    }
  }

  @Test func `a store that is there is opened from within its folder`() throws {
    try open().close()
    try open("store/.").close()
    #expect(try JournalReader(at: "store/.", on: disk).manifest.segments.count == 1)
  }

  @Test func `the folder that a store is in is opened only where a store is made`() throws {
    try disk.makeFolders("a")
    try open("a/b").close()
    disk.isTracing = true
    try open("a/b").close()
    #expect(!disk.trace.isEmpty)
    #expect(!disk.trace.contains { $0.hasSuffix(" openFolder a") })
    try open("a/c").close()
    #expect(disk.trace.contains { $0.hasSuffix(" openFolder a") })
    #expect(throws: JournalError.storeMissing(path: "no/store")) {
      try open("no/store", making: .never)
    }
  }

  @Test(arguments: ["/store", "store/", "store///", "a/b"])
  func `a path may be relative, absolute, deep, or end in slashes`(path: String) throws {
    try disk.makeFolders("a")
    try open(path).close()
    #expect(try JournalReader(at: path, on: disk).manifest.segments.count == 1)
  }

  @Test func `a network file system is refused unless asked for`() throws {
    disk.fileSystemKind = FileSystemKind(magicNumber: 0x6969)
    #expect(throws: JournalError.networkFileSystem(path: "store", name: "NFS")) { try open() }
    try open { $0.allowsNetworkFileSystems = true }.close()
  }

  @Test func `a store without its manifest is damaged, not new`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    try disk.folder(at: "store").remove("MANIFEST")
    expectDamage(.manifestMissing)
    #expect(try disk.folder(at: "store/journal").names() == ["0000000001.xj"])
  }

  @Test func `who reads a store without its manifest is told of damage, not that there is none`()
    throws
  {
    let damage = JournalError.damaged(Finding(.manifestMissing, "MANIFEST"))
    var journal: Journal? = try open()
    try journal?.appendEdit([1, 2, 3])
    try disk.folder(at: "store").remove("MANIFEST")
    #expect(throws: damage) { try JournalReader(at: "store", on: disk) }
    try disk.setContents("store/edits", [])
    #expect(throws: JournalError.storeMissing(path: "store")) {
      try JournalReader(at: "store", on: disk)
    }
    journal = nil
    let other = try open("other")
    try other.commit([1])
    try other.close()
    try disk.folder(at: "other").remove("MANIFEST")
    try disk.folder(at: "other").remove("edits")
    #expect(throws: damage) { try JournalReader(at: "other", on: disk) }
    // In a copy that is not whole nothing is lost that is not elsewhere.
    try disk.setContents("other/UNFINISHED-COPY", [])
    #expect(throws: JournalError.storeMissing(path: "other")) {
      try JournalReader(at: "other", on: disk)
    }
  }

  @Test func `a journal without its manifest is damaged also beside files of the rooms above`()
    throws
  {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    try disk.folder(at: "store").remove("MANIFEST")
    try disk.setContents("store/snapshots.txt", [1])
    expectDamage(.manifestMissing)
    // What only looks like a journal is somebody else's.
    for contents in [[UInt8](), [1, 2, 3]] {
      let path = contents.isEmpty ? "empty" : "foreign"
      try disk.makeFolders(path)
      try disk.setContents(path + "/journal", [7])
      try disk.setContents(path + "/edits", contents)
      #expect(throws: JournalError.notAStore(path: path)) { try open(path) }
      #expect(throws: JournalError.storeMissing(path: path)) {
        try JournalReader(at: path, on: disk)
      }
    }
  }

  @Test func `edits in a buffer without a manifest are damage, and stay where they are`() throws {
    var journal: Journal? = try open()
    try journal?.appendEdit([1, 2, 3])
    journal = nil
    try disk.folder(at: "store").remove("MANIFEST")
    let edits = disk.contents(of: "store/edits")
    expectDamage(.manifestMissing)
    #expect(disk.contents(of: "store/edits") == edits)
  }

  @Test(arguments: [false, true])
  func
    `of a store of which the edits alone are left both who reads and who writes is told of damage`(
      hasFolder: Bool
    ) throws
  {
    var journal: Journal? = try open()
    try journal?.appendEdit([1, 2, 3])
    let edits = try #require(disk.contents(of: "store/edits"))
    journal = nil
    try disk.setContents("left/edits", edits)
    try disk.setContents("left/LOCK", [])
    if hasFolder { try disk.makeFolders("left/journal") }
    let damage = JournalError.damaged(Finding(.manifestMissing, "MANIFEST"))
    #expect(throws: damage) { try JournalReader(at: "left", on: disk) }
    #expect(throws: damage) { try open("left") }
    #expect(disk.contents(of: "left/edits") == edits)
    // Beside other files a file of this name may be anybody's.
    try disk.setContents("left/letter.txt", [1])
    #expect(throws: JournalError.storeMissing(path: "left")) {
      try JournalReader(at: "left", on: disk)
    }
    #expect(throws: JournalError.notAStore(path: "left")) { try open("left") }
  }

  @Test func `a store that is made while somebody looks for it has not lost its manifest`() throws {
    let journal = try open()
    try journal.appendEdit([1])
    try journal.commit([1])
    let manifest = try #require(disk.contents(of: "store/MANIFEST"))
    for name in ["journal", "0000000001.xj"] {
      try disk.folder(at: "store").remove("MANIFEST")
      let watched = WatchedDisk(disk)
      var wasMade = false
      watched.onLook = { [disk] looked in
        guard looked == name, !wasMade else { return }
        wasMade = true
        do { try disk.setContents("store/MANIFEST", manifest) } catch { Issue.record("\(error)") }
      }
      #expect(try JournalReader(at: "store", on: watched).manifest == journal.manifest)
      #expect(wasMade, "\(name)")
    }
    try journal.close()
  }

  @Test func `a store that has lost its manifest is damaged also to who would not make one`() throws
  {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    try disk.folder(at: "store").remove("MANIFEST")
    let damage = JournalError.damaged(Finding(.manifestMissing, JournalFiles.manifest))
    #expect(throws: damage) { try open(making: .never) }
  }

  @Test func `what an attempt to make a store has left is no store, and stays as it is`() throws {
    try disk.folder(at: "").makeFolder("store")
    try disk.folder(at: "store").makeFolder("journal")
    #expect(throws: JournalError.storeMissing(path: "store")) { try open(making: .never) }
    #expect(try disk.folder(at: "store/journal").names() == [])
    try open().close()
  }

  @Test func `two that make the same store at once do not fail for its folder`() throws {
    disk.onCall = { [disk] call in
      guard call.kind == .makeFolder else { return }
      disk.onCall = nil
      do { try disk.folder(at: "").makeFolder("store") } catch { Issue.record("\(error)") }
    }
    try open().close()
    disk.faults = [SimulatedFault(.failure(.noSpace), calls: [.makeFolder])]
    #expect(throws: JournalError.self) { try open("other") }
  }

  @Test func `a hole behind the frames is not read to its end`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    let path = "store/journal/0000000001.xj"
    let whole = try #require(disk.contents(of: path))
    let file = try disk.folder(at: "store/journal").file("0000000001.xj", .existing)
    let end = whole.lastIndex { $0 != 0 }.map { UInt64($0) + 1 + 4 } ?? 0
    try file.resize(to: end + Limits.zerosByteCount)
    try open().close()
    try file.resize(
      to: end + Limits.zerosByteCount + UInt64(JournalOptions.small.windowByteCount) * 2)
    disk.isTracing = true
    expectDamage(.notAFrame)
    let reads = disk.trace.filter { $0.contains(" read \(path)") }
    #expect((1...8).contains(reads.count), "the file's front is read, and no more")
    try file.close()
  }

  @Test func `a manifest older than the journal is damage, and no segment is overwritten`() throws {
    let journal = try open()
    try journal.commit([1])
    let old = try #require(disk.contents(of: "store/MANIFEST"))
    try journal.beginSegment()
    try journal.commit([2])
    try journal.close()
    let second = disk.contents(of: "store/journal/0000000002.xj")
    try disk.setContents("store/MANIFEST", old)
    expectDamage(.segmentUnlisted)
    #expect(disk.contents(of: "store/journal/0000000002.xj") == second)
  }

  @Test func `a sealed segment that is gone or cut is damage even if it is not read`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.beginSegment()
    try journal.commit([2])
    try journal.close()
    let path = "store/journal/0000000001.xj"
    let bytes = try #require(disk.contents(of: path))
    try disk.setContents(path, bytes.dropLast())
    expectDamage(.segmentCutShort)
    try disk.folder(at: "store/journal").remove("0000000001.xj")
    expectDamage(.segmentMissing)
  }

  @Test func `a journal folder or active segment that is gone is damage`() throws {
    try open().close()
    try disk.folder(at: "store/journal").remove("0000000001.xj")
    expectDamage(.segmentMissing)
    let other = SimulatedDisk(seed: 3)
    try other.makeFolders("store")
    try other.setContents("store/MANIFEST", try #require(disk.contents(of: "store/MANIFEST")))
    let damage = JournalError.damaged(Finding(.segmentMissing, "journal"))
    #expect(throws: damage) { try Journal.open(on: other, at: "store", options: .small) }
    // Who reads has the manifest still, and what is attached there.
    let first = Finding(.segmentMissing, "journal/0000000001.xj", expected: FrameNumber(1))
    let reader = try JournalReader(at: "store", on: other)
    #expect(throws: JournalError.damaged(first)) { try reader.forEachFrame { _ in true } }
    #expect(try JournalTail(at: "store", on: other).poll { _, _ in true } == first)
  }

  @Test func `the segment of another store is not taken for ours`() throws {
    try open().close()
    try open("other").close()
    let foreign = try #require(disk.contents(of: "other/journal/0000000001.xj"))
    try disk.setContents("store/journal/0000000001.xj", foreign)
    expectDamage(.segmentForeign)
  }

  @Test func `an edit buffer that is missing, damaged or foreign is told and costs nothing sealed`()
    throws
  {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    try open("other").close()
    let own = try #require(disk.contents(of: "store/edits"))
    let foreign = try #require(disk.contents(of: "other/edits"))
    for (bytes, kind) in [
      (nil, Finding.Kind.editBufferMissing), (Array(own.prefix(100)), .editBufferDamaged),
      ([], .editBufferDamaged), (foreign, .editBufferForeign),
    ] {
      if let bytes {
        try disk.setContents("store/edits", bytes)
      } else {
        try disk.folder(at: "store").remove("edits")
      }
      let (journal, report) = try Journal.open(on: disk, at: "store", options: .small)
      #expect(report.findings.map(\.kind) == [kind])
      try journal.close()
      #expect(try Listing(on: disk).commits == [[1]])
    }
  }

  @Test func `a checkpoint's word that a frame was durable is believed`() throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    #expect {
      try Journal.open(on: disk, at: "store", options: .small, knownDurable: FrameNumber(9))
    } throws: { error in
      guard case .damaged(let finding) = error as? JournalError else { return false }
      return finding.kind == .framesLost(through: FrameNumber(9))
    }
  }

  /// All files but that of the lock, which says who holds it.
  private func files() -> [String: [UInt8]?] {
    let paths = disk.paths.filter { $0 != "store/LOCK" }
    return Dictionary(uniqueKeysWithValues: paths.map { ($0, disk.contents(of: $0)) })
  }

  @Test(arguments: ["LOCK", "edits.new", "MANIFEST.new", "journal/0000000001.xj"])
  func `a file that has another name elsewhere is not written to`(name: String) throws {
    let journal = try open()
    try journal.commit([1])
    try journal.close()
    try disk.setContents("letter", disk.contents(of: "store/" + name) ?? [1, 2, 3])
    let letter = disk.contents(of: "letter")
    if disk.contents(of: "store/" + name) != nil {
      try disk.folder(at: name.hasPrefix("j") ? "store/journal" : "store")
        .remove(name.split(separator: "/").last.map(String.init) ?? "")
    }
    try disk.link("letter", to: "store/" + name)
    #expect {
      let journal = try open()
      try journal.beginSegment()
      try journal.close()
    } throws: { error in
      guard let error = error as? JournalError else { return false }
      switch error {
      case .disk(let cause): return cause.code == .tooManyLinks
      default: return false
      }
    }
    #expect(disk.contents(of: "letter") == letter)
  }

  private func expectDamage(
    _ kind: Finding.Kind, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let before = files()
    #expect(sourceLocation: sourceLocation) {
      try open()
    } throws: { error in
      guard case .damaged(let finding) = error as? JournalError else { return false }
      return finding.kind == kind
    }
    #expect(before == files(), sourceLocation: sourceLocation)
  }
}
