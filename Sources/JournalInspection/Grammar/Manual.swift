internal import ObjectPatching

/// The manual, made of the table: as a page of `man`, and as docs/xjournal.md.
package enum Manual {
  private static let introduction = [
    "`xjournal` opens any journal and shows all of it: what there is, what there was, who changed what and "
      + "when, and what was never saved. It needs nothing of the program that wrote the journal, and works beside a "
      + "program that is writing. Looking changes nothing, and a command that changes a journal says so.",
    "The journal is named once: by an operand that ends in `.xjournal`, by `-s`, or not at all where it is the only "
      + "one in the folder. What all commands have, `--json`, `--color` and `--no-pager`, may stand before the command too, "
      + "and so may `-s`. Of an option that is given twice the last counts.",
  ]

  private static let references = [
    ("head", "the last commit; `@` says the same"),
    ("head~3", "so many commits before; `~` stands behind any reference, `head~3~1` too"),
    ("41", "a commit by its number; 0 is before the first"),
    (
      "v1",
      "a commit by its tag; `tag:41` where the tag looks like something else, as an object, or has `~` in it"
    ),
    (
      "2026-11-23T10:30",
      "the last commit at that time or before; UTC where no zone is said; `20261123T1030` says the same"
    ),
    (
      "2 hours ago",
      "the same, counted back from now; `yesterday`, `1.day.ago`; `today` is midnight, UTC"
    ),
  ]

  private static let objects = [
    (
      "Post/7",
      "an object by its entity and number; by an identifier where there never was that number"
    ),
    ("Post/abc", "by the value of an identifier of the entity; `abc` alone looks among all"),
    ("xjournal://…/0/3/7", "by its URI"),
  ]

  private static let output = [
    "Data go to the standard output, words to the standard error output. With `--json` the data are JSON: an object, "
      + "or one on each line where there may be many. Each begins with `version`, which is "
      + "\(JSONValue.formatVersion), and `kind`. Whole numbers beyond 2^53 are strings, as many readers would round them. "
      + "Errors are an object of kind `error` on the standard error output.",
    "Of a damaged journal everything is shown that can be read, on both sides of what cannot; what is left out is told. "
      + "Behind what cannot, its segment is read no further; ‘repair --salvage’ looks there too. "
      + "Without its MANIFEST nothing is shown: ‘repair’ makes a journal of the segments there are. "
      + "That the file of unsaved edits does not say what is durable is told by all commands, as the last commits may be "
      + "missing; that edits in it cannot be read, by those that show edits.",
    "Values in JSON are as in patches: plain where the model says what they are, and elsewhere, as among the members of lists and of "
      + "relationships to many, with their kind beside them, as in `{\"$date\": \"2026-11-23T10:30:00Z\"}`. There a whole number beyond 2^53 is "
      + "`{\"$integer\": \"9007199254740993\"}`, so that it is told from a text, and ‘import’ reads it as the number. So are lists and dictionaries in cells of CSV and texts of SQL.",
    "Colours and the pager (`PAGER`, or `less`) are for terminals alone; `NO_COLOR`, `--color` and `--no-pager` are "
      + "obeyed, and `LESS` and `LV` are set for the pager where they are not. Control characters in data are shown in digits, never sent to a terminal.",
  ]

  /// docs/xjournal.md.
  package static func markdown(of table: CommandTable) -> String {
    var lines = [
      "<!-- Written from the command table: `Tools/check golden` writes it anew. -->", "",
      "# xjournal", "",
    ]
    func section(_ title: String) { lines += ["## \(title)", ""] }
    func paragraphs(_ texts: [String]) {
      for text in texts { lines += Help.wrapped(text, 110) + [""] }
    }
    func rows(_ rows: [(String, String)], _ head: String) {
      lines += ["| \(head) | |", "|---|---|"]
      lines += rows.map { "| `\($0.0.replacingPipes)` | \($0.1.replacingPipes) |" } + [""]
    }
    paragraphs(introduction)
    lines += table.commands.map { "- [\($0.name)](#\($0.name)): \($0.summary)" } + [""]
    section("References")
    rows(references, "Reference")
    rows(objects, "Object")
    section("Output")
    paragraphs(output)
    lines += ["| Kind of JSON | | Members |", "|---|---|---|"]
    lines += table.kinds.map { kind in
      "| `\(kind.name)` | \(kind.summary) | \(kind.members.map { "`\($0)`" }.joined(separator: ", ")) |"
    }
    lines.append("")
    rows(ExitStatus.allCases.map { (String($0.rawValue), $0.meaning) }, "Status")
    section("Commands")
    for command in table.commands {
      lines += ["### \(command.name)", ""]
      paragraphs([command.summary])
      lines += ["```"] + command.examples.map { $0.line + "   # " + $0.meaning } + ["```", ""]
      paragraphs(["`\(command.synopsis)`"] + command.allDetails)
      if !command.operands.isEmpty {
        rows(command.operands.map { ($0.name, $0.summary) }, "Operand")
      }
      let own = command.options + (command.travels ? [Option.at] : [])
      if !own.isEmpty { rows(own.map { ($0.synopsis, $0.summary) }, "Option") }
    }
    section("Options of all commands")
    rows(([Option.store] + Option.everywhere).map { ($0.synopsis, $0.summary) }, "Option")
    lines.removeLast()
    return lines.joined(separator: "\n") + "\n"
  }

  /// A page of section 1.
  package static func manPage(of table: CommandTable) -> String {
    var lines = [
      ".TH XJOURNAL 1 \"\" \"xjournal \(CommandTable.version)\" \"User Commands\"", ".SH NAME",
      "xjournal \\- see everything in a journal, lose nothing", ".SH SYNOPSIS",
      ".B xjournal", ".I COMMAND", "[operand ...] [option ...]", ".SH DESCRIPTION",
    ]
    func rows(_ rows: [(String, String)]) {
      for (name, text) in rows { lines += [".TP", ".B \(name.troffWords)", text.troff] }
    }
    func paragraphs(_ texts: [String]) { for text in texts { lines += [".PP", text.troff] } }
    paragraphs(introduction)
    lines.append(".SH COMMANDS")
    for command in table.commands {
      lines += [".SS \(command.synopsis.dropFirst("xjournal ".count).description.troffWords)"]
      lines.append(command.summary.troff)
      for example in command.examples {
        lines += [".TP", ".B \(example.line.troffWords)", example.meaning.troff]
      }
      paragraphs(command.allDetails)
      rows(command.operands.map { ($0.name, $0.summary) })
      rows(
        (command.options + (command.travels ? [Option.at] : [])).map { ($0.synopsis, $0.summary) })
    }
    lines.append(".SH OPTIONS OF ALL COMMANDS")
    rows(([Option.store] + Option.everywhere).map { ($0.synopsis, $0.summary) })
    lines.append(".SH REFERENCES")
    rows(references + objects)
    lines.append(".SH OUTPUT")
    paragraphs(output)
    rows(table.kinds.map { ($0.name, "\($0.summary): \($0.members.joined(separator: ", "))") })
    lines.append(".SH EXIT STATUS")
    rows(ExitStatus.allCases.map { (String($0.rawValue), $0.meaning) })
    return lines.joined(separator: "\n") + "\n"
  }
}

extension String {
  /// The text within a cell of a table.
  fileprivate var replacingPipes: String {
    split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
  }

  /// The text as a macro of troff reads it: a quotation mark would take words together, and not be shown.
  fileprivate var troffWords: String { troff.replacing("\"", with: "\\(dq") }

  /// The text as troff reads it: no line begins with a control character, and a minus is one.
  fileprivate var troff: String {
    var text = ""
    for character in self {
      switch character {
      case "\\": text += "\\e"
      case "-": text += "\\-"
      case "`": text += ""
      case "‘", "’": text += "'"
      case "…": text += "..."
      default: text.append(character)
      }
    }
    return text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}

extension Command {
  static let manual = Command(
    "manual", "Writes the manual, for man or in Markdown.",
    examples: [
      Example("xjournal manual", "a page for man: xjournal manual | man -l -"),
      Example("xjournal manual --format markdown", "docs/xjournal.md"),
    ],
    options: [Option("format", choices: ["man", "markdown"], "for man, or in Markdown")],
    readsJournal: false
  ) { (request) throws(ToolError) in
    let format = request["format"] ?? "man"
    let text =
      format == "man"
      ? Manual.manPage(of: request.table) : Manual.markdown(of: request.table)
    if request.output.isJSON {
      request.output.json(
        .document("manual", [("format", .string(format)), ("text", .string(text))]))
    } else {
      request.output.exact(text)
    }
    return .fine
  }
}
