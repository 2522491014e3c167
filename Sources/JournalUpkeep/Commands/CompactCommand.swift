internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal compact`: a smaller journal, without what is not to be kept of the past.
extension Command {
  static func compact(on disk: any Disk) -> Command {
    Command(
      "compact", "Makes a smaller journal, without the past or without the older of it.",
      details: [
        "The original is neither locked nor changed. The new journal has the state as it is, what is not saved, and of the "
          + "past the commits from --since on; without that, none. The past goes by whole segments: what shares one with the "
          + "first commit that is kept stays in it, where ‘events’, ‘replay’ and ‘dump’ see it.",
        "What is not saved needs the past that it was made in: where there is a draft, all commits are kept from the beginning "
          + "of its context on, which may be all there are, and that is told on the standard error output, or in the document. "
          + "Saved, or given up by ‘drafts discard’, it needs none.",
      ],
      examples: [
        Example("xjournal compact -o Small.xjournal", "only the state as it is now"),
        Example("xjournal compact --since head~2 -o Recent.xjournal", "and the last commits"),
      ],
      options: [
        .newJournal, Option("since", value: "REF", "keep the commits from this one on"),
      ],
      notTravellingAs:
        "it is the state as it is that is kept; ‘replay --into NEW --until REF’ builds the journal as it was then, which can be compacted.",
      isPaged: false, passCount: 2
    ) { (request) throws(ToolError) in
      let (original, path) = (try request.path(), try request.newPath())
      var kept = Keeping.latest
      if let since = request["since"] {
        request.tellsEdits = true
        let (reference, store) = (try Reference(since, now: request.now), try request.store())
        let number = try reference.beginning(in: store)
        if reference.isNumber(before: number) {
          request.output.remark("the journal has nothing from before commit \(number) any more.")
        }
        kept = .commits(since: number)
      }
      try NewPlace.refuseExisting(path, on: disk)
      let (place, lost) = try JournalCopy.make(
        of: original, at: path, on: disk, reading: request.disk)
      var drafts: [Draft] = []
      let made = try place.finish(on: disk) { (store) throws(ToolError) in
        try onStore { () throws(StoreError) in
          _ = try store.compact(keeping: kept) { told in
            request.progress?.tell("compacting", told.fraction)
            return true
          }
        }
        drafts = store.unsavedDrafts
      }
      request.tell(of: made, "compacted to", without: lost, keptFor: drafts.map(\.name))
      return .fine
    }
  }
}

extension Draft {
  /// What a draft is called by.
  fileprivate var name: String { contextName.isEmpty ? "\(context.rawValue)" : contextName }
}
