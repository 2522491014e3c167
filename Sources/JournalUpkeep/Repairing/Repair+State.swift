internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

// What becomes of the state that was kept with the original, and of a past that is lost before it.
extension Repair {
  /// Copies the state that was kept.
  ///
  /// - Parameter isNeeded: whether the new journal is none without it; otherwise it can be made anew.
  mutating func copyCheckpoint(
    of survey: JournalSurvey, to place: NewPlace, isNeeded: Bool
  ) throws(ToolError) -> [Manifest.Attachment] {
    do throws(StoreError) {
      let copied = try Checkpoint.copyFiles(survey.manifest, in: survey.folder, to: place.folder)
      noted += copied.findings.map { "\($0)" }
      return copied.attachments
    } catch {
      guard !isNeeded, error.code == .disk else { throw ToolError(error) }
      noted.append(error.description)
      return []
    }
  }

  /// Has what was taken over begin where all of it follows, and where compaction had it begin.
  mutating func endPast(
    of store: JournaledStore, in place: NewPlace, _ survey: JournalSurvey, _ plan: RepairPlan
  ) throws(ToolError) {
    if plan.isTail, plan.hole == nil { try discardTornDrafts(in: store, survey, plan) }
    if plan.isTail || !survey.goesBackToBeginning && isManifestLost {
      // A manifest that was put together does not know what there was before the segments that are left.
      let first = try firstCommit(in: place, store.tag)
      let isLost = store.firstKeptCommit < first ?? store.lastCommit.next
      if plan.isTail || isLost { try dropPast(of: store, before: first) }
    }
    try dropUnkept(of: store, plan)
  }

  /// The first commit that stands in the segments that were taken over; nil where there is none.
  private func firstCommit(
    in place: NewPlace, _ store: StoreTag
  ) throws(ToolError) -> CommitNumber? {
    var first: CommitNumber?
    var failure: ToolError?
    try onJournal { () throws(JournalError) in
      let reader = try JournalReader(in: place.folder, path: place.path)
      _ = try reader.forEachFrame { frame in
        guard frame.kind == .batch else { return true }
        do throws(ToolError) {
          // What is in pieces of a segment that is not there begins nothing.
          let entries = try SalvagedEntry.known(in: frame.payload, of: frame.number, store, reader)
          for case .commit(let content) in entries {
            first = content.number
            return false
          }
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
    return first
  }

  /// Has a journal begin with the first commit that is there, or with the state it has where that cannot be told.
  private mutating func dropPast(
    of store: JournaledStore, before first: CommitNumber?
  ) throws(ToolError) {
    let wanted = first.map { Keeping.commits(since: $0) } ?? .latest
    // What compaction has dropped is not lost.
    let known = store.firstKeptCommit
    if try !compact(store, keeping: wanted) {
      // What was not saved may stand on what is lost.
      for draft in store.unsavedDrafts {
        losses.append(
          "what ‘\(draft.contextName)’ had not saved: \(Wording.count(draft.editCount, "edit"))")
        try onStore { () throws(StoreError) in try store.discard(draft) }
      }
      if try !compact(store, keeping: wanted) {
        try onStore { () throws(StoreError) in _ = try store.compact(keeping: .latest) }
      }
    }
    guard store.firstKeptCommit > known else { return }
    losses.append(
      "all that was before commit \(store.firstKeptCommit), but for the state it left")
    let lost = known.previous..<store.firstKeptCommit.previous
    losses += store.tags.filter { lost.contains($0.value) }.keys.sorted().map {
      "the state that the tag ‘\($0)’ stands for"
    }
  }

  /// Drops again what compaction had dropped. What was not saved and stands on more of the past keeps that.
  func dropUnkept(of store: JournaledStore, _ plan: RepairPlan) throws(ToolError) {
    guard plan.firstKept > store.firstKeptCommit else { return }
    _ = try compact(store, keeping: .commits(since: plan.firstKept))
  }

  /// Gives up what contexts had not saved, and began before what was taken over: of that there is no more than a part.
  private mutating func discardTornDrafts(
    in store: JournaledStore, _ survey: JournalSurvey, _ plan: RepairPlan
  ) throws(ToolError) {
    guard let segment = plan.parts.first, let firstEdit = segment.header?.firstEdit else { return }
    var since = UnsavedContexts()
    try forEachEntry(of: survey) { frame, entry in
      if frame >= segment.segment.firstFrame { since.take(entry) }
      return true
    }
    let torn = Set(plan.unsaved.filter { $0.value < firstEdit }.keys).subtracting(since.over)
    if torn.isEmpty { return }
    losses.append(LeftoverEdits.Loss.all)
    try discardDrafts(of: torn, in: store)
  }

  /// - Returns: whether that could be done with what is there.
  func compact(
    _ store: JournaledStore, keeping kept: Keeping
  ) throws(ToolError) -> Bool {
    do throws(StoreError) {
      return try store.compact(keeping: kept)
    } catch {
      guard error.code == .commitMissing || error.code == .damaged else { throw ToolError(error) }
      return false
    }
  }
}
