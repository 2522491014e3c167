import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

/// The tool itself, as a process on the real disk: its standard input and outputs, what it runs, and who holds the lock.
@Suite struct RealToolTests {
  private let folder: TemporaryFolder
  private let tool = BuiltTool.path

  init() throws {
    folder = try TemporaryFolder()
    let disk = try Journals.killed()
    try Upkeep.addFiles(to: disk)
    try disk.write(to: folder.path)
  }

  @Test func `what the outputs have is apart, also of a program that bisect runs`() throws {
    let check = "echo told; echo $XJOURNAL_STORE; test $XJOURNAL_COMMIT -lt 3"
    let run = try run(["bisect", "1", "head", "--json", "--", "sh", "-c", check])
    #expect(run.status == 0)
    let kinds = try run.output.split(separator: "\n").map { line in
      try JSONValue(parsing: Array(line.utf8)).object?["kind"]?.string
    }
    #expect(kinds == Array(repeating: "bisectionStep", count: 4) + ["bisection"])
    #expect(run.output.contains("\"first\":3"))
    #expect(run.errors == String(repeating: "told\nNotes.xjournal\n", count: 4))
    #expect(try self.run(["bisect", "1", "head", "--", "nowhere-to-be-found"]).status == 64)
    #expect(try self.run(["bisect", "1", "head", "--", "sh", "-c", "kill -9 $$"]).status == 64)
  }

  @Test func `bisect runs the tool itself on the journal that was named, and what else it is told`()
    throws
  {
    let elsewhere = "\(folder.path)/elsewhere"
    try FileManager.default.createDirectory(atPath: elsewhere, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      atPath: "\(folder.path)/Notes.xjournal", toPath: "\(elsewhere)/Notes.xjournal")
    let named = ["bisect", "-s", "elsewhere/Notes.xjournal", "2", "head", "--"]
    let gone = try run(named + [tool, "get", "Post/2", "--at", "{}", "--json"])
    #expect(gone.status == 0 && gone.output.hasPrefix("commit 4 is the first bad one"), "\(gone)")
    // Misuse is no verdict.
    let misused = try run(named + [tool, "get", "--lot", "--at", "{}"])
    #expect(misused.status == 64 && misused.errors.contains("ended with 64"), "\(misused)")
    // A program whose reader has gone ends by that, as it does elsewhere.
    let piped = try run(named + ["sh", "-c", "kill -PIPE $$; exit 0"])
    #expect(piped.status == 64 && piped.errors.contains("ended with 141"), "\(piped)")
  }

  @Test func `the standard input is read, and what it has is committed`() throws {
    let patch = try String(contentsOfFile: "\(folder.path)/changes.json", encoding: .utf8)
    let run = try run(["patch", "-", "--author", "eve"], input: patch)
    #expect(run.status == 0 && run.output.contains("committed as commit 6"), "\(run)")
    let objects = try String(contentsOfFile: "\(folder.path)/posts.ndjson", encoding: .utf8)
    let imported = try self.run(["import", "-", "-o", "New.xjournal"], input: objects)
    #expect(imported.status == 0, "\(imported.errors)")
    #expect(try self.run(["verify", "--deep", "New.xjournal"]).status == 0)
    #expect(
      try self.run(["import", "-", "-s", "Notes.xjournal", "-o", "A"], input: "x").status == 64)
  }

  @Test func `what comes through a pipe is read, however it is named`() throws {
    func bash(_ script: String) throws -> String {
      try ForeignProgram.run(["bash", "-c", "cd '\(folder.path)'; \(script) 2>&1; echo $?"]).said
    }
    let slow = "(sleep 0.3; head -c 20 changes.json; sleep 0.3; tail -c +21 changes.json)"
    for (script, words) in [
      ("'\(tool)' patch <(cat changes.json) --dry-run", "update"),
      ("'\(tool)' patch <\(slow) --dry-run", "update"),
      ("cat changes.json | '\(tool)' patch /dev/stdin --dry-run", "update"),
      ("cat changes.json | '\(tool)' patch /proc/self/fd/0 --dry-run", "update"),
      (
        "mkfifo p; (sleep 0.5; cat posts.ndjson > p) & '\(tool)' import p -o A.xjournal",
        "imported"
      ),
      (
        "'\(tool)' import <(cat posts.ndjson) -o B.xjournal -s Notes.xjournal", "imported"
      ),
      (
        "ln -s posts.ndjson l; '\(tool)' import l -o C.xjournal -s Notes.xjournal",
        "imported"
      ),
    ] {
      let said = try bash(script)
      #expect(said.contains(words) && said.hasSuffix("\n0\n"), "\(script): \(said)")
    }
    let empty = try bash("'\(tool)' patch <(true) -s Notes.xjournal --dry-run")
    #expect(empty.hasSuffix("\n64\n"), "\(empty)")
    let endless = try bash("'\(tool)' patch <(cat /dev/zero) -s Notes.xjournal --dry-run")
    #expect(endless.hasSuffix("that are taken at once.\n74\n"), "\(endless)")
  }

  @Test(arguments: ["backup -o A", "repair -o A", "compact -o A", "tag x", "log -p"])
  func `a limit on the length of files is told, and ends nobody by a signal`(line: String) throws {
    let limit = line.hasPrefix("log") ? 0 : 64
    let script =
      "cd '\(folder.path)'; ulimit -f \(limit); '\(tool)' \(line) -s Notes.xjournal > said; echo $?"
    // Not through a pipe, which has no length.
    let answer = try ForeignProgram.run(["bash", "-c", "exec 2>&1; \(script)"])
    #expect(answer.said.hasSuffix("\n74\n"), "\(answer.said)")
    #expect(answer.said.contains("File too large"), "\(answer.said)")
    #expect(try run(["verify", "-s", "Notes.xjournal"]).status == 0)
  }

  @Test func `who comes while another process writes is told, and may read and copy`() throws {
    let path = "\(folder.path)/Notes.xjournal"
    let store = try JournaledStore(on: PosixDisk(), at: path, model: nil)
    for words in [
      ["tag", "x"], ["restore", "1"], ["patch", "changes.json"], ["drafts", "discard", "sketch"],
    ] {
      let run = try run(words)
      #expect(run.status == 75, "\(words): \(run)")
      #expect(run.errors.contains("another process"), "\(run.errors)")
    }
    for words in [
      ["backup", "-o", "A.xjournal"], ["verify", "--deep", "A.xjournal"],
      ["compact", "-s", "Notes.xjournal", "-o", "B.xjournal"],
      ["repair", "-s", "Notes.xjournal", "-o", "C.xjournal"],
      ["replay", "-s", "Notes.xjournal", "--into", "D.xjournal", "--until", "3"],
      ["verify", "--deep", "B.xjournal"], ["verify", "--deep", "D.xjournal"],
    ] {
      let run = try run(words)
      #expect(run.status == 0, "\(words): \(run)")
    }
    try store.close()
    #expect(try run(["tag", "x", "Notes.xjournal"]).status == 0)
  }

  @Test func `links, pipes and places that cannot be written to are refused`() throws {
    let files = FileManager.default
    try files.createSymbolicLink(
      atPath: "\(folder.path)/Link", withDestinationPath: "Nowhere.xjournal")
    #expect(mkfifo("\(folder.path)/pipe", 0o600) == 0)
    for target in ["Link", "pipe", "/dev/null", "/proc/New", "posts.ndjson/New", "."] {
      for words in [["backup"], ["repair"], ["compact"], ["import", "posts.ndjson"]] {
        let run = try run(words + ["-o", target])
        #expect(run.status == 73, "\(words) \(target): \(run)")
      }
    }
    #expect(!files.fileExists(atPath: "\(folder.path)/Nowhere.xjournal"))
    for file in ["pipe", "Link", "/dev/zero", "."] {
      for words in [["patch", file], ["patch", file, "--dry-run"], ["import", file, "-o", "A"]] {
        let run = try run(words)
        #expect(run.status == 74, "\(words): \(run)")
        let told = ["pipe": "nobody writes to the pipe", "/dev/zero": "neither a file nor a pipe"]
        #expect(told[file].map(run.errors.contains) ?? true, "\(run.errors)")
      }
    }
  }

  @Test func `nothing is made within a journal, by whatever way its folder is named`() throws {
    let files = FileManager.default
    for (link, target) in [("journal", "Notes.xjournal/journal"), ("Other", "Notes.xjournal")] {
      try files.createSymbolicLink(atPath: "\(folder.path)/\(link)", withDestinationPath: target)
    }
    for target in [
      "Notes.xjournal/New", "Notes.xjournal/journal/New", "Notes.xjournal/journal/../New",
      "journal/New", "journal/../New", "Other/New", "Other/journal/New", "Other/./New/",
      "New/..", "New/.",
    ] {
      for words in [["backup"], ["import", "posts.ndjson"], ["replay", "--until", "2"]] {
        let option = words[0] == "replay" ? "--into" : "-o"
        let run = try run(words + ["-s", "Notes.xjournal", option, target])
        #expect(run.status == 73, "\(words) \(target): \(run)")
      }
    }
    #expect(try self.run(["verify", "Notes.xjournal"]).status == 0)
    #expect(try self.run(["backup", "-s", "Other", "-o", "New"]).status == 0)
    let beside = try self.run(["backup", "-s", "Other", "-o", "Notes.xjournal/../Newer"])
    #expect(beside.status == 0, "\(beside)")
  }

  @Test func `who follows a quiet journal ends when its reader has gone`() throws {
    let script =
      "cd '\(folder.path)'; timeout 20 '\(tool)' log --follow Notes.xjournal | head -n 1; "
      + "echo ${PIPESTATUS[0]}"
    let answer = try ForeignProgram.run(["bash", "-c", script])
    #expect(answer.said.hasPrefix("commit 1 ") && answer.said.hasSuffix("\n0\n"), "\(answer.said)")
  }

  /// Runs a program on a terminal of its own, and sends it an interrupt where it says ‘ready’.
  private static let terminal = #"""
    import json, os, pty, select, sys, time
    pid, end = pty.fork()
    if pid == 0:
        for name in ("LESS", "LV", "PAGER"): os.environ.pop(name, None)
        os.environ.update(json.loads(sys.argv[1]))
        os.execv(sys.argv[2], sys.argv[2:])
    said, limit, was_sent = b"", time.time() + 60, False
    while time.time() < limit:
        if select.select([end], [], [], 0.5)[0]:
            try: data = os.read(end, 65536)
            except OSError: break
            if not data: break
            said += data
            if b"ready" in said and not was_sent:
                was_sent = True
                os.write(end, b"\x03")
    status = os.waitpid(pid, 0)[1]
    sys.stdout.write(said.decode(errors="replace").replace("\r\n", "\n"))
    sys.exit(os.waitstatus_to_exitcode(status) % 256)
    """#

  private func onTerminal(
    _ variables: [String: String]
  ) throws -> (said: String, status: Int32) {
    let json = String(decoding: try JSONEncoder().encode(variables), as: UTF8.self)
    let journal = "\(folder.path)/Notes.xjournal"
    return try ForeignProgram.run(
      ["python3", "-c", Self.terminal, json, tool, "log", "-s", journal])
  }

  @Test func `where a pager cannot be run, that is told, and all is shown without it`() throws {
    let all = try onTerminal(["PAGER": "cat"])
    #expect(all.status == 0 && all.said.contains("commit 5"), "\(all)")
    for pager in ["nosuchpager", "cat | nosuchpager -R", "/dev/null", "exec nosuchpager"] {
      let run = try onTerminal(["PAGER": pager])
      #expect(run.status == 0, "\(pager): \(run)")
      #expect(run.said.contains("the pager ‘\(pager)’ cannot be run."), "\(run)")
      #expect(run.said.hasSuffix(all.said), "\(pager): \(run)")
    }
  }

  @Test func `a pager is told how to show colours, unless it was told otherwise`() throws {
    let pager = "cat > /dev/null; echo \"$LESS, $LV\""
    #expect(try onTerminal(["PAGER": pager]).said == "FRX, -c\n")
    #expect(try onTerminal(["PAGER": pager, "LESS": "i", "LV": ""]).said == "i, \n")
  }

  @Test func `an interrupt is the pager's as long as it runs`() throws {
    let pager =
      "trap 'echo told; told=1' INT; echo ready; until [ \"$told\" ]; do sleep 0.1; done; echo over"
    let run = try onTerminal(["PAGER": pager])
    #expect(run.status == 0, "\(run)")
    #expect(run.said.contains("told\n") && run.said.hasSuffix("over\n"), "\(run)")
  }

  /// What stands where a file of the journal should be, and how many of its five commits are there again.
  @Test(arguments: [
    ("MANIFEST", 5), ("edits", 5), ("journal/0000000001.xj", nil), ("snapshots", 5), ("run", 5),
    ("checkpoint", 5),
  ])
  func `of pipes, links and endless files a journal is made where that can be`(
    name: String, count: Int?
  ) throws {
    let journal = "\(folder.path)/Notes.xjournal"
    if ["run", "checkpoint", "snapshots"].contains(name) {
      let store = try JournaledStore(on: PosixDisk(), at: journal, model: nil)
      try store.checkpoint()
      try store.close()
    }
    let files = FileManager.default
    let kept = (try? files.contentsOfDirectory(atPath: "\(journal)/snapshots")) ?? []
    let ending = name == "run" ? ".xr" : ".xc"
    let place =
      ["run", "checkpoint"].contains(name)
      ? "snapshots/\(try #require(kept.first { $0.hasSuffix(ending) }))" : name
    for kind in ["pipe", "link", "endless"] where kind != "endless" || name == "run" {
      let copy = "\(folder.path)/\(kind).xjournal"
      try files.copyItem(atPath: journal, toPath: copy)
      let path = "\(copy)/\(place)"
      switch kind {
      case "endless":
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.truncate(atOffset: 1 << 40)
        try handle.close()
      case "link":
        try? files.removeItem(atPath: path)
        try files.createSymbolicLink(atPath: path, withDestinationPath: "/dev/zero")
      default:
        try? files.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
      }
      let repaired = "\(kind)-repaired"
      let run = try run(["repair", "-s", "\(kind).xjournal", "-o", repaired])
      guard let count else {
        #expect(run.status == 65, "\(kind): \(run)")
        continue
      }
      #expect(run.status == 0 && run.errors.contains("damaged: "), "\(kind): \(run)")
      #expect(run.output.contains("with \(count) commits"), "\(kind): \(run)")
      #expect(try self.run(["verify", "--deep", "-s", repaired]).status == 0)
    }
  }

  private func run(
    _ words: [String], input: String = ""
  ) throws -> (status: Int32, output: String, errors: String) {
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.environment = BuiltTool.environment
    process.arguments = words
    process.currentDirectoryURL = URL(filePath: folder.path)
    // Files, as nothing waits for room in them.
    let given = URL(filePath: "\(folder.path)/.input")
    let (output, errors) = (
      given.appendingPathExtension("out"), given.appendingPathExtension("err")
    )
    try Data(input.utf8).write(to: given)
    for file in [output, errors] { try Data().write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: given)
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return (
      process.terminationStatus, try String(contentsOf: output, encoding: .utf8),
      try String(contentsOf: errors, encoding: .utf8)
    )
  }
}
