internal import EventCoding
internal import Journaling
internal import ObjectModel

/// A store's state, folded from what its journal says. What commits and what replays is the same fold.
struct StoreFold {
  var catalogue = Catalogue()
  var snapshot: Snapshot

  init(_ store: StoreTag) { snapshot = Snapshot(emptyOf: store) }

  mutating func apply(_ entry: JournalEntry, in frame: FrameNumber) throws(StoreError) {
    do throws(Catalogue.Contradiction) {
      switch entry {
      case .event(let number, let event):
        let eraCount = catalogue.eras.count
        try catalogue.apply(event, edit: number.rawValue)
        if catalogue.eras.count > eraCount, let era = catalogue.era { snapshot.begin(era) }
        return
      case .commit(let commit): try catalogue.apply(commit.content)
      }
    } catch {
      throw StoreError(contradiction: error.sentence, in: frame)
    }
    guard case .commit(let commit) = entry else { return }
    guard catalogue.era != nil else {
      throw StoreError(contradiction: "a commit comes before any model", in: frame)
    }
    do throws(SnapshotProblem) {
      try snapshot.apply(commit.content)
    } catch {
      throw error.error(in: frame)
    }
  }
}

extension JournalReader {
  /// Calls a closure with everything the journal says from a frame on, in order.
  ///
  /// - Parameter body: returns whether to go on.
  /// - Returns: where reading came to its end.
  @discardableResult
  func forEachEntry(
    from first: FrameNumber? = nil, _ decoder: EventDecoder,
    _ body: (FramePlace, JournalEntry) throws(StoreError) -> Bool
  ) throws(StoreError) -> Ending {
    var failure: StoreError?
    let ending = try onJournal { () throws(JournalError) in
      try forEachFrame(from: first) { frame in
        guard frame.kind == .batch else { return true }
        do throws(StoreError) {
          return try BatchContent.forEach(
            in: frame.payload, of: frame.number, decoder, pieces: bytes
          ) { (entry) throws(StoreError) in try body(frame.place, entry) }
        } catch {
          failure = error
          return false
        }
      }
    }
    if let failure { throw failure }
    return ending
  }
}
