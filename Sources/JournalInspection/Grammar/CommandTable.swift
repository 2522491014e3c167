// JournalInspection: what the tool xjournal shows, through a disk that cannot lock, repair or write. Knows no contexts.

internal import ObjectQuery

/// All that the tool can do.
package struct CommandTable: Sendable {
  package static let version = "0.6"

  package let commands: [Command]
  /// The kinds of JSON that they write.
  package let kinds: [JSONKind]

  /// - Parameters:
  ///   - looking: those that only look.
  ///   - writing: those that write. One that looks and writes stands in the place of that which only looks.
  ///   - kinds: what those write in JSON that write.
  package init(_ looking: [Command], writing: [Command] = [], kinds: [JSONKind] = []) {
    let names = Set(looking.map(\.name))
    commands =
      looking.map { command in writing.first { $0.name == command.name } ?? command }
      + writing.filter { !names.contains($0.name) } + [.help, .completions, .manual]
    self.kinds = JSONKind.all + kinds
  }

  /// The commands that look, in the order in which help tells of them.
  package static let looking: [Command] = [
    .info, .log, .show, .get, .query, .history, .blame, .diff, .events, .schema,
    .drafts, .verify, .stats, .export, .dump, .replay, .report,
  ]

  func command(named name: String) throws(ToolError) -> Command {
    if let command = commands.first(where: { $0.name == name }) { return command }
    let nearest = Spelling.nearest(to: name, among: commands.map(\.name))
    throw .usage(
      "there is no command ‘\(name)’"
        + (nearest.map { "; did you mean ‘\($0)’?" } ?? "; xjournal --help lists those there are."))
  }
}
