internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal backup`: a copy of a journal, with all its past.
extension Command {
  static func backup(on disk: any Disk) -> Command {
    Command(
      "backup", "Copies a journal, with all its past and what is not saved.",
      details: [
        "The original is neither locked nor changed, and may be written meanwhile: the copy is the same journal as it was "
          + "at a moment during that. It is read to its last byte before it counts as made.",
        "A journal with damage is refused: ‘repair’ makes a sound one of it. But where only a file is damaged that the copy can "
          + "make anew, of the state or of indexes, or edits that were not saved, all that was saved is copied. What is damaged "
          + "and what is lost is told on the standard error output, or in the document.",
      ],
      examples: [Example("xjournal backup -o Copy.xjournal", "a copy beside the original")],
      options: [.newJournal],
      notTravellingAs:
        "a backup has all there is; ‘replay --into NEW --until REF’ builds the journal as it was then.",
      isPaged: false, passCount: 2
    ) { (request) throws(ToolError) in
      let (original, path) = (try request.path(), try request.newPath())
      try NewPlace.refuseExisting(path, on: disk)
      let (place, lost) = try JournalCopy.make(
        of: original, at: path, on: disk, reading: request.disk)
      request.tell(of: try place.finish(on: disk), "copied to", without: lost)
      return .fine
    }
  }
}

extension Option {
  /// Where a new journal is made.
  static let newJournal = Option(
    "output", letter: "o", value: "NEW", "the new journal; there must be nothing yet")
}
