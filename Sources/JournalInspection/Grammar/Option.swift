/// An option of a command: `--limit COUNT`, `-n COUNT`, `--stat`.
package struct Option: Sendable {
  package let name: String
  package let letter: Character?
  /// What its value is called; nil where it has none.
  package let value: String?
  package let choices: [String]
  package let summary: String

  package init(
    _ name: String, letter: Character? = nil, value: String? = nil, choices: [String] = [],
    _ summary: String
  ) {
    self.name = name
    self.letter = letter
    self.value = value ?? (choices.isEmpty ? nil : choices.joined(separator: "|"))
    self.choices = choices
    self.summary = summary
  }

  /// As help has it: `-n, --limit COUNT`.
  package var synopsis: String {
    (letter.map { "-\($0), " } ?? "") + "--\(name)" + (value.map { " \($0)" } ?? "")
  }
}

// Options that commands share.
extension Option {
  package static let at = Option(
    "at", value: "REF",
    "as it was then: head~3, a number, a tag, an ISO time, ‘2 hours ago’")
  package static let store = Option(
    "store", letter: "s", value: "PATH",
    "the journal; else what ends in .xjournal, what XJOURNAL_STORE names, or the only one in this folder"
  )
  package static let json = Option(
    "json", "JSON on the output, a line for each thing where there may be many; errors too")
  package static let color = Option(
    "color", choices: ["auto", "always", "never"], "whether to colour; auto asks the terminal")
  package static let noPager = Option("no-pager", "do not hand long output to a pager")
  package static let help = Option("help", letter: "h", "how the command is used")
  package static let version = Option("version", "the version of this tool")

  package static let everywhere = [json, color, noPager, help, version]
}
