internal import ByteCoding
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
  private let disk: any Disk
  /// The same, as the original is read.
  private let source: PatientDisk
  /// What is wrong with the original, besides that some of it cannot be read.
  var noted: [String] = []
  /// Whether the manifest was put together of what the segments say.
  private var isManifestLost = false

  /// What is wrong with the original.
  var findings: [String] { source.findings + noted }
  /// What could not be taken over.
  private(set) var losses: [String] = []
  /// The last commit that was taken over byte by byte.
  private(set) var keptCommit = CommitNumber.none
  /// How many commits were made again.
  private(set) var salvagedCount = 0
  /// Which of them have other numbers than they had.
  private(set) var renumbered: [Salvaging.Renumbering] = []

  init(of path: String, reading source: any ReadableDisk, on disk: any Disk) {
    self.path = path
    self.source = PatientDisk(source)
    self.disk = disk
  }

  /// Makes the journal.
  mutating func make(
    at newPath: String, salvaging: Bool
  ) throws(ToolError) -> NewJournal {
    let (original, manifest, edits) = try openWithEdits()
    let (folder, mended) = try MendedFolder.mending(manifest, in: original)
    noted += mended.map {
      "\(JournalFiles.journalFolder)/\($0.fileName): a header whose check does not fit, and which is known from elsewhere"
    }
    try NewPlace.refuseExisting(newPath, on: disk)
    let kept = KeptState(of: manifest, in: folder)
    let durable = max((try? edits.get())?.durableThrough ?? .none, kept.end?.frame ?? .none)
    let survey = try JournalSurvey(manifest, in: folder, durableThrough: durable)
    noted += survey.findings.map { "\($0)" }
    let plan = try plan(survey, kept, salvaging: salvaging)
    // What cannot be read is told before anything is made.
    let wanted = plan.hole == nil ? try edits.get() : nil
    let place = try NewPlace(newPath, on: disk)
    var repair = self
    defer { self = repair }
    return try NewPlace.filling(newPath) { () throws(ToolError) in
      do throws(ToolError) {
        let made = try repair.fill(place, plan, survey, wanted, salvaging: salvaging)
        try place.unmark()
        return made
      } catch {
        // Nobody has asked for a commit: what is missed here is damage.
        throw error.status == .no ? ToolError(.damage, error.message) : error
      }
    }
  }

  private mutating func fill(
    _ place: NewPlace, _ plan: RepairPlan, _ survey: JournalSurvey,
    _ edits: LeftoverEdits?, salvaging: Bool
  ) throws(ToolError) -> NewJournal {
    let copy = JournalCopy(in: place)
    let attachments = plan.keepsCheckpoint ? try copyCheckpoint(of: survey, to: place) : []
    if let (last, edit) = plan.start {
      let number = survey.manifest.segments.last?.number.next ?? SegmentNumber(1)
      try copy.begin(
        behind: last, edit, as: number, of: survey.manifest.store, attachments, salt: try salt())
    } else {
      try copy.copy(plan.parts, of: survey, attachments)
    }
    if let edits {
      try copy.write(edits: edits.bytes)
      let loss = try edits.loss(behind: survey)
      noted += loss.findings
      losses += loss.losses
    }
    let clock = PastClock(disk)
    var store = try open(place, clock)
    keptCommit = store.lastCommit
    let made: NewJournal
    do throws(ToolError) {
      if plan.isTail || !survey.goesBackToBeginning && isManifestLost {
        // A manifest that was put together does not know what there was before the segments that are left.
        let first = try firstCommit(in: place, store.tag)
        let isLost = store.firstKeptCommit < first ?? store.lastCommit.next
        if plan.isTail || isLost { try dropPast(of: store, before: first) }
      }
      if let hole = plan.hole {
        losses.append(LeftoverEdits.Loss.all)
        store = try salvage(survey, plan, from: hole, into: store, clock, isWanted: salvaging)
      }
      let unsound = try onStore { () throws(StoreError) in try store.verify() }
      if let finding = unsound.first {
        throw ToolError(.damage, "what was made of it is not sound either: \(finding)")
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

  // MARK: The original

  /// Opens the original, and reads the edits that no frame has: before the segments, so that these have every edit that
  /// has left the buffer since, and those segments that there were then.
  private mutating func openWithEdits() throws(ToolError) -> (
    any ReadableFolder, Manifest, Result<LeftoverEdits, ToolError>
  ) {
    var attempt = 0
    while true {
      attempt += 1
      let (folder, manifest) = try openOriginal()
      let edits = Result { () throws(ToolError) in try LeftoverEdits(in: folder, of: manifest) }
      // A writer may go on to another segment meanwhile, and put edits there.
      if case .success(let edits) = edits, edits.isAhead, attempt < 10 { continue }
      return (folder, manifest, edits)
    }
  }

  private mutating func openOriginal() throws(ToolError) -> (any ReadableFolder, Manifest) {
    do throws(JournalError) {
      let reader = try JournalReader(at: path, on: source)
      return (reader.folder, reader.manifest)
    } catch {
      guard let folder = try? source.folderForReading(at: path) else {
        throw JournalCopy.refusal(path, error, on: source)
      }
      if case .damaged(let finding) = error {
        noted.append("\(finding)")
      } else if try folder.hasOther(JournalFiles.manifest) {
        noted.append("\(JournalFiles.manifest): no file")
      } else {
        throw JournalCopy.refusal(path, error, on: source)
      }
      isManifestLost = true
      return (folder, try LostManifest.make(in: folder))
    }
  }

  private mutating func copyCheckpoint(
    of survey: JournalSurvey, to place: NewPlace
  ) throws(ToolError) -> [Manifest.Attachment] {
    let named = survey.manifest.attachments
    let copied: [Manifest.Attachment]
    do throws(StoreError) {
      copied = try Checkpoint.copyFiles(survey.manifest, in: survey.folder, to: place.folder)
    } catch {
      guard error.code == .damaged || error.code == .disk else { throw ToolError(error) }
      noted.append(error.description)
      guard survey.goesBackToBeginning, error.code == .disk else { throw beyondRepair() }
      return []
    }
    if copied.count < named.count {
      noted.append(
        "a file of the state that was kept is damaged; it is made anew of the journal")
    }
    return copied
  }

  // MARK: The new journal

  /// The first commit that stands in the segments that were taken over; nil where there is none.
  private func firstCommit(
    in place: NewPlace, _ store: StoreTag
  ) throws(ToolError) -> CommitNumber? {
    var first: CommitNumber?
    do throws(JournalError) {
      let reader = try JournalReader(in: place.folder, path: place.path)
      _ = try reader.forEachFrame { frame in
        guard frame.kind == .batch else { return true }
        // What is in pieces of a segment that is not there begins nothing.
        let entries = try? SalvagedEntry.all(in: frame.payload, of: frame.number, store) {
          (span) throws(JournalError) in try reader.bytes(of: span)
        }
        for case .commit(let content) in entries ?? [] {
          first = content.number
          return false
        }
        return true
      }
    } catch {
      throw ToolError(StoreError(error))
    }
    return first
  }

  /// Has a journal begin with the first commit that is there, or with the state it has where that cannot be told.
  private mutating func dropPast(
    of store: JournaledStore, before first: CommitNumber?
  ) throws(ToolError) {
    let wanted = first.map { Keeping.commits(since: $0) } ?? .latest
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
    losses.append(
      "all that was before commit \(store.firstKeptCommit), but for the state it left")
    losses += store.tags.filter { $0.value < store.firstKeptCommit.previous }.keys.sorted().map {
      "the state that the tag ‘\($0)’ stands for"
    }
  }

  /// - Returns: whether that could be done with what is there.
  private func compact(
    _ store: JournaledStore, keeping kept: Keeping
  ) throws(ToolError) -> Bool {
    do throws(StoreError) {
      return try store.compact(keeping: kept)
    } catch {
      guard error.code == .commitMissing || error.code == .damaged else { throw ToolError(error) }
      return false
    }
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
      guard error.code == .damaged else { throw ToolError(error) }
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

  /// Brings in what is behind the damaged place, or says what that would be.
  private mutating func salvage(
    _ survey: JournalSurvey, _ plan: RepairPlan, from hole: Int, into store: JournaledStore,
    _ clock: PastClock, isWanted: Bool
  ) throws(ToolError) -> JournaledStore {
    let reader = try reader(survey, plan)
    var salvaging = Salvaging(into: store, clock)
    if isWanted, let reader { try salvaging.expect(from: reader) }
    var tags = Set((reader?.tags ?? [:]).filter { store.tags[$0.key] != $0.value }.keys)
    var last = max(store.lastCommit, reader?.lastCommit ?? .none)
    let journal = journal(survey)
    var failure: ToolError?
    let frames = RemainingFrames(survey: survey, first: hole, isWhole: plan.isHoleBefore)
    let lastFrame = try frames.forEachBatch { frame, payload in
      do throws(ToolError) {
        var entries: [SalvagedEntry]
        do throws(StoreError) {
          entries = try SalvagedEntry.all(in: payload, of: frame, store.tag, journal)
        } catch {
          salvaging.lose(frame, error)
          return true
        }
        for entry in entries { last = max(last, entry.knownCommit) }
        // Which tags there were then is known, also of those that were taken away since.
        if reader != nil, frame <= plan.keptThrough { entries.removeAll { $0.tag != nil } }
        if isWanted { try salvaging.take(entries) }
        for (name, isGiven) in entries.lazy.compactMap(\.tag) {
          if isGiven { tags.insert(name) } else { tags.remove(name) }
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
    if isWanted {
      try salvaging.finish()
      salvaging.expect(through: last)
    } else if last > store.lastCommit {
      losses.append(
        "\(Salvaging.range(store.lastCommit.next, last)); --salvage takes over what can be read of that"
      )
    }
    let known = reader != nil || plan.start != nil ? plan.keptThrough : .none
    loseFrames(from: max(lastFrame, known).next, through: survey.durableThrough)
    if isWanted { tags = [] }
    losses += tags.sorted().map { "the tag ‘\($0)’, which --salvage sets where its commit is read" }
    losses += salvaging.losses.filter { !losses.contains($0) }
    salvagedCount = salvaging.count
    renumbered = salvaging.renumbered
    return salvaging.store
  }

  /// Tells of frames that were durable and of which nobody knows what was in them.
  private mutating func loseFrames(from first: FrameNumber, through last: FrameNumber) {
    guard first <= last else { return }
    let frames =
      first == last
      ? "frame \(first.rawValue)" : "frames \(first.rawValue) to \(last.rawValue)"
    losses.append("\(frames), with whatever was saved or tagged there")
  }

  /// A reader of the original, which shows what is behind the damaged place where a state was kept there; at least that
  /// state.
  private func reader(
    _ survey: JournalSurvey, _ plan: RepairPlan
  ) throws(ToolError) -> StoreReader? {
    if let reader = try reader(in: original(survey)) { return reader }
    guard plan.keptThrough > .none else { return nil }
    let number = survey.manifest.segments.last?.number.next ?? SegmentNumber(1)
    let (manifest, header) = try LostManifest.beginning(
      behind: plan.keptThrough, EditNumber(1), as: number, of: survey.manifest.store,
      survey.manifest.attachments, salt: 0)
    let files = [
      JournalFiles.manifest: manifest.encoded().withBytes { Array($0) },
      "\(JournalFiles.journalFolder)/\(number.fileName)": header.encoded().withBytes { Array($0) },
    ]
    return try reader(in: SuppliedFolder(survey.folder, files))
  }

  private func reader(in folder: any ReadableFolder) throws(ToolError) -> StoreReader? {
    do throws(StoreError) {
      return try StoreReader(on: SuppliedDisk(folder, on: source), at: path)
    } catch {
      guard [.damaged, .disk, .commitMissing].contains(error.code) else { throw ToolError(error) }
      return nil
    }
  }

  /// The original with its manifest, also where that was put together.
  private func original(_ survey: JournalSurvey) -> SuppliedFolder {
    SuppliedFolder(
      survey.folder,
      [JournalFiles.manifest: survey.manifest.encoded().withBytes { Array($0) }])
  }

  /// Reads frames of the original by their places; nil where that cannot be.
  func journal(_ survey: JournalSurvey) -> JournalReader? {
    try? JournalReader(in: original(survey), path: path)
  }
}
