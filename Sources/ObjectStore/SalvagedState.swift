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
    /// The value of a key of which there is only by how much it has changed since.
    case value(KeyNumber, ObjectID)
  }

  /// An object as the state has it.
  struct Known {
    var row: Row
    /// The commit that the row is of; nil where that cannot be read.
    let changed: CommitNumber?
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
  /// The models that were adopted later, as far as the checkpoint knows them.
  package let laterModels: [(since: CommitNumber, model: ManagedObjectModel)]
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

  /// The commits with a later number are of another model, and say nothing of the state.
  private var last: CommitNumber { laterModels.first?.since ?? .largest }

  /// Whether nothing is known of models and of the names of keys but what the journal behind it tells.
  package var isNameless: Bool { checkpoint == nil }

  /// Whether no object is known of it.
  package var isEmpty: Bool { known.isEmpty }

  /// The last frame that the checkpoint has in it.
  package var frame: FrameNumber { checkpoint?.frame ?? .none }

  /// The first commit that the journal had, as far as that is known.
  package var firstKept: CommitNumber? { checkpoint?.catalogue.firstKept }

  /// The last commit that the checkpoint knows.
  package var lastKnown: CommitNumber { checkpoint?.number ?? number }

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
    var layers = checkpoint?.layers.map { ($0.era, $0.runs.map(\.name)) } ?? []
    if checkpoint == nil { layers = [(0, try Self.runNames(in: folder))] }
    hasRuns = layers.contains { !$0.1.isEmpty }
    var before = first?.previous ?? checkpoint?.number ?? .none
    if let checkpoint {
      before = min(max(before, checkpoint.catalogue.firstKept.previous), checkpoint.number)
    }
    let eras = checkpoint?.catalogue.eras ?? []
    let eraCount = max(1, eras.count { $0.since <= before })
    laterModels = eras.dropFirst(eraCount).map { ($0.since, $0.model) }
    var reading = Reading(store, eras: Array(eras.prefix(eraCount)))
    for (era, runs) in layers where era < eraCount {
      for name in runs { try reading.read(name, in: folder, ofEra: era) }
    }
    (known, losses) = (reading.known, reading.losses)
    // Without any commit it is the state of the last that has left something in it.
    if checkpoint == nil, first == nil {
      before = known.values.compactMap(\.changed).max() ?? CommitNumber(rawValue: 1)
    }
    number = before
    for (object, row) in known { names.note(object, row.row.entries.map(\.key)) }
  }

  /// The runs there are, the newest first.
  private static func runNames(
    in folder: any ReadableFolder
  ) throws(StoreError) -> [String] {
    try onDiskOfStore { () throws(DiskError) in
      guard try folder.information(of: Checkpoint.folderName)?.kind == .folder else { return [] }
      return try folder.folderForReading(Checkpoint.folderName).names()
        .filter { $0.hasSuffix(Checkpoint.runExtension) }.sorted(by: >)
    }
  }
}

extension SalvagedState {
  /// Takes in what a commit behind the state says of it; commits come in their order.
  package mutating func take(_ content: CommitContent) {
    for change in content.changes { names.note(change.object, change.entries.map(\.key)) }
    guard content.number > number, content.number <= last else { return }
    for change in content.changes { take(change, of: content.number) }
  }

  /// Takes in what the journal behind the state says of names.
  package mutating func take(_ event: Event) { names.note(event) }

  private mutating func take(_ change: ObjectChange, of commit: CommitNumber) {
    let object = change.object
    var touched = touched.removeValue(forKey: object) ?? Touched()
    defer { self.touched[object] = touched }
    guard !touched.isSettled else { return }
    if change.kind == .inserted {
      touched.isSettled = true
      if touched.keys.isEmpty { known[object] = nil } else { keepOnly(touched.keys, of: object) }
      return
    }
    if known[object] == nil {
      known[object] = Known(row: Row(), changed: nil)
      unknown.insert(object)
    }
    for entry in change.entries where !touched.keys.contains(entry.key) {
      guard case .replaced(let old, _) = entry.change else {
        touched.pending[entry.key, default: []].append((commit, entry.change))
        continue
      }
      let pending = touched.pending.removeValue(forKey: entry.key) ?? []
      takeBack(pending.map(\.change), from: old, entry.key, of: object)
      touched.keys.insert(entry.key)
    }
    if change.kind == .deleted {
      // It says all that the object had.
      touched.isSettled = true
      unknown.remove(object)
      keepOnly(touched.keys, of: object)
    }
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

  private mutating func keepOnly(_ keys: Set<KeyNumber>, of object: ObjectID) {
    guard let row = known[object]?.row else { return }
    for entry in row.entries where !keys.contains(entry.key) {
      known[object]?.row[entry.key] = Value?.none
    }
  }

  /// Takes back what was only told by how much it has changed, and has both ends of relationships say the same, when all
  /// commits have been taken in.
  package mutating func finish() {
    for (object, touched) in touched.sorted(by: { $0.key < $1.key }) where !touched.isSettled {
      let changed = known[object]?.changed ?? .largest
      for (key, pending) in touched.pending.sorted(by: { $0.key < $1.key }) {
        takeBack(
          pending.filter { $0.commit <= changed }.map(\.change), from: known[object]?.row[key], key,
          of: object)
      }
    }
    touched = [:]
    bringEndsInStep()
  }
}

extension SalvagedState {
  /// Rows of runs as they are read, the newest first.
  private struct Reading {
    private(set) var known: [ObjectID: Known] = [:]
    private(set) var losses: [Loss] = []
    /// The objects of which a newer run says that they are deleted.
    private var deleted: Set<ObjectID> = []
    private let store: StoreIdentity
    private let snapshot: Snapshot

    init(_ store: StoreIdentity, eras: [Era]) {
      self.store = store
      snapshot = Snapshot(
        of: .none, RecordedTime(rawValue: .min), eras: eras, store: store.tag, layersBelow: [],
        SnapshotIndex())
    }

    mutating func read(
      _ name: String, in folder: any ReadableFolder, ofEra era: Int
    ) throws(StoreError) {
      var rows: [SoundRow] = []
      var lost: [Loss] = []
      do throws(RunError) {
        let files = try onDisk { () throws(DiskError) in
          try folder.folderForReading(Checkpoint.folderName)
        }
        let run = try Run(name, in: files, store: store, cache: BlockCache(largestByteCount: 0))
        try run.forEachSound(losing: { lost.append($0) }) { rows.append($0) }
      } catch {
        switch error {
        case .damaged: break
        case .disk(let cause) where cause.code == .notFound || cause.meetsNoFile: break
        default: throw StoreError(error)
        }
        lost = [.run(name)]
      }
      losses += lost
      let last = max(0, snapshot.eras.count - 1)
      for each in rows where known[each.object] == nil && !deleted.contains(each.object) {
        if let row = snapshot.convert(each.row, of: each.object, from: era, to: last) {
          known[each.object] = Known(row: row, changed: each.changed)
        } else {
          deleted.insert(each.object)
        }
      }
    }
  }
}
