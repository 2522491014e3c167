internal import ObjectPatching

/// Help on the terminal: examples first, because they are what people look for.
enum Help {
  static func version(_ output: Output) -> ExitStatus {
    if output.isJSON {
      output.json(
        .document(
          "version",
          [("tool", "xjournal"), ("toolVersion", .string(CommandTable.version))]))
    } else {
      output.line("xjournal \(CommandTable.version)")
    }
    return .fine
  }

  static func overview(of table: CommandTable, _ output: Output) {
    guard !output.isJSON else {
      output.json(.document("help", [("commands", .array(table.commands.map(json)))]))
      return
    }
    output.line("xjournal shows everything in a journal, and looking changes nothing of it.")
    output.line()
    for line in ["xjournal info Notes.xjournal", "xjournal log -p -n 3", "xjournal show head~1"] {
      output.line("  \(line, .strong)")
    }
    output.line()
    rows(table.commands.map { ($0.name, $0.summary) }, output)
    output.line()
    output.line("xjournal COMMAND --help tells of one of them, and docs/xjournal.md of all.")
  }

  static func page(of command: Command, _ output: Output) {
    guard !output.isJSON else {
      output.json(.document("help", [("commands", .array([json(command)]))]))
      return
    }
    output.line("\("xjournal \(command.name)", .strong): \(command.summary)")
    output.line()
    for example in command.examples {
      output.line("  \(example.line, .strong)")
      output.line("      \(example.meaning)")
    }
    output.line()
    output.line("usage: \(command.synopsis)")
    for paragraph in command.allDetails {
      output.line()
      for line in wrapped(paragraph, 78) { output.line("\(line)") }
    }
    if !command.operands.isEmpty {
      output.line()
      rows(command.operands.map { ($0.name, $0.summary) }, output)
    }
    output.line()
    rows(command.allOptions.map { ($0.synopsis, $0.summary) }, output)
  }

  private static func rows(_ rows: [(String, String)], _ output: Output) {
    let width = min(28, rows.map(\.0.count).max() ?? 0)
    for (name, summary) in rows {
      if name.count > width {
        output.line("  \(name, .key)")
        output.line("  \(String(repeating: " ", count: width))  \(summary)")
      } else {
        let space = String(repeating: " ", count: width - name.count)
        output.line("  \(name, .key)\(space)  \(summary)")
      }
    }
  }

  private static func json(_ command: Command) -> JSONValue {
    .members([
      ("name", .string(command.name)), ("summary", .string(command.summary)),
      ("usage", .string(command.synopsis)),
      (
        "examples",
        .array(
          command.examples.map {
            .members([("line", .string($0.line)), ("meaning", .string($0.meaning))])
          })
      ),
      (
        "options",
        .array(
          command.allOptions.map {
            .members([
              ("name", .string("--" + $0.name)), ("letter", .text($0.letter.map { "-\($0)" })),
              ("value", .text($0.value)), ("summary", .string($0.summary)),
            ])
          })
      ),
    ])
  }

  /// A paragraph in lines of at most so many characters.
  static func wrapped(_ text: String, _ width: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= width {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
    return lines
  }
}

extension Command {
  static let help = Command(
    "help", "Tells how commands are used.",
    examples: [
      Example("xjournal help", "all commands"),
      Example("xjournal help log", "one of them, examples first"),
    ],
    operands: [Operand("COMMAND", "the command to tell of", isOptional: true)],
    readsJournal: false
  ) { (request) throws(ToolError) in
    if let name = request.operand(0) {
      Help.page(of: try request.table.command(named: name), request.output)
    } else {
      Help.overview(of: request.table, request.output)
    }
    return .fine
  }
}
