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
    var verification = Verification()
    func check(_ verify: () throws(RunError) -> Void) throws(StoreError) {
      do throws(RunError) {
        try verify()
      } catch {
        if case .disk = error { throw StoreError(error) }
        verification.findings.append(StoreFinding("\(error)"))
      }
    }
    for run in head.layers.flatMap(\.runs) { try check(run.verify) }
    for run in head.index.runs { try check(run.verify) }
    if deep, verification.findings.isEmpty {
      verification.findings += try compareIndexes(of: head)
      verification.findings += try EndComparing.findings(in: head) { name(of: $0) }
    }
    if files.current != nil {
      do throws(StoreError) {
        // The runs that are open are no witnesses for what stands under their names now.
        let read = try Checkpoint.read(journal.manifest, in: journal.folder)
        let fold = try read?.checkpoint.fold(
          of: journal.store, in: journal.folder, cache: files.cache)
        if let loss = fold?.snapshot.index.loss {
          verification.findings.append(StoreFinding(loss.description))
        }
      } catch {
        verification.findings.append(StoreFinding(error.description))
      }
    }
    try verifyJournal(through: last, head, deep: deep, &verification)
    return verification
  }

  private func verifyJournal(
    through last: FrameNumber, _ head: Snapshot, deep: Bool, _ verification: inout Verification
  ) throws(StoreError) {
    let reader = try journalReader()
    var refolding: Refolding?
    // What cannot be removed now goes with the next checkpoint.
    defer { try? refolding?.removeFiles(files) }
    do throws(StoreError) {
      if deep { refolding = try Refolding(self, reader, to: head, &files) }
      let ending = try reader.forEachEntry(through: last, decoder) {
        (place, entry) throws(StoreError) in
        try refolding?.take(entry, in: place.number, &files)
        return true
      }
      if let finding = ending.finding {
        verification.findings.append(StoreFinding(endingAt: finding))
      }
      guard let refolding else { return }
      refolding.note(in: &verification)
      verification.findings += try compare(refolding.snapshot, head)
    } catch {
      guard error.isFinding else { throw error }
      verification.findings.append(StoreFinding(error.description))
    }
  }

  /// What of a state folded anew is not so in the state there is.
  private func compare(
    _ folded: Snapshot, _ head: Snapshot
  ) throws(StoreError) -> [StoreFinding] {
    guard folded.number == head.number else {
      return [
        StoreFinding(
          "the journal folds to commit \(folded.number), and the store is at commit \(head.number)."
        )
      ]
    }
    var findings: [StoreFinding] = []
    var (ours, anew) = (LayeredRows(of: head), LayeredRows(of: folded))
    var (one, other) = (try ours.next(), try anew.next())
    while one != nil || other != nil {
      let object = min(one?.object.rawValue ?? .max, other?.object.rawValue ?? .max)
      let left = one.flatMap { $0.object.rawValue == object ? $0 : nil }
      let right = other.flatMap { $0.object.rawValue == object ? $0 : nil }
      let last = head.eras.count - 1
      let id = ObjectID(rawValue: object, store: store)
      let leftRow = head.convert(left?.stored.row, of: id, from: left?.era ?? last, to: last)
      let rightRow = head.convert(right?.stored.row, of: id, from: right?.era ?? last, to: last)
      if leftRow != rightRow || leftRow != nil && left?.stored.changed != right?.stored.changed {
        findings.append(StoreFinding("\(id) is not what its commits make of it."))
      }
      if left != nil { one = try ours.next() }
      if right != nil { other = try anew.next() }
    }
    return findings
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
