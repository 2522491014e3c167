// What a journal says, as the fuzzer of histories feeds it: edits and commits, each of some bytes.

internal import ByteCoding
package import Journaling

/// Entries behind one another: a byte, whose lowest bit tells a commit from an edit, and whose next one whether a segment
/// ends behind it; two bytes of length, the lower first; and so many bytes.
package struct HistoryInput {
  package struct Entry {
    package let isCommit: Bool
    package let endsSegment: Bool
    package let bytes: [UInt8]
  }

  package private(set) var entries: [Entry] = []

  private static let largestCount = 200

  /// As many as there are whole; none has no bytes.
  package init(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while rest.count > 3, entries.count < Self.largestCount {
      let head = [UInt8](rest.prefix(3))
      let count = Int(head[1]) | Int(head[2]) << 8
      rest = rest.dropFirst(3)
      guard count > 0, count <= rest.count else { return }
      entries.append(
        Entry(
          isCommit: head[0] & 1 != 0, endsSegment: head[0] & 2 != 0,
          bytes: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
  }

  /// Adds them to a journal, each frame of which is sound.
  package func append(to journal: Journal) throws(JournalError) {
    for entry in entries {
      if entry.isCommit {
        let ticket = try journal.enqueueCommit(epoch: journal.commitEpoch) { $1.write(entry.bytes) }
        _ = try journal.wait(for: ticket, until: .synced)
      } else {
        try journal.appendEdit(byteCount: entry.bytes.count) { $0.copyBytes(from: entry.bytes) }
      }
      if entry.endsSegment { try journal.beginSegment() }
    }
  }

  /// What a journal says from a frame on.
  static func bytes(
    of journal: JournalReader, from first: FrameNumber
  ) throws(JournalError) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ entry: Batch.Entry, isCommit: Bool) {
      guard case .whole(let content) = entry, content.count <= UInt16.max else { return }
      bytes += [isCommit ? 1 : 0, UInt8(content.count & 0xFF), UInt8(content.count >> 8)] + content
    }
    _ = try journal.forEachFrame(from: first) { frame in
      guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
      batch.forEachEdit { add($1, isCommit: false) }
      batch.forEachCommit { add($0, isCommit: true) }
      return true
    }
    return bytes
  }
}
