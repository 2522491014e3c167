import DiskSimulation
import JournalInspection
import Synchronization
import Testing
import ToolSupport

/// Of work that takes long a terminal is told how far it has come, and nobody else.
@Suite struct ProgressTests {
  private static let lines = [
    "verify --deep -s Notes.xjournal", "stats -s Notes.xjournal", "backup -s Notes.xjournal -o A",
    "compact -s Notes.xjournal -o B", "repair -s Notes.xjournal -o C",
    "import posts.ndjson -s Notes.xjournal -o D", "replay -s Notes.xjournal --into E",
  ]
  /// Lines of which more is told than a page.
  private static let telling = [
    "export -s Notes.xjournal", "export --format sql -s Notes.xjournal", "dump -s Notes.xjournal",
    "replay -s Notes.xjournal", "report -s Notes.xjournal",
  ]

  private static func disk() throws -> SimulatedDisk {
    let disk = try LongJournal.make(.early)
    try Upkeep.addFiles(to: disk)
    return disk
  }

  @Test(arguments: lines)
  func `on a terminal there is one line, which is gone in the end`(line: String) throws {
    let disk = try Self.disk()
    // Every call takes long.
    disk.clockStep = 100_000_000
    let run = Upkeep.run(line, on: disk, terminal: true)
    #expect(run.status == .fine)
    let told = run.errors.split(separator: "\r").map(String.init)
    let shown = told.filter { $0.contains("/s") || $0.contains(" %") }
    #expect(shown.count > 1, "\(run.errors)")
    #expect(shown.contains { $0.contains(" left") }, "\(shown)")
    // Each is written over by the next, and what is said at last stands in a line of its own.
    #expect(shown.allSatisfy { $0.hasPrefix("\u{1B}[K") && !$0.contains("\n") })
    #expect(told.last?.hasPrefix("\u{1B}[K") == true && told.last?.contains(" %") == false)
  }

  @Test(arguments: telling)
  func `who sends the output elsewhere is told meanwhile, and who sees it come is not`(
    line: String
  ) throws {
    let disk = try Self.disk()
    disk.clockStep = 100_000_000
    let plain = Upkeep.run(line, on: disk)
    #expect(!plain.errors.contains(" %"))
    let sent = Upkeep.run(line, on: disk, errorTerminal: true)
    #expect(sent.status == plain.status && sent.output == plain.output)
    #expect(sent.errors.contains(" %") && sent.errors.hasSuffix("\r\u{1B}[K"), "\(sent.errors)")
    // What has come is not followed by a line that is written over.
    let seen = Upkeep.run(line + " --no-pager --color never", on: disk, terminal: true)
    #expect(seen.errors.isEmpty || seen.errors.hasSuffix("\r\u{1B}[K"), "\(seen.errors)")
  }

  @Test(arguments: lines)
  func `elsewhere nothing is told, nor of what is done at once`(line: String) throws {
    let slow = try Self.disk()
    slow.clockStep = 100_000_000
    #expect(!Upkeep.run(line, on: slow).errors.contains(" %"))
    let fast = try Self.disk()
    #expect(!Upkeep.run(line, on: fast, terminal: true).errors.contains(" %"))
  }

  @Test func `how fast it goes and what is left follow from what was done`() {
    let terminal = Terminal()
    terminal.pass(2_000_000_000)
    let line = ProgressLine("work", clock: { terminal.time }) { terminal.write($0) }
    line.tell("copying", 0)
    terminal.pass(900_000_000)
    line.tell("copying", 0.2)
    #expect(terminal.said == [])
    terminal.pass(1_100_000_000)
    line.tell("copying", 0.25)
    terminal.pass(100_000_000)
    line.tell("copying", 0.26)
    terminal.pass(97_900_000_000)
    line.tell("copying", 0.5)
    line.end()
    terminal.pass(9_000_000_000)
    line.tell("copying", 0.9)
    #expect(
      terminal.said == [
        "\r\u{1B}[Kcopying: 25 %, 6 s left", "\r\u{1B}[Kcopying: 50 %, 2 min left", "\r\u{1B}[K",
      ])
  }
}

/// A clock that somebody sets, and what is written to a terminal.
private final class Terminal: Sendable {
  private let state = Mutex<(time: UInt64, said: [String])>((0, []))

  var time: UInt64 { state.withLock { $0.time } }
  var said: [String] { state.withLock { $0.said } }

  func pass(_ nanoseconds: UInt64) { state.withLock { $0.time += nanoseconds } }

  func write(_ bytes: [UInt8]) {
    state.withLock { $0.said.append(String(decoding: bytes, as: UTF8.self)) }
  }
}
