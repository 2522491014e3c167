// All edits and commits of a journal, in order, as bytes.

internal import ByteCoding
package import DiskAccess
package import Journaling

/// What a journal's frames hold.
package struct Listing {
  package private(set) var edits: [[UInt8]] = []
  package private(set) var commits: [[UInt8]] = []
  package private(set) var kinds: [FrameKind] = []
  /// What is wrong, where something is.
  package private(set) var fault: String?

  package init(on disk: any ReadableDisk, at path: String = "store") throws(JournalError) {
    let reader = try JournalReader(at: path, on: disk)
    var (edits, commits) = ([Piece](), [Piece]())
    var fault: String?
    var kinds: [FrameKind] = []
    let ending = try reader.forEachFrame { frame in
      kinds.append(frame.kind)
      guard frame.kind == .batch else { return true }
      guard let batch = Batch(frame.payload) else {
        fault = "frame \(frame.number.rawValue) is no batch"
        return false
      }
      batch.forEachEdit { number, entry in
        if number != EditNumber(UInt64(edits.count + 1)) {
          fault = "edit \(number.rawValue) in the place of \(edits.count + 1)"
        }
        edits.append(Piece(entry))
      }
      batch.forEachCommit { commits.append(Piece($0)) }
      return true
    }
    self.kinds = kinds
    self.fault = fault ?? ending.finding.map { "\($0)" }
    for edit in edits { self.edits.append(try edit.bytes(reader)) }
    for commit in commits { self.commits.append(try commit.bytes(reader)) }
  }

  private enum Piece {
    case whole([UInt8])
    case spanning(Span)

    init(_ entry: Batch.Entry) {
      switch entry {
      case .whole(let bytes): self = .whole(Array(bytes))
      case .spanning(let span): self = .spanning(span)
      }
    }

    func bytes(_ reader: JournalReader) throws(JournalError) -> [UInt8] {
      switch self {
      case .whole(let bytes): bytes
      case .spanning(let span): try reader.bytes(of: span)
      }
    }
  }
}
