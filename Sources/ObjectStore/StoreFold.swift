internal import EventCoding
internal import Journaling
internal import ObjectModel

/// A store's state, folded from what its journal says. What commits and what replays is the same fold.
struct StoreFold {
  var catalogue = Catalogue()
  var snapshot: Snapshot
  /// How many bytes of the journal were read for what no checkpoint has.
  var replayedByteCount = 0

  init(_ store: StoreTag) { snapshot = Snapshot(emptyOf: store) }

  /// Takes in what the journal says next. Rows that it changes are not read where that is not needed.
  mutating func apply(
    _ entry: BatchContent.Entry, of batch: BatchContent, in frame: FrameNumber
  ) throws(StoreError) {
    switch entry {
    case .event(let place): try apply(eventAt: place, of: batch, in: frame)
    case .commit(let place):
      let side = try side(place, of: batch, in: frame)
      try change(in: frame) { (snapshot) throws(SnapshotProblem) in try snapshot.apply(side) }
    }
  }

  /// The same, but for the changes of commits, which wait until there are enough of them to be applied together.
  mutating func apply(
    _ entry: BatchContent.Entry, of batch: BatchContent, in frame: FrameNumber,
    _ gathered: inout GatheredCommits
  ) throws(StoreError) {
    switch entry {
    case .event(let place):
      if batch.adoptsModel(place) { try gathered.applyAll(to: &snapshot) }
      try apply(eventAt: place, of: batch, in: frame)
    case .commit(let place):
      gathered.add(
        try side(place, of: batch, in: frame), in: frame, byteCount: batch.byteCount(place))
    }
  }

  private mutating func apply(
    eventAt place: Int, of batch: BatchContent, in frame: FrameNumber
  ) throws(StoreError) {
    if let context = try batch.contextOfSet(place) {
      catalogue.noteWork(of: context, batch.number(place).rawValue)
    } else {
      try apply(try batch.event(place), batch.number(place), in: frame)
    }
  }

  /// What a commit has made of objects; the catalogue has it then.
  private mutating func side(
    _ place: Int, of batch: BatchContent, in frame: FrameNumber
  ) throws(StoreError) -> CommitSide {
    let side = try batch.side(.after, place, other: catalogue.era?.indexing.asked)
    try refuseWithoutModel(in: frame)
    do throws(Catalogue.Contradiction) {
      try catalogue.apply(side.head)
      for change in side.objects where change.kind == .inserted {
        catalogue.noteNumber(of: change.object)
      }
    } catch {
      throw StoreError(contradiction: error.sentence, in: frame)
    }
    return side
  }

  /// Takes in what the journal says next, and reads every row that it changes, to see that it fits.
  mutating func applyChecking(_ entry: JournalEntry, in frame: FrameNumber) throws(StoreError) {
    switch entry {
    case .event(let number, let event): try apply(event, number, in: frame)
    case .commit(let commit):
      do throws(Catalogue.Contradiction) {
        try catalogue.apply(commit.content)
      } catch {
        throw StoreError(contradiction: error.sentence, in: frame)
      }
      try change(in: frame) { (snapshot) throws(SnapshotProblem) in
        try snapshot.apply(commit.content)
      }
    }
  }

  private mutating func apply(
    _ event: Event, _ number: EditNumber, in frame: FrameNumber
  ) throws(StoreError) {
    let eraCount = catalogue.eras.count
    do throws(Catalogue.Contradiction) {
      try catalogue.apply(event, edit: number.rawValue)
    } catch {
      throw StoreError(contradiction: error.sentence, in: frame)
    }
    if catalogue.eras.count > eraCount, let era = catalogue.era { snapshot.begin(era) }
  }

  private mutating func change(
    in frame: FrameNumber, _ body: (inout Snapshot) throws(SnapshotProblem) -> Void
  ) throws(StoreError) {
    try refuseWithoutModel(in: frame)
    do throws(SnapshotProblem) {
      try body(&snapshot)
    } catch {
      throw error.error(in: frame)
    }
  }

  private func refuseWithoutModel(in frame: FrameNumber) throws(StoreError) {
    guard catalogue.era != nil else {
      throw StoreError(contradiction: "a commit comes before any model", in: frame)
    }
  }
}

extension JournalReader {
  /// Calls a closure with everything the journal says from a frame on, in order; it decodes what it wants of it
  /// before it returns.
  ///
  /// - Parameters:
  ///   - last: the last frame that is looked at. What comes after one that is durable may be written right now, and is
  ///     no damage where it is not whole.
  ///   - others: told of the frames that are no batches; returns whether to go on.
  ///   - body: returns whether to go on.
  /// - Returns: where reading came to its end.
  @discardableResult
  func forEachEntry(
    from first: FrameNumber? = nil, through last: FrameNumber? = nil, _ decoder: EventDecoder,
    others: (FrameNumber, FrameKind) throws(StoreError) -> Bool = { _, _ in true },
    _ body: (FramePlace, BatchContent, BatchContent.Entry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Ending {
    var failure: StoreError?
    func take(_ frame: Frame) throws(StoreError) -> Bool {
      guard frame.kind == .batch else { return try others(frame.number, frame.kind) }
      return try BatchContent.forEach(
        in: frame.payload, of: frame.number, decoder, pieces: bytes
      ) { (batch, entry) throws(StoreError) in try body(frame.place, batch, entry) }
    }
    var ending = try onJournal { () throws(JournalError) in
      try forEachFrame(from: first) { frame in
        if let last, frame.number > last { return false }
        do throws(StoreError) {
          return try take(frame) && frame.number != last
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
    if let last, ending.next > last { ending.finding = nil }
    return ending
  }

  /// The same, with everything decoded.
  @discardableResult
  func forEachEntry(
    from first: FrameNumber? = nil, through last: FrameNumber? = nil, _ decoder: EventDecoder,
    others: (FrameNumber, FrameKind) throws(StoreError) -> Bool = { _, _ in true },
    _ body: (FramePlace, JournalEntry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Ending {
    try forEachEntry(from: first, through: last, decoder, others: others) {
      (place, batch, entry) throws(StoreError) in
      try body(place, batch.decoded(entry))
    }
  }
}
