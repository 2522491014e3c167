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
  let bytes: [UInt8]?

  /// - Throws: where the buffer cannot be read, or newer code has written it.
  init(in folder: any ReadableFolder, of manifest: Manifest) throws(ToolError) {
    self.folder = folder
    isNoFile = try folder.hasOther(JournalFiles.edits)
    bytes = isNoFile ? nil : try JournalCopy.edits(in: folder)
    contents = bytes.map { EditBufferContents($0, of: manifest.store) }
    if let newer = contents?.findings.first(where: \.kind.isOfNewerCode) { throw ToolError(newer) }
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
    for finding in try findings(from: part.nextEdit) {
      if finding.kind.mayBeOfPowerLoss {
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
  private func findings(from next: EditNumber) throws(ToolError) -> [Finding] {
    if isAhead { return [] }
    guard var contents else {
      return isNoFile ? [] : [Finding(.editBufferMissing, JournalFiles.edits)]
    }
    contents.forEachUnsealedEdit(from: next) { _, _ in true }
    guard !contents.findings.isEmpty else { return [] }
    // Whoever stores into it meanwhile has all of it, and what was read is no damage.
    return try JournalCopy.edits(in: folder) == bytes ? contents.findings : []
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
