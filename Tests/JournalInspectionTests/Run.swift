import DiskAccess
import DiskSimulation
import JournalInspection

/// A run of the tool on a disk in memory: what was typed, and what came of it.
struct Run {
  let status: JournalInspection.ExitStatus
  let output: String
  let errors: String

  /// - Parameter onPause: what happens while the tool waits; it ends where this says so.
  init(
    _ line: String = "", on disk: any ReadableDisk = SimulatedDisk(seed: 1),
    terminal: Bool = false, environment: [String: String] = [:],
    writable: ConsoleWriting = .written,
    onPause: @escaping () -> Bool = { false }
  ) {
    let console = TestConsole(terminal, environment, writable, onPause)
    let tool = Tool(CommandTable(CommandTable.looking), on: disk, console)
    status = tool.run(Self.words(line))
    output = String(decoding: console.output, as: UTF8.self)
    errors = String(decoding: console.errors, as: UTF8.self)
  }

  /// The words of a line as a shell takes them apart, with quotes.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    for character in line {
      switch (quote, character) {
      case (nil, "'"), (nil, "\""):
        quote = character
        word = word ?? ""
      case (let open?, character) where open == character: quote = nil
      case (nil, " "):
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return words
  }
}

/// A console in memory.
private final class TestConsole: Console {
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  let environment: [String: String]
  let isOutputTerminal: Bool
  let isErrorTerminal: Bool
  let width = 80
  private let writable: ConsoleWriting
  private let onPause: () -> Bool

  init(
    _ isTerminal: Bool, _ environment: [String: String], _ writable: ConsoleWriting,
    _ onPause: @escaping () -> Bool
  ) {
    (isOutputTerminal, isErrorTerminal) = (isTerminal, isTerminal)
    self.environment = environment
    self.writable = writable
    self.onPause = onPause
  }

  func write(_ bytes: [UInt8]) -> ConsoleWriting {
    if writable == .written { output += bytes }
    return writable
  }

  func writeError(_ bytes: [UInt8]) { errors += bytes }
  func startPager(_ command: String) { output += Array("<pager \(command)>\n".utf8) }
  func endPager() { output += Array("</pager>\n".utf8) }
  func pause(milliseconds: Int) -> Bool { onPause() }
}
