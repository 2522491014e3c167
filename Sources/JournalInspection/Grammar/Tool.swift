package import DiskAccess
internal import Journaling
internal import ObjectStore

/// The tool `xjournal`: arguments in, status out.
package struct Tool {
  private let table: CommandTable
  private let disk: any ReadableDisk
  private let console: any Console

  /// - Parameter disk: cannot be written to, by its type.
  package init(_ table: CommandTable, on disk: any ReadableDisk, _ console: any Console) {
    self.table = table
    self.disk = disk
    self.console = console
  }

  /// Does what the arguments say, those behind the name of the program.
  ///
  /// - Parameter areText: whether they say what was typed: what is no UTF-8 would name something else.
  package func run(_ arguments: [String], areText: Bool = true) -> ExitStatus {
    // Errors are told as JSON, and in colours, also where the rest cannot be understood.
    var output = Output(
      console, isJSON: Self.asksForJSON(arguments), color: Self.color(in: arguments))
    do throws(ToolError) {
      guard areText else {
        throw .usage(
          "what was typed is not all UTF-8, and nothing can be named otherwise; give what it is about another name, or "
            + "lead to it by a link.")
      }
      return try run(arguments, &output)
    } catch {
      output.flush()
      output.tell(error)
      return output.failure == .closed ? .fine : error.status
    }
  }

  /// What stands behind `--` asks for nothing.
  private static func asksForJSON(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains("--json")
  }

  /// The value of `--color`, wherever it stands.
  private static func color(in arguments: [String]) -> String? {
    let words = arguments.prefix { $0 != "--" }
    guard let place = words.lastIndex(where: { $0.hasPrefix("--color") }) else { return nil }
    let parts = words[place].split(separator: "=", maxSplits: 1)
    if parts.count == 2 { return String(parts[1]) }
    return place + 1 < words.endIndex ? words[place + 1] : nil
  }

  /// The options that all commands have, or that name the journal, where they stand before the command.
  private static func leadingOptions(of arguments: [String]) -> ArraySlice<String> {
    let known = [Option.json, .noPager, .color, .store]
    var end = arguments.startIndex
    while end < arguments.endIndex, arguments[end].hasPrefix("-") {
      let word = arguments[end]
      if known.contains(where: { $0.value == nil && word == "--\($0.name)" }) {
        end += 1
        continue
      }
      let valued = known.filter { $0.value != nil }
      let isAlone = valued.contains { option in
        word == "--\(option.name)" || option.letter.map { word == "-\($0)" } ?? false
      }
      let isWhole = valued.contains { option in
        word.hasPrefix("--\(option.name)=")
          || option.letter.map { !isAlone && word.hasPrefix("-\($0)") } ?? false
      }
      guard isAlone && end + 1 < arguments.endIndex || isWhole else { break }
      end += isAlone ? 2 : 1
    }
    return arguments[..<end]
  }

  private func run(_ arguments: [String], _ output: inout Output) throws(ToolError) -> ExitStatus {
    let leading = Self.leadingOptions(of: arguments)
    let words = arguments.dropFirst(leading.count)
    guard let name = words.first else {
      guard !output.isJSON, leading.isEmpty else {
        throw .usage("no command was named; ‘xjournal help’ lists those there are.")
      }
      Help.overview(of: table, output)
      output.flush()
      return .usage
    }
    if name == "--version" || name == "-V" {
      return finish(Help.version(output), output)
    }
    if name == "--help" || name == "-h" {
      Help.overview(of: table, output)
      return finish(.fine, output)
    }
    let unfinished = [Option.color, .store].first {
      name == "--\($0.name)" || name == $0.letter.map { "-\($0)" }
    }
    if let unfinished { throw .noValue(of: unfinished) }
    let command = try table.command(named: name)
    let parsed = try ParsedArguments(leading + words.dropFirst(), of: command)
    output = Output(
      console, isJSON: Self.asksForJSON(arguments) || parsed.values["json"] != nil,
      color: parsed.values["color"]?.last)
    if parsed.values["help"] != nil {
      Help.page(of: command, output)
      return finish(.fine, output)
    }
    if parsed.values["version"] != nil { return finish(Help.version(output), output) }
    let request = try Request(command, of: table, parsed, disk, output)
    if command.readsJournal, command.name != "repair", let path = try? request.path() {
      output.damagedPath = path
      output.isBeginningDropped = { [disk] in
        let manifest = try? JournalReader(at: path, on: disk).manifest
        return manifest.map { $0.segments[0].firstFrame > FrameNumber(1) } ?? false
      }
    }
    let isPaged = beginPaging(parsed, of: command)
    defer { if isPaged { console.endPager() } }
    return finish(try run(command, request, output), output)
  }

  /// Runs a command, and tells what was found wrong with the journal meanwhile: that is also why something may not be
  /// there that was asked for.
  private func run(
    _ command: Command, _ request: Request, _ output: Output
  ) throws(ToolError) -> ExitStatus {
    var status: ExitStatus
    do throws(ToolError) {
      status = try command.run(request)
    } catch {
      request.progress?.end()
      guard [.no, .usage].contains(error.status),
        !request.findings.isEmpty || request.untold() != nil
      else { throw request.named(error) }
      output.flush()
      output.tell(error)
      status = error.status
    }
    request.progress?.end()
    output.flush()
    if request.isUnfinished {
      status = .damage
      output.tell(
        ToolError(
          .damage,
          "the journal is a copy that did not come to its end, and may lack something; make it anew."
        ).withoutRemedy)
      output.damagedPath = nil
    }
    if let untold = request.untold() {
      status = untold.status ?? status
      let advice = untold.status == .damage ? output.takeRemedy() : nil
      output.remark([untold.text, advice].compactMap(\.self).joined(separator: " "))
    }
    let findings = request.findings
    if !findings.isEmpty { status = ExitStatus(of: findings) }
    output.noteDamage(findings.map(\.matter))
    for finding in findings { output.tell(ToolError(finding)) }
    if status == .damage, let advice = output.takeRemedy() { output.remark(advice) }
    return status
  }

  /// Has long output for people shown page by page.
  private func beginPaging(_ parsed: ParsedArguments, of command: Command) -> Bool {
    guard console.isOutputTerminal, command.isPaged, parsed.values["no-pager"] == nil,
      parsed.values["json"] == nil, parsed.values["follow"] == nil,
      console.environment["TERM"] != "dumb"
    else { return false }
    let pager = console.environment["PAGER"] ?? "less -FRX"
    guard !pager.isEmpty, pager != "cat" else { return false }
    console.startPager(pager)
    return true
  }

  private func finish(_ status: ExitStatus, _ output: Output) -> ExitStatus {
    output.flush()
    switch output.failure {
    case .failed(let reason):
      let deed = output.deed.map { "; \($0) all the same" } ?? ""
      output.tell(ToolError(.inputOutput, "the output cannot be written: \(reason)\(deed)."))
      return .inputOutput
    case .closed: return .fine
    case .written, nil: return status
    }
  }
}
