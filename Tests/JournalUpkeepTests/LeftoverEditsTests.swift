import ByteCoding
import DiskAccess
import DiskSimulation
import EventCoding
import JournalInspection
import Journaling
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// What becomes of edits that no frame has where their buffer is damaged: that is told, and nothing else is made of it.
@Suite struct LeftoverEditsTests {
  private static let path = "\(Journals.path)/edits"
  private static let lost = "lost: what was not saved when the journal was used last"

  /// Where the half begins that edits were written to last.
  private static func lastHalf(of bytes: [UInt8]) -> Int {
    func number(at place: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
    }
    let other = 4096 + (bytes.count - 4096) / 2
    return number(at: 4096) > number(at: other) ? 4096 : other
  }

  private static func make(_ damage: ([UInt8], Int) -> [UInt8]) throws -> SimulatedDisk {
    let disk = try LongJournal.make(.none)
    let bytes = try #require(disk.contents(of: path))
    try disk.setContents(path, damage(bytes, lastHalf(of: bytes)))
    return disk
  }

  private static func flipping(_ place: Int, _ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    bytes[place] ^= 1
    return bytes
  }

  @Test(arguments: [
    "repair -o New.xjournal", "repair --salvage -o New.xjournal", "backup -o New.xjournal",
    "compact -o New.xjournal", "replay --into New.xjournal",
  ])
  func `an emptied file of edits ends no command`(line: String) throws {
    let disk = try Self.make { _, _ in [] }
    let run = Upkeep.run(line, on: disk)
    #expect(run.status == .fine, "\(run)")
    #expect(Upkeep.run("verify --deep -s New.xjournal", on: disk).status == .fine)
    #expect(run.errors.contains(Self.lost), "\(run.errors)")
    #expect(run.errors.contains("damaged: edits"), "\(run.errors)")
  }

  @Test(arguments: [
    "backup -o New.xjournal", "compact -o New.xjournal", "replay --into New.xjournal",
  ])
  func `what a copy lacks of edits that cannot be read is told, in JSON too`(line: String) throws {
    let whole = Upkeep.run("\(line) --json", on: try LongJournal.make(.none))
    #expect(whole.status == .fine && !whole.output.contains("lost"), "\(whole)")
    for place in [20, 8, 40] {
      let disk = try Self.make { bytes, half in
        Self.flipping(place == 20 ? place : half + place, bytes)
      }
      let run = Upkeep.run("\(line) --json", on: disk)
      #expect(run.status == .fine, "\(place): \(run)")
      let document = try JSONValue(parsing: Array(run.output.utf8)).object
      let repaired = Upkeep.run("repair -s Notes.xjournal -o R.xjournal --json", on: disk)
      let other = try JSONValue(parsing: Array(repaired.output.utf8)).object
      #expect(document?["lost"]?.array?.isEmpty == false, "\(place): \(run)")
      #expect(document?["lost"] == other?["lost"], "\(place): \(run)")
      for key in ["findings", "doubts"] {
        #expect((document?[key] ?? []) == other?[key], "\(place): \(run)")
      }
      #expect(Upkeep.run("verify --deep --strict -s New.xjournal", on: disk).status == .fine)
    }
    let disk = try LongJournal.make(.none)
    try disk.folder(at: Journals.path).remove("edits")
    let run = Upkeep.run(line, on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost), "\(run)")
  }

  enum Damage: CaseIterable { case emptied, cut, header, half }

  @Test(arguments: Damage.allCases)
  func `damage of the edits that no frame has is found, and told as a loss`(damage: Damage) throws {
    let disk = try Self.make { bytes, half in
      switch damage {
      case .emptied: []
      case .cut: Array(bytes.prefix(100_000))
      case .header: Self.flipping(20, bytes)
      case .half: Self.flipping(half + 8, bytes)
      }
    }
    let verified = Upkeep.run("verify", on: disk)
    #expect(verified.status == .damage && verified.output.contains("edits"), "\(verified)")
    let run = Upkeep.run("repair -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost), "\(run)")
    #expect(run.errors.contains("damaged: edits"), "\(run.errors)")
    #expect(Upkeep.run("verify --deep --strict -s New.xjournal", on: disk).status == .fine)
  }

  @Test(arguments: [false, true])
  func `where unsaved edits cannot be read, drafts says so instead of that nothing is unsaved`(
    isNewer: Bool
  ) throws {
    let disk = try Journals.killed()
    let whole = Upkeep.run("drafts -s Notes.xjournal", on: disk)
    #expect(whole.status == .fine && whole.output.contains("sketch"), "\(whole)")
    var bytes = try #require(disk.contents(of: Self.path))
    if isNewer {
      // The format, and the check of the header.
      bytes[8] += 1
      let check = bytes[..<56].withUnsafeBytes { Checksum.of($0, salt: 0) }
      for place in 0..<8 { bytes[56 + place] = UInt8(truncatingIfNeeded: check >> (8 * place)) }
    } else {
      bytes[20] ^= 0x55
    }
    try disk.setContents(Self.path, bytes)
    let status: JournalInspection.ExitStatus = isNewer ? .newerFormat : .damage
    for line in ["drafts", "drafts show", "drafts show sketch"] {
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
      #expect(run.status == status && run.errors.contains("edits: "), "\(run)")
      #expect(!run.errors.contains("nothing is unsaved"), "\(run)")
      let json = Upkeep.run("\(line) --json -s Notes.xjournal", on: disk)
      #expect(json.status == status, "\(json)")
      #expect(json.errors.contains("\"status\":\(status.rawValue)"), "\(json)")
    }
  }

  @Test func `an edit that is not whole may be of a loss of power, and is told`() throws {
    let disk = try Self.make { bytes, half in Self.flipping(half + 32 + 8, bytes) }
    let verified = Upkeep.run("verify", on: disk)
    #expect(verified.status == .fine && verified.output.contains("is not whole"), "\(verified)")
    let strict = Run.transcript(of: ["verify --strict", "verify --strict --json"]) {
      Upkeep.run($0, on: disk)
    }
    #expect(try Golden.problem(with: strict, keptAs: "Golden/upkeep-verify-strict.txt") == nil)
    let run = Upkeep.run("repair -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost + ", from edit "), "\(run)")
  }

  @Test func `a file of edits that is missing is told`() throws {
    let disk = try LongJournal.make(.none)
    try disk.folder(at: Journals.path).remove("edits")
    let verified = Upkeep.run("verify", on: disk)
    #expect(verified.status == .fine && verified.output.contains("no edit buffer"), "\(verified)")
    let run = Upkeep.run("repair -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost), "\(run)")
  }

  @Test(arguments: [2, 5])
  func `behind a hole it is told that unsaved edits are lost, or may be`(number: Int) throws {
    let journals = [
      ("killed", try LongJournal.make(.none)), ("closed", try LongJournal.make(.none)),
      ("broken", try LongJournal.make(.none)),
    ]
    for (name, disk) in journals {
      if name == "closed" {
        let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
        for draft in store.unsavedDrafts { try store.discard(draft) }
        try store.tag("later")
        try store.close()
      }
      let path = "\(Journals.path)/journal/000000000\(number).xj"
      var bytes = try #require(disk.contents(of: path))
      let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
      bytes[length / 2] ^= 0x55
      try disk.setContents(path, bytes)
      if name == "broken" { try disk.setContents(Self.path, []) }
      for line in ["repair -o New.xjournal", "repair --salvage -o Newer.xjournal"] {
        let errors = Upkeep.run("\(line) -s Notes.xjournal", on: disk).errors
        let isPerhaps = errors.contains(Self.lost + ", if there was anything")
        switch name {
        case "closed": #expect(isPerhaps, "\(errors)")
        case "killed" where number == 2:
          #expect(errors.contains(Self.lost) && !isPerhaps, "\(errors)")
        default: #expect(errors.contains(Self.lost), "\(name): \(errors)")
        }
        if name == "broken" { #expect(isPerhaps, "\(errors)") }
      }
    }
  }

  @Test func `what the end of a process leaves of an edit is nothing that is told`() throws {
    let whole = try LongJournal.make(.none)
    // The header of an edit is written last.
    let begun = try Self.make { bytes, half in
      var bytes = bytes
      for place in 0..<8 { bytes[half + 32 + place] = 0 }
      return bytes
    }
    // A half that is about to be begun.
    let emptied = try Self.make { bytes, half in
      var bytes = bytes
      for place in 0..<8 { (bytes[half + place], bytes[half + 32 + place]) = (0, 0) }
      return bytes
    }
    for disk in [whole, begun, emptied] {
      let verified = Upkeep.run("verify --strict", on: disk)
      #expect(verified.status == .fine && !verified.output.contains("note"), "\(verified)")
      let run = Upkeep.run("repair -o New.xjournal --json", on: disk)
      #expect(run.output.contains("\"findings\":[],\"lost\":[]"), "\(run)")
    }
  }

  enum Untrue: CaseIterable {
    /// An edit of a kind there is, which ends before it says anything; in the buffer, or in a frame.
    case cut, cutAndSealed
    /// One that says what cannot be.
    case contradiction
  }

  private static func journal(endingWith untrue: Untrue) throws -> SimulatedDisk {
    let disk = try LongJournal.make(.none)
    var options = JournalOptions()
    options.hasUpkeepThread = false
    let journal = try Journal.open(on: disk, at: Journals.path, options: options).journal
    var writer = ByteWriter()
    if untrue == .contradiction {
      try EventEncoder(store: journal.store.tag)
        .append(.keyNamed(KeyNumber(rawValue: 999), "nowhere"), to: &writer)
    } else {
      writer.write([1])
    }
    try journal.appendEdit(writer.array)
    let image = disk.imageAfterProcessDeath()
    try journal.close()
    if untrue == .cutAndSealed {
      #expect(throws: StoreError.self) {
        try JournaledStore(on: image, at: Journals.path, model: nil)
      }
    }
    return image
  }

  @Test(arguments: Untrue.allCases, ["", "--salvage "])
  func `an edit that cannot be costs nothing but itself`(untrue: Untrue, option: String) throws {
    let disk = try Self.journal(endingWith: untrue)
    let run = Upkeep.run("repair \(option)-s Notes.xjournal -o New.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost), "\(run)")
    #expect(run.errors.contains("damaged: "), "\(run)")
    #expect(Upkeep.run("verify --deep --strict -s New.xjournal", on: disk).status == .fine)
    let commits = try JournalTruth(of: "New.xjournal", on: disk).commits
    #expect(commits == (try JournalTruth(on: try LongJournal.make(.none)).commits))
    if untrue == .cut {
      #expect(run.errors.contains(Self.lost + ", from edit "), "\(run)")
      let drafts = Upkeep.run("drafts -s New.xjournal", on: disk)
      #expect(drafts.output.contains("writer"), "\(drafts)")
    }
  }

  @Test(arguments: ["backup -o New.xjournal", "compact -o New.xjournal"])
  func `a copy has all edits before one that means nothing`(line: String) throws {
    let disk = try Self.journal(endingWith: .cut)
    let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk)
    #expect(run.status == .fine && run.errors.contains(Self.lost + ", from edit "), "\(run)")
    let drafts = Upkeep.run("drafts -s New.xjournal", on: disk)
    #expect(drafts.output.contains("writer"), "\(drafts)")
  }
}
