internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// The opening of a store: what is looked at before anything is changed, and the state that is folded then.
///
/// A checkpoint that is damaged, or whose runs are, is not begun with where the journal goes back to the
/// first frame: all of it is folded instead.
final class StoreOpening {
  private let path: String
  private let disk: any Disk
  private let model: ManagedObjectModel?
  let cache: BlockCache
  /// The checkpoint to begin with; nil where there is none, or it is damaged.
  private(set) var checkpoint: (name: String, checkpoint: Checkpoint)?
  /// What is wrong with the checkpoint that the manifest names, where it is made anew.
  private(set) var finding: StoreFinding?
  /// The state to begin with.
  private var base: StoreFold?
  private var failure: StoreError?

  init(at path: String, on disk: any Disk, _ model: ManagedObjectModel?, cache: BlockCache) {
    self.path = path
    self.disk = disk
    self.model = model
    self.cache = cache
  }

  /// Opens the journal. Nothing has been changed where this throws because the store is damaged, or the model
  /// does not fit what its sealed frames say.
  func openJournal(
    making: Journal.Making, _ options: JournalOptions
  ) throws(StoreError) -> (Journal, RecoveryReport) {
    do throws(JournalError) {
      return try Journal.open(on: disk, at: path, making: making, options: options) {
        [self] (manifest, folder) throws(JournalError) in
        do throws(StoreError) {
          try look(at: manifest, in: folder)
        } catch {
          failure = error
          throw .closed
        }
        let frame = checkpoint?.checkpoint.frame ?? .none
        return (knownDurable: frame, checkingFrom: frame.next)
      }
    } catch {
      throw failure ?? StoreError(error)
    }
  }

  /// Folds what the journal says after the checkpoint onto it, or all that it says.
  ///
  /// - Parameters:
  ///   - files: where runs are written to, if all of it does not fit the memory.
  ///   - byteCount: how many bytes of memory changes may take.
  ///   - hasThread: whether there may be another thread.
  func fold(
    _ journal: Journal, _ files: inout CheckpointFiles, within byteCount: Int, hasThread: Bool
  ) throws(StoreError) -> StoreFold {
    let store = journal.store.tag
    if let base, let checkpoint {
      do throws(StoreError) {
        return try base.followed(
          from: checkpoint.checkpoint.frame.next, in: journal.folder, at: path,
          within: byteCount, hasThread: hasThread)
      } catch {
        // It may be a run that is damaged where a commit was applied to it.
        try giveUpCheckpoint(because: error, journal.manifest)
      }
    }
    var bound = FoldBound(byteCount, journal)
    return try StoreFold(store).followed(
      to: nil, from: FrameNumber(1), in: journal.folder, at: path, within: byteCount
    ) { (fold) throws(StoreError) in
      // A store that never had a checkpoint is small; one that is made anew may be of any size.
      if finding != nil { try bound.flush(&fold, to: &files) }
    }
  }

  private func look(
    at manifest: Manifest, in folder: any ReadableFolder
  ) throws(StoreError) {
    do throws(StoreError) {
      checkpoint = try Checkpoint.read(manifest, in: folder)
      base = try checkpoint?.checkpoint.fold(of: manifest.store, in: folder, cache: cache)
    } catch {
      try giveUpCheckpoint(because: error, manifest)
    }
    if let model { try refuseMisfit(model, manifest.store.tag, in: folder) }
  }

  private func giveUpCheckpoint(
    because error: StoreError, _ manifest: Manifest
  ) throws(StoreError) {
    guard error.code == .damaged else { throw error }
    guard manifest.goesBackToBeginning else {
      // What a frame says that cannot be is told of that frame.
      if error.frame != nil { throw error }
      throw StoreError(
        .damaged,
        error.whatHappened
          + " It cannot be made anew, as compaction has dropped the journal before frame "
          + "\(manifest.segments[0].firstFrame.rawValue), and nothing was changed; "
          + StoreError.bringBack)
    }
    (checkpoint, base) = (nil, nil)
    finding = StoreFinding(madeAnew: error)
  }

  /// Refuses a model that cannot follow the one that the journal ends with, before recovery changes anything.
  private func refuseMisfit(
    _ model: ManagedObjectModel, _ store: StoreTag, in folder: any ReadableFolder
  ) throws(StoreError) {
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(in: folder, path: path)
    }
    var catalogue = base?.catalogue ?? Catalogue()
    let first = checkpoint?.checkpoint.frame.next ?? FrameNumber(1)
    do throws(StoreError) {
      try reader.forEachModelEvent(from: first, EventDecoder(store: store)) {
        (_, event) throws(StoreError) in
        do throws(Catalogue.Contradiction) {
          try catalogue.apply(event, edit: 0)
        } catch {
          throw StoreError(contradiction: error.sentence, in: first)
        }
      }
    } catch {
      // What is damaged is recovery's to tell, and what contradicts itself the fold's.
      guard error.isFinding else { throw error }
      return
    }
    guard catalogue.era?.model != model else { return }
    _ = try Era.number(model, after: catalogue.eras)
  }
}

extension Manifest {
  /// Whether the journal has everything there ever was.
  var goesBackToBeginning: Bool { segments[0].firstFrame == FrameNumber(1) }
}

extension StoreFold {
  /// Folds everything from a frame on.
  ///
  /// - Parameters:
  ///   - byteCount: how many bytes of memory changes may take that wait to be applied.
  ///   - hasThread: whether there may be another thread.
  func followed(
    from first: FrameNumber, in folder: any ReadableFolder, at path: String, within byteCount: Int,
    hasThread: Bool
  ) throws(StoreError) -> StoreFold {
    let gathered = GatheredCommits(within: byteCount, hasThread: hasThread)
    return try followed(gathered, to: nil, from: first, in: folder, at: path) { _ in }
  }

  /// Folds everything from a frame on, or through another, within bounds.
  ///
  /// - Parameters:
  ///   - byteCount: how many bytes of memory changes may take.
  ///   - bound: keeps what is folded from growing too large; called whenever changes have been applied.
  func followed(
    to last: FrameNumber?, from first: FrameNumber, in folder: any ReadableFolder,
    at path: String, within byteCount: Int,
    bound: (inout StoreFold) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreFold {
    // Who bounds it has to have all of it: nothing of it is lent to another thread.
    let gathered = GatheredCommits(within: byteCount, hasThread: false)
    return try followed(gathered, to: last, from: first, in: folder, at: path, bound: bound)
  }

  private func followed(
    _ gathered: GatheredCommits, to last: FrameNumber?, from first: FrameNumber,
    in folder: any ReadableFolder, at path: String,
    bound: (inout StoreFold) throws(StoreError) -> Void
  ) throws(StoreError) -> StoreFold {
    var (fold, gathered) = (self, gathered)
    do throws(StoreError) {
      try fold.follow(&gathered, to: last, from: first, in: folder, at: path, bound: bound)
      return fold
    } catch {
      // What is wrong in what came before is told first.
      try gathered.applyAll(to: &fold.snapshot)
      throw error
    }
  }

  private mutating func follow(
    _ gathered: inout GatheredCommits, to last: FrameNumber?, from first: FrameNumber,
    in folder: any ReadableFolder, at path: String,
    bound: (inout StoreFold) throws(StoreError) -> Void
  ) throws(StoreError) {
    let reader = try onJournal { () throws(JournalError) in
      try JournalReader(in: folder, path: path)
    }
    let decoder = EventDecoder(store: snapshot.store)
    let ending = try reader.forEachEntry(from: first, through: last, decoder) {
      (place, batch, entry) throws(StoreError) in
      try apply(entry, of: batch, in: place.number, &gathered)
      if gathered.isFull {
        try gathered.pass(to: &snapshot)
        try bound(&self)
      }
      return true
    }
    try gathered.applyAll(to: &snapshot)
    try bound(&self)
    if let finding = ending.finding { throw StoreError(refusing: finding) }
    replayedByteCount = Int(ending.byteCount)
  }
}

extension JournalReader {
  /// Calls a closure with the events that tell models and the names of keys; others are not decoded.
  func forEachModelEvent(
    from first: FrameNumber, _ decoder: EventDecoder,
    _ body: (EditNumber, Event) throws(StoreError) -> Void
  ) throws(StoreError) {
    var failure: StoreError?
    _ = try onJournal { () throws(JournalError) -> Ending in
      try forEachFrame(from: first) { frame in
        guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
        do throws(StoreError) {
          try batch.forEachEdit { (number, entry) throws(StoreError) in
            guard let bytes = try modelBytes(of: entry) else { return }
            let event = bytes.withUnsafeBytes { bytes in
              Result { () throws(EventCodingError) in try decoder.event(bytes) }
            }
            try body(number, event.mapError { StoreError($0, in: frame.number) }.get())
          }
          return true
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
  }

  /// The bytes of an edit that tells a model or the name of a key; nil for another.
  private func modelBytes(of entry: Batch.Entry) throws(StoreError) -> [UInt8]? {
    func isWanted(_ kind: UInt8) -> Bool {
      kind == EventKind.keyNamed.rawValue || kind == EventKind.modelAdopted.rawValue
    }
    switch entry {
    case .whole(let bytes):
      return bytes.first.map(isWanted) ?? false ? Array(bytes) : nil
    case .spanning(let span):
      let bytes = try onJournal { () throws(JournalError) in
        try self.bytes(of: span, ifFirst: isWanted)
      }
      return bytes.isEmpty ? nil : bytes
    }
  }
}
