import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import ToolSupport

/// What every command says that writes, in every format and with every status, to the letter.
@Suite struct UpkeepGoldenTests {
  /// Lines that are run one after the other on a journal, by the name of the file that keeps what they say.
  static let lines: [String: [String]] = [
    "tag": [
      "tag release", "tag release", "tag release head~1", "tag release head~1 --force --json",
      "tag earlier 2", "log -n 4", "tag v1 --remove --json", "tag v1 --remove", "tag", "tag 7",
      "tag head",
      "tag '2 hours ago' --json", "tag a~1", "tag xjournal://a/p1", "tag x 99", "tag x 99 --json",
      "tag x --remove 3", "tag x -s Elsewhere.xjournal", "tag --help",
    ],
    "drafts-discard": [
      "drafts discard", "drafts discard sketches", "drafts discard sketch --json", "drafts",
      "drafts discard sketch", "events -n 100", "drafts discard sketch --json",
    ],
    "backup": [
      "backup", "backup -o Copy.xjournal", "backup -s Notes.xjournal -o Copy.xjournal",
      "info -s Copy.xjournal", "drafts -s Copy.xjournal", "verify --deep -s Copy.xjournal",
      "backup -s Copy.xjournal -o Other.xjournal --json",
      "backup -s None.xjournal -o A.xjournal",
      "backup -s Copy.xjournal -o Copy.xjournal/inside",
      "backup -s Copy.xjournal -o None/A.xjournal",
    ],
    "restore": [
      "restore 1 --only", "restore head~1 --author eve", "restore head~1 --json",
      "restore v1 -m 'as it was'", "restore 1 --only --force --json", "restore 0", "restore head",
      "restore 99", "restore 99 --json", "restore 1 --force", "restore", "log -n 3 -p",
      "verify --deep",
    ],
    "patch": [
      "patch changes.json --dry-run", "patch changes.json --dry-run --json",
      "patch changes.json --author eve", "patch changes.json --json",
      "patch changes.json --policy ours", "patch changes.json --policy force --json",
      "patch none.json", "patch none.json --json", "patch posts.ndjson",
      "patch changes.json --policy all", "patch",
      "log -n 2 -p", "verify --deep",
    ],
    "bisect": [
      "bisect 1 head -- check {}", "bisect 1 head --json -- check {}", "bisect head 1 -- check",
      "bisect 1 head", "bisect 1 head -- missing", "bisect 1 head -- crash",
      "bisect 1 head -- skip", "bisect 2 4 -- check {}", "bisect 1 99 --json -- check {}",
      "bisect 1 head -- skip Other.xjournal --json",
    ],
    "compact": [
      "compact -s Notes.xjournal -o Small.xjournal", "log -s Small.xjournal",
      "drafts -s Small.xjournal", "export -s Small.xjournal",
      "compact -s Notes.xjournal -o Small.xjournal",
      "compact -s Notes.xjournal --since 3 -o Recent.xjournal --json", "log -s Recent.xjournal",
      "compact -s Notes.xjournal --since 99 -o A.xjournal",
      "compact -s Notes.xjournal --since 99 -o A.xjournal --json", "verify -s Recent.xjournal",
      "drafts discard sketch -s Notes.xjournal",
      "compact -s Notes.xjournal --since 4 -o Later.xjournal", "log -s Later.xjournal",
      "compact -s Notes.xjournal -o Last.xjournal",
      "compact -s Notes.xjournal -o A.xjournal --json",
      "log -s Last.xjournal", "info -s Last.xjournal", "export -s Last.xjournal",
      "replay -s Last.xjournal --into B.xjournal --until 4", "compact",
    ],
    "import": [
      "import", "import posts.ndjson", "import posts.ndjson -o New.xjournal",
      "import -s Notes.xjournal posts.ndjson -o New.xjournal",
      "import -s Notes.xjournal posts.ndjson -o Newer.xjournal --author eve -m moved --json",
      "log -p -s Newer.xjournal", "export -s Newer.xjournal", "verify --deep -s Newer.xjournal",
      "import -s Notes.xjournal none.ndjson -o A.xjournal",
      "import -s Notes.xjournal changes.json -o A.xjournal --json",
      "import -s Notes.xjournal - -o Empty.xjournal", "log -s Empty.xjournal",
      "import -s None.xjournal posts.ndjson -o A.xjournal",
      "import -s Notes.xjournal posts.ndjson -o None/A.xjournal",
    ],
    "replay-into": [
      "replay --into", "replay --into Then.xjournal --until v1", "log -s Then.xjournal",
      "drafts -s Then.xjournal", "verify --deep -s Then.xjournal",
      "replay -s Notes.xjournal --into Then.xjournal",
      "replay -s Notes.xjournal --into All.xjournal --json", "drafts -s All.xjournal",
      "replay -s Notes.xjournal --into A.xjournal --until 99",
      "replay -s Notes.xjournal --into A.xjournal --until 99 --json",
      "replay -s Notes.xjournal --into A.xjournal --check",
      "replay -s Notes.xjournal --into Notes.xjournal/journal/A --json",
      "replay -s None.xjournal --into A.xjournal",
      "replay -s Notes.xjournal --into At.xjournal --at v1", "backup -s Notes.xjournal --at 2 -o A",
    ],
    "repair": [
      "repair", "repair -o New.xjournal", "repair -s New.xjournal -o Again.xjournal --json",
      "repair -s Notes.xjournal --salvage -o New.xjournal",
      "repair -s Notes.xjournal -o ./Notes.xjournal/New --json",
      "repair -s posts.ndjson -o A.xjournal", "repair -s None.xjournal -o A.xjournal",
    ],
  ]

  @Test(arguments: lines.keys.sorted())
  func `what commands do to a journal is told as ever`(name: String) throws {
    let disk = try Journals.killed()
    try Upkeep.addFiles(to: disk)
    let text = Run.transcript(of: Self.lines[name] ?? []) { line in
      Upkeep.run(line, on: disk, running: Upkeep.check)
    }
    #expect(try Golden.problem(with: text, keptAs: "Golden/upkeep-\(name).txt") == nil)
  }

  @Test(arguments: ["damaged", "newer", "missing", "locked", "file"])
  func `of other journals is said what is wrong, with the status that says so`(name: String) throws
  {
    let text = try Run.transcript(of: Upkeep.lines.flatMap { [$0, "\($0) --json"] }) { line in
      let disk =
        switch name {
        case "damaged": try Journals.damaged()
        case "newer": try Journals.newer()
        case "locked": try Journals.killed()
        default: try Journals.missing()
        }
      try Upkeep.addFiles(to: disk, from: try Journals.killed())
      if name == "file" { try disk.setContents(Journals.path, [1, 2, 3]) }
      let store =
        name == "locked" ? try JournaledStore(on: disk, at: Journals.path, model: nil) : nil
      // What takes the lock says who holds it.
      let lock = Upkeep.isInPlace(line) ? "\(Journals.path)/LOCK" : ""
      let before = Upkeep.contents(of: Journals.path, on: disk).filter { $0.key != lock }
      let run = Upkeep.run("\(line) -s Notes.xjournal", on: disk, running: Upkeep.check)
      let isSame = Upkeep.contents(of: Journals.path, on: disk).filter { $0.key != lock } == before
      #expect(isSame, "\(line)")
      if name == "locked" {
        #expect((run.status == .locked) == Upkeep.isInPlace(line), "\(line): \(run.errors)")
      }
      try store?.close()
      return run
    }
    #expect(try Golden.problem(with: text, keptAs: "Golden/upkeep-\(name)-journal.txt") == nil)
  }

  @Test func `a backup beside a program that writes is a journal as it was meanwhile`() throws {
    let disk = try Journals.sound()
    let store = try JournaledStore(on: disk, at: Journals.path, model: nil)
    let context = ManagedObjectContext(store)
    context.name = "writer"
    for round in 0..<20 {
      context.insert("Blog")["name"] = .string("round \(round)")
      try context.save(author: "eve")
      context.insert("Blog")["name"] = "unsaved"
      context.processPendingChanges()
      if round == 7 { try store.checkpoint() }
      if round == 12 { try store.beginSegment() }
      if round == 15 { try store.compact(keeping: .latest) }
      let name = "Copy\(round).xjournal"
      let run = Upkeep.run("backup -s Notes.xjournal -o \(name)", on: disk)
      #expect(run.status == .fine, "\(round): \(run.errors)")
      let verified = Upkeep.run("verify --deep -s \(name)", on: disk)
      #expect(verified.status == .fine, "\(round): \(verified.output)")
      #expect(Upkeep.run("drafts -s \(name)", on: disk).output.contains("writer"))
      let last = try StoreReader(on: disk, at: name).lastCommit
      #expect(last == store.lastCommit)
    }
    try store.close()
  }

  @Test func `of a damaged journal is said what is wrong, and what is made of it`() throws {
    let disk = try Journals.damaged()
    let lines = [
      "repair", "repair -o Repaired.xjournal", "repair -s Notes.xjournal -o Repaired.xjournal",
      "repair -s Notes.xjournal --salvage -o Salvaged.xjournal",
      "repair -s Notes.xjournal --salvage -o Other.xjournal --json", "log -s Repaired.xjournal",
      "log -s Salvaged.xjournal", "verify -s Salvaged.xjournal",
      "backup -s Notes.xjournal -o Copy.xjournal", "compact -s Notes.xjournal -o Small.xjournal",
      "tag -s Notes.xjournal x", "restore -s Notes.xjournal 1",
      "repair -s None -o Another.xjournal",
    ]
    let text = Run.transcript(of: lines) { Upkeep.run($0, on: disk) }
    #expect(try Golden.problem(with: text, keptAs: "Golden/upkeep-damaged.txt") == nil)
  }
}
