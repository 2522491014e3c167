// Tests that every finding and every error is told in one sentence, unlike all others, that names its place.

import DiskAccess
import Journaling
import Testing

@Suite struct WordingOfFindings {
  /// An example of each kind.
  private static let kinds = Array(sequence(first: .notAFrame, next: example(after:)))

  /// The example after one; a new kind does not compile until it stands in this row.
  private static func example(after kind: Finding.Kind) -> Finding.Kind? {
    switch kind {
    case .notAFrame: .sealDamaged
    case .sealDamaged: .bodyDamaged
    case .bodyDamaged: .frameCutShort
    case .frameCutShort: .foreignFrame
    case .foreignFrame: .framesMissing(found: FrameNumber(4711))
    case .framesMissing: .framesSwapped(found: FrameNumber(4711))
    case .framesSwapped: .frameRepeated(found: FrameNumber(4711))
    case .frameRepeated: .linkBroken
    case .linkBroken: .frameMalformed
    case .frameMalformed: .frameNewer(format: 47, flags: 11)
    case .frameNewer: .framesLost(through: FrameNumber(4711))
    case .framesLost: .batchMalformed
    case .batchMalformed: .piecesDamaged(first: FrameNumber(4711))
    case .piecesDamaged: .piecesNamedTwice(first: FrameNumber(4711))
    case .piecesNamedTwice: .segmentHeaderDamaged
    case .segmentHeaderDamaged: .segmentNewer(format: 47, requiredFeatures: 11)
    case .segmentNewer: .segmentForeign
    case .segmentForeign: .segmentMissing
    case .segmentMissing: .segmentCutShort
    case .segmentCutShort: .segmentUnlisted
    case .segmentUnlisted: .footerDamaged
    case .footerDamaged: .footerMissing
    case .footerMissing: .bytesAfterFooter
    case .bytesAfterFooter: .manifestMissing
    case .manifestMissing: .manifestDamaged
    case .manifestDamaged: .manifestNewer(format: 47, requiredFeatures: 11)
    case .manifestNewer: .editBufferMissing
    case .editBufferMissing: .editBufferDamaged
    case .editBufferDamaged: .editBufferForeign
    case .editBufferForeign: .editBufferNewer(format: 47, requiredFeatures: 11)
    case .editBufferNewer: .editCountDamaged
    case .editCountDamaged: .editHalfDamaged
    case .editHalfDamaged: .editHalfEmpty
    case .editHalfEmpty: .editDamaged(expected: EditNumber(4711))
    case .editDamaged: .editsMissing(expected: EditNumber(47), found: EditNumber(11))
    case .editsMissing: nil
    }
  }

  @Test(arguments: kinds) func `a finding is one sentence about its place`(kind: Finding.Kind) {
    let finding = Finding(kind, "journal/0000000007.xj", at: 815, expected: FrameNumber(333))
    let text = finding.description
    #expect(text.hasPrefix("journal/0000000007.xj, byte 815, where frame 333 should be: "))
    #expect(text.hasSuffix(kind.description))
    #expect(kind.description.count >= 9)
    #expect(!kind.description.contains(".") && !kind.description.contains("\n"))
    #expect(!kind.description.contains("("), "a value that was not put into words")
  }

  @Test func `no two kinds are told alike`() {
    #expect(Set(Self.kinds.map(\.description)).count == Self.kinds.count)
    #expect(Set(Self.kinds).count == Self.kinds.count)
  }

  @Test func `numbers that a kind carries are told`() {
    for kind in Self.kinds {
      let text = "\(kind)"
      switch kind {
      case .framesMissing, .framesSwapped, .frameRepeated, .framesLost, .piecesDamaged,
        .piecesNamedTwice, .editDamaged:
        #expect(text.contains("4711"))
      case .frameNewer, .segmentNewer, .manifestNewer, .editBufferNewer, .editsMissing:
        #expect(text.contains("47") && text.contains("11"))
      default:
        #expect(text.allSatisfy { !$0.isNumber })
      }
    }
  }

  @Test func `a finding about a whole file names the file alone`() {
    #expect(Finding(.manifestDamaged, "MANIFEST").description == "MANIFEST: a damaged manifest")
    #expect(
      Finding(.segmentMissing, "journal/0000000002.xj", expected: FrameNumber(9)).description
        == "journal/0000000002.xj, where frame 9 should be: the segment is not there")
  }
}

@Suite struct WordingOfErrors {
  private static let cause = DiskError(.write, "journal/0000000003.xj", .noSpace)
  private static let finding = Finding(.sealDamaged, "journal/0000000003.xj", at: 400)

  /// An example of each error.
  private static let errors = Array(sequence(first: .disk(cause)) { told($0).next })

  /// What an error names, and the example after it; a new error does not compile until it stands in this row.
  private static func told(_ error: JournalError) -> (place: String, next: JournalError?) {
    switch error {
    case .disk: (cause.name, .notAStore(path: "/a/b"))
    case .notAStore: ("“/a/b”", .nameless(path: "/a/b"))
    case .nameless: ("“/a/b”", .storeExists(path: "/a/b"))
    case .storeExists: ("“/a/b”", .storeMissing(path: "/a/b"))
    case .storeMissing: ("“/a/b”", .inUse(path: "/a/b", holder: "process 12"))
    case .inUse: ("“/a/b”", .alreadyOpen(path: "/a/b"))
    case .alreadyOpen: ("“/a/b”", .networkFileSystem(path: "/a/b", name: "NFS"))
    case .networkFileSystem: ("“/a/b”", .damaged(finding))
    case .damaged: ("journal/0000000003.xj, byte 400", .framesDropped(before: FrameNumber(4711)))
    case .framesDropped: ("4711", .newerFormat(finding))
    case .newerFormat: ("journal/0000000003.xj, byte 400", .stopped(cause: cause))
    case .stopped: ("“\(cause.name)”", .queuedBehindFailure(cause: cause))
    case .queuedBehindFailure: (cause.code.message, .closed)
    case .closed: ("journal", .tooLarge(byteCount: 1234, limit: 1000))
    case .tooLarge: ("1234", nil)
    }
  }

  @Test func `an error says what happened, where, and what to do`() {
    // What the disk says is an error of its own for each number of the system, known or not.
    let others = (1...200).map {
      JournalError.disk(DiskError(.write, Self.cause.name, SystemErrorCode(rawValue: $0)))
    }
    for error in Self.errors + others {
      let text = "\(error)"
      #expect(text.contains(Self.told(error).place), "\(text)")
      #expect(text.hasSuffix(".") && !text.contains("\n"), "\(text)")
      #expect(text.contains("; "), "what to do follows what happened: \(text)")
      #expect(!text.contains("JournalError") && !text.contains("Optional"), "\(text)")
    }
    #expect(Set(Self.errors.map { "\($0)" }).count == Self.errors.count)
  }

  @Test func `who holds a store and what file system it is on are told`() {
    #expect("\(JournalError.inUse(path: "p", holder: "process 12"))".contains("process 12"))
    #expect("\(JournalError.networkFileSystem(path: "p", name: "NFS"))".contains("NFS"))
    #expect("\(JournalError.tooLarge(byteCount: 12, limit: 10))".contains("10"))
  }

  @Test func `only a full disk is told as one where the same call may succeed later`() {
    let full = DiskError(.write, "a", .noSpace)
    let quota = DiskError(.write, "a", .quotaExceeded)
    let broken = DiskError(.write, "a", .inputOutput)
    #expect(JournalError.disk(full).isOutOfSpace)
    #expect(JournalError.disk(quota).isOutOfSpace)
    #expect(!JournalError.disk(broken).isOutOfSpace)
    #expect(JournalError.queuedBehindFailure(cause: full).isOutOfSpace)
    #expect(!JournalError.queuedBehindFailure(cause: broken).isOutOfSpace)
    #expect(!JournalError.stopped(cause: full).isOutOfSpace, "a stopped store must be opened anew")
    #expect(!JournalError.closed.isOutOfSpace)
  }
}
