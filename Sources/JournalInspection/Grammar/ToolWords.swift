/// What the library tells a program to do, in words for who has only the tool.
package enum ToolWords {
  /// By what the library says. What says what to do about damage is left out: the tool says that of itself.
  package static let phrases: KeyValuePairs = [
    "; nothing was changed. What comes before it can be read, but not gone on from; a backup may have the rest":
      "",
    "; what comes before it can be read, but not gone on from; a backup may have the rest": "",
    "; nothing was changed. Nothing says which frames are the store's: bring it back from a backup, and keep this folder, which is as it was":
      "",
    "; where nothing of the journal was dropped, a compaction makes it anew, and otherwise bring the store back from a backup":
      "",
    "; bring the store back from a backup": "",
    "check the path, or open it for writing to make one":
      "check the path, or name another journal by -s",
    "close it there, or open the store for reading only":
      "close it there; commands that only look work beside it",
    "move the store to a local disk, or allow it in the options":
      "move the journal to a local disk",
    "open the store with the newer version of the program": "use a newer version of xjournal",
    "open the store for reading only, or mount it for writing": "mount it for writing",
    "close the store, check the disk, and open it again": "check the disk, and try again",
    "close it, check the disk, and open it again": "check the disk, and try again",
    "and open the store again": "and try again",
    "open the store again": "try again",
    "open the store anew": "try again",
    "convert it in the delegate": "change it in the patch",
    "ask for its history to see what it was": "‘xjournal history’ tells what it was",
    "run a deep verification to": "run ‘xjournal verify --deep’ to",
    "Run a deep verification to": "Run ‘xjournal verify --deep’ to",
    "run a deep verification.": "run ‘xjournal verify --deep’.",
  ]

  /// The sentence as the tool says it.
  package static func said(_ text: String) -> String {
    phrases.reduce(text) { $0.replacing($1.key, with: $1.value) }
  }
}

/// What can be done about damage.
package enum Remedy: Hashable, Sendable {
  case repair
  /// The manifest is made anew, of what the segments say.
  case gather
  /// The state is damaged that a journal begins with whose beginning was dropped.
  case salvage

  /// In words.
  ///
  /// - Parameter path: that of the journal.
  package func words(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isLetter || $0.isNumber || "-_./".contains($0) }
    let isPrinted = path.unicodeScalars.allSatisfy { $0 == " " || $0.properties.isGraphemeBase }
    let name =
      path.isEmpty || path.contains("'") || !isPrinted ? "PATH" : isPlain ? path : "'\(path)'"
    let options = self == .salvage ? "--salvage " : ""
    let command =
      "‘xjournal repair \(options)-s \(name) -o NEW’"
    return switch self {
    case .repair:
      "\(command) makes a sound journal of what comes before the damage, or of the state that compaction has kept where "
        + "nothing does; with --salvage also of what is sound behind it."
    case .gather:
      "\(command) makes a sound journal of the segments, which say themselves what follows what; with --salvage also of "
        + "what is sound behind other damage."
    case .salvage:
      "\(command) makes the commits that are kept again, upon what is sound of the state that they begin with."
    }
  }
}
