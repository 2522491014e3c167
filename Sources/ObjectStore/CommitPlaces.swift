internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Where the commits of a journal lie, found by walking its segments, each once and only when it is asked for.
///
/// Damage that is met hides the commits behind it, up to the next segment where it cannot be walked past, and no others.
final class CommitPlaces: @unchecked Sendable {
  private let path: String
  private let folder: any ReadableFolder
  private let decoder: EventDecoder
  private let lock = Lock()
  // Guarded by `lock`.
  /// Of a row of segments up to the newest, without a gap.
  private var entries = PlaceList()
  /// The first frame of those walked, and the one after the last.
  private var walked: Range<FrameNumber>?
  /// The last commit in them.
  private var lastCommit = CommitNumber.none
  /// What is wrong in them or right behind them, by the frame that it is met at.
  private var damages: [FrameNumber: StoreError] = [:]

  init(in folder: any ReadableFolder, path: String, _ store: StoreTag) {
    self.path = path
    self.folder = folder
    decoder = EventDecoder(store: store)
  }

  /// Where the frame lies that holds a commit, and the number of its first commit. Where damage hides the commit, it
  /// is the last frame before that.
  ///
  /// - Parameter head: the last commit, which is durable; the one asked for is not later.
  /// - Throws: where the journal does not have it any more, or cannot be read.
  func place(
    of commit: CommitNumber, head: CommitNumber
  ) throws(StoreError) -> (place: FramePlace, first: CommitNumber) {
    try lock.withLock { () throws(StoreError) in
      if lastCommit < commit { try walkForward() }
      while true {
        if let entry = entries.last(upTo: commit) { return (entry.place, entry.firstCommit) }
        guard try walkBackward() else { throw damage(after: .none) ?? .commitDropped(commit) }
      }
    }
  }

  /// What hides a commit that is not in the last frame known before it.
  func damage(hiding commit: CommitNumber, after frame: FrameNumber) -> StoreError {
    lock.withLock { damage(after: frame) } ?? .commitDropped(commit)
  }

  private func damage(after frame: FrameNumber) -> StoreError? {
    damages.filter { $0.key > frame }.min { $0.key < $1.key }?.value
  }

  /// How much memory the places take.
  var byteCount: Int { lock.withLock { entries.byteCount } }

  /// The first commit of those in frames from one on; nil where there is none.
  ///
  /// - Throws: where damage may hide it.
  func firstCommit(
    from frame: FrameNumber, head: CommitNumber
  ) throws(StoreError) -> CommitNumber? {
    try lock.withLock { () throws(StoreError) in
      if lastCommit < head { try walkForward() }
      while walked.map({ $0.lowerBound > frame }) ?? true {
        guard try walkBackward() else { break }
      }
      let found = entries.first(from: frame)
      let end = found?.place.number ?? walked?.upperBound ?? frame
      if let hiding = damages.first(where: { $0.key >= frame && $0.key < end }) {
        throw hiding.value
      }
      return found?.firstCommit
    }
  }

  /// Forgets the commits of segments that were dropped.
  func forget(before frame: FrameNumber) {
    lock.withLock {
      entries = entries.suffix(from: frame)
      if let walked, walked.lowerBound < frame {
        self.walked = max(walked.lowerBound, frame)..<max(walked.upperBound, frame)
      }
      damages = damages.filter { $0.key >= frame }
    }
  }

  /// Walks the frames that have come since, or the newest segment where none was walked.
  private func walkForward() throws(StoreError) {
    let reader = try reader()
    guard let active = reader.manifest.segments.last else { return }
    let first = walked?.upperBound ?? active.firstFrame
    let (found, next) = try walk(reader, first..<FrameNumber(.max))
    entries.append(found)
    walked = (walked?.lowerBound ?? first)..<next
  }

  /// Walks the segment before those walked.
  ///
  /// - Returns: whether there is one.
  private func walkBackward() throws(StoreError) -> Bool {
    let reader = try reader()
    guard let walked else {
      try walkForward()
      return true
    }
    guard
      let segment = reader.manifest.segments.last(where: { $0.firstFrame < walked.lowerBound })
    else { return false }
    var (found, _) = try walk(reader, segment.firstFrame..<walked.lowerBound)
    found.append(entries)
    entries = found
    self.walked = segment.firstFrame..<walked.upperBound
    return true
  }

  private func reader() throws(StoreError) -> JournalReader {
    try onJournal { () throws(JournalError) in try JournalReader(in: folder, path: path) }
  }

  /// The frames of a range that hold commits, and the one after the last there is, or after the last before damage
  /// that cannot be walked past.
  private func walk(
    _ reader: JournalReader, _ range: Range<FrameNumber>
  ) throws(StoreError) -> (entries: PlaceList, next: FrameNumber) {
    var entries = PlaceList()
    var next = range.lowerBound
    // What was met where another process was writing may be whole by now.
    damages = damages.filter { !range.contains($0.key) }
    do throws(JournalError) {
      let ending = try reader.forEachFrame(from: range.lowerBound) { frame in
        guard frame.number < range.upperBound else { return false }
        next = frame.number.next
        guard frame.kind == .batch else { return true }
        do throws(StoreError) {
          let numbers = try BatchContent.commitNumbers(in: frame.payload, of: frame.number, decoder)
          {
            (span) throws(JournalError) in try reader.bytes(of: span)
          }
          if let numbers {
            entries.append(PlaceList.Entry(firstCommit: numbers.lowerBound, place: frame.place))
            lastCommit = max(lastCommit, numbers.upperBound)
          }
        } catch {
          damages[frame.number] = error
        }
        return true
      }
      if let finding = ending.finding, next < range.upperBound {
        damages[next] = StoreError(refusing: finding)
      }
    } catch {
      // The header of a segment, or its file: what was walked before it is sound.
      guard error.finding != nil else { throw StoreError(error) }
      damages[next] = StoreError(error)
    }
    return (entries, next)
  }
}

extension StoreError {
  static func commitDropped(_ number: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing,
      "commit \(number) is not in the journal any more; compaction has dropped it.")
  }
}
