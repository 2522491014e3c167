internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// A sound journal, made of what is sound of a damaged one. That is only read.
///
/// What comes before the first damaged place is taken over byte by byte: with its edits, contexts and undo history. What
/// comes behind it does not follow from that any more: it is read frame by frame, and its commits are made again.
struct Repair {
  let path: String
  let disk: any Disk
  /// The same, as the original is read.
  let source: PatientDisk
  /// What is wrong with the original, besides that some of it cannot be read.
  var noted: [String] = []
  /// Whether the manifest was put together of what the segments say.
  var isManifestLost = false

  /// What is wrong with the original.
  var findings: [String] { source.findings + noted }
  /// What is no damage for certain, but not as it should be either.
  private(set) var doubts: [String] = []
  /// What could not be taken over.
  var losses: [String] = []
  /// What cannot be taken over though its checks fit, as attempts before have found.
  private var refused = Refused()

  private struct Refused {
    /// The first frame that says what cannot be, so that what comes behind it cannot be taken over either; and why.
    var frame: (number: FrameNumber, reason: String)?
    /// Why edits that no frame has say what cannot be.
    var edits: String?
  }

  /// The last commit that was taken over byte by byte.
  private(set) var keptCommit = CommitNumber.none
  /// How many commits were made again.
  var salvagedCount = 0
  /// Which of them have other numbers than they had.
  var renumbered: [Salvaging.Renumbering] = []

  init(of path: String, reading source: any ReadableDisk, on disk: any Disk) {
    self.path = path
    self.source = PatientDisk(source)
    self.disk = disk
  }

  private static let largestAttemptCount = 30

  /// Makes the journal.
  ///
  /// - Throws: also where newer code has written some of the original, which would be lost.
  mutating func make(
    at newPath: String, salvaging: Bool
  ) throws(ToolError) -> NewJournal {
    var place: NewPlace?
    do throws(ToolError) {
      for _ in 1...Self.largestAttemptCount {
        var repair = self
        if let made = try repair.attempt(at: newPath, &place, salvaging: salvaging) {
          self = repair
          return made
        }
        refused = repair.refused
        try place?.clear()
      }
      throw ToolError(
        .locked,
        "a program replaces the state of “\(path)” faster than it can be read; repair it when that program rests."
      )
    } catch {
      throw place?.gaveUp(because: error) ?? error
    }
  }

  /// - Returns: nil where it has to be done again: where a writer has replaced meanwhile what was not found as it should be,
  ///   so that nothing can be told of it, or where more is found to be wrong than checks tell.
  private mutating func attempt(
    at newPath: String, _ made: inout NewPlace?, salvaging: Bool
  ) throws(ToolError) -> NewJournal? {
    let (original, manifest, edits) = try openWithEdits()
    if case .failure(let error) = edits, error.status == .newerFormat { throw error }
    if made == nil { try NewPlace.refuseExisting(newPath, on: disk) }
    let (survey, plan): (JournalSurvey, RepairPlan)
    do throws(ToolError) {
      (survey, plan) = try look(at: manifest, in: original, edits, salvaging: salvaging)
    } catch {
      guard isReplaced(manifest, in: original) else { throw error }
      return nil
    }
    if !noted.isEmpty, isReplaced(manifest, in: original) { return nil }
    if try original.isMarkedUnfinished() { doubts.append(JournalCopy.unfinished) }
    let place = if let made { made } else { try NewPlace(newPath, on: disk) }
    made = place
    do throws(ToolError) {
      let count = noted.count
      try copy(to: place, plan, survey)
      if noted.count > count, isReplaced(manifest, in: original) { return nil }
    } catch {
      guard isReplaced(manifest, in: original) else { throw error }
      return nil
    }
    do throws(ToolError) {
      let made = try fill(place, plan, survey, leftover: try? edits.get(), salvaging: salvaging)
      try place.unmark()
      return made
    } catch {
      if refuse(what: error, survey, plan) { return nil }
      // Nobody has asked for a commit: what is missed here is damage.
      throw error.status == .no ? ToolError(.damage, error.message) : error
    }
  }

  /// Looks at all of the original, and decides what is taken over of it.
  private mutating func look(
    at manifest: Manifest, in original: any ReadableFolder,
    _ edits: Result<LeftoverEdits, ToolError>, salvaging: Bool
  ) throws(ToolError) -> (JournalSurvey, RepairPlan) {
    let (folder, mended) = try MendedSegments.mending(manifest, in: original)
    noted += mended
    let kept = KeptState(of: manifest, in: folder)
    let durable = max((try? edits.get())?.durableThrough ?? .none, kept.end?.frame ?? .none)
    var survey = try JournalSurvey(manifest, in: folder, durableThrough: durable)
    try survey.refuseNewer()
    if let frame = refused.frame { try survey.refuse(frame.number, try journal(survey)) }
    noted += survey.findings.map { "\($0)" }
    if let frame = refused.frame { noted.append(frame.reason) }
    if let reason = refused.edits { noted.append("\(JournalFiles.edits): \(reason)") }
    var plan = try plan(survey, kept, salvaging: salvaging)
    // What cannot be read is told before anything is made.
    if plan.hole == nil, refused.edits == nil { plan.edits = try edits.get() }
    return (survey, plan)
  }

  /// Has the next attempt do without what an error tells not to be as its checks say.
  ///
  /// - Returns: whether the error tells of such.
  private mutating func refuse(
    what error: ToolError, _ survey: JournalSurvey, _ plan: RepairPlan
  ) -> Bool {
    guard error.status == .damage, let frame = error.frame else { return false }
    if plan.takesOver(frame) {
      guard refused.frame.map({ frame < $0.number }) ?? true else { return false }
      refused.frame = (frame, error.withoutAdvice)
      return true
    }
    // The opening of a copy puts the edits into frames that no frame had.
    guard plan.edits?.bytes(behind: survey) != nil, plan.parts.allSatisfy({ $0.lastFrame < frame })
    else { return false }
    refused.edits = error.withoutAdvice
    return true
  }

  /// Copies what is taken over as it is.
  private mutating func copy(
    to place: NewPlace, _ plan: RepairPlan, _ survey: JournalSurvey
  ) throws(ToolError) {
    let copy = JournalCopy(in: place)
    var attachments: [Manifest.Attachment] = []
    if let (base, time) = plan.base, let start = plan.start {
      let salt = try randomNumber()
      attachments = try onStore { () throws(StoreError) in
        try base.write(to: place.folder, behind: start.last, at: time, salt: salt)
      }
    } else if plan.keepsCheckpoint {
      attachments = try copyCheckpoint(
        of: survey, to: place, isNeeded: plan.isTail || !survey.goesBackToBeginning)
    }
    if let (last, edit) = plan.start {
      let number = survey.manifest.segments.last?.number.next ?? SegmentNumber(1)
      try copy.begin(
        behind: last, edit, as: number, of: survey.manifest.store, attachments,
        salt: try randomNumber())
    } else {
      try copy.copy(plan.parts, of: survey, attachments)
    }
    try copy.write(edits: plan.edits?.bytes(behind: survey))
  }

  private func randomNumber() throws(ToolError) -> UInt64 {
    do throws(DiskError) {
      return try disk.randomNumber()
    } catch {
      throw ToolError(error)
    }
  }

  /// Opens what was copied, and brings in the rest.
  private mutating func fill(
    _ place: NewPlace, _ plan: RepairPlan, _ survey: JournalSurvey, leftover: LeftoverEdits?,
    salvaging: Bool
  ) throws(ToolError) -> NewJournal {
    if let loss = try plan.edits?.loss(behind: survey) {
      noted += loss.findings
      doubts += loss.doubts
      losses += loss.losses
    }
    if plan.hole == nil, refused.edits != nil { losses.append(LeftoverEdits.Loss.all) }
    let clock = PastClock(disk)
    var store = try onStore { () throws(StoreError) in
      try JournaledStore(on: clock, at: place.path, model: nil, options: .ofCopies)
    }
    let made: NewJournal
    do throws(ToolError) {
      if plan.base == nil { keptCommit = store.lastCommit }
      // Time does not go back: what is made again behind that keeps its own.
      if store.lastCommit > .none { clock.set(store.head.time) }
      try endPast(of: store, in: place, survey, plan)
      clock.set(nil)
      if let hole = plan.hole {
        let count = losses.count
        if let base = plan.base?.state {
          tellLosses(
            of: base, in: store,
            since: survey.goesBackToBeginning ? CommitNumber(rawValue: 1) : nil)
        }
        var unsaved = UnsavedContexts()
        store = try salvage(
          survey, plan, from: hole, into: store, clock, &unsaved, isWanted: salvaging)
        if salvaging {
          try discardDrafts(of: unsaved.over, in: store)
          // These have kept more of the past until now.
          try dropUnkept(of: store, plan)
        }
        let lost = leftover.map { $0.lossOfAll(behind: survey, unsaved) }
        if let lost = lost ?? LeftoverEdits.Loss.perhaps { losses.insert(lost, at: count) }
      }
      let findings = try onStore { () throws(StoreError) in try store.verify() }
      if let finding = findings.first(where: { $0.frame != nil }) { throw ToolError(finding) }
      try store.refuse(findings)
      made = try NewJournal(store)
    } catch {
      // The first error is the one to tell.
      try? store.close()
      throw error
    }
    try onStore { () throws(StoreError) in try store.close() }
    return made
  }
}
