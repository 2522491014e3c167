import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// Of a damaged journal what can be read is shown, on both sides of what cannot.
@Suite struct PassedDamageTests {
  /// Damages a segment in the midst of its frames, or at another part of them.
  static func damage(
    _ number: Int, at part: Double = 0.5, on disk: SimulatedDisk
  ) throws {
    let path = "\(Journals.path)/journal/000000000\(number).xj"
    var bytes = try #require(disk.contents(of: path))
    let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    bytes[Int(Double(length) * part)] ^= 0x55
    try disk.setContents(path, bytes)
  }

  private static func numbers(in output: String) -> [Int] {
    output.split(separator: "\n").compactMap { line in
      line.firstMatch(of: /"kind":"commit","number":(\d+)/).flatMap { Int($0.output.1) }
    }
  }

  @Test func `the log goes on behind a hole in both directions, and names what it passes over`()
    throws
  {
    let disk = try LongJournal.make(.late)
    try Self.damage(2, on: disk)
    let back = Upkeep.run("log --json", on: disk)
    let forward = Upkeep.run("log --reverse --json", on: disk)
    let numbers = Self.numbers(in: back.output)
    #expect(back.status == .damage && forward.status == .damage, "\(back) \(forward)")
    #expect(Self.numbers(in: forward.output) == numbers.reversed())
    let lost = (1...24).filter { !numbers.contains($0) }
    let (first, last) = (try #require(lost.first), try #require(lost.last))
    #expect(first > 6 && last == 12 && lost.count == last - first + 1, "\(lost)")
    for line in ["log", "log --reverse", "log -n 20", "log -p", "log --stat --since 2"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage, "\(run)")
      #expect(run.errors.contains("commits \(first) to \(last) cannot be read"), "\(run)")
      #expect(run.errors.contains("journal/0000000002.xj, byte"), "\(run)")
      #expect(run.output.contains("commit 2  ") || line.hasPrefix("log -n"), "\(run)")
    }
    // Who asks for what is whole is told of nothing else.
    for line in ["log -n 3", "log --until 4", "show 2", "get Blog/1"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    }
    for text in back.errors.split(separator: "\n") {
      let document = try JSONValue(parsing: Array(text.utf8)).object
      #expect(["note", "error"].contains(document?["kind"]?.string), "\(text)")
    }
  }

  @Test func `what can be counted is counted, and the rest is told`() throws {
    let disk = try LongJournal.make(.late)
    let whole = Upkeep.run("stats --json", on: disk)
    #expect(whole.status == .fine && !whole.output.contains("unread"), "\(whole)")
    try Self.damage(2, on: disk)
    let run = Upkeep.run("stats", on: disk)
    #expect(run.status == .damage && run.output.contains("not counted\n"), "\(run)")
    #expect(run.output.contains("Blog  24") && run.errors.contains("0000000002.xj"), "\(run)")
    let document = try JSONValue(parsing: Array(Upkeep.run("stats --json", on: disk).output.utf8))
    #expect(document.object?["unread"]?.array?.count == 1, "\(document)")
    #expect(document.object?["events"]?.object?["saved"] != nil, "\(document)")
  }

  @Test func `events, replay and report go on behind a hole`() throws {
    let disk = try LongJournal.make(.late)
    try Self.damage(2, on: disk)
    for line in ["events", "export --format events", "replay"] {
      let run = Upkeep.run("\(line) --json", on: disk)
      #expect(run.status == .damage && run.errors.contains("events are missing"), "\(run.errors)")
      for number in [1, 6, 13, 24] {
        #expect(run.output.contains("\"commit\":\(number)}"), "\(line): \(number)")
      }
      #expect(!run.output.contains("\"commit\":11}"), "\(line)")
    }
    let report = Upkeep.run("report --json", on: disk)
    #expect(report.status == .damage && report.errors.contains("12 cannot be read"), "\(report)")
    #expect(Self.numbers(in: report.output) == Array(13...24))
    let page = Upkeep.run("report", on: disk).output
    #expect(page.contains("12 cannot be read") && page.contains("<td>24</td>"), "\(page.count)")
  }

  @Test func `where the last commit cannot be read the rest is told all the same`() throws {
    let disk = try LongJournal.make(.late)
    try Self.damage(4, at: 0.2, on: disk)
    let info = Upkeep.run("info", on: disk)
    #expect(info.status == .damage, "\(info)")
    for word in ["entities  Blog", "20, the last of which cannot be read", "size"] {
      #expect(info.output.contains(word), "\(word): \(info)")
    }
    let log = Upkeep.run("log --json", on: disk)
    #expect(log.status == .damage && Self.numbers(in: log.output).last == 1, "\(log)")
    #expect(Self.numbers(in: log.output).first.map { (18...19).contains($0) } == true, "\(log)")
  }

  @Test func `the history of an object is told on both sides of a hole`() throws {
    let disk = try Chronicle.make()
    let whole = Upkeep.run("history Post/1", on: disk).output.split(separator: "\n")
    try Self.damage(2, on: disk)
    let run = Upkeep.run("history Post/1", on: disk)
    let lines = run.output.split(separator: "\n")
    #expect(run.status == .damage && run.errors.contains("12 cannot be read"), "\(run)")
    // What is told is what was told of the whole, in that order.
    #expect(lines.count < whole.count && lines == whole.filter { lines.contains($0) }, "\(run)")
    for number in [1, 2, 6, 13, 24] {
      #expect(lines.contains { $0.hasPrefix("commit \(number) ") }, "\(number)")
      let told = lines.filter { $0.hasPrefix("commit \(number) ") }
      #expect(told == whole.filter { $0.hasPrefix("commit \(number) ") }, "\(told)")
    }
    let key = Upkeep.run("history Post/1 likes", on: disk).output.split(separator: "\n")
    #expect(key == lines.filter { $0.contains("likes: ") })
    let log = Upkeep.run("log --id Post/1 --json", on: disk)
    #expect(Self.numbers(in: log.output).contains(1) && log.errors.contains("12 cannot be read"))
    let blame = Upkeep.run("blame Post/1", on: disk)
    #expect(blame.status == .damage && blame.output.contains("commit 24 "), "\(blame)")
    // Set by the first commit, and by none since that can be read: those that cannot may have set it to the same.
    #expect(blame.output.contains("commit cannot be told  name: "), "\(blame)")
  }

  @Test func `what an object had within a hole cannot be told, which is not that it had nothing`()
    throws
  {
    let disk = try LongJournal.make(.late)
    let whole = Upkeep.run("blame Blog/10", on: disk).output.split(separator: "\n")
    try Self.damage(2, at: 0.1, on: disk)
    let blame = Upkeep.run("blame Blog/10", on: disk)
    #expect(blame.status == .damage && blame.errors.contains("11 cannot be read"), "\(blame)")
    let lines = blame.output.split(separator: "\n")
    #expect(lines.count == whole.count && whole.count == 5, "\(lines)")
    for line in whole {
      // Behind the commit, its moment and its author is the value.
      let value = try #require(line.firstMatch(of: /\ {2}\w+: .*$/)).output
      #expect(lines.contains("commit cannot be told\(value)"), "\(value)")
    }
    let document = Upkeep.run("blame Blog/10 --json", on: disk)
    #expect(document.status == .damage, "\(document)")
    #expect(document.output.ranges(of: "\"commit\":null").count == lines.count, "\(document)")
    for (key, of) in [("", ""), (" text", " of ‘text’")] {
      let history = Upkeep.run("history Blog/10\(key)", on: disk)
      let words = "note: what values\(of) Blog/10 had up to commit 24 cannot be told."
      #expect(history.status == .damage && history.errors.contains(words), "\(history)")
      #expect(!history.errors.contains("had no value"), "\(history)")
    }
    let mistyped = Upkeep.run("history Blog/10 txt", on: disk)
    #expect(mistyped.errors.contains("did you mean ‘text’?"), "\(mistyped)")
    // What another commit has set is told as of that.
    let other = Upkeep.run("blame Blog/12", on: disk).output
    #expect(other.contains("commit 13 ") && other.contains("commit cannot be told  text: "))
  }

  @Test func `a segment that is missing hides its own commits and no others`() throws {
    let disk = try LongJournal.make(.late)
    try disk.folder(at: "\(Journals.path)/journal").remove("0000000002.xj")
    let log = Upkeep.run("log --json", on: disk)
    #expect(Self.numbers(in: log.output) == Array(13...24).reversed() + Array(1...6).reversed())
    #expect(log.errors.contains("commits 7 to 12 cannot be read"), "\(log.errors)")
    for line in ["info", "query Blog", "show"] {
      #expect(Upkeep.run(line, on: disk).status == .fine, "\(line)")
    }
    for line in ["stats", "events"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage && !run.output.isEmpty, "\(line): \(run.errors)")
    }
  }
}

/// The file of unsaved edits says what is durable: without it, it is told that commits may be missing.
@Suite struct UntoldCommitTests {
  private static let path = "\(Journals.path)/edits"
  private static let lines = [
    "info", "log", "show", "export", "query Blog", "diff 1", "history Blog/1", "blame Blog/1",
    "events", "replay", "get Blog/1", "stats", "schema", "log --reverse -n 2",
  ]

  private static func make(_ damage: ([UInt8]) -> [UInt8]?) throws -> SimulatedDisk {
    let disk = try LongJournal.make(.none)
    let bytes = try #require(disk.contents(of: path))
    if let damaged = damage(bytes) {
      try disk.setContents(path, damaged)
    } else {
      try disk.folder(at: Journals.path).remove("edits")
    }
    return disk
  }

  @Test(arguments: [0, 1, 2])
  func `all that is shown may lack what is beyond, where the file is damaged`(kind: Int) throws {
    let disk = try Self.make { bytes in
      switch kind {
      case 0: [UInt8](bytes[..<20]) + [bytes[20] ^ 1] + bytes[21...]
      case 1: Array(bytes.prefix(100))
      default: []
      }
    }
    for line in Self.lines {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .damage && !run.output.isEmpty, "\(line): \(run)")
      #expect(run.errors.contains("note: the file of unsaved edits is damaged"), "\(run)")
      #expect(run.errors.contains("may be missing: ") && run.errors.contains("in 1 segment"))
      let json = Upkeep.run("\(line) --json", on: disk)
      let note = try JSONValue(parsing: Array(json.errors.utf8)).object
      #expect(json.status == .damage && note?["kind"] == "note", "\(json)")
    }
    // What it finds no more may be what is missing.
    let missing = Upkeep.run("show 99", on: disk)
    #expect(missing.status == .damage && missing.errors.contains("may be missing"), "\(missing)")
  }

  @Test func `the file of another journal, a newer one and a folder in its place are told as well`()
    throws
  {
    let newer = try Self.make { bytes in
      var bytes = bytes
      // The format, and the check of the header.
      bytes[8] += 1
      let check = bytes[..<56].withUnsafeBytes { Checksum.of($0, salt: 0) }
      for place in 0..<8 { bytes[56 + place] = UInt8(truncatingIfNeeded: check >> (8 * place)) }
      return bytes
    }
    let other = try Journals.killed().contents(of: Self.path)
    let foreign = try Self.make { _ in other }
    let folder = try Self.make { _ in nil }
    try folder.makeFolders(Self.path)
    let uncertain = try Self.make { bytes in
      var bytes = bytes
      for offset in EditBufferLayout.slotOffsets { bytes[offset + 8] ^= 1 }
      // Of a buffer that was just made the second has nothing in it.
      bytes[EditBufferLayout.slotOffsets[1]] |= 1
      return bytes
    }
    for (disk, words, status) in [
      (newer, "newer code has written the file", JournalInspection.ExitStatus.newerFormat),
      (foreign, "is damaged", .damage), (folder, "is damaged", .damage),
      (uncertain, "is damaged", .damage),
    ] {
      let run = Upkeep.run("log -n 1", on: disk)
      #expect(run.status == status && run.output.contains("commit 24 "), "\(run)")
      #expect(run.errors.contains("edits") && run.errors.contains(words), "\(run)")
      #expect(run.errors.contains("commits after 24 may be missing: "), "\(run)")
    }
  }

  @Test func `where the file is missing that is a note, and only where there is more`() throws {
    let disk = try Self.make { _ in nil }
    for line in Self.lines {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .fine && !run.output.isEmpty, "\(line): \(run)")
      #expect(run.errors.contains("edits is missing, and commits after "), "\(run)")
    }
    let closed = try Journals.sound()
    try closed.folder(at: Journals.path).remove("edits")
    // All that is behind the last commit holds nothing.
    #expect(Run("log", on: closed).status == .fine)
    #expect(!Run("log", on: closed).errors.contains("damaged"))
  }

  @Test func `a count that is not whole is a note`() throws {
    let disk = try Self.make { bytes in
      var bytes = bytes
      // The newer one, that is to say, whichever that is.
      let counts = EditBufferLayout.slotOffsets.map { bytes[$0] }
      let newer = EditBufferLayout.slotOffsets[counts[0] > counts[1] ? 0 : 1]
      bytes[newer] ^= 1
      return bytes
    }
    let run = Upkeep.run("log", on: disk)
    #expect(run.status == .fine, "\(run)")
    let isBehind = Upkeep.run("info --json", on: disk).output.contains("\"isBehind\":true")
    #expect(run.errors.contains("does not say for certain") == isBehind, "\(run)")
  }

  @Test func `where the file is whole nothing is told, however much is written beside`() throws {
    let disk = try LongJournal.make(.none)
    for line in Self.lines {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    }
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store)
    for number in 1...20 {
      context.insert("Blog")["name"] = .string("blog \(number)")
      try context.save()
      context.insert("Blog")
      context.processPendingChanges()
      let run = Upkeep.run("log -n 1", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
    }
    try store.close()
  }
}

/// A journal of one object that is changed by every commit, in values that commits say whole and in others.
private enum Chronicle {
  static func make() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 6)
    let start: Int64 = 1_795_168_800_000_000_000
    disk.setWallClock(start)
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription("name", .string), AttributeDescription("title", .string),
          AttributeDescription("text", .string),
          AttributeDescription("likes", .counter, isOptional: false),
        ])
    ])
    let store = try JournaledStore(on: disk, at: Journals.path, model: model)
    let context = ManagedObjectContext(store)
    let post = context.insert("Post")
    post["name"] = "the first"
    let half = String(repeating: "words that stay ", count: 200)
    for number in 1...24 {
      disk.setWallClock(start + Int64(number) * 60_000_000_000)
      post["title"] = .string("title \(number)")
      post["text"] = .string("\(half)\(number)\(half)")
      post["likes"] = .counter(number)
      try context.save(author: "ann")
      if number % 6 == 0 { try store.beginSegment() }
      if number == 20 { try store.checkpoint() }
    }
    try store.close()
    return disk
  }
}
