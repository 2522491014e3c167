internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension StoreReader {
  /// What may be missing because the file cannot be read that says what is durable.
  package struct Beyond: Sendable {
    /// What is wrong with the file.
    package enum Fault: Sendable {
      /// It is not there, or the newest of its counts is not whole: a loss of power may leave it so.
      case missing, uncertain
      case damaged, newer
    }

    package let fault: Fault
    /// How many segments have more than is shown, and how many bytes that is.
    package let segmentCount: Int
    package let byteCount: UInt64
  }

  /// What may be missing because the file of unsaved edits, which says what is durable, cannot be read; nil where it
  /// can: what it does not count then nobody was promised.
  package func beyond() throws(StoreError) -> Beyond? {
    let (reader, last) = (try journalReader(), try settle())
    var finding: Finding?
    // What a writer is storing meanwhile is whole when it is read again.
    for _ in 1...3 {
      do throws(DiskError) {
        finding = try EditBufferContents.durabilityFinding(in: folder, store: reader.manifest.store)
      } catch {
        throw StoreError(JournalError.disk(error))
      }
      if finding == nil { return nil }
    }
    let fault: Beyond.Fault =
      switch finding?.kind {
      case .editBufferMissing: .missing
      case .editCountDamaged: .uncertain
      case let kind? where kind.isOfNewerCode: .newer
      default: .damaged
      }
    let beyond = isBehind ? reader.beyond(last) : JournalReader.Beyond()
    return Beyond(
      fault: fault, segmentCount: beyond.segmentCount, byteCount: beyond.byteCount)
  }
}
