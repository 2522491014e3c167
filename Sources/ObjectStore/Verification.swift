package import Journaling
public import ObjectModel

/// Something in a store that is not as it should be.
public struct StoreFinding: Hashable, Sendable, CustomStringConvertible {
  /// One sentence: what, and where.
  public let description: String

  /// Whether newer code has written what was met, so that it is no damage.
  package let isOfNewerCode: Bool

  /// Whether it is only that something could not be looked at.
  package let isUnchecked: Bool

  /// The frame that it is about, where it is about one.
  package let frame: FrameNumber?

  package let matter: StoreError.Matter

  init(
    _ description: String, isOfNewerCode: Bool = false, isUnchecked: Bool = false,
    frame: FrameNumber? = nil, matter: StoreError.Matter = .journal
  ) {
    self.description = description
    self.frame = frame == FrameNumber.none ? nil : frame
    self.isOfNewerCode = isOfNewerCode
    self.isUnchecked = isUnchecked
    self.matter = matter
  }

  /// What an error tells of what is stored.
  init(_ error: StoreError) {
    self.init(
      error.description, isOfNewerCode: error.code == .newerFormat, frame: error.frame,
      matter: error.matter)
  }

  /// Damage that was passed over.
  package init(passingOver error: StoreError) {
    self.init(
      error.whatHappened, isOfNewerCode: error.code == .newerFormat, frame: error.frame,
      matter: error.matter)
  }

  /// Damage of a file that the rows have everything of.
  init(ofIndex error: StoreError) {
    self.init(
      error.whatHappened + " The rows have everything of it, and a compaction makes it anew.",
      isOfNewerCode: error.code == .newerFormat)
  }

  /// Damage of a file that the journal has everything of.
  init(madeAnew error: StoreError) {
    self.init(error.whatHappened + " It was made anew from the journal.")
  }

  /// Damage of a file of the original that a copy makes anew, because its journal has everything of it.
  package init(notCopied error: StoreError) {
    self.init(error.whatHappened + " The copy makes it anew from the journal.")
  }

  /// Damage of a file that a reader does without, because the journal has everything of it.
  init(doneWithout error: StoreError) {
    self.init(error.whatHappened + " The journal was read in its place.")
  }

  /// What stands where a reader came to the end of what it can show.
  init(endingAt finding: Finding) {
    let isNewer = finding.kind.isOfNewerCode
    self.init(
      isNewer ? "\(finding)." : "the journal is damaged in \(finding).", isOfNewerCode: isNewer,
      frame: finding.untrueFrame)
  }
}

/// What a verification has found, and how far it went.
public struct Verification: Sendable {
  /// What is not as it should be; nothing where all is well.
  public internal(set) var findings: [StoreFinding] = []
  /// The first commit that was folded again: later than the first of all where compaction has dropped what came
  /// before. Nil where nothing was folded.
  public internal(set) var firstCommit: CommitNumber?
  /// How many of the commits from there on were compared with the edits of their contexts.
  public internal(set) var comparedCommitCount = 0
  /// How many have no edits, because they were made without a context's.
  public internal(set) var directCommitCount = 0
  /// How many could not be compared: compaction has dropped the beginning of their contexts, or a crash has lost
  /// a commit that these stood on.
  public internal(set) var uncomparedCommitCount = 0
  /// What is no damage for certain of the edits that no frame has: they were not yet durable, or are lost.
  package internal(set) var leftoverDoubts: [String] = []
  /// The most bytes of memory that what was folded has taken; `StoreOptions.unflushedByteCount` bounds them.
  package internal(set) var largestByteCount = 0
}
