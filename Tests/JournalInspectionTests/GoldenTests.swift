// What every command says, in every format and with every status, to the letter.

import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import Testing
import ToolSupport

@Suite struct GoldenTests {
  /// The lines whose output is kept, by the name of the file and what they are about.
  static let lines: [String: [String]] = [
    "info": [
      "info", "info --json", "info --at 2", "info --at nowhere", "info -s Elsewhere.xjournal",
      "info -s Elsewhere.xjournal --json", "info --at nowhere --json",
    ],
    "log": [
      "log", "log -n 2 --json", "log -p --author ann", "log --stat --entity Blog",
      "log --id Post/2 -p", "log --id Post/1 --attr title -p --json", "log --reverse -n 2",
      "log --reverse", "log --since '1 day ago'", "log --until 2026-11-21", "log --grep w.rds",
      "log --at v1 -n 1", "log --grep (", "log --grep '(?x)w o r d s # all'", "log --grep '(a)\\1'",
      "log --at v9 --json", "log -n x", "log --since v9", "log --limt 3",
      "log --attr nothing", "log --entity Pots", "log -n 2 --color always", "log -p --stat -n 2",
      "log -p --stat -n 1 --json", "log --id Post/99", "log --id Post/99 --json",
      "log --id Post/2 --author ann", "log --id Post/2 --until 1",
    ],
    "show": [
      "show", "show 3", "show v1 --json", "show head~9", "show 0", "show Post/1", "show 99",
      "show v2", "show 99 --json",
    ],
    "get": [
      "get Post/1", "get Post/1 --json", "get Post/1 title likes", "get Post/1 --at 1",
      "get 00000000-0000-0000-0000-000000000001 title", "get Post/2", "get Post/2 --at 2 --json",
      "get Post/2 --at 2", "get Post/9", "get Pots/1", "get Post/1 nothing", "get Post/1 size",
      "get", "get xjournal://0000000000000000/0/1/1", "get Post/9 --json", "get Blog/1 posts",
      "get Blog/1 posts --json",
    ],
    "query": [
      "query Post", "query 'Post where likes > 3' --json", "query Post --format csv --at 2",
      "query 'Post where likes > 999' --format csv",
      "query Post --format json --at 2", "query Post --at 2 --sort -title --limit 1",
      "query 'Blog where nam == 3'", "query Post --count", "query Post --count --json",
      "query \"Post where title == 'x'\" --explain", "query Post --format xml",
      "query 'Post where likes > 100'", "query 'Post where'",
      "query 'Post limit 1' --limit 2 --at 2", "query 'Post limit 2' --limit 1 --at 2 --json",
      "query Post --count --format csv", "query Post --explain --count",
      "query Post --format json --explain", "query Post --format table --at 2",
      "query Post --format ndjson --at 2", "query Post --at v9 --json",
    ],
    "history": [
      "history Post/1 title", "history Post/1 --json", "history Post/2", "history Post/1 nothing",
      "history Post/1 title --at 2", "history Post/7", "history Post/7 --json",
    ],
    "blame": [
      "blame Post/1", "blame Post/1 --json", "blame Post/1 --at 1", "blame Post/2",
      "blame Post/2 --at 3", "blame Post/2 --json",
    ],
    "diff": [
      "diff 1", "diff 1 3 --json", "diff 3 1", "diff 2 head --stat", "diff 2 head --stat --json",
      "diff 1 head --name-only", "diff 1 3 --format patch", "diff 3 3 --exit-code",
      "diff 1 2 --exit-code", "diff", "diff 1 99", "diff 1 --at 2", "diff 1 99 --json",
      "diff 1 2 --exit-code --json",
    ],
    "events": [
      "events", "events --json", "events --context editor --id Post/1 --kind set", "events -n 2",
      "events --since 5 --json", "events --since 9", "events --until 1",
      "events --id Post/99", "events --id Post/99 --json", "events --id Post/1 --kind deleted",
      "events --since 9 --json",
    ],
    "drafts": [
      "drafts", "drafts list --json", "drafts lits", "drafts show 9", "drafts --at 2",
      "drafts show 9 --json",
    ],
    "verify": [
      "verify", "verify --json", "verify --deep --strict", "verify --deep --json", "verify --deap",
      "verify --at 2",
    ],
    "stats": ["stats", "stats --json", "stats --at 2", "stats --at v9 --json"],
    "export": [
      "export", "export --format json --at 1", "export --format csv",
      "export --format csv --entity Post",
      "export --format sql --at 2", "export --format plist --at 3", "export --format events --at 1",
      "export --entity Pots", "export --entity Pots --json", "export --format ndjson --at 1",
    ],
    "dump": [
      "dump", "dump --frame 2 --hex", "dump --segment 1 --frame 1 --json", "dump --frame 99",
      "dump --segment 7", "dump --frame x", "dump --frame 2 --hex --json", "dump --file MANIFEST",
      "dump --file MANIFEST --json", "dump --file edits", "dump --file LOCK", "dump --file nothing",
      "dump --file ../x", "dump --at 2", "dump --at v1 --json", "dump --at 0", "dump --at 9",
      "dump --at 2 --frame 2", "dump --at 2 --file edits", "dump --frame 99 --json",
    ],
    "replay": [
      "replay", "replay --until 1 --json", "replay --until 0", "replay --check --until 1",
      "replay --speed 0", "replay --speed 1e9 --until v1", "replay --at 1",
      "replay --at 1 --until 2", "replay --until 99 --json",
    ],
    "report": [
      "report", "report --json", "report --since 3 --until 4 --deep --json",
      "report --longest 3 --since head --json", "report --since 4 --until 2", "report --since v9",
      "report --longest x", "report --since 3 --at 4 --json", "report --at v9",
      "report --at v9 --json",
    ],
    "schema": ["schema", "schema Post --json", "schema Nothing", "schema Nothing --json"],
    "help": [
      "", "--help", "help log", "info --help", "--version", "help --json", "lgo", "completions zhs",
      "log --help --json", "--version --json", "show --json lots of words",
    ],
    "completions": [
      "completions bash", "completions zsh", "completions fish", "completions bash --json",
    ],
    "manual": ["manual", "manual --format markdown", "manual --json"],
  ]

  @Test(arguments: lines.keys.sorted())
  func `a sound journal is shown as ever`(name: String) throws {
    let disk = try Journals.sound()
    let text = transcript(of: name, on: disk)
    #expect(try Golden.problem(with: text, keptAs: "Golden/\(name).txt") == nil)
  }

  @Test func `values and events of every kind are shown as ever`() throws {
    let lines = [
      "info", "events", "events --json", "log -p", "log -p --json", "log --stat --json",
      "get Thing/1",
      "get Thing/1 --json", "get Thing/1 list map far zero", "query Thing",
      "query Thing --format csv",
      "query Part", "export --format sql", "export --format plist", "export", "diff 1 head",
      "diff 1 head --json", "diff 1 head --stat", "schema", "schema --json", "stats", "dump --json",
      "replay --json", "verify --deep", "drafts", "get 2:7", "get Thing/2:7", "get xjournal://x",
    ]
    let text = try transcript(of: lines, on: VariedJournal.make())
    #expect(try Golden.problem(with: text, keptAs: "Golden/varied-journal.txt") == nil)
  }

  @Test(arguments: ["damaged", "newer", "missing", "killed"])
  func `of other journals is said what is wrong, with the status that says so`(name: String) throws
  {
    let disk =
      switch name {
      case "damaged": try Journals.damaged()
      case "newer": try Journals.newer()
      case "killed": try Journals.killed()
      default: try Journals.missing()
      }
    let lines = CommandTable.looking.filter(\.readsJournal).flatMap { command -> [String] in
      guard let example = command.examples.first?.line.dropFirst("xjournal ".count) else {
        return []
      }
      return [String(example), "\(example) --json"]
    }
    let text = transcript(of: lines, on: disk)
    #expect(try Golden.problem(with: text, keptAs: "Golden/\(name)-journal.txt") == nil)
  }

  private func transcript(of name: String, on disk: SimulatedDisk) -> String {
    transcript(of: Self.lines[name] ?? [], on: disk)
  }

  private func transcript(of lines: [String], on disk: SimulatedDisk) -> String {
    Run.transcript(of: lines) { Run($0, on: disk) }
  }
}
