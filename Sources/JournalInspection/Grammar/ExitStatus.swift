/// What the tool's process ends with, so that scripts know without reading. The numbers are those of sysexits.h.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  /// All is well, and the answer is yes.
  case fine = 0
  /// The answer is no: there are differences or findings, or there is no such thing.
  case no = 1
  /// The command was not understood.
  case usage = 64
  /// The journal is damaged.
  case damage = 65
  /// There is no journal there.
  case noJournal = 66
  /// Newer code has written the journal.
  case newerFormat = 69
  /// A mistake of this tool.
  case ourFault = 70
  /// What was to be written cannot be made.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// Somebody else has the journal open for writing.
  case locked = 75

  /// What it means, for the manual.
  package var meaning: String {
    switch self {
    case .fine: "all is well"
    case .no: "the answer is no: differences, findings, or no such commit or object"
    case .usage: "the command was not understood"
    case .damage: "the journal is damaged; what is whole was shown"
    case .noJournal: "there is no journal there"
    case .newerFormat: "the journal was written by a newer version"
    case .ourFault: "a mistake of this tool"
    case .cannotCreate: "what was to be written cannot be made"
    case .inputOutput:
      "reading or writing failed, or a value is too large to be shown; a closed pipe ends quietly, with 0"
    case .locked: "another process has the journal open for writing"
    }
  }
}
