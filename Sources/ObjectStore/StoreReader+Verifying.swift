internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension StoreReader {
  /// Reads and checks every byte of what the reader shows, also beside a writer. What has come since the last refresh is
  /// not looked at.
  ///
  /// - Parameter deep: whether the journal is folded again too, as far as it goes back, and compared: the commits
  ///   with what the edits of their contexts add up to, and the outcome with the state there is. That holds the state in
  ///   memory.
  /// - Returns: what is not as it should be, that which the reader has met already included.
  /// - Throws: where the disk cannot be read.
  public func verification(deep: Bool = false) throws(StoreError) -> Verification {
    var oldest = firstKeptCommit
    while true {
      do throws(StoreError) {
        return try verify(deep: deep)
      } catch {
        // What compaction drops meanwhile is no damage: the rest is looked at again.
        guard error.code == .commitMissing else { throw error }
        try refresh()
        guard firstKeptCommit > oldest else { throw error }
        oldest = firstKeptCommit
      }
    }
  }

  private func verify(deep: Bool) throws(StoreError) -> Verification {
    let (head, last) = (head, try settle())
    var verification = try verifyState(head, deep: deep)
    var files: CheckpointFiles?
    let (reader, checkpoint) = try current(head, &verification)
    try verifyJournal(
      reader, through: last, head, checkpoint, deep: deep, within: nil, &files, &verification)
    try verifyEditBuffer(reader, through: last, &verification)
    let known = Set(verification.findings)
    verification.findings = findings.filter { !known.contains($0) } + verification.findings
    return verification
  }

  /// What keeps edits from being read that no frame has yet, in a verification of nothing else.
  package func unsavedVerification() throws(StoreError) -> Verification {
    var verification = Verification()
    try verifyEditBuffer(try journalReader(), through: try settle(), &verification)
    return verification
  }

  /// Looks at the edits that no frame has yet. What no end of a process and no loss of power leaves is damage: each writer
  /// makes the file as a whole, and stores a half's header into one sector. An entry that is not whole may be of a write
  /// that the power has cut off.
  private func verifyEditBuffer(
    _ reader: JournalReader, through last: FrameNumber, _ verification: inout Verification
  ) throws(StoreError) {
    do throws(StoreError) {
      var findings = try editBufferFindings(reader, through: last)
      // What a writer is storing meanwhile is another when it is read again.
      for _ in 1...2 where !findings.isEmpty {
        let again = try editBufferFindings(reader, through: last)
        findings.removeAll { !again.contains($0) }
      }
      for finding in findings {
        switch finding.kind {
        case let kind where kind.mayBeOfPowerLoss:
          verification.leftoverDoubts.append("\(finding)")
        default:
          verification.findings.append(
            StoreFinding("\(finding).", isOfNewerCode: finding.kind.isOfNewerCode))
        }
      }
    } catch {
      guard error.isFinding else { throw error }
      verification.findings.append(StoreFinding(error))
    }
  }

  private func editBufferFindings(
    _ reader: JournalReader, through last: FrameNumber
  ) throws(StoreError) -> [Finding] {
    let isSound = !endsAtDamage
    return try onJournal { () throws(JournalError) in
      var buffer = try EditBufferContents.found(in: folder, store: reader.manifest.store)
      // Where the journal is damaged there is no telling which edits are in its frames.
      let now = try JournalReader(in: folder, path: path)
      if let next = try? now.nextEdit(behind: last) {
        buffer.forEachUnsealedEdit(from: next) { _, _ in true }
      }
      // A writer may have come further than what is shown.
      let end = isSound ? try? now.nextEdit(behind: FrameNumber(.max)) : nil
      let found = buffer.findings.filter { finding in
        guard case .editsMissing(_, let found) = finding.kind else { return true }
        return end.map { found > $0 } ?? false
      }
      guard found.isEmpty else { return found }
      let count: Finding?
      do throws(DiskError) {
        count = try EditBufferContents.durabilityFinding(in: folder, store: reader.manifest.store)
      } catch {
        throw .disk(error)
      }
      return [count].compactMap(\.self).filter { !$0.kind.mayBeOfPowerLoss }
    }
  }

  /// The journal as it is, and its checkpoint, which the writer may replace meanwhile; nil where there is none that can
  /// be read, which is noted unless the reader has done without it from its beginning. What is wrong with its indexes is
  /// noted in any case.
  private func current(
    _ head: Snapshot, _ verification: inout Verification
  ) throws(StoreError) -> (JournalReader, Checkpoint?) {
    var reader = try journalReader()
    while true {
      do throws(StoreError) {
        guard let checkpoint = try Checkpoint.read(reader.manifest, in: folder)?.checkpoint else {
          return (reader, nil)
        }
        let found = try indexFindings(of: checkpoint, besides: head.index.runs)
        let newer = found.isEmpty ? reader : try journalReader()
        guard newer.manifest.attachments == reader.manifest.attachments else {
          reader = newer
          continue
        }
        verification.findings += found.filter { !verification.findings.contains($0) }
        return (reader, checkpoint)
      } catch {
        let newer = try journalReader()
        guard newer.manifest.attachments == reader.manifest.attachments else {
          reader = newer
          continue
        }
        guard error.isFinding else { throw error }
        if !doesWithoutCheckpoint { verification.findings.append(StoreFinding(error)) }
        return (reader, nil)
      }
    }
  }
}
