internal import DiskAccess
internal import EventCoding
internal import Journaling
package import ObjectModel

// What contexts have made and not saved.
extension JournaledStore {
  /// The objects that open contexts have made since they were saved or rolled back last, whatever has become of them; but
  /// for those of some contexts. One that is being made right now may be missing.
  ///
  /// Costs: nothing where these contexts have saved everything, and else a sync, and reading the journal from the first
  /// of their unsaved edits on.
  package func objectsMade(
    outside known: Set<ContextNumber>
  ) throws(StoreError) -> Set<ObjectID> {
    let firstEdits = cataloguing.withLock {
      liveContexts.filter { !known.contains($0.key) }.compactMapValues(\.firstEditToSave)
    }
    guard let first = firstEdits.values.min() else { return [] }
    let last = try settle()
    var objects: Set<ObjectID> = []
    try readingJournal { (reader) throws(StoreError) in
      let frame = try onJournal { () throws(JournalError) in
        try reader.firstFrame(ofSegmentWith: EditNumber(first))
      }
      return try reader.forEachEntry(from: frame, through: last, decoder) {
        (_, batch, entry) throws(StoreError) in
        guard case .event(let place) = entry, try batch.contextOfSet(place) == nil,
          case .edited(let context, let edit) = try batch.event(place),
          let first = firstEdits[context], batch.number(place).rawValue >= first
        else { return true }
        objects.formUnion(edit.objectsMade)
        return true
      }
    }
    return objects
  }
}

extension Edit {
  /// The objects that come to be by it.
  fileprivate var objectsMade: [ObjectID] {
    switch self {
    case .inserted(let object): [object]
    case .undone(let restorations), .redone(let restorations):
      restorations.filter { $0.kind == .inserted }.map(\.object)
    default: []
    }
  }
}
