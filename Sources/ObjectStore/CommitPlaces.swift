internal import DiskAccess
internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Where the commits of a journal lie, found by walking those segments that commits are asked of, each once. Of others
/// only the beginning is looked at, which tells the first commit they have.
///
/// Damage that is met hides the commits behind it, up to the next segment where it cannot be walked past, and no others.
final class CommitPlaces: @unchecked Sendable {
  /// A segment that was walked, or as much of the active one as there was then.
  private struct Walked {
    /// The first frame, and the one after the last that was walked.
    var frames: Range<FrameNumber>
    var entries = PlaceList()
    var lastCommit = CommitNumber.none
    /// Whether there can be no more of it.
    var isWhole: Bool

    var firstCommit: CommitNumber { entries.first?.firstCommit ?? .none }
  }

  private let path: String
  private let folder: any ReadableFolder
  private let decoder: EventDecoder
  private let lock = Lock()
  // Guarded by `lock`.
  /// In their order; those without commits are not among them.
  private var walked: [Walked] = []
  /// The last commits of long segments of which no others were asked for yet, by the segments' first frames.
  private var tails: [FrameNumber: Walked] = [:]
  /// The first entry of segments that were looked at, by their first frames; nil where a sealed one has none.
  private var beginnings: [FrameNumber: PlaceList.Entry?] = [:]
  /// What is wrong in what was looked at or right behind it, by the frame that it is met at.
  private var damages: [FrameNumber: StoreError] = [:]

  init(in folder: any ReadableFolder, path: String, _ decoder: EventDecoder) {
    self.path = path
    self.folder = folder
    self.decoder = decoder
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
      guard let entry = try entry(of: commit) else {
        throw damage(after: .none) ?? .commitDropped(commit)
      }
      return (entry.place, entry.firstCommit)
    }
  }

  private func entry(of commit: CommitNumber) throws(StoreError) -> PlaceList.Entry? {
    if let place = known(commit) { return walked[place].entries.last(upTo: commit) }
    if let tail = tails.values.first(where: {
      !$0.entries.isEmpty && $0.firstCommit <= commit && commit <= $0.lastCommit
    }) {
      return tail.entries.last(upTo: commit)
    }
    let reader = try reader()
    guard let segment = try segment(of: commit, reader) else { return nil }
    if let entry = try trailingEntry(of: commit, segment, reader) { return entry }
    return try walk(segment, reader).flatMap { walked[$0].entries.last(upTo: commit) }
  }

  /// The entry of a commit that is among the last of a long segment, of which nothing else is read; nil where it is not.
  private func trailingEntry(
    of commit: CommitNumber, _ segment: Manifest.Segment, _ reader: JournalReader
  ) throws(StoreError) -> PlaceList.Entry? {
    // Once for each segment: who asks for more, or for what comes later, walks.
    guard tails[segment.firstFrame] == nil,
      !walked.contains(where: { $0.frames.lowerBound == segment.firstFrame })
    else { return nil }
    tails[segment.firstFrame] = Walked(frames: segment.frames, isWhole: false)
    do throws(StoreError) {
      let tail = try tail(of: segment, reader)
      guard !tail.entries.isEmpty else { return nil }
      tails[segment.firstFrame] = tail
      let isThere = tail.firstCommit <= commit && commit <= tail.lastCommit
      return isThere ? tail.entries.last(upTo: commit) : nil
    } catch {
      // Whoever walks the segment then tells what is wrong with it.
      return nil
    }
  }

  private func tail(
    of segment: Manifest.Segment, _ reader: JournalReader
  ) throws(StoreError) -> Walked {
    var tail = Walked(frames: segment.frames, isWhole: false)
    let places: [FramePlace]
    do throws(DiskError) {
      places = try TrailingFrames.places(of: segment, in: reader.folder)
    } catch {
      throw StoreError(JournalError.disk(error))
    }
    let files = try onJournal { () throws(JournalError) in
      try FrameFiles(in: reader.folder, reader.manifest)
    }
    for place in places {
      let frame = try onJournal { () throws(JournalError) in try files.frame(at: place) }
      guard frame.kind == .batch else { continue }
      let numbers = try frame.withPayload { (payload) throws(StoreError) in
        try BatchContent.commitNumbers(in: payload, of: place.number, decoder) {
          (span) throws(JournalError) in try reader.bytes(of: span)
        }
      }
      guard let numbers else { continue }
      tail.entries.append(PlaceList.Entry(firstCommit: numbers.lowerBound, place: place))
      tail.lastCommit = max(tail.lastCommit, numbers.upperBound)
    }
    return tail
  }

  /// The place, among those walked, of the segment that has a commit.
  private func known(_ commit: CommitNumber) -> Int? {
    let place = walked.indices.firstPlace(inOrder: { walked[$0].firstCommit > commit }) - 1
    return place >= 0 && commit <= walked[place].lastCommit ? place : nil
  }

  /// What hides a commit that is not in the last frame known before it.
  func damage(hiding commit: CommitNumber, after frame: FrameNumber) -> StoreError {
    lock.withLock { damage(after: frame) } ?? .commitDropped(commit)
  }

  private func damage(after frame: FrameNumber) -> StoreError? {
    damages.filter { $0.key > frame }.min { $0.key < $1.key }?.value
  }

  /// How much memory the places take.
  var byteCount: Int { lock.withLock { walked.reduce(0) { $0 + $1.entries.byteCount } } }

  /// The first commit of those in frames from one on; nil where there is none.
  ///
  /// - Parameter last: the last frame in which damage is looked for: what comes behind may be written right now.
  /// - Throws: where damage may hide it.
  func firstCommit(
    from frame: FrameNumber, through last: FrameNumber = FrameNumber(.max)
  ) throws(StoreError) -> CommitNumber? {
    try lock.withLock { () throws(StoreError) in
      let reader = try reader()
      var found: PlaceList.Entry?
      for segment in reader.manifest.segments where found == nil {
        if let sealing = segment.sealing, sealing.lastFrame < frame { continue }
        found =
          segment.firstFrame < frame
          ? try walk(segment, reader).flatMap { walked[$0].entries.first(from: frame) }
          : try beginning(of: segment, reader)
      }
      let end = found?.place.number ?? FrameNumber(.max)
      if let hiding = damages.first(where: { $0.key >= frame && $0.key < end && $0.key <= last }) {
        throw hiding.value
      }
      return found?.firstCommit
    }
  }

  /// Forgets the commits of segments that were dropped.
  func forget(before frame: FrameNumber) {
    lock.withLock {
      walked.removeAll { $0.frames.lowerBound < frame }
      tails = tails.filter { $0.key >= frame }
      beginnings = beginnings.filter { $0.key >= frame }
      damages = damages.filter { $0.key >= frame }
    }
  }

  private func reader() throws(StoreError) -> JournalReader {
    try onJournal { () throws(JournalError) in try JournalReader(in: folder, path: path) }
  }

  // MARK: Segments

  /// The last segment whose first commit is not after one; nil where there is none.
  private func segment(
    of commit: CommitNumber, _ reader: JournalReader
  ) throws(StoreError) -> Manifest.Segment? {
    let segments = reader.manifest.segments
    var (low, high) = (0, segments.count)
    var found: Manifest.Segment?
    // The last one first: what is asked for is mostly near.
    var middle = high - 1
    while low < high {
      var place = middle
      var first: PlaceList.Entry?
      // One without a commit goes with the one before it.
      while true {
        first = try beginning(of: segments[place], reader)
        if first != nil || place == low { break }
        place -= 1
      }
      if let first, first.firstCommit > commit {
        high = place
      } else {
        if first != nil { found = segments[place] }
        low = middle + 1
      }
      middle = (low + high) / 2
    }
    return found
  }

  /// The first entry of a segment.
  private func beginning(
    of segment: Manifest.Segment, _ reader: JournalReader
  ) throws(StoreError) -> PlaceList.Entry? {
    // Sealed when the process before had only begun it; the one after it has the same first frame.
    if segment.frames.isEmpty { return nil }
    if let known = beginnings[segment.firstFrame] { return known }
    if let known = walked.first(where: { $0.frames.lowerBound == segment.firstFrame }),
      let first = known.entries.first
    {
      return first
    }
    let first = try walk(reader, segment.frames, onlyToFirst: true).entries.first
    // The active one may have one later.
    if first != nil || segment.sealing != nil { beginnings[segment.firstFrame] = .some(first) }
    return first
  }

  /// Walks a segment, as far as that has not been done; nil where it has no commits.
  private func walk(
    _ segment: Manifest.Segment, _ reader: JournalReader
  ) throws(StoreError) -> Int? {
    let place = walked.firstIndex { $0.frames.lowerBound == segment.firstFrame }
    if let place, walked[place].isWhole { return place }
    let from = place.map { walked[$0].frames.upperBound } ?? segment.firstFrame
    var more = try walk(reader, from..<max(from, segment.frames.upperBound), onlyToFirst: false)
    more.isWhole = segment.sealing != nil
    guard let place else {
      guard !more.entries.isEmpty else { return nil }
      let next = walked.firstIndex { $0.frames.lowerBound > segment.firstFrame } ?? walked.count
      walked.insert(more, at: next)
      return next
    }
    walked[place].entries.append(more.entries)
    walked[place].lastCommit = max(walked[place].lastCommit, more.lastCommit)
    walked[place].frames = segment.firstFrame..<more.frames.upperBound
    walked[place].isWhole = more.isWhole
    return place
  }

  /// The frames of a range that hold commits, up to the last there is, or the last before damage that cannot be walked
  /// past.
  private func walk(
    _ reader: JournalReader, _ range: Range<FrameNumber>, onlyToFirst: Bool
  ) throws(StoreError) -> Walked {
    var walked = Walked(frames: range.lowerBound..<range.lowerBound, isWhole: false)
    var next = range.lowerBound
    guard !range.isEmpty else { return walked }
    // What was met where another process was writing may be whole by now.
    damages = damages.filter { !range.contains($0.key) }
    do throws(JournalError) {
      let ending = try reader.forEachFrame(from: range.lowerBound) { frame in
        guard frame.number < range.upperBound else { return false }
        next = frame.number.next
        let goesOn = next < range.upperBound
        guard frame.kind == .batch else { return goesOn }
        do throws(StoreError) {
          let numbers = try BatchContent.commitNumbers(in: frame.payload, of: frame.number, decoder)
          {
            (span) throws(JournalError) in try reader.bytes(of: span)
          }
          if let numbers {
            walked.entries.append(
              PlaceList.Entry(firstCommit: numbers.lowerBound, place: frame.place))
            walked.lastCommit = max(walked.lastCommit, numbers.upperBound)
          }
        } catch {
          damages[frame.number] = error
        }
        return goesOn && !(onlyToFirst && !walked.entries.isEmpty)
      }
      if let finding = ending.finding, next < range.upperBound {
        damages[next] = StoreError(refusing: finding)
      }
    } catch {
      // The header of a segment, or its file: what was walked before it is sound.
      guard error.finding != nil else { throw StoreError(error) }
      damages[next] = StoreError(error)
    }
    walked.frames = range.lowerBound..<next
    return walked
  }
}

extension Manifest.Segment {
  /// The frames that it has, or may have while it is the active one.
  fileprivate var frames: Range<FrameNumber> {
    firstFrame..<(sealing?.lastFrame.next ?? FrameNumber(.max))
  }
}

extension StoreError {
  static func commitDropped(_ number: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing,
      "commit \(number) is not in the journal any more; compaction has dropped it.")
  }
}
