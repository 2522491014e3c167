internal import EventCoding
internal import EventFold
package import Journaling
package import ObjectModel

/// Something that a frame says which is read by itself, as nobody knows what came before it.
package enum SalvagedEntry {
  case event(Event)
  case commit(CommitContent)

  /// The last commit that was there when this was written, as far as it says.
  package var knownCommit: CommitNumber {
    switch self {
    case .commit(let content): content.number
    case .event(.tagged(_, let commit)): commit ?? .none
    case .event(.contextBegan(_, _, let commit, _)): commit
    case .event(.edited(_, let edit)):
      switch edit {
      case .based(_, let commit), .refreshed(_, _, let commit), .merged(let commit),
        .saved(let commit):
        commit
      default: .none
      }
    default: .none
    }
  }

  /// The tag that is given a commit, or taken away.
  package var tag: (name: String, isGiven: Bool)? {
    guard case .event(.tagged(let name, let commit)) = self else { return nil }
    return (name, commit != nil)
  }

  /// Whether it is a model that was adopted.
  package var isModel: Bool {
    if case .event(.modelAdopted) = self { true } else { false }
  }

  /// What keeps an event from being told; nil where it can be.
  package static func failure(
    of event: UnsafeRawBufferPointer, of store: StoreTag
  ) -> StoreError? {
    do throws(EventCodingError) {
      let event = try EventDecoder(store: store).event(event)
      guard event.forbidsGoingOn, case .unknown(let kind, _) = event else { return nil }
      return .unknownKind(kind, .none)
    } catch {
      return StoreError(error, in: .none)
    }
  }

  /// What a frame says, in order, with what spans frames read of its journal.
  ///
  /// - Throws: where it cannot be told; then nothing of the frame can.
  package static func all(
    in payload: UnsafeRawBufferPointer, of frame: FrameNumber, _ store: StoreTag,
    _ journal: JournalReader
  ) throws(StoreError) -> [SalvagedEntry] {
    var entries: [SalvagedEntry] = []
    _ = try BatchContent.forEach(
      in: payload, of: frame, EventDecoder(store: store),
      pieces: { (span) throws(JournalError) in try journal.bytes(of: span) }
    ) { (batch, entry) throws(StoreError) in
      switch try batch.decoded(entry) {
      case .event(_, let event): entries.append(.event(event))
      case .commit(let commit): entries.append(.commit(commit.content))
      }
      return true
    }
    return entries
  }
}

extension ObjectChange {
  /// The keys of which the change only says how much their values have changed.
  package var differingKeys: [KeyNumber] {
    entries.filter {
      if case .replaced = $0.change { false } else { true }
    }.map(\.key)
  }

  /// What the change makes of a row that may not be the one it was made of. What it says by itself stands; what only
  /// says how much the value has changed is left out where it does not fit.
  ///
  /// - Parameters:
  ///   - row: what the object has; nil where it is not there.
  ///   - number: the number that a key has now.
  /// - Returns: the row, nil where the object is gone, and the keys that were left out.
  package func salvaged<Failure>(
    onto row: Row?, _ number: (KeyNumber) throws(Failure) -> KeyNumber
  ) throws(Failure) -> (row: Row?, lost: [KeyNumber]) {
    guard kind != .deleted else { return (nil, []) }
    var (result, lost) = (kind == .inserted ? Row() : row ?? Row(), [KeyNumber]())
    for entry in entries {
      let key = try number(entry.key)
      if case .replaced(_, let new) = entry.change {
        result[key] = new
      } else if let applied = entry.change.applied(to: result[key]) {
        result[key] = applied.value
      } else {
        lost.append(entry.key)
      }
    }
    return (result, lost)
  }
}
