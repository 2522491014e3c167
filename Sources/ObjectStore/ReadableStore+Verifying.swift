internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

// What whoever writes a store and whoever only reads it verify alike.
extension ReadableStore {
  /// Reads and checks every byte of the runs that a state stands on.
  ///
  /// - Parameter deep: whether its indexes are compared with its rows too, and both ends of its relationships.
  func verifyState(_ head: Snapshot, deep: Bool) throws(StoreError) -> Verification {
    var verification = Verification()
    func check(
      _ finding: (RunError) -> StoreFinding, _ verify: () throws(RunError) -> Void
    ) throws(StoreError) {
      do throws(RunError) {
        try verify()
      } catch {
        if case .disk = error { throw StoreError(error) }
        verification.findings.append(finding(error))
      }
    }
    for run in head.layers.flatMap(\.runs) {
      try check({ StoreFinding(StoreError($0)) }, run.verify)
    }
    for run in head.index.runs {
      try check({ StoreFinding(ofIndex: StoreError($0)) }, run.verify)
    }
    guard deep, verification.findings.isEmpty else { return verification }
    do throws(StoreError) {
      verification.findings += try compareIndexes(of: head)
      verification.findings += try EndComparing.findings(in: head, name: nameTold)
    } catch {
      // Rows that contradict each other are what is looked for.
      guard error.isFinding else { throw error }
      verification.findings.append(StoreFinding(error))
    }
    return verification
  }

  /// Reads and checks the journal up to a frame.
  ///
  /// - Parameters:
  ///   - reader: reads it as it is now.
  ///   - checkpoint: the checkpoint that it has now; nil where there is none that could be read.
  ///   - deep: whether it is folded again too, and compared with a state and the checkpoint.
  ///   - bound: keeps what is folded within bounds, by writing it to the files.
  func verifyJournal(
    _ reader: JournalReader, through last: FrameNumber, _ head: Snapshot,
    _ checkpoint: Checkpoint?, deep: Bool, within bound: FoldBound?,
    _ files: inout CheckpointFiles?, _ verification: inout Verification
  ) throws(StoreError) {
    var refolding: Refolding?
    // What cannot be removed now goes with the next checkpoint.
    defer { if let files { try? refolding?.removeFiles(files) } }
    do throws(StoreError) {
      if deep {
        refolding = try Refolding(self, reader, to: head, checkpoint, within: bound, &files)
      }
      let ending = try reader.forEachEntry(through: last, decoder) {
        (place, entry) throws(StoreError) in
        try refolding?.take(entry, in: place.number, &files)
        return true
      }
      if let finding = ending.finding {
        verification.findings.append(StoreFinding(endingAt: finding))
        // What newer code has written is in the state, and cannot be folded here.
        if finding.kind.isOfNewerCode { return }
      }
      // Where compaction has dropped all that was to be looked at, the first frame there is comes after it.
      try refolding?.finish(at: min(ending.next.previous, last), &verification)
    } catch {
      guard error.isFinding || error.code == .tooLarge else { throw error }
      verification.findings.append(error.isFinding ? StoreFinding(error) : unchecked(error))
    }
  }

  /// That what is more than is held at once was not looked at, nor what depends on it.
  private func unchecked(_ error: StoreError) -> StoreFinding {
    let place = error.value.map { value in
      let entity = head.eras.lazy.reversed().compactMap { $0.name(of: value.object.entity) }.first
      return "‘\(name(of: value.key) ?? "key \(value.key.rawValue)")’ of "
        + "\(entity ?? "entity\(value.object.entity.rawValue)")/\(value.object.number) is too large: "
    }
    return StoreFinding(
      "\(place ?? "")\(error.whatHappened) The rest of the journal was not checked.",
      isUnchecked: true)
  }

  /// What of a state folded anew is not so in the state there is.
  ///
  /// - Parameter body: told of every object that there is.
  func compare(
    _ folded: Snapshot, _ head: Snapshot, _ body: (ObjectID) -> Void
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
      if leftRow != nil { body(id) }
      if left != nil { one = try ours.next() }
      if right != nil { other = try anew.next() }
    }
    return findings
  }
}
