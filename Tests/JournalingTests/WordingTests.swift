// Tests that every finding and every error is told in one sentence, unlike all others, that names its place.

import DiskAccess
import Journaling
import Testing

@Suite struct WordingOfFindings {
  private static let kinds: [Finding.Kind] = [
    .notAFrame, .sealDamaged, .bodyDamaged, .frameCutShort, .foreignFrame,
    .framesMissing(found: FrameNumber(4711)), .framesSwapped(found: FrameNumber(4711)),
    .frameRepeated(found: FrameNumber(4711)),
    .linkBroken, .frameMalformed, .frameNewer(format: 47, flags: 11),
    .framesLost(through: FrameNumber(4711)), .batchMalformed,
    .piecesDamaged(first: FrameNumber(4711)), .segmentHeaderDamaged,
    .segmentNewer(format: 47, requiredFeatures: 11), .segmentForeign, .segmentMissing,
    .segmentCutShort, .segmentUnlisted, .footerDamaged, .footerMissing, .bytesAfterFooter,
    .manifestMissing, .manifestDamaged, .manifestNewer(format: 47, requiredFeatures: 11),
    .editBufferMissing, .editBufferDamaged, .editBufferForeign, .editHalfDamaged,
    .editBufferNewer(format: 47, requiredFeatures: 11),
    .editDamaged(expected: EditNumber(4711)),
    .editsMissing(expected: EditNumber(47), found: EditNumber(11)),
  ]

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
        .editDamaged:
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

  private static let errors: [(error: JournalError, place: String)] = [
    (.disk(cause), "journal/0000000003.xj"), (.notAStore(path: "/a/b"), "“/a/b”"),
    (.storeMissing(path: "/a/b"), "“/a/b”"),
    (.framesDropped(before: FrameNumber(4711)), "4711"),
    (.storeExists(path: "/a/b"), "“/a/b”"),
    (.inUse(path: "/a/b", holder: "process 12"), "“/a/b”"),
    (.alreadyOpen(path: "/a/b"), "“/a/b”"),
    (.networkFileSystem(path: "/a/b", name: "NFS"), "“/a/b”"),
    (.damaged(finding), "journal/0000000003.xj, byte 400"),
    (.newerFormat(finding), "journal/0000000003.xj, byte 400"),
    (.stopped(cause: cause), "“journal/0000000003.xj”"),
    (.queuedBehindFailure(cause: cause), cause.code.message), (.closed, "journal"),
    (.tooLarge(byteCount: 1234, limit: 1000), "1234"),
  ]

  @Test func `an error says what happened, where, and what to do`() {
    for (error, place) in Self.errors {
      let text = "\(error)"
      #expect(text.contains(place), "\(text)")
      #expect(text.hasSuffix(".") && !text.contains("\n"), "\(text)")
      #expect(text.contains("; "), "what to do follows what happened: \(text)")
      #expect(!text.contains("JournalError") && !text.contains("Optional"), "\(text)")
    }
    #expect(Set(Self.errors.map { "\($0.error)" }).count == Self.errors.count)
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
