internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

// What of a damaged journal is taken over as it is, and what is made again.
extension Repair {
  /// Decides what is taken over.
  ///
  /// - Parameter salvaging: whether commits are made again where they cannot be taken over as they are.
  mutating func plan(
    _ survey: JournalSurvey, _ kept: KeptState, salvaging: Bool
  ) throws(ToolError) -> RepairPlan {
    if let error = kept.failure {
      try note(error, isMadeAnew: survey.goesBackToBeginning)
      guard survey.goesBackToBeginning else {
        return try planWithoutState(survey, kept, salvaging: salvaging)
      }
    }
    guard var plan = try plan(survey, kept.end) else {
      return try planWithoutState(survey, kept, salvaging: salvaging)
    }
    if salvaging, plan.hole != nil, kept.end == nil, try isModelLost(in: survey) {
      return try planWithoutState(survey, kept, salvaging: true)
    }
    let needsState = plan.isTail || !survey.goesBackToBeginning
    if kept.end != nil, needsState || !plan.keepsCheckpoint {
      do throws(StoreError) {
        try Checkpoint.refuseDamagedRuns(of: survey.manifest, in: survey.folder)
      } catch {
        try note(error)
        if needsState { return try planWithoutState(survey, kept, salvaging: salvaging) }
        plan.isStateDamaged = true
      }
    }
    if salvaging, plan.isTail, let end = kept.end,
      try hasCommits(
        in: survey, before: plan.parts.first?.segment.firstFrame ?? end.frame.next,
        since: end.firstKept)
    {
      // They cannot come before what is taken over as it is, as something between the two is lost. What was before those
      // that compaction has kept, only the state tells.
      if end.firstKept == CommitNumber.none.next {
        plan = .anew
      } else {
        plan = try planWithoutState(survey, kept, salvaging: true)
        plan.isStateDamaged = false
      }
    }
    plan.keptThrough = kept.end?.frame ?? .none
    plan.unsaved = kept.end?.unsaved ?? [:]
    plan.firstKept = kept.end?.firstKept ?? plan.firstKept
    return plan
  }

  /// Notes that the state that was kept is damaged. What cannot be read is no better.
  private mutating func note(
    _ error: StoreError, isMadeAnew: Bool = false
  ) throws(ToolError) {
    guard error.code == .damaged || error.code == .disk else { throw ToolError(error) }
    noted.append(isMadeAnew ? StoreFinding(notCopied: error).description : error.whatHappened)
  }

  /// Whether a commit comes before any model, as that stood in what is damaged.
  private func isModelLost(in survey: JournalSurvey) throws(ToolError) -> Bool {
    var isLost = false
    try forEachEntry(of: survey) { _, entry in
      if case .commit = entry { isLost = true }
      return !isLost && !entry.isModel
    }
    return isLost
  }

  /// Whether frames that are sound before one have commits, of those from one on.
  private func hasCommits(
    in survey: JournalSurvey, before end: FrameNumber, since first: CommitNumber
  ) throws(ToolError) -> Bool {
    var found = false
    try forEachEntry(of: survey, before: end) { _, entry in
      if case .commit(let content) = entry, content.number >= first { found = true }
      return !found
    }
    return found
  }

  /// Calls a closure with what frames say that are sound, each by itself, until it says to stop.
  ///
  /// - Parameter end: a frame with which it stops as well.
  func forEachEntry(
    of survey: JournalSurvey, before end: FrameNumber? = nil,
    _ body: (FrameNumber, SalvagedEntry) -> Bool
  ) throws(ToolError) {
    let journal = try journal(survey)
    try RemainingFrames(survey: survey, journal: journal, first: 0, isWhole: true).forEach {
      (frame, payload) throws(ToolError) in
      if let end, frame >= end { return false }
      guard let payload else { return true }
      // What cannot be told is told to be lost when it is come to.
      return try SalvagedEntry.known(in: payload, of: frame, survey.manifest.store.tag, journal)
        .allSatisfy { body(frame, $0) }
    }
  }

  /// - Returns: nil where nothing can be taken over as it is, as nothing leads to it.
  private func plan(
    _ survey: JournalSurvey, _ end: Checkpoint.End?
  ) throws(ToolError) -> RepairPlan? {
    let first = survey.parts[0].segment.firstFrame
    if !survey.goesBackToBeginning, let end, end.frame.next < first {
      // What lies between the state and the first segment is lost, so that nothing follows from the state.
      var plan = beginAnew(survey, behind: end, hole: 0)
      plan.isHoleBefore = true
      return plan
    }
    guard let hole = survey.firstHole else {
      guard survey.goesBackToBeginning || end != nil else { return nil }
      return RepairPlan(parts: survey.parts[0...], keepsCheckpoint: end != nil)
    }
    let isBegun = survey.parts[hole].header != nil
    let before = survey.parts[..<(isBegun ? hole + 1 : hole)]
    if let last = before.last?.lastFrame {
      if let end, end.frame <= last { return RepairPlan(parts: before, hole: hole) }
      let firstKept = end?.firstKept ?? CommitNumber.none.next
      let isAllKept = firstKept == CommitNumber.none.next
      // What compaction has dropped may be there, and is not what is wanted.
      if survey.goesBackToBeginning,
        try isAllKept ? true : hasCommits(in: survey, before: last.next, since: firstKept)
      {
        return RepairPlan(parts: before, keepsCheckpoint: false, hole: hole)
      }
    }
    // Without a beginning there is only the state that was kept, and what came then.
    let behind = (survey.parts.lastIndex { $0.hole != nil } ?? hole) + 1
    guard let end else { return nil }
    if behind < survey.parts.count, survey.parts[behind].segment.firstFrame <= end.frame.next {
      return RepairPlan(parts: survey.parts[behind...], isTail: true)
    }
    return beginAnew(survey, behind: end, hole: hole)
  }

  /// A journal of the state alone, to which is added what can be salvaged.
  private func beginAnew(
    _ survey: JournalSurvey, behind end: Checkpoint.End, hole: Int
  ) -> RepairPlan {
    // Of what no context had saved then nothing is there, so nobody can count on its numbers.
    let edits = survey.parts.compactMap(\.header?.firstEdit)
    return RepairPlan(
      parts: [], hole: hole, isTail: true,
      start: (end.frame, edits.reduce(end.nextEdit) { max($0, $1) }))
  }
}
