import DiskAccess
import DiskSimulation
import JournalInspection
import JournalUpkeep
import ToolSupport

/// The whole tool on a disk in memory.
enum Upkeep {
  static func table(
    on disk: SimulatedDisk, running program: @escaping ProgramRunner = { _, _ in nil }
  ) -> CommandTable {
    CommandTable(
      CommandTable.looking, writing: Command.writing(on: disk, running: program),
      kinds: JSONKind.writing)
  }

  static func run(
    _ line: String, on disk: SimulatedDisk, input: String = "", terminal: Bool = false,
    errorTerminal: Bool = false,
    running program: @escaping ProgramRunner = { _, _ in nil }
  ) -> Run {
    Run(
      line, on: disk, table: table(on: disk, running: program), input: input, terminal: terminal,
      errorTerminal: errorTerminal)
  }

  /// Writes files beside a journal that commands can read: its objects, and a patch that takes its last commit back.
  ///
  /// - Parameter source: the disk with the journal that is told; the same where it is not said.
  static func addFiles(to disk: SimulatedDisk, from source: SimulatedDisk? = nil) throws {
    let files = ["posts.ndjson": "export", "changes.json": "diff head head~1 --format patch"]
    for (name, line) in files {
      try disk.setContents(name, Array(run(line, on: source ?? disk).output.utf8))
    }
  }

  /// A line for everything that commands can do that write, all of them on `Notes.xjournal`.
  static let lines = [
    "tag release", "tag v1 --remove", "drafts discard sketch", "restore head~1",
    "restore head --only", "patch changes.json --dry-run", "patch changes.json",
    "bisect 1 head -- check {}", "backup -o New.xjournal", "compact -o New.xjournal",
    "compact --since head~1 -o New.xjournal", "repair -o New.xjournal",
    "repair --salvage -o New.xjournal", "import posts.ndjson -o New.xjournal",
    "replay --into New.xjournal", "replay --into New.xjournal --until 2",
  ]

  /// Those of them that change the journal.
  static func isInPlace(_ line: String) -> Bool {
    ["tag", "drafts discard", "restore", "patch"].contains { line.hasPrefix($0) }
      && !line.contains("--dry-run")
  }

  /// Those of them that make a journal.
  static let making = lines.filter { $0.contains("New.xjournal") }

  /// Says of the third commit that it is bad, and of those before that they are good.
  static let check: ProgramRunner = { words, variables in
    switch words[0] {
    case "check": (Int32(variables["XJOURNAL_COMMIT"] ?? "") ?? 0) < 3 ? 0 : 1
    case "crash": 139
    case "skip": 125
    default: nil
    }
  }

  /// Everything that lies in a folder of a disk.
  static func contents(of folder: String, on disk: SimulatedDisk) -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for path in disk.paths where path.hasPrefix(folder + "/") {
      contents[path] = disk.contents(of: path) ?? []
    }
    return contents
  }
}
