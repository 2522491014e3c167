internal import DiskAccess
package import EventCoding
internal import EventFold
package import Journaling
public import ObjectModel

/// Why a store cannot do what it was asked, in one sentence that says what to do.
public struct StoreError: Error, Hashable, Sendable {
  /// What kind of failure it is.
  public enum Code: Hashable, Sendable {
    /// There is a store already where one was to be made.
    case storeExists
    /// There is no store, and none was to be made.
    case storeMissing
    /// The folder is no store, and is not empty either.
    case notAStore
    /// Somebody else has the store open for writing.
    case inUse
    /// Locks and syncs of a network file system cannot be trusted.
    case networkFileSystem
    /// The disk refused. Nothing is half done, and the same may succeed later.
    case disk
    /// The store is damaged; nothing was changed.
    case damaged
    /// The store was written by newer code.
    case newerFormat
    /// An earlier sync failed, or a commit was lost that was shown before it was written: nothing more is written, and
    /// what is there can be read.
    case stopped
    /// A commit queued before this one failed, and this one may depend on it; try again.
    case queuedBehindFailure
    /// The store is closed.
    case closed
    /// A value or a commit is larger than the format allows.
    case tooLarge
    /// A value cannot be stored.
    case valueRefused
    /// The program's model cannot be brought together with the store's.
    case modelDoesNotFit
    /// An object is of another store.
    case objectOfAnotherStore
    /// There is no such commit, or compaction has dropped what is needed to read it.
    case commitMissing
    /// A commit is not the one that was seen under its number: the store was brought back from a backup, or is another.
    case commitOfAnotherHistory
    /// There is no such object.
    case objectMissing
    /// There is no tag of this name.
    case tagMissing
    /// The entity is not in the store's model.
    case entityMissing
    /// The store was opened for reading only.
    case readOnly
    /// A context has ended, or never began, or the journal does not have its edits any more.
    case contextMissing
    /// A draft or session is of another store.
    case contextOfAnotherStore
    /// A context is open already.
    case contextOpen
    /// It would have to wait for what waits for it.
    case busy
    /// What was asked was broken off by who asked, and has changed nothing.
    case brokenOff
  }

  /// What of a store a failure or a finding is about: what can be done follows from that.
  package enum Matter: Hashable, Sendable {
    /// The frames of its journal, or whatever else has no case of its own.
    case journal
    /// The manifest, which says what belongs to the store.
    case manifest
    /// The state that it keeps beside its segments.
    case keptState
    /// Sound bytes that say what contradicts each other: there is nothing to make sound.
    case contradiction
  }

  /// What kind of failure it is.
  public let code: Code
  /// One sentence: what happened, where, and what to do.
  public let description: String
  /// Every difference between two models, where they cannot be brought together.
  public let modelDifferences: ModelChangeError?
  /// The value that is more than is held at once, where it is known which that is.
  package let value: ValuePlace?
  /// The frame whose content it is about, or that is not where it should be, where it is about one.
  package let frame: FrameNumber?
  package let matter: Matter

  init(
    _ code: Code, _ description: String, modelDifferences: ModelChangeError? = nil,
    value: ValuePlace? = nil, frame: FrameNumber? = nil, matter: Matter = .journal
  ) {
    self.code = code
    self.description = description
    self.modelDifferences = modelDifferences
    self.value = value
    self.frame = frame == FrameNumber.none ? nil : frame
    self.matter = matter
  }
}

extension StoreError: CustomStringConvertible {
  /// The sentence without what to do.
  package var whatHappened: String { Self.withoutAdvice(description) }

  /// The part of a sentence that says what happened.
  package static func withoutAdvice(_ sentence: String) -> String {
    sentence.prefix { $0 != ";" } + (sentence.contains(";") ? "." : "")
  }
}

extension StoreError {
  /// Refuses the path that leads nowhere.
  static func refuseNoPath(_ path: String) throws(StoreError) {
    guard path.isEmpty else { return }
    throw StoreError(.notAStore, "the path is empty; give the path of the store's own folder.")
  }

  /// A failure of the journal.
  ///
  /// - Parameter frame: the one that names what was read.
  package init(_ error: JournalError, namedIn frame: FrameNumber? = nil) {
    let code: Code =
      switch error {
      // It will not be a file at the next attempt either.
      case .disk(let cause): cause.meetsNoFile ? .damaged : .disk
      case .notAStore, .nameless: .notAStore
      case .storeMissing: .storeMissing
      case .storeExists: .storeExists
      case .inUse, .alreadyOpen: .inUse
      case .networkFileSystem: .networkFileSystem
      case .damaged: .damaged
      case .framesDropped: .commitMissing
      case .newerFormat: .newerFormat
      case .stopped: .stopped
      case .queuedBehindFailure: .queuedBehindFailure
      case .closed: .closed
      case .tooLarge: .tooLarge
      }
    let matter: Matter =
      switch error.finding?.kind {
      case .manifestMissing, .manifestDamaged: .manifest
      default: .journal
      }
    self.init(code, error.description, frame: frame ?? error.finding?.untrueFrame, matter: matter)
  }

  /// What ends the reading of a journal.
  init(refusing finding: Finding) { self.init(JournalError(refusing: finding)) }

  /// Whether it tells of what is stored: of damage, or of what newer code has written.
  package var isFinding: Bool { code == .damaged || code == .newerFormat }

  /// A failure of a run.
  init(_ error: RunError) {
    let code: Code =
      switch error {
      case .disk(let cause): cause.meetsNoFile ? .damaged : .disk
      case .damaged: .damaged
      case .newerFormat: .newerFormat
      case .unwritable: .valueRefused
      case .rowTooLarge, .tooManyBlocks: .tooLarge
      }
    self.init(code, error.description, matter: .keptState)
  }

  /// Where something stands: in a frame, or among the edits that no frame has yet.
  static func place(of frame: FrameNumber) -> String {
    frame == .none ? JournalFiles.edits : "frame \(frame.rawValue)"
  }

  /// Bytes of a sound frame that are no sound event or commit; of those that no frame has yet it is `none`.
  init(_ error: EventCodingError, in frame: FrameNumber) {
    let place = Self.place(of: frame)
    switch error.code {
    case .formatUnknown, .fieldUnknown, .kindKnown:
      self.init(
        .newerFormat,
        "\(place): \(error); open the store with the newer version of the program.")
    case .tooMany:
      self.init(
        .tooLarge, "\(place): \(error); the program whose store it is can hold them.",
        value: error.value)
    default:
      self.init(
        .damaged,
        "the journal is damaged in \(place): \(error); what comes before "
          + "it can be read, but not gone on from; a backup may have the rest.",
        frame: frame)
    }
  }

  /// An edit with more bytes than are held at once.
  init(tooLarge byteCount: Int, _ limit: Int, in frame: FrameNumber) {
    let place = frame == .none ? "" : " in frame \(frame.rawValue)"
    self.init(
      .tooLarge,
      "an edit of \(byteCount) bytes\(place) is more than the \(limit) that are held here at once; "
        + "the program whose store it is can hold it.")
  }

  /// An event that does not fit what came before it.
  init(contradiction: String, in frame: FrameNumber) {
    self.init(
      .damaged,
      "the journal contradicts itself in frame \(frame.rawValue): \(contradiction); what comes before "
        + "it can be read, but not gone on from; a backup may have the rest.", frame: frame)
  }

  /// The same, of what a fold finds: its sentence becomes part of another.
  init(contradiction error: FoldError, in frame: FrameNumber) {
    let sentence = error.description
    self.init(
      contradiction: sentence.prefix(1).lowercased() + sentence.dropFirst().dropLast(), in: frame)
  }

  /// A value that cannot be written.
  init(refusing error: EventCodingError) {
    self.init(.valueRefused, "the value cannot be stored: \(error); change it and try again.")
  }
}

/// Runs calls to the journal, whose failures are the store's.
func onJournal<Answer>(
  _ body: () throws(JournalError) -> Answer
) throws(StoreError) -> Answer {
  do throws(JournalError) {
    return try body()
  } catch {
    throw StoreError(error)
  }
}

extension Finding {
  /// The frame whose checks fit and that says what cannot be, where it is about such a one.
  var untrueFrame: FrameNumber? {
    switch kind {
    case .frameMalformed, .batchMalformed, .editsMissing, .piecesDamaged, .piecesNamedTwice:
      expected
    default: nil
    }
  }
}
