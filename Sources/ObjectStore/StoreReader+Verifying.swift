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
    let (reader, checkpoint) = try current(&verification)
    try verifyJournal(
      reader, through: last, head, checkpoint, deep: deep, within: nil, &files, &verification)
    let known = Set(verification.findings)
    verification.findings = findings.filter { !known.contains($0) } + verification.findings
    return verification
  }

  /// The journal as it is, and its checkpoint, which the writer may replace meanwhile; nil where there is none that can
  /// be read, which is noted unless the reader has done without it from its beginning.
  private func current(
    _ verification: inout Verification
  ) throws(StoreError) -> (JournalReader, Checkpoint?) {
    var reader = try journalReader()
    while true {
      do throws(StoreError) {
        return (reader, try Checkpoint.read(reader.manifest, in: folder)?.checkpoint)
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
