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
          + "byte. Where the beginning is lost, or compaction has dropped it and the damage lies before the state that was kept, "
          + "it begins with the first commit whose state can be told: what came before the damage is not there then without "
          + "--salvage. With that it has the commits behind the damage too, as far as they can be read: they are made again, "
          + "with their times, authors and messages, under the numbers that are next.",
        "Where commits are left between damaged places and nothing leads to them, --salvage makes all commits again; of each "
          + "object there is then what they say of it. Of commits that are made again the edits are not there, nor is what was "
          + "not saved. What a commit only tells the difference to, as of counters and sets, goes on from what is there; where "
          + "a lost commit may have changed that, it is told. A state that was kept behind the damage is used, also where the "
          + "manifest is lost.",
        "Where compaction has dropped the beginning, and the state that the journal begins with is damaged or lost too, "
          + "nothing can be taken over as it is, and it is refused without --salvage. With it all commits are made again that "
          + "can be read, under their own numbers, upon what is sound of that state, and upon what the commits say of it. Where "
          + "the names of entities and keys are lost as well, numbers stand for them: ‘entity0’, ‘key0’. So it is where the "
          + "frame is damaged that had the first model.",
        "A frame whose checks fit and which says what cannot be is damage like any other. What is lost is told on the "
          + "standard error output; with --json it is in the document. Commits are named there by the numbers they had, and "
          + "those that have others now are told.",
        "What newer code has written is no damage: such a journal is refused with 69, and only newer code can repair it.",
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
      let made = try repair.make(at: path, salvaging: request.has("salvage"))
      tell(repair, made, request.output)
      return .fine
    }
  }

  private static func tell(_ repair: Repair, _ made: NewJournal, _ output: Output) {
    output.deed = "“\(made.path)” was made"
    if output.isJSON {
      return output.json(
        .document(
          "repair",
          [
            ("path", .string(made.path)), ("lastCommit", .count(made.last.rawValue)),
            ("keptThrough", .count(repair.keptCommit.rawValue)),
            ("salvaged", .count(repair.salvagedCount)),
            ("findings", .array(repair.findings.map { .string($0) })),
            ("lost", .array(repair.losses.map { .string($0) })),
            ("doubts", .array(repair.doubts.map { .string($0) })),
            (
              "renumbered",
              .array(
                repair.renumbered.map {
                  .members([
                    ("first", .count($0.first.rawValue)), ("last", .count($0.last.rawValue)),
                    ("now", .count($0.now.rawValue)),
                  ])
                })
            ),
          ]))
    }
    output.tell(findings: repair.findings, doubts: repair.doubts, losses: repair.losses)
    tellNumbers(repair.renumbered, output)
    let salvaged =
      repair.salvagedCount > 0
      ? ", \(Wording.count(repair.salvagedCount)) of them made again" : ""
    output.line(
      "\("repaired to", .added) \(made.path, .strong), with \(made.wordsForPast)\(salvaged)."
    )
  }

  /// Says which commits are called otherwise now.
  private static func tellNumbers(_ renumbered: [Salvaging.Renumbering], _ output: Output) {
    guard !renumbered.isEmpty else { return }
    let words = renumbered.prefix(3).map { stretch in
      let count = stretch.last.rawValue - stretch.first.rawValue
      return count == 0
        ? "\(stretch.first) is \(stretch.now)"
        : "\(stretch.first) to \(stretch.last) are \(stretch.now) to \(stretch.now.rawValue + count)"
    }
    output.note(
      "\("note:", .warning) commits are named by the numbers they had: in the new journal \(words.joined(separator: ", "))\(renumbered.count > 3 ? ", …" : "")."
    )
  }
}
