internal import EventCoding
internal import Journaling
internal import ObjectModel

/// What the journal says, in the order in which it came about.
enum JournalEntry {
  /// An event, with its number among the edits of the journal.
  case event(EditNumber, Event)
  /// A commit.
  case commit(DecodedCommit)
}

/// The events and commits of one frame.
struct BatchContent {
  private let frame: FrameNumber
  private let decoder: EventDecoder
  private let firstEdit: EditNumber
  private var edits: [UnsafeRawBufferPointer] = []
  private var commits: [UnsafeRawBufferPointer] = []
  /// What was put together from pieces.
  private var owned: [UnsafeMutableRawBufferPointer] = []

  /// Calls a closure with what a frame says, in order. What it hands out is decoded, and stays.
  ///
  /// - Parameters:
  ///   - payload: of a batch.
  ///   - pieces: puts what spans frames together.
  ///   - body: returns whether to go on.
  /// - Returns: whether to go on.
  static func forEach(
    in payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ decoder: EventDecoder,
    pieces: (Span) throws(JournalError) -> [UInt8],
    _ body: (JournalEntry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    guard let batch = Batch(payload) else {
      throw StoreError(contradiction: "its edits and commits cannot be told apart", in: frame)
    }
    var content = BatchContent(frame: frame, decoder: decoder, firstEdit: batch.firstEdit)
    defer { content.giveBack() }
    try content.gather(batch, pieces)
    return try content.forEach(body)
  }

  /// The numbers of the commits of a frame; nil where it has none.
  static func commitNumbers(
    in payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ decoder: EventDecoder,
    pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) -> ClosedRange<CommitNumber>? {
    var content = BatchContent(frame: frame, decoder: decoder, firstEdit: .none)
    defer { content.giveBack() }
    guard let batch = Batch(payload), batch.commitCount > 0 else { return nil }
    try content.gatherCommits(batch, pieces)
    do throws(EventCodingError) {
      let first = try decoder.commitNumber(content.commits[0])
      return first...CommitNumber(rawValue: first.rawValue + UInt64(batch.commitCount - 1))
    } catch {
      throw StoreError(error, in: frame)
    }
  }

  /// The commit at a place among those of a frame; nil where it has none there.
  static func commit(
    at index: Int, in payload: UnsafeRawBufferPointer, of frame: FrameNumber,
    _ decoder: EventDecoder, pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) -> CommitContent? {
    var content = BatchContent(frame: frame, decoder: decoder, firstEdit: .none)
    defer { content.giveBack() }
    guard let batch = Batch(payload), (0..<batch.commitCount).contains(index) else { return nil }
    try content.gather(batch, pieces)
    return try content.decode(content.commits[index]).content
  }

  private init(frame: FrameNumber, decoder: EventDecoder, firstEdit: EditNumber) {
    self.frame = frame
    self.decoder = decoder
    self.firstEdit = firstEdit
  }

  private mutating func gather(
    _ batch: Batch, _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) {
    edits.reserveCapacity(batch.editCount)
    try batch.forEachEdit { (_, entry) throws(StoreError) in
      edits.append(try bytes(of: entry, pieces))
    }
    try gatherCommits(batch, pieces)
  }

  private mutating func gatherCommits(
    _ batch: Batch, _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) {
    try batch.forEachCommit { (entry) throws(StoreError) in
      commits.append(try bytes(of: entry, pieces))
    }
  }

  private mutating func bytes(
    of entry: Batch.Entry, _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) -> UnsafeRawBufferPointer {
    switch entry {
    case .whole(let bytes): return bytes
    case .spanning(let span):
      let bytes = try onJournal { () throws(JournalError) in try pieces(span) }
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      memory.copyBytes(from: bytes)
      owned.append(memory)
      return UnsafeRawBufferPointer(memory)
    }
  }

  private func giveBack() {
    for memory in owned { memory.deallocate() }
  }

  /// Each commit stands among the edits where it says it was made.
  private func forEach(
    _ body: (JournalEntry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var next = 0
    for bytes in commits {
      let commit = try decode(bytes)
      guard (next...edits.count).contains(commit.content.precedingEditCount) else {
        throw StoreError(
          contradiction: "commit \(commit.content.number) stands among edits that are not there",
          in: frame)
      }
      while next < commit.content.precedingEditCount {
        guard try body(.event(firstEdit + UInt64(next), event(next))) else { return false }
        next += 1
      }
      guard try body(.commit(commit)) else { return false }
    }
    while next < edits.count {
      guard try body(.event(firstEdit + UInt64(next), event(next))) else { return false }
      next += 1
    }
    return true
  }

  private func event(_ index: Int) throws(StoreError) -> Event {
    do throws(EventCodingError) {
      return try decoder.event(edits[index])
    } catch {
      throw StoreError(error, in: frame)
    }
  }

  private func decode(_ bytes: UnsafeRawBufferPointer) throws(StoreError) -> DecodedCommit {
    do throws(EventCodingError) {
      return try decoder.commit(bytes) { $0 < edits.count ? edits[$0] : nil }
    } catch {
      throw StoreError(error, in: frame)
    }
  }
}
