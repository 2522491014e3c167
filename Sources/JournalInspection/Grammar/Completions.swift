internal import ObjectPatching

/// What shells need to complete commands and options, made of the table.
enum Completions {
  static func script(of table: CommandTable, for shell: String) -> String {
    switch shell {
    case "zsh": zsh(table)
    case "fish": fish(table)
    default: bash(table)
    }
  }

  /// The words that may follow a command: its options, and what its operands are chosen from.
  private static func words(of command: Command) -> [String] {
    command.allOptions.flatMap { option in
      ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
    } + command.operands.flatMap(\.choices)
  }

  private static func choices(of command: Command) -> [Option] {
    command.allOptions.filter { !$0.choices.isEmpty }
  }

  private static func bash(_ table: CommandTable) -> String {
    var lines = [
      "# bash completion of xjournal: xjournal completions bash > ~/.local/share/bash-completion/"
        + "completions/xjournal",
      "_xjournal() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words=",
      "  if [ \"$COMP_CWORD\" = 1 ]; then",
      "    words='\(table.commands.map(\.name).joined(separator: " ")) --help --version'",
      "  else",
      "    case ${COMP_WORDS[1]}:$last in",
    ]
    for command in table.commands {
      for option in choices(of: command) {
        lines.append(
          "      \(command.name):--\(option.name)) words='\(option.choices.joined(separator: " "))' ;;"
        )
      }
      lines.append(
        "      \(command.name):*) words='\(words(of: command).joined(separator: " "))' ;;")
    }
    lines += [
      "    esac", "  fi",
      "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\"; compgen -d -- \"$word\")",
      "}",
      "complete -o filenames -F _xjournal xjournal", "",
    ]
    return lines.joined(separator: "\n")
  }

  private static func zsh(_ table: CommandTable) -> String {
    var lines = [
      "#compdef xjournal", "# zsh completion of xjournal: xjournal completions zsh > _xjournal",
      "_xjournal() {", "  local -a commands", "  commands=(",
    ]
    lines += table.commands.map { "    \(quoted("\($0.name):\($0.summary)"))" }
    lines += [
      "  )", "  if (( CURRENT == 2 )); then", "    _describe 'command' commands", "    return",
      "  fi", "  case $words[2] in",
    ]
    for command in table.commands {
      lines.append("    \(command.name)) _arguments \\")
      for option in command.allOptions {
        let value =
          option.choices.isEmpty
          ? option.value.map { ":\($0):" } ?? ""
          : ":value:(\(option.choices.joined(separator: " ")))"
        let summary = option.summary.filter { !"[]:".contains($0) }
        for name in ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? []) {
          lines.append("      \(quoted("\(name)[\(summary)]\(value)")) \\")
        }
      }
      let choices = command.operands.flatMap(\.choices)
      lines.append(
        choices.isEmpty
          ? "      '*:journal:_files -/' ;;"
          : "      \(quoted("*:word:(\(choices.joined(separator: " ")))")) ;;")
    }
    return (lines + ["  esac", "}", "_xjournal \"$@\"", ""]).joined(separator: "\n")
  }

  private static func fish(_ table: CommandTable) -> String {
    var lines = [
      "# fish completion of xjournal: xjournal completions fish > ~/.config/fish/completions/"
        + "xjournal.fish"
    ]
    for command in table.commands {
      lines.append(
        "complete -c xjournal -n __fish_use_subcommand -f -a \(command.name) -d "
          + quoted(command.summary))
      let condition = "-n '__fish_seen_subcommand_from \(command.name)'"
      for option in command.allOptions {
        let letter = option.letter.map { " -s \($0)" } ?? ""
        let value =
          option.choices.isEmpty
          ? (option.value == nil ? "" : " -r")
          : " -x -a \(quoted(option.choices.joined(separator: " ")))"
        lines.append(
          "complete -c xjournal \(condition) -l \(option.name)\(letter)\(value) -d "
            + quoted(option.summary))
      }
      let choices = command.operands.flatMap(\.choices)
      if !choices.isEmpty {
        lines.append(
          "complete -c xjournal \(condition) -f -a \(quoted(choices.joined(separator: " ")))")
      }
    }
    return (lines + [""]).joined(separator: "\n")
  }

  /// A word in single quotes, as all three shells read it.
  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}

extension Command {
  static let completions = Command(
    "completions", "Writes what a shell needs to complete commands and options.",
    examples: [
      Example("xjournal completions bash", "for bash; redirect it to where bash looks for them")
    ],
    operands: [Operand("SHELL", "the shell", choices: ["bash", "zsh", "fish"])],
    readsJournal: false
  ) { (request) throws(ToolError) in
    let shell = request.operands[0]
    let script = Completions.script(of: request.table, for: shell)
    if request.output.isJSON {
      request.output.json(
        .document("completions", [("shell", .string(shell)), ("script", .string(script))]))
    } else {
      request.output.exact(script)
    }
    return .fine
  }
}
