package import DiskAccess

/// Why the journal cannot do what it was asked.
package enum JournalError: Error, Hashable, Sendable {
  /// The disk refused; `isOutOfSpace` of the cause tells whether it may work later.
  case disk(DiskError)
  /// The folder is no store, and is not empty either.
  case notAStore(path: String)
  /// The path does not say what a new store's folder is to be called.
  case nameless(path: String)
  /// There is a store already where one was to be made.
  case storeExists(path: String)
  /// There is no store, and none was to be made.
  case storeMissing(path: String)
  /// Another process has the store open for writing; `holder` is what it said of itself.
  case inUse(path: String, holder: String)
  /// This process has the store open already.
  case alreadyOpen(path: String)
  /// Locks and syncs of a network file system cannot be trusted.
  case networkFileSystem(path: String, name: String)
  /// The journal is damaged. Nothing was changed; what comes before the damage can be read.
  case damaged(Finding)
  /// Frames are not there any more, because compaction has dropped them; the journal begins with a later one.
  case framesDropped(before: FrameNumber)
  /// The store was written by newer code.
  case newerFormat(Finding)
  /// A sync failed, or a call of which nobody knows what it left: nothing more is written.
  case stopped(cause: DiskError)
  /// A commit queued before this one failed, and this one may depend on it.
  case queuedBehindFailure(cause: DiskError)
  /// The journal is closed.
  case closed
  /// An edit or commit larger than the format allows.
  case tooLarge(byteCount: Int, limit: Int)

  /// Whether the same call may succeed once there is room on the disk.
  package var isOutOfSpace: Bool {
    switch self {
    case .disk(let cause), .queuedBehindFailure(let cause): cause.isOutOfSpace
    default: false
    }
  }
}

extension JournalError {
  /// What was found, where the journal is damaged or of newer code.
  package var finding: Finding? {
    switch self {
    case .damaged(let finding), .newerFormat(let finding): finding
    default: nil
    }
  }

  /// What a finding that keeps a journal from opening is: damage, or the work of newer code.
  package init(refusing finding: Finding) {
    self = finding.kind.isOfNewerCode ? .newerFormat(finding) : .damaged(finding)
  }
}

extension JournalError: CustomStringConvertible {
  /// One sentence: what happened, where, and what to do.
  package var description: String {
    switch self {
    case .disk(let cause):
      cause.description
    case .notAStore(let path):
      "“\(path)” holds other files and no store; name another folder, or an empty one."
    case .nameless(let path):
      "“\(path)” is no store, and does not say what a new one is to be called; give the path of its own folder."
    case .storeExists(let path):
      "there is a store at “\(path)” already; choose another place."
    case .storeMissing(let path):
      "there is no store at “\(path)”; check the path, or open it for writing to make one."
    case .inUse(let path, let holder):
      "“\(path)” is open for writing in another process (\(holder)); close it there, or open the "
        + "store for reading only."
    case .alreadyOpen(let path):
      "“\(path)” is open already in this process; use the store that is open."
    case .networkFileSystem(let path, let name):
      "“\(path)” is on a network file system (\(name)), where locks and syncs cannot be trusted; "
        + "move the store to a local disk, or allow it in the options."
    case .damaged(let finding):
      "the journal is damaged in \(finding); nothing was changed. \(finding.kind.advice)"
    case .framesDropped(let first):
      "the journal begins with frame \(first.rawValue) now, as compaction has dropped those before; "
        + "open the store anew."
    case .newerFormat(let finding):
      "\(finding); open the store with the newer version of the program."
    case .stopped(let cause):
      "the store has stopped writing after the disk failed (\(cause.code.message) in “\(cause.name)”); "
        + "close it, check the disk, and open it again."
    case .queuedBehindFailure(let cause):
      "the commit was not made, because one queued before it failed (\(cause.code.message)); "
        + "try it again."
    case .closed:
      "the journal is closed; open the store again."
    case .tooLarge(let byteCount, let limit):
      "\(byteCount) bytes are more than the \(limit) that one edit or commit may have; "
        + "split the value, or keep it in a file of its own."
    }
  }
}

extension Finding.Kind {
  /// What to do about a journal that does not open for it.
  fileprivate var advice: String {
    switch self {
    case .manifestMissing, .manifestDamaged:
      "Nothing says which frames are the store's: bring it back from a backup, and keep this folder, which is as it was."
    default:
      "What comes before it can be read, but not gone on from; a backup may have the rest."
    }
  }
}

/// Runs calls to the disk, whose failures are the journal's.
func onDisk<Answer>(_ body: () throws(DiskError) -> Answer) throws(JournalError) -> Answer {
  do throws(DiskError) {
    return try body()
  } catch {
    throw error.isRefusal ? .stopped(cause: error) : .disk(error)
  }
}
