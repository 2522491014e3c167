// JournalUpkeep: the commands of the tool xjournal that change a journal or make one, and that which runs a program.

package import DiskAccess
package import JournalInspection

/// Runs a program with its arguments and further variables of the environment.
///
/// - Returns: the status it ended with; nil where it could not be run.
package typealias ProgramRunner =
  @Sendable (_ words: [String], _ variables: [String: String]) -> Int32?

extension Command {
  /// The commands that write, on a disk that lets them. Those that have the name of one that looks stand in its place.
  package static func writing(
    on disk: any Disk, running program: @escaping ProgramRunner
  ) -> [Command] {
    [
      drafts(on: disk), replay(on: disk), tag(on: disk), restore(on: disk), patch(on: disk),
      importing(on: disk), backup(on: disk), compact(on: disk), repair(on: disk),
      bisect(running: program),
    ]
  }
}

extension Command {
  /// What is told of every command that changes a journal in place.
  static let inPlace =
    "Changes the journal in place: no program may have it open for writing. To open it ends what a crash has left, and may "
    + "begin a segment, also where it turns out then that there is nothing to change."
  /// What such a command sees of the journal.
  static let seenInPlace =
    "Of the journal is read what a program reads when it opens it: the state that was kept last, what came after that, and "
    + "the commits that are needed. What is met there that is not as it should be is told on the standard error output. "
    + "Damage of what is not needed is not seen: ‘verify’ reads all there is."
}

extension JSONKind {
  /// What they write.
  package static let writing = [
    JSONKind(
      "tag", "a name that stands for a commit, or for none any more; `before` is what it stood for",
      "name commit before"),
    JSONKind("unchanged", "that nothing was different, and so nothing was committed", "lastCommit"),
    JSONKind("discarded", "a draft that was given up", "context name edits"),
    JSONKind(
      "repair",
      "a journal that was made of a damaged one, and what is lost; `doubts` are no damage for certain; commits are named in `lost` by the numbers they had, and `renumbered` has stretches of those that have others `now`",
      "path lastCommit keptThrough salvaged findings lost doubts renumbered"),
    JSONKind(
      "patch", "what a patch has done, or would do; `commit` is null where nothing was committed",
      "commit objects deletedAlong conflicts findings"),
    JSONKind("bisectionStep", "what a command says of a commit", "commit status verdict"),
    JSONKind(
      "bisection", "the first bad commit, or null where that cannot be told", "first good bad steps"
    ),
    JSONKind(
      "newJournal",
      "a journal that was made; `findings` with what is damaged of the original and made anew, `doubts` and `lost` where edits cannot be read that were not saved, `keptFor` with drafts for which past is kept, `leftOut` with references that an import could not keep, a thousand of them at most and with `contradicted` where a later line says otherwise, and `leftOutCount` with how many there are",
      "path lastCommit firstKeptCommit bytes findings lost doubts keptFor leftOut leftOutCount"),
  ]
}
