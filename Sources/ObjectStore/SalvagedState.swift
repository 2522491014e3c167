package import DiskAccess
internal import EventFold
package import Journaling
package import ObjectModel

/// What is sound of the state that a journal begins with where some of it is damaged, put together of what can be read of
/// its checkpoint and its runs, and of what the commits behind it say that they have changed.
///
/// It is held in memory.
package struct SalvagedState {
  /// Something that cannot be read.
  package enum Loss: Hashable, Sendable {
    /// All that a run had.
    case run(String)
    /// What there was of objects between two.
    case rows(ObjectID, ObjectID, count: Int)
    /// The values of a key that objects between two had.
    case column(KeyNumber, ObjectID, ObjectID, count: Int)
    /// Which commits have changed objects between two.
    case commits(ObjectID, ObjectID, count: Int)
    /// The value of a key of which there is only by how much it has changed since.
    case value(KeyNumber, ObjectID)
  }

  /// An object as the state has it.
  struct Known {
    var row: Row
    /// The last commit of which the row has something in it; nil where that cannot be read.
    let changed: CommitNumber?
    /// The keys whose values cannot be read; nil where these may be any that the row does not have.
    let unread: Set<KeyNumber>?

    func isUnread(_ key: KeyNumber) -> Bool { unread?.contains(key) ?? (row[key] == nil) }
  }

  /// What commits behind the state have said of an object.
  private struct Touched {
    var keys: Set<KeyNumber> = []
    /// The changes of keys that were only told by how much they have changed.
    var pending: [KeyNumber: [(commit: CommitNumber, change: ValueChange)]] = [:]
    /// Whether it has come to be or is gone since, so that what is said of it then is not of the same values.
    var isSettled = false
  }

  let store: StoreIdentity
  /// The checkpoint of which it is; nil where that cannot be read.
  let checkpoint: Checkpoint?
  /// The commit that it is the state of.
  package let number: CommitNumber
  /// The models that were adopted later, as far as the checkpoint knows them: also one that was adopted upon the state.
  package let laterModels: [(since: CommitNumber, entities: [NumberedEntity])]
  /// The checkpoint's catalogue, with the models that the journal behind it tells.
  private var catalogue: Catalogue?
  /// How many models there had been at the state.
  private let eraCount: Int
  /// Whether a model was adopted that cannot be told, so that commits under it say nothing of the state.
  private var isModelLost = false
  /// Whether there are files of rows, or should be.
  package let hasRuns: Bool
  /// What cannot be read of it.
  package internal(set) var losses: [Loss] = []
  /// The objects of which nothing is known but what commits say that they have changed.
  package private(set) var unknown: Set<ObjectID> = []
  /// The names of keys and entities that the journal tells.
  var names = StandIn()

  var known: [ObjectID: Known] = [:]
  private var touched: [ObjectID: Touched] = [:]

  /// The last commit behind the state that can be read, as far as they have been taken in.
  private var lastTaken: CommitNumber
  /// Whether commits before that one are lost.
  private var isBehindGap = false
  /// Whether commits are lost, and the state may have in it what they did.
  package private(set) var hasGap = false
  /// The last commit of which something is in rows that do not say so themselves.
  private let endOfRows: CommitNumber

  /// Nothing of the commits with a later number is in the rows, as these are of the models up to the state's.
  private var last: CommitNumber { laterModels.first?.since ?? .largest }

  /// Whether nothing is known of models and of the names of keys but what the journal behind it tells.
  package var isNameless: Bool { checkpoint == nil }

  /// Whether no object is known of it.
  package var isEmpty: Bool { known.isEmpty }

  /// The last frame that the checkpoint has in it.
  package var frame: FrameNumber { checkpoint?.frame ?? .none }

  /// The first commit that the journal had, as far as that is known.
  package var firstKept: CommitNumber? { checkpoint?.catalogue.firstKept }

  /// The last commit that there was when the state was kept, as far as that is known.
  package let lastKnown: CommitNumber

  /// What names stood for when the checkpoint was made that did not stand for what is before the state.
  package var laterTags: [String: CommitNumber] {
    checkpoint?.catalogue.tags.filter { $0.value > number } ?? [:]
  }

  /// Reads what can be read.
  ///
  /// - Parameter first: the first commit that can be read behind it; nil where there is none.
  /// - Throws: where newer code has written some of it.
  package init(
    _ manifest: Manifest, in folder: any ReadableFolder, before first: CommitNumber?
  ) throws(StoreError) {
    store = manifest.store
    do throws(StoreError) {
      checkpoint = try Checkpoint.read(manifest, in: folder)?.checkpoint
    } catch {
      guard error.code == .damaged else { throw error }
      checkpoint = nil
    }
    let found = checkpoint == nil ? try Reading.runNames(in: folder) : []
    hasRuns = checkpoint?.layers.contains { !$0.runs.isEmpty } ?? !found.isEmpty
    var before = first?.previous ?? checkpoint?.number ?? .none
    if let checkpoint {
      before = min(max(before, checkpoint.catalogue.firstKept.previous), checkpoint.number)
    }
    let eras = checkpoint?.catalogue.eras ?? []
    let eraCount = max(1, eras.count { $0.since < before })
    (self.eraCount, catalogue) = (eraCount, checkpoint?.catalogue)
    laterModels = eras.dropFirst(eraCount).map { ($0.since, $0.entities) }
    var reading = Reading(store, eras: Array(eras.prefix(eraCount)))
    for layer in checkpoint?.layers ?? [] where layer.era < eraCount {
      for run in layer.runs { try reading.read(run.name, as: run, in: folder, ofEra: layer.era) }
    }
    for name in found { try reading.read(name, as: nil, in: folder, ofEra: 0) }
    (known, losses) = (reading.known, reading.losses)
    // Without any commit it is the state of the last that has left something in it.
    if checkpoint == nil, first == nil { before = reading.lastChanged ?? CommitNumber(rawValue: 1) }
    number = before
    lastTaken = before
    lastKnown = checkpoint?.number ?? max(before, reading.lastChanged ?? before)
    endOfRows = min(
      checkpoint?.number ?? reading.lastChanged ?? .largest, laterModels.first?.since ?? .largest)
    for (object, row) in known { names.note(object, row.row.entries.map(\.key)) }
  }
}

extension SalvagedState {
  /// Takes in what a commit behind the state says of it; commits come in their order.
  package mutating func take(_ content: CommitContent) {
    for change in content.changes { names.note(change.object, change.entries.map(\.key)) }
    if content.number > lastTaken.next {
      isBehindGap = true
      noteEffectsOfLost()
    }
    lastTaken = max(lastTaken, content.number)
    guard content.number > number, !isModelLost else { return }
    for change in content.changes { take(change, of: content.number) }
  }

  /// Notes that the commit behind the last that was taken in is lost, where it may have left something in the rows.
  private mutating func noteEffectsOfLost() {
    if lastTaken < min(lastKnown, last) { hasGap = true }
  }

  /// Takes in what the journal behind the state says of names and models.
  package mutating func take(_ event: Event, in frame: FrameNumber) {
    names.note(event)
    guard frame > self.frame, !isModelLost else { return }
    catalogue?.advance(to: lastTaken)
    switch event {
    case .keyNamed:
      // Of a name that does not follow those that are known, as some are lost, nothing is said by models either.
      try? catalogue?.apply(event, edit: 0)
    case .modelAdopted:
      do throws(Catalogue.Contradiction) {
        try catalogue?.apply(event, edit: 0)
      } catch {
        isModelLost = true
      }
    default: break
    }
  }

  /// How the rows of an entity were read under the models that were adopted between the state and a commit; nil where
  /// the entity was not there all the time.
  private func conversions(of entity: EntityNumber, before commit: CommitNumber) -> [RowConversion]?
  {
    var conversions: [RowConversion] = []
    for era in catalogue?.eras.dropFirst(eraCount) ?? [] where era.since < commit {
      guard let conversion = era.conversions[entity] else { return nil }
      conversions.append(conversion)
    }
    return conversions
  }

  private mutating func take(_ change: ObjectChange, of commit: CommitNumber) {
    let object = change.object
    guard let conversions = conversions(of: object.entity, before: commit) else { return }
    let former = touched.removeValue(forKey: object)
    var touched = former ?? Touched()
    defer { self.touched[object] = touched }
    guard !touched.isSettled else { return }
    // What a row has from before a commit is not taken from what that says was before it: others may be lost between.
    let isWithin = known[object].map { commit <= $0.changed ?? endOfRows } ?? true
    if change.kind == .inserted {
      touched.isSettled = true
      guard isWithin else { return takeBackPending(of: object, &touched) }
      if former == nil { known[object] = nil } else { loseRest(of: object, touched) }
      return
    }
    if known[object] == nil {
      known[object] = Known(row: Row(), changed: .largest, unread: [])
      unknown.insert(object)
    }
    for entry in change.entries where !touched.keys.contains(entry.key) {
      // What a model has made of a value is not what the state had.
      guard conversions.allSatisfy({ $0.keeps(entry.key) }) else { continue }
      guard isWithin || known[object]?.isUnread(entry.key) == true else { continue }
      guard case .replaced(let old, _) = entry.change else {
        touched.pending[entry.key, default: []].append((commit, entry.change))
        continue
      }
      let pending = touched.pending.removeValue(forKey: entry.key) ?? []
      takeBack(pending.map(\.change), from: old, entry.key, of: object)
      touched.keys.insert(entry.key)
      hasGap = hasGap || isBehindGap
    }
    if change.kind == .deleted {
      touched.isSettled = true
      if !isWithin { takeBackPending(of: object, &touched) }
      guard conversions.isEmpty else { return }
      unknown.remove(object)
      // It says all that the object had.
      if isWithin { keepOnly(touched.keys, of: object) }
    }
  }

  /// Of an object that was another when it came to be, there is only what commits before that have said of it.
  private mutating func loseRest(of object: ObjectID, _ touched: Touched) {
    keepOnly(touched.keys, of: object)
    unknown.insert(object)
    for key in touched.pending.keys.sorted() { losses.append(.value(key, object)) }
  }

  /// Sets what a key had before changes that have led to a value.
  private mutating func takeBack(
    _ changes: [ValueChange], from value: Value?, _ key: KeyNumber, of object: ObjectID
  ) {
    var value = value
    for change in changes.reversed() {
      guard let before = change.inverse.applied(to: value) else {
        known[object]?.row[key] = Value?.none
        return losses.append(.value(key, object))
      }
      value = before.value
    }
    known[object]?.row[key] = value
  }

  /// Takes back of what a row has what was only told by how much it has changed.
  private mutating func takeBackPending(of object: ObjectID, _ touched: inout Touched) {
    let changed = known[object]?.changed ?? endOfRows
    for (key, pending) in touched.pending.sorted(by: { $0.key < $1.key }) {
      takeBack(
        pending.filter { $0.commit <= changed }.map(\.change), from: known[object]?.row[key], key,
        of: object)
    }
    touched.pending = [:]
  }

  private mutating func keepOnly(_ keys: Set<KeyNumber>, of object: ObjectID) {
    guard let row = known[object]?.row else { return }
    for entry in row.entries where !keys.contains(entry.key) {
      known[object]?.row[entry.key] = Value?.none
    }
  }

  /// Takes back what was only told by how much it has changed, and has both ends of relationships say the same, when all
  /// commits have been taken in.
  package mutating func finish() {
    noteEffectsOfLost()
    for (object, touched) in touched.sorted(by: { $0.key < $1.key }) where !touched.isSettled {
      var touched = touched
      takeBackPending(of: object, &touched)
    }
    touched = [:]
    bringEndsInStep()
  }
}
