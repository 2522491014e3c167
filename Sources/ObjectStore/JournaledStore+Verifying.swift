internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension JournaledStore {
  /// What was damaged when the store was opened, or at a checkpoint since, and has been put right: the end of
  /// a write that was broken off, files made anew from the journal. No commit is lost by any of it.
  public var findings: [StoreFinding] { committing.withLock { repairs } }

  func note(_ findings: [StoreFinding]) { committing.withLock { repairs += findings } }

  /// Reads and checks every byte of the store.
  ///
  /// - Parameter deep: whether the journal is folded again too, as far as it goes back, and compared: the commits
  ///   with what the edits of their contexts add up to, and the outcome with the state there is.
  /// - Returns: what is not as it should be; nothing where all is well.
  /// - Throws: where the disk cannot be read.
  public func verify(deep: Bool = false) throws(StoreError) -> [StoreFinding] {
    try verification(deep: deep).findings
  }

  /// The same, and how far it went.
  public func verification(deep: Bool = true) throws(StoreError) -> Verification {
    try whileCheckpointing { () throws(StoreError) in try verifyHolding(deep: deep) }
  }

  /// Holds `checkpointing`.
  private func verifyHolding(deep: Bool) throws(StoreError) -> Verification {
    let head = head
    // All of that state is in these frames, and what comes after them is not looked at.
    let last = try settle()
    var verification = try verifyState(head, deep: deep)
    var checkpoint: Checkpoint?
    if files.current != nil {
      do throws(StoreError) {
        // The runs that are open are no witnesses for what stands under their names now.
        checkpoint = try Checkpoint.read(journal.manifest, in: journal.folder)?.checkpoint
        if let checkpoint {
          verification.findings += try indexFindings(
            of: checkpoint, besides: head.index.runs)
        }
      } catch {
        verification.findings.append(StoreFinding(error))
      }
    }
    let bound = FoldBound(options.unflushedByteCount, journal, sparing: head.runNames)
    var lent: CheckpointFiles? = files
    defer { if let lent { files = lent } }
    try verifyJournal(
      try journalReader(), through: last, head, checkpoint, deep: deep, within: bound, &lent,
      &verification)
    return verification
  }
}

extension RecoveryReport {
  /// What recovery found, in sentences.
  var storeFindings: [StoreFinding] {
    var findings = findings.map { StoreFinding("\($0).") }
    if let tornTail {
      findings.append(
        StoreFinding(
          "a write was broken off: \(tornTail.finding). Its \(tornTail.byteCount) bytes are kept in "
            + "\(tornTail.savedAs)."))
    }
    findings += savedEarlier.map {
      StoreFinding(
        "an earlier opening, which failed, took bytes out of the store and kept them in \($0).")
    }
    return findings
  }
}
