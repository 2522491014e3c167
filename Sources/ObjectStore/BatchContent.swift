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
  let frame: FrameNumber
  private let decoder: EventDecoder
  private let firstEdit: EditNumber
  private var edits: [UnsafeRawBufferPointer] = []
  private var commits: [UnsafeRawBufferPointer] = []
  private var payloadByteCount = 0
  /// How many bytes an edit has that has more than are held at once, by its place; there its beginning stands for it.
  private var largeEdits: [Int: Int] = [:]
  /// What was put together from pieces.
  private var owned: [UnsafeMutableRawBufferPointer] = []

  /// Something that a frame says: the place of an event among its edits, or of a commit among its commits.
  enum Entry {
    case event(Int)
    case commit(Int)
  }

  /// Calls a closure with what a frame says, in order; it decodes what it wants of it before it returns.
  ///
  /// - Parameters:
  ///   - payload: of a batch.
  ///   - pieces: puts what spans frames together.
  ///   - body: returns whether to go on.
  /// - Returns: whether to go on.
  static func forEach(
    in payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ decoder: EventDecoder,
    pieces: (Span) throws(JournalError) -> [UInt8],
    _ body: (BatchContent, Entry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    let content = try BatchContent(gathering: payload, of: frame, decoder, pieces)
    defer { content.giveBack() }
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
    try batch.forEachCommit { (entry) throws(StoreError) in
      // The first tells the numbers of all.
      if content.commits.isEmpty { content.commits.append(try content.bytes(of: entry, pieces)) }
    }
    do throws(EventCodingError) {
      let first = try decoder.commitNumber(content.commits[0])
      return first...CommitNumber(rawValue: first.rawValue + UInt64(batch.commitCount - 1))
    } catch {
      throw StoreError(error, in: frame)
    }
  }

  /// What a frame says, to be kept as long as its payload; whoever keeps it gives it back in the end.
  init(
    gathering payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ decoder: EventDecoder,
    _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) {
    guard let batch = Batch(payload) else {
      throw StoreError(contradiction: "its edits and commits cannot be told apart", in: frame)
    }
    self.init(frame: frame, decoder: decoder, firstEdit: batch.firstEdit)
    do throws(StoreError) {
      try gather(batch, pieces)
    } catch {
      giveBack()
      throw error
    }
    payloadByteCount = payload.count
  }

  private init(frame: FrameNumber, decoder: EventDecoder, firstEdit: EditNumber) {
    self.frame = frame
    self.decoder = decoder
    self.firstEdit = firstEdit
  }

  /// Enough of an edit to tell its context.
  static let beginningByteCount = 64

  private mutating func gather(
    _ batch: Batch, _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) {
    edits.reserveCapacity(batch.editCount)
    try batch.forEachEdit { (_, entry) throws(StoreError) in
      var entry = entry
      if case .spanning(let span) = entry, span.byteCount > decoder.largestEditByteCount {
        largeEdits[edits.count] = span.byteCount
        entry = .spanning(span.beginning(Self.beginningByteCount))
      }
      edits.append(try bytes(of: entry, pieces))
    }
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
      let bytes = try assembled(span, pieces)
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
      memory.copyBytes(from: bytes)
      owned.append(memory)
      return UnsafeRawBufferPointer(memory)
    }
  }

  private func assembled(
    _ span: Span, _ pieces: (Span) throws(JournalError) -> [UInt8]
  ) throws(StoreError) -> [UInt8] {
    do throws(JournalError) {
      return try pieces(span)
    } catch {
      throw StoreError(error, namedIn: frame)
    }
  }

  /// Frees what was put together from pieces.
  func giveBack() {
    for memory in owned { memory.deallocate() }
  }

  /// Roughly how much memory it takes, its payload with it.
  var byteCount: Int {
    owned.reduce(payloadByteCount) { $0 + $1.count }
      + (edits.count + commits.count) * MemoryLayout<UnsafeRawBufferPointer>.stride
  }

  /// Each commit stands among the edits where it says it was made.
  private func forEach(
    _ body: (BatchContent, Entry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Bool {
    var next = 0
    for place in commits.indices {
      let head = try head(place)
      guard (next...edits.count).contains(head.precedingEditCount) else {
        throw StoreError(
          contradiction: "commit \(head.number) stands among edits that are not there", in: frame)
      }
      while next < head.precedingEditCount {
        guard try body(self, .event(next)) else { return false }
        next += 1
      }
      guard try body(self, .commit(place)) else { return false }
    }
    while next < edits.count {
      guard try body(self, .event(next)) else { return false }
      next += 1
    }
    return true
  }

  // MARK: Decoding

  /// Everything that an entry says. It stays.
  func decoded(_ entry: Entry) throws(StoreError) -> JournalEntry {
    switch entry {
    case .event(let place): .event(number(place), try event(place))
    case .commit(let place): .commit(try commit(place))
    }
  }

  /// Whether an entry is plainly one that can be decoded, and has nothing that newer code has written; where it is
  /// not, decoding it tells. Nothing is made of it.
  func isPlain(_ entry: Entry) -> Bool {
    switch entry {
    case .event(let place): largeEdits[place] == nil && decoder.isPlain(event: edits[place])
    case .commit(let place): decoder.isPlain(commit: commits[place]) { edit($0) }
    }
  }

  /// The number of an event among the edits of the journal.
  func number(_ place: Int) -> EditNumber { firstEdit + UInt64(place) }

  func event(_ place: Int) throws(StoreError) -> Event {
    if let byteCount = largeEdits[place] { throw tooLarge(byteCount) }
    let event = try decode { () throws(EventCodingError) in try decoder.event(edits[place]) }
    if event.forbidsGoingOn, case .unknown(let kind, _) = event {
      throw .unknownKind(kind, frame)
    }
    return event
  }

  private func tooLarge(_ byteCount: Int) -> StoreError {
    StoreError(tooLarge: byteCount, decoder.largestEditByteCount, in: frame)
  }

  /// The kind of an event; nil where newer code has written it.
  func kind(_ place: Int) -> EventKind? { edits[place].first.flatMap { EventKind(rawValue: $0) } }

  /// The context of an edit that sets a value; nil where the event is another.
  func contextOfSet(_ place: Int) throws(StoreError) -> ContextNumber? {
    try decode { () throws(EventCodingError) in try decoder.contextOfSet(edits[place]) }
  }

  /// Whether an event makes a model that of what follows.
  func adoptsModel(_ place: Int) -> Bool {
    edits[place].first == EventKind.modelAdopted.rawValue
  }

  /// How many bytes a commit has.
  func byteCount(_ place: Int) -> Int { commits[place].count }

  /// What a commit says of itself, without its changes.
  func head(_ place: Int) throws(StoreError) -> CommitContent {
    try decode { () throws(EventCodingError) in try decoder.commitHead(commits[place]) }
  }

  func commit(_ place: Int) throws(StoreError) -> DecodedCommit {
    try decode { () throws(EventCodingError) in
      try decoder.commit(commits[place]) { edit($0) }
    }
  }

  /// Where the changes of the frame's commits lie.
  func outlines() throws(StoreError) -> [CommitOutline] {
    try commits.map { bytes throws(StoreError) in
      try decode { () throws(EventCodingError) in try decoder.outline(bytes) }
    }
  }

  /// The change of an object in a commit.
  func change(
    of object: ObjectID, _ outline: CommitOutline, _ place: Int
  ) throws(StoreError) -> ObjectChange? {
    try decode { () throws(EventCodingError) in
      try decoder.change(of: object, outline, commits[place]) { edit($0) }
    }
  }

  /// One side of that change.
  func side(
    _ side: CommitSide.Side, of object: ObjectID, _ outline: CommitOutline, _ place: Int
  ) throws(StoreError) -> CommitSide.Object? {
    try decode { () throws(EventCodingError) in
      try decoder.side(side, of: object, outline, commits[place]) { edit($0) }
    }
  }

  /// One side of a commit, and of some keys the other one too.
  func side(
    _ side: CommitSide.Side, _ place: Int, other: ((EntityNumber, KeyNumber) -> Bool)? = nil
  ) throws(StoreError) -> CommitSide {
    try decode { () throws(EventCodingError) in
      try decoder.side(side, commits[place], other: other) { edit($0) }
    }
  }

  /// The bytes of an edit that a commit names a value by; nil where they are not there, or not held.
  private func edit(_ place: Int) -> UnsafeRawBufferPointer? {
    place < edits.count && largeEdits[place] == nil ? edits[place] : nil
  }

  private func decode<Answer>(
    _ body: () throws(EventCodingError) -> Answer
  ) throws(StoreError) -> Answer {
    do throws(EventCodingError) {
      return try body()
    } catch {
      // It may be an edit that is not held of which a commit says that it has the value.
      if case .editMissing = error.code, let byteCount = largeEdits.values.first {
        throw tooLarge(byteCount)
      }
      throw StoreError(error, in: frame)
    }
  }
}
