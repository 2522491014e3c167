// JournalInspection: what the tool xjournal shows, through a disk that cannot lock, repair or write. Knows no contexts.

internal import ObjectQuery

/// All that the tool can do.
package struct CommandTable: Sendable {
  package static let version = "0.6"

  package let commands: [Command]

  package init(_ commands: [Command]) {
    self.commands = commands + [.help, .completions, .manual]
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
