internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal repair`: a sound journal of what is sound of a damaged one.
extension Command {
  static func repair(on disk: any Disk) -> Command {
    Command(
      "repair", "Makes a sound journal of what is sound of a damaged one.",
      details: [
        "The original is neither locked nor changed. The new journal has everything before the first damaged place, byte by "
          + "byte. With --salvage it has the commits behind it too, as far as they can be read: they are made again, with "
          + "their times, authors and messages, under the numbers that are next.",
        "What is lost is told on the standard error output; with --json it is in the document.",
      ],
      examples: [
        Example("xjournal repair -o Repaired.xjournal", "what comes before the damage"),
        Example("xjournal repair --salvage -o Salvaged.xjournal", "and what is sound behind it"),
      ],
      options: [
        .newJournal, Option("salvage", "take over what is sound behind the damage, too"),
      ],
      isPaged: false, passCount: 3
    ) { (request) throws(ToolError) in
      let (original, path) = (try request.path(), try request.newPath())
      var repair = Repair(of: original, reading: request.disk, on: disk)
      try repair.make(at: path, salvaging: request.has("salvage")) {
        (repair, store) throws(ToolError) in
        tell(repair, store, request.output)
      }
      return .fine
    }
  }

  private static func tell(_ repair: Repair, _ store: JournaledStore, _ output: Output) {
    if output.isJSON {
      return output.json(
        .document(
          "repair",
          [
            ("path", .string(store.path)), ("lastCommit", .count(store.lastCommit.rawValue)),
            ("keptThrough", .count(repair.keptCommit.rawValue)),
            ("salvaged", .count(repair.salvagedCount)),
            ("findings", .array(repair.findings.map { .string($0) })),
            ("lost", .array(repair.losses.map { .string($0) })),
          ]))
    }
    for finding in repair.findings { output.note("\("damaged:", .removed) \(finding)") }
    for loss in repair.losses { output.note("\("lost:", .warning) \(loss)") }
    let salvaged =
      repair.salvagedCount > 0
      ? ", \(Wording.count(repair.salvagedCount)) of them made again" : ""
    output.line(
      "\("repaired to", .added) \(store.path, .strong), with \(store.wordsForPast)\(salvaged)."
    )
  }
}
