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
  /// A frame that cannot be taken over though its checks fit, nor what comes behind it, as what it says cannot be so; and why.
  private var refused: (frame: FrameNumber, reason: String)?
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
    at newPath: String, _ place: inout NewPlace?, salvaging: Bool
  ) throws(ToolError) -> NewJournal? {
    let (original, manifest, edits) = try openWithEdits()
    if case .failure(let error) = edits, error.status == .newerFormat { throw error }
    func mayBeReplaced() -> Bool { isReplaced(manifest, in: original) }
    let (plan, wanted): (RepairPlan, LeftoverEdits?)
    var survey: JournalSurvey
    do throws(ToolError) {
      let (folder, mended) = try MendedFolder.mending(manifest, in: original)
      noted += mended
      if place == nil { try NewPlace.refuseExisting(newPath, on: disk) }
      let kept = KeptState(of: manifest, in: folder)
      let durable = max((try? edits.get())?.durableThrough ?? .none, kept.end?.frame ?? .none)
      survey = try JournalSurvey(manifest, in: folder, durableThrough: durable)
      try survey.refuseNewer()
      if let refused, let journal = journal(survey) { try survey.refuse(refused.frame, journal) }
      noted += survey.findings.map { "\($0)" }
      if let refused { noted.append(refused.reason) }
      plan = try self.plan(survey, kept, salvaging: salvaging)
      // What cannot be read is told before anything is made.
      wanted = plan.hole == nil ? try edits.get() : nil
    } catch {
      guard mayBeReplaced() else { throw error }
      return nil
    }
    if !noted.isEmpty, mayBeReplaced() { return nil }
    if try original.isMarkedUnfinished(), !doubts.contains(JournalCopy.unfinished) {
      doubts.append(JournalCopy.unfinished)
    }
    if place == nil { place = try NewPlace(newPath, on: disk) }
    guard let place else { return nil }
    do throws(ToolError) {
      let count = noted.count
      try copy(to: place, plan, survey, wanted)
      if noted.count > count, mayBeReplaced() { return nil }
    } catch {
      guard mayBeReplaced() else { throw error }
      return nil
    }
    do throws(ToolError) {
      let made = try fill(
        place, plan, survey, wanted, leftover: try? edits.get(), salvaging: salvaging)
      try place.unmark()
      return made
    } catch {
      if let frame = error.frame, error.status == .damage, survey.hasSound(frame),
        refused.map({ frame < $0.frame }) ?? true
      {
        refused = (frame, error.withoutAdvice)
        try place.clear()
        return nil
      }
      // Nobody has asked for a commit: what is missed here is damage.
      throw error.status == .no ? ToolError(.damage, error.message) : error
    }
  }

  /// Copies what is taken over as it is.
  private mutating func copy(
    to place: NewPlace, _ plan: RepairPlan, _ survey: JournalSurvey, _ edits: LeftoverEdits?
  ) throws(ToolError) {
    let copy = JournalCopy(in: place)
    var attachments: [Manifest.Attachment] = []
    if let (base, time) = plan.base, let start = plan.start {
      let salt = try salt()
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
        behind: last, edit, as: number, of: survey.manifest.store, attachments, salt: try salt())
    } else {
      try copy.copy(plan.parts, of: survey, attachments)
    }
    try copy.write(edits: edits?.bytes)
  }

  private mutating func fill(
    _ place: NewPlace, _ plan: RepairPlan, _ survey: JournalSurvey,
    _ edits: LeftoverEdits?, leftover: LeftoverEdits?, salvaging: Bool
  ) throws(ToolError) -> NewJournal {
    if let loss = try edits?.loss(behind: survey) {
      noted += loss.findings
      doubts += loss.doubts
      losses += loss.losses
    }
    let clock = PastClock(disk)
    var store = try open(place, clock)
    if plan.base == nil { keptCommit = store.lastCommit }
    let made: NewJournal
    do throws(ToolError) {
      // Time does not go back: what is made again behind that keeps its own.
      if store.lastCommit > .none { clock.set(store.head.time) }
      if plan.isTail, plan.hole == nil { try discardTornDrafts(in: store, survey, plan) }
      if plan.isTail || !survey.goesBackToBeginning && isManifestLost {
        // A manifest that was put together does not know what there was before the segments that are left.
        let first = try firstCommit(in: place, store.tag)
        let isLost = store.firstKeptCommit < first ?? store.lastCommit.next
        if plan.isTail || isLost { try dropPast(of: store, before: first) }
      }
      try dropUnkept(of: store, plan)
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
      let unsound = try onStore { () throws(StoreError) in try store.verify() }
      if let finding = unsound.first(where: { $0.frame != nil }) { throw ToolError(finding) }
      if let finding = unsound.first {
        throw ToolError(finding).saying("what was made of it is not sound either: \(finding)")
      }
      made = try NewJournal(store)
    } catch {
      // The first error is the one to tell.
      try? store.close()
      throw error
    }
    try onStore { () throws(StoreError) in try store.close() }
    return made
  }

  private func salt() throws(ToolError) -> UInt64 {
    var salt: UInt64 = 0
    var failure: DiskError?
    withUnsafeMutableBytes(of: &salt) { bytes in
      do throws(DiskError) {
        try disk.fillWithRandomBytes(bytes)
      } catch {
        failure = error
      }
    }
    if let failure { throw ToolError(failure) }
    return salt
  }

  private mutating func open(
    _ place: NewPlace, _ clock: PastClock
  ) throws(ToolError) -> JournaledStore {
    do throws(StoreError) {
      return try JournaledStore(on: clock, at: place.path, model: nil, options: .ofCopies)
    } catch {
      // It may be the edits that are in no frame yet.
      guard error.code == .damaged, error.frame == nil else { throw ToolError(error) }
      noted.append(error.description)
      losses.append(LeftoverEdits.Loss.all)
      do throws(DiskError) {
        if try place.folder.information(of: JournalFiles.edits) != nil {
          try place.folder.remove(JournalFiles.edits)
        }
      } catch {
        throw ToolError(error)
      }
      return try onStore { () throws(StoreError) in
        try JournaledStore(on: clock, at: place.path, model: nil, options: .ofCopies)
      }
    }
  }
}
