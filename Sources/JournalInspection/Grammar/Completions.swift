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
  private static func words(of command: Command, _ table: CommandTable) -> [String] {
    command.allOptions.flatMap { option in
      ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? [])
    } + operandChoices(of: command, table)
  }

  /// What its operands are chosen from.
  private static func operandChoices(of command: Command, _ table: CommandTable) -> [String] {
    command.name == "help" ? table.commands.map(\.name) : command.operands.flatMap(\.choices)
  }

  /// Whether a command takes a path beside that of a journal, which is a folder.
  private static func takesFile(_ command: Command) -> Bool {
    command.operands.contains { $0.name == "FILE" }
  }

  /// Options whose value is a path.
  private static func isPath(_ option: Option) -> Bool {
    ["store", "output", "into"].contains(option.name)
  }

  private static func choices(of command: Command) -> [Option] {
    command.allOptions.filter { !$0.choices.isEmpty }
  }

  private static func bash(_ table: CommandTable) -> String {
    var lines = [
      "# bash completion of xjournal: xjournal completions bash > ~/.local/share/bash-completion/"
        + "completions/xjournal",
      "_xjournal() {",
      "  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words= kind=-d at=1",
      "  local before=",
      "  while [ \"$at\" -lt \"$COMP_CWORD\" ]; do",
      "    case ${COMP_WORDS[at]} in",
      "      --json|--no-pager|--color=*|--store=*) at=$((at + 1)) ;;",
      "      -s|--store|--color) at=$((at + 2)); [ \"${COMP_WORDS[at - 1]}\" = = ] && at=$((at + 1)) ;;",
      "      -s*) at=$((at + 1)) ;;",
      "      *) break ;;",
      "    esac",
      "  done",
      "  case $word in",
      "    =) word= ;;",
      "    --*=*) last=${word%%=*} before=${word%%=*}= word=${word#*=} ;;",
      "    *) [ \"$last\" = = ] && last=${COMP_WORDS[COMP_CWORD-2]} ;;",
      "  esac",
      "  if [ \"$COMP_CWORD\" = \"$at\" ]; then",
      "    words='\(table.commands.map(\.name).joined(separator: " ")) --help --version --json --no-pager --color --store'",
      "  elif [ \"$COMP_CWORD\" -lt \"$at\" ]; then",
      "    case $last in --color) words='\(Option.color.choices.joined(separator: " "))' kind= ;; esac",
      "  else",
      "    case ${COMP_WORDS[at]}:$last in",
    ]
    for command in table.commands {
      for option in choices(of: command) {
        lines.append(
          "      \(command.name):--\(option.name)) words='\(option.choices.joined(separator: " "))' kind= ;;"
        )
      }
      // What is neither chosen nor a path is anybody's to type.
      let free = command.allOptions.filter { $0.choices.isEmpty && $0.value != nil && !isPath($0) }
      let names = free.flatMap { ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? []) }
      if !names.isEmpty {
        let patterns = names.map { "\(command.name):\($0)" }.joined(separator: "|")
        lines.append("      \(patterns)) COMPREPLY=(); return ;;")
      }
      let paths = command.allOptions.filter(isPath).flatMap {
        ["--\($0.name)"] + ($0.letter.map { ["-\($0)"] } ?? [])
      }
      if !paths.isEmpty {
        let patterns = paths.map { "\(command.name):\($0)" }.joined(separator: "|")
        lines.append("      \(patterns)) words= ;;")
      }
      lines.append(
        "      \(command.name):*) words='\(words(of: command, table).joined(separator: " "))'"
          + "\(takesFile(command) ? " kind=-f" : command.readsJournal ? "" : " kind=") ;;")
    }
    lines += [
      "    esac", "  fi",
      "  mapfile -t COMPREPLY < <(",
      "    compgen -P \"$before\" -W \"$words\" -- \"$word\"",
      "    [ -n \"$kind\" ] && compgen -P \"$before\" $kind -- \"$word\"",
      "  )",
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
      "  )",
      "  while (( CURRENT > 2 )); do",
      "    case $words[2] in",
      "      --(json|no-pager)|--(color|store)=*|-s?*) shift words; (( CURRENT -= 1 )) ;;",
      "      --(color|store)|-s) (( CURRENT > 3 )) || break; shift 2 words; (( CURRENT -= 2 )) ;;",
      "      *) break ;;", "    esac", "  done", "  if (( CURRENT == 2 )); then",
      "    _describe 'command' commands", "    return",
      "  fi", "  case $words[2] in",
    ]
    for command in table.commands {
      lines.append("    \(command.name)) _arguments \\")
      for option in command.allOptions {
        let value =
          option.choices.isEmpty
          ? option.value.map { isPath(option) ? ":\($0):_files -/" : ":\($0):" } ?? ""
          : ":value:(\(option.choices.joined(separator: " ")))"
        let summary = option.summary.filter { !"[]:".contains($0) }
        for name in ["--\(option.name)"] + (option.letter.map { ["-\($0)"] } ?? []) {
          lines.append("      \(quoted("\(name)[\(summary)]\(value)")) \\")
        }
      }
      let choices = operandChoices(of: command, table)
      lines.append(
        choices.isEmpty
          ? "      '*:journal:_files\(takesFile(command) ? "" : " -/")' ;;"
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
      let choices = operandChoices(of: command, table)
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
