import DiskSimulation
import Foundation
import JournalInspection
import Journaling
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What compaction has dropped and still lies in a segment that was kept for what follows is in nobody's way, and does not
/// come back.
@Suite struct KeptFromTests {
  private static let firstKept = 4
  private static let last = 7

  /// A journal in one segment, of which the commits from one on are kept, and the others still there.
  ///
  /// - Parameter deletes: whether a commit behind the state that was kept deletes what the others have changed.
  private static func disk(deletes: Bool = false) throws -> SimulatedDisk {
    try MadeOnce.disk("kept from \(firstKept) \(deletes)") {
      let disk = SimulatedDisk(seed: 12)
      let store = try JournaledStore(
        on: disk, at: "Whole.xjournal",
        model: ManagedObjectModel(entities: [
          EntityDescription(
            "Note",
            attributes: [
              AttributeDescription("title", .string), AttributeDescription("likes", .counter),
              AttributeDescription("tags", .set),
            ])
        ]))
      let context = ManagedObjectContext(store, isolation: nil)
      let untouched = (1...3).map { _ in context.insert("Note") }
      for note in untouched { note["title"] = "untouched" }
      let note = context.insert("Note")
      for number in 1...last {
        disk.setWallClock(1_795_168_800_000_000_000 + Int64(number) * 60_000_000_000)
        note["title"] = .string("title \(number)")
        note["likes"] = .counter(number * 10)
        note["tags"] = .set([.string("a"), .integer(number)])
        try context.save(author: "ann", message: "commit \(number)")
      }
      context.close()
      try store.tag("early", 1)
      try store.close()
      disk.setWallClock(1_795_268_800_000_000_000)
      let run = Upkeep.run(
        "compact --since \(firstKept) -s Whole.xjournal -o Notes.xjournal", on: disk)
      #expect(run.status == .fine, "\(run)")
      guard deletes else { return disk }
      let again = try JournaledStore(on: disk, at: Journals.path, model: nil)
      let later = ManagedObjectContext(again, isolation: nil)
      later.delete(try later.existingObject(with: note.objectID))
      try later.save()
      later.close()
      try again.close()
      return disk
    }
  }

  private static func state(at number: Int, of path: String, on disk: SimulatedDisk) -> String {
    Upkeep.run("export --at \(number) -s \(path)", on: disk).output
  }

  /// The places in the segment at which its frames begin.
  private static func offsets(on disk: SimulatedDisk) throws -> [Int] {
    var offsets: [Int] = []
    _ = try JournalReader(at: Journals.path, on: disk).forEachFrame {
      offsets.append(Int($0.offset))
      return true
    }
    return offsets
  }

  /// The dates of commits, by what these say of themselves.
  private static func dates(of path: String, on disk: SimulatedDisk) throws -> [String: Date] {
    let store = try StoreReader(on: disk, at: path)
    let commits = try store.commits(
      since: CommitNumber(rawValue: store.firstKeptCommit.rawValue - 1))
    return Dictionary(commits.map { ($0.message ?? "", $0.date) }) { first, _ in first }
  }

  @Test(arguments: [false, true], [false, true])
  func `damage among what was dropped takes nothing away of what was kept`(
    isSalvaging: Bool, deletes: Bool
  ) throws {
    let sound = try Self.disk(deletes: deletes)
    let last = deletes ? 8 : Self.last
    let dates = try Self.dates(of: Journals.path, on: sound)
    let truth = (Self.firstKept - 1...last).map {
      Self.state(at: $0, of: Journals.path, on: sound)
    }
    #expect(Set(truth).count == truth.count && truth.allSatisfy { !$0.isEmpty })
    let path = "\(Journals.path)/journal/0000000001.xj"
    let bytes = try #require(sound.contents(of: path))
    var kept = (salvaged: 0, before: 0)
    for offset in try Self.offsets(on: sound) {
      let disk = try Self.disk(deletes: deletes)
      var flipped = bytes
      flipped[offset + 40] ^= 4
      try disk.setContents(path, flipped)
      guard Upkeep.run("verify -s Notes.xjournal", on: disk).status == .damage else { continue }
      let option = isSalvaging ? "--salvage" : ""
      let run = Upkeep.run("repair \(option) -s Notes.xjournal -o New.xjournal", on: disk)
      try #require(run.status == .fine, "\(offset): \(run)")
      let verified = Upkeep.run("verify --deep --strict -s New.xjournal", on: disk)
      #expect(verified.status == .fine, "\(offset): \(verified)")
      let store = try StoreReader(on: disk, at: "New.xjournal")
      #expect(store.firstKeptCommit.rawValue >= UInt64(Self.firstKept), "\(offset): \(run)")
      let isEarlier = store.lastCommit.rawValue < UInt64(last)
      if store.firstKeptCommit.rawValue == UInt64(Self.firstKept), isEarlier {
        // Some of what was kept comes before the damage.
        kept.before += 1
        #expect(!isSalvaging || run.errors.contains("lost: commit"), "\(offset): \(run)")
      } else {
        #expect(store.lastCommit.rawValue == UInt64(last), "\(offset): \(run)")
        #expect(Self.state(at: last, of: "New.xjournal", on: disk) == truth.last, "\(offset)")
      }
      #expect(!run.errors.contains("the state that the tag"), "\(run)")
      for (message, date) in try Self.dates(of: "New.xjournal", on: disk) where !message.isEmpty {
        #expect(dates[message] == date, "\(offset): \(message)")
      }
      if isSalvaging, !run.errors.contains("lost: commit") {
        kept.salvaged += 1
        for (number, state) in zip(Self.firstKept - 1...last, truth) {
          #expect(Self.state(at: number, of: "New.xjournal", on: disk) == state, "\(offset)")
        }
      }
    }
    #expect(kept.before > 0 && (!isSalvaging || kept.salvaged > 2), "\(kept)")
  }

  @Test(arguments: ["", "--salvage"])
  func `where the state is made anew of the journal, what was dropped stays so`(option: String)
    throws
  {
    let disk = try Self.disk()
    let path = try #require(
      disk.paths.first { $0.hasPrefix(Journals.path) && $0.hasSuffix(".xr") })
    var bytes = try #require(disk.contents(of: path))
    bytes[bytes.count - 40] ^= 1
    try disk.setContents(path, bytes)
    let run = Upkeep.run("repair \(option) -s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.output.contains("with commits 4 to 7"), "\(run)")
    #expect(Upkeep.run("verify --deep --strict -s New.xjournal", on: disk).status == .fine)
  }

  @Test func `a journal that is built up to a commit begins where the original does`() throws {
    let disk = try Self.disk()
    for number in Self.firstKept - 1...Self.last {
      let place = "Then\(number).xjournal"
      let run = Upkeep.run("replay -s Notes.xjournal --into \(place) --until \(number)", on: disk)
      #expect(run.status == .fine && run.errors.isEmpty, "\(run)")
      let store = try StoreReader(on: disk, at: place)
      #expect(store.firstKeptCommit.rawValue == UInt64(Self.firstKept), "\(number)")
      #expect(store.lastCommit.rawValue == UInt64(number))
      for earlier in Self.firstKept - 1...number {
        let (here, there) = (
          Self.state(at: earlier, of: place, on: disk),
          Self.state(at: earlier, of: Journals.path, on: disk)
        )
        #expect(here == there && !here.isEmpty)
      }
      #expect(Upkeep.run("verify --deep --strict -s \(place)", on: disk).status == .fine)
    }
    let run = Upkeep.run("replay -s Notes.xjournal --into Early.xjournal --until 2", on: disk)
    #expect(run.status == .no, "\(run)")
  }

  /// Has values of the first note be others, by a patch.
  private static func set(_ values: String, of path: String, on disk: SimulatedDisk) throws {
    let store = try StoreReader(on: disk, at: path)
    let note = ObjectID(
      origin: 0, entity: EntityNumber(rawValue: 0), number: 1, store: store.tag)
    let object = #"{"entity":"Note","id":"\#(note.uri)","old":{},"new":\#(values)}"#
    try disk.setContents("values.json", Array(#"{"patch":1,"objects":[\#(object)]}"#.utf8))
    let run = Upkeep.run("patch values.json --policy force -s \(path)", on: disk)
    #expect(run.status == .fine, "\(run)")
  }

  @Test func `nothing is told to have led to the state that a journal begins with`() throws {
    let disk = try Self.disk()
    #expect(
      Upkeep.run("compact -s Whole.xjournal -o Small.xjournal", on: disk).status == .fine)
    try Self.set(#"{"title":"new"}"#, of: "Small.xjournal", on: disk)
    for line in ["events --until", "events --at", "replay --until", "export --format events --at"] {
      let before = Upkeep.run("\(line) 7 -s Small.xjournal", on: disk)
      #expect(before.status == .fine && before.output.isEmpty, "\(line): \(before)")
      let then = Upkeep.run("\(line) 8 -s Small.xjournal", on: disk)
      #expect(then.status == .fine && then.output.contains("8"), "\(line): \(then)")
    }
    let report = Upkeep.run("report --until 7 -s Small.xjournal", on: disk)
    #expect(report.status == .no && !report.errors.contains("--since"), "\(report)")
    let small = Upkeep.run("compact --since 4 -s Small.xjournal -o Smaller.xjournal", on: disk)
    #expect(small.status == .fine && small.errors.contains("before commit 8 any more"), "\(small)")
    let again = Upkeep.run("compact --since 8 -s Small.xjournal -o Again.xjournal", on: disk)
    #expect(again.status == .fine && again.errors.isEmpty, "\(again)")
  }

  @Test func `that a tag was given is not taken back where its commit cannot be read`() throws {
    let disk = try Self.disk()
    let path = "\(Journals.path)/journal/0000000001.xj"
    var bytes = try #require(disk.contents(of: path))
    bytes[try #require(try Self.offsets(on: disk).dropFirst().first) + 40] ^= 4
    try disk.setContents(path, bytes)
    let run = Upkeep.run("tag late -s Notes.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains("cannot be read"), "\(run)")
    #expect(!run.errors.contains("nothing was changed"), "\(run)")
    #expect(Upkeep.run("info -s Notes.xjournal", on: disk).output.contains("late (7)"))
  }

  @Test func `large whole numbers in cells are marked, and none of their own`() throws {
    let disk = try Self.disk()
    let large = 9_007_199_254_740_993
    let values = #"{"tags":{"$set":[\#(large)]},"likes":{"$counter":\#(large)}}"#
    try Self.set(values, of: "Whole.xjournal", on: disk)
    for format in ["csv", "sql"] {
      let output = Upkeep.run("export --format \(format) -s Whole.xjournal", on: disk).output
      let marked = #"{"$integer":"\#(large)"}"#
      #expect(
        output.replacing("\"\"", with: "\"").contains("[\(marked)]"), "\(format): \(output)")
      #expect(output.contains(",\(large),") || output.contains(" \(large),"), "\(output)")
    }
  }
}
