internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Reads commits by their numbers. Any thread may use it.
///
/// Costs: the first time, a walk over the segments back to the commit's; then one read for a commit's frame,
/// and nothing for a commit that was read lately.
final class PastCommits: @unchecked Sendable {
  private let places: CommitPlaces
  private let files: FrameFiles
  private let reader: @Sendable () throws(JournalError) -> JournalReader
  private let decoder: EventDecoder
  private let lock = Lock()
  // Guarded by `lock`.
  private var kept: [CommitNumber: CommitContent] = [:]
  private var order: [CommitNumber] = []
  private var keptChangeCount = 0

  /// How many changes of objects are kept decoded.
  private static let largestChangeCount = 50_000

  init(
    at path: String, on disk: any ReadableDisk, in folder: any ReadableFolder, _ manifest: Manifest,
    _ store: StoreTag
  ) throws(StoreError) {
    places = CommitPlaces(at: path, on: disk, store)
    files = try onJournal { () throws(JournalError) in try FrameFiles(in: folder, manifest) }
    reader = { () throws(JournalError) in try JournalReader(at: path, on: disk) }
    decoder = EventDecoder(store: store)
  }

  /// A commit.
  ///
  /// - Parameters:
  ///   - head: the last commit that is made.
  ///   - manifest: the journal's, as it is.
  func commit(
    _ number: CommitNumber, head: CommitNumber, _ manifest: @autoclosure () -> Manifest
  ) throws(StoreError) -> CommitContent {
    guard number > .none, number <= head else { throw .commitMissing(number, head: head) }
    if let commit = lock.withLock({ kept[number] }) { return commit }
    let (place, first) = try places.place(of: number, head: head)
    files.update(manifest())
    let frame = try onJournal { () throws(JournalError) in try files.frame(at: place) }
    let commit = try frame.withPayload { (payload) throws(StoreError) in
      try BatchContent.commit(
        at: Int(number.rawValue - first.rawValue), in: payload, of: place.number, decoder
      ) { (span) throws(JournalError) in try reader().bytes(of: span) }
    }
    guard let commit, commit.number == number else { throw .commitDropped(number) }
    keep(commit)
    return commit
  }

  /// Where the frame lies that holds a commit.
  func place(of number: CommitNumber, head: CommitNumber) throws(StoreError) -> FramePlace {
    guard number > .none, number <= head else { throw .commitMissing(number, head: head) }
    return try places.place(of: number, head: head).place
  }

  /// The first commit of those in frames from one on; nil where there is none.
  func firstCommit(
    from frame: FrameNumber, head: CommitNumber
  ) throws(StoreError) -> CommitNumber? {
    guard head > .none else { return nil }
    return try places.firstCommit(from: frame, head: head)
  }

  /// Forgets the commits of segments that were dropped.
  func forget(before frame: FrameNumber) {
    places.forget(before: frame)
    lock.withLock {
      kept.removeAll()
      order.removeAll()
      keptChangeCount = 0
    }
  }

  private func keep(_ commit: CommitContent) {
    lock.withLock {
      guard kept.updateValue(commit, forKey: commit.number) == nil else { return }
      order.append(commit.number)
      keptChangeCount += commit.changes.count + 1
      guard keptChangeCount > Self.largestChangeCount else { return }
      // The older half goes at once, so that keeping one costs little.
      for number in order.prefix(order.count / 2) {
        if let old = kept.removeValue(forKey: number) { keptChangeCount -= old.changes.count + 1 }
      }
      order.removeFirst(order.count / 2)
    }
  }
}
