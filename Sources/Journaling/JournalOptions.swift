/// How a journal is kept. The defaults suit a program on a disk of today; tests make everything small.
package struct JournalOptions: Sendable {
  /// A segment that has become this long is sealed, and the next one begun.
  package var segmentByteCount = 64 << 20
  /// The length of each half of the edit buffer.
  package var halfByteCount = 1 << 20
  /// The writer never lets more bytes than this stand unsynced. Recovery relies on it.
  package var windowByteCount = 8 << 20
  /// How far zeros are written ahead of small frames.
  package var preallocatedByteCount = 1 << 20
  /// What the large edits and commits of one batch add up to at most, unless it has only one.
  package var spansByteCount = Limits.spansByteCount
  /// Edits and frames are synced after this long at most.
  package var syncDelayNanoseconds: UInt64 = 800_000_000
  /// The idle marker is written this long after the last frame.
  package var idleDelayNanoseconds: UInt64 = 250_000_000
  /// Whether a thread of the journal's own does what is due. Without it, `performUpkeep` must be called.
  package var hasUpkeepThread = true
  /// Whether a store may be on a network file system.
  package var allowsNetworkFileSystems = false
  /// Whether a folder that is marked as an unfinished copy stays so, because whoever opens it goes on making it.
  package var staysMarked = false

  package init() {}

  /// The largest edit or commit that a batch holds itself; a larger one is cut into pieces.
  package var largestCommitByteCount: Int { min(1 << 20, windowByteCount / 8) }
  /// The commits a batch takes in before it is sealed.
  var largestBatchCommitByteCount: Int { 2 * largestCommitByteCount }
  /// The largest edit that goes through the edit buffer itself.
  package var largestEditByteCount: Int {
    EditBufferLayout.largestEntryByteCount(halfByteCount: halfByteCount)
  }
  package var pieceByteCount: Int { largestCommitByteCount }

  func validate() {
    precondition(
      halfByteCount >= 256 && halfByteCount % 8 == 0
        && halfByteCount <= Limits.largestHalfByteCount,
      "half an edit buffer is 256 bytes to 16 MiB long, and a multiple of 8")
    precondition(
      windowByteCount <= 1 << 30 && windowByteCount >= 2 * (halfByteCount + 4096),
      "the window of unsynced bytes is at most 1 GiB, and more than twice half an edit buffer")
    precondition(
      (0...Zeros.largestByteCount).contains(preallocatedByteCount),
      "zeros are written ahead by at most 1 MiB")
    precondition(segmentByteCount > 0, "a segment has a length")
    precondition(
      spansByteCount <= Limits.spansByteCount, "the spans of a batch are at most 1 GiB together")
  }
}
