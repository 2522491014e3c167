package import DiskAccess
internal import DiskSimulation
package import JournalInspection

/// A run of the tool on a disk in memory: what was typed, and what came of it.
package struct Run {
  package let status: JournalInspection.ExitStatus
  package let output: String
  package let errors: String

  /// - Parameters:
  ///   - input: what the standard input has.
  ///   - terminal: whether both outputs are one.
  ///   - errorTerminal: whether the one for words is.
  ///   - areText: whether what was typed is.
  ///   - onPause: what happens while the tool waits; it ends where this says so.
  package init(
    _ line: String = "", on disk: any ReadableDisk = SimulatedDisk(seed: 1),
    table: CommandTable = CommandTable(CommandTable.looking), input: String = "",
    terminal: Bool = false, errorTerminal: Bool = false, environment: [String: String] = [:],
    writable: ConsoleWriting = .written, areText: Bool = true,
    onPause: @escaping () -> Bool = { false }
  ) {
    let console = TestConsole(
      (terminal, terminal || errorTerminal), environment, writable, input, onPause)
    let tool = Tool(table, on: disk, console)
    status = tool.run(Self.words(line), areText: areText)
    output = String(decoding: console.output, as: UTF8.self)
    errors = String(decoding: console.errors, as: UTF8.self)
  }

  /// What lines say, one after the other, with the status each ends with.
  package static func transcript(
    of lines: [String], _ run: (String) throws -> Run
  ) rethrows -> String {
    try lines.map { line in
      let run = try run(line)
      // Of a page the parts that are always the same are kept once, in the code.
      let output = ReportPage.parts.reduce(run.output) { $0.replacing($1, with: "[…]\n") }
      let errors = run.errors.split(separator: "\n").map { "! \($0)\n" }.joined()
      return "$ xjournal \(line)\n\(output)\(errors)= \(run.status.rawValue)\n"
    }.joined(separator: "\n")
  }

  /// The words of a line as a shell takes them apart, with quotes.
  package static func words(_ line: String) -> [String] {
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
  private let input: String
  private let onPause: () -> Bool

  init(
    _ areTerminals: (output: Bool, errors: Bool), _ environment: [String: String],
    _ writable: ConsoleWriting, _ input: String, _ onPause: @escaping () -> Bool
  ) {
    (isOutputTerminal, isErrorTerminal) = areTerminals
    self.environment = environment
    self.writable = writable
    self.input = input
    self.onPause = onPause
  }

  func write(_ bytes: [UInt8]) -> ConsoleWriting {
    if writable == .written { output += bytes }
    return writable
  }

  func writeError(_ bytes: [UInt8]) { errors += bytes }
  func readInput(atMost byteCount: Int) -> [UInt8]? {
    input.utf8.count <= byteCount ? Array(input.utf8) : nil
  }
  func startPager(_ command: String) { output += Array("<pager \(command)>\n".utf8) }
  func endPager() { output += Array("</pager>\n".utf8) }
  func pause(milliseconds: Int) -> Bool { onPause() }
}
