internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The edits of a damaged journal that no frame has yet, as its buffer held them when it was read.
struct LeftoverEdits {
  private let folder: any ReadableFolder
  private let contents: EditBufferContents?
  /// Whether a writer has gone on to another segment meanwhile, so that it has frames that the manifest does not name.
  let isAhead: Bool
  /// Whether something else stands where the file should.
  let isNoFile: Bool
  /// The bytes of the file; nil where there is none.
  private let bytes: [UInt8]?
  private let store: StoreTag

  /// - Throws: where the buffer cannot be read, or newer code has written it or an edit in it.
  init(in folder: any ReadableFolder, of manifest: Manifest) throws(ToolError) {
    self.folder = folder
    store = manifest.store.tag
    isNoFile = try folder.hasOther(JournalFiles.edits)
    bytes = isNoFile ? nil : try JournalCopy.edits(in: folder)
    contents = bytes.map { EditBufferContents($0, of: manifest.store) }
    if let newer = contents?.findings.first(where: \.kind.isOfNewerCode) { throw ToolError(newer) }
    if let newer = contents?.newerEdit(of: store) { throw ToolError(newer) }
    let newer = try? JournalReader(in: folder, path: JournalFiles.manifest).manifest
    isAhead = newer.map { $0.isAhead(of: manifest) } ?? false
    durableThrough = try isAhead ? .none : Self.durableThrough(in: folder, of: manifest)
  }

  /// The last frame of the segments there were that the buffer knows to be durable, also where no more of it can be read.
  let durableThrough: FrameNumber

  private static func durableThrough(
    in folder: any ReadableFolder, of manifest: Manifest
  ) throws(ToolError) -> FrameNumber {
    guard try !folder.hasOther(JournalFiles.edits) else { return .none }
    do throws(DiskError) {
      return try EditBufferContents.durableThrough(in: folder, store: manifest.store) ?? .none
    } catch {
      throw ToolError(error)
    }
  }

  /// What is told of edits that no frame has and that cannot be read.
  struct Loss {
    /// What is wrong with the original.
    var findings: [String] = []
    /// What is no damage for certain: it may be of a loss of power.
    var doubts: [String] = []
    /// What could not be taken over.
    var losses: [String] = []

    /// What is lost where nothing of them can be read.
    static let all = "what was not saved when the journal was used last"
    /// The same where nobody knows whether there was any.
    static let perhaps = all + ", if there was anything"
  }

  /// What is lost where no edits are taken over that no frame has; nil where there are none.
  ///
  /// - Parameters:
  ///   - survey: of the frames there are.
  ///   - unsaved: what frames have that are not taken over either.
  func lossOfAll(behind survey: JournalSurvey, _ unsaved: UnsavedContexts) -> String? {
    if !unsaved.isEmpty { return Loss.all }
    guard !isAhead, var contents, let part = survey.parts.last else { return Loss.perhaps }
    var count = 0
    contents.forEachUnsealedEdit(from: part.nextEdit) { _, _ in
      count += 1
      return true
    }
    let isKnown = part.hole == nil && contents.findings.isEmpty
    if count > 0, isKnown { return Loss.all }
    // What lost frames had nobody can tell.
    return isKnown && survey.firstHole == nil ? nil : Loss.perhaps
  }

  /// The bytes of the file, up to the first edit that means nothing though it is whole; nil where there is no file.
  ///
  /// - Parameter survey: of the frames there are.
  func bytes(behind survey: JournalSurvey) -> [UInt8]? {
    guard !isAhead, var contents, let next = survey.parts.last?.nextEdit,
      let untrue = contents.firstUntrueEdit(from: next, of: store)
    else { return bytes }
    return contents.bytes(before: untrue.offset)
  }

  /// What is wrong with the edits that no frame has, and what is lost by it.
  ///
  /// - Parameter survey: of the frames there are.
  func loss(behind survey: JournalSurvey) throws(ToolError) -> Loss {
    var loss = Loss()
    if isNoFile {
      loss.findings.append("\(JournalFiles.edits): no file")
      loss.losses.append(Loss.perhaps)
    }
    // A journal that nobody has written to need not have the file.
    let isDamaged = contents.map { !$0.findings.isEmpty } ?? false
    guard let part = survey.parts.last, part.lastFrame > .none || isDamaged else { return loss }
    let (findings, untrue) = try findings(from: part.nextEdit)
    for finding in findings {
      if let untrue, finding == untrue.finding {
        loss.findings.append(untrue.reason)
      } else if finding.kind.mayBeOfPowerLoss {
        loss.doubts.append("\(finding)")
      } else {
        loss.findings.append("\(finding)")
      }
      var lost = Loss.perhaps
      if case .editDamaged(let first) = finding.kind {
        lost = Loss.all + ", from edit \(first.rawValue) on"
      }
      if !loss.losses.contains(lost) { loss.losses.append(lost) }
    }
    return loss
  }

  /// What keeps edits from being read that no frame has.
  ///
  /// - Parameter next: the edit behind those in frames.
  private func findings(
    from next: EditNumber
  ) throws(ToolError) -> (findings: [Finding], untrue: EditBufferContents.Untrue?) {
    if isAhead { return ([], nil) }
    guard var contents else {
      return (isNoFile ? [] : [Finding(.editBufferMissing, JournalFiles.edits)], nil)
    }
    let untrue = contents.firstUntrueEdit(from: next, of: store)
    // Whoever stores into it meanwhile has all of it, and what was read is no damage.
    guard !contents.findings.isEmpty, try JournalCopy.edits(in: folder) == bytes else {
      return ([], nil)
    }
    return (contents.findings, untrue)
  }
}

extension Manifest {
  /// Whether it names a segment behind the last of another.
  fileprivate func isAhead(of other: Manifest) -> Bool {
    guard let last = segments.last?.number, let others = other.segments.last?.number else {
      return false
    }
    return last > others
  }
}

extension EditBufferContents {
  /// An edit that is whole by its check and means nothing.
  fileprivate struct Untrue {
    let finding: Finding
    let reason: String
    var offset: UInt64 { finding.offset }
  }

  /// Reads the edits that no frame has, and finds what keeps them from being read, up to the first that means nothing.
  fileprivate mutating func firstUntrueEdit(
    from next: EditNumber, of store: StoreTag
  ) -> Untrue? {
    var failure: StoreError?
    forEachUnsealedEdit(from: next) { bytes, isSpan in
      // What is in pieces is told by the frames that have them; and what is only large is sound.
      guard !isSpan, let found = SalvagedEntry.failure(of: bytes, of: store), found.code == .damaged
      else { return true }
      failure = found
      return false
    }
    guard let failure, let finding = findings.last else { return nil }
    return Untrue(finding: finding, reason: failure.whatHappened)
  }

  /// Why an edit that newer code has written cannot be told, whether or not a frame has it; nil where there is none.
  fileprivate func newerEdit(of store: StoreTag) -> StoreError? {
    guard let firstEdit else { return nil }
    var contents = self
    var newer: StoreError?
    contents.forEachUnsealedEdit(from: firstEdit) { bytes, isSpan in
      guard !isSpan, let failure = SalvagedEntry.failure(of: bytes, of: store),
        failure.code == .newerFormat
      else { return true }
      newer = failure
      return false
    }
    return newer
  }
}
