internal import DiskAccess
internal import Journaling
internal import ObjectModel

extension SalvagedState {
  /// Rows of runs as they are read: those that a checkpoint names the newest first, others in any order.
  struct Reading {
    private(set) var known: [ObjectID: Known] = [:]
    private(set) var losses: [Loss] = []
    /// The last commit of which something is in a row.
    private(set) var lastChanged: CommitNumber?
    /// The objects of which the newest run that knows them says that they are deleted, and by which commit.
    private var deleted: [ObjectID: CommitNumber?] = [:]
    private let store: StoreIdentity
    private let snapshot: Snapshot

    init(_ store: StoreIdentity, eras: [Era]) {
      self.store = store
      snapshot = Snapshot(
        of: .none, RecordedTime(rawValue: .min), eras: eras, store: store.tag, layersBelow: [],
        SnapshotIndex())
    }

    /// The runs there are, the newest first, but for those that were written at once.
    static func runNames(in folder: any ReadableFolder) throws(StoreError) -> [String] {
      try onDiskOfStore { () throws(DiskError) in
        guard try folder.information(of: Checkpoint.folderName)?.kind == .folder else { return [] }
        return try folder.folderForReading(Checkpoint.folderName).names()
          .filter { $0.hasSuffix(Checkpoint.runExtension) }.sorted(by: >)
      }
    }

    /// - Parameter named: the run that the checkpoint names; nil where there is none that could.
    mutating func read(
      _ name: String, as named: Checkpoint.NamedRun?, in folder: any ReadableFolder, ofEra era: Int
    ) throws(StoreError) {
      var rows: [SoundRow] = []
      var lost: [Loss] = []
      do throws(RunError) {
        let files = try onDisk { () throws(DiskError) in
          try folder.folderForReading(Checkpoint.folderName)
        }
        let run = try Self.run(name, in: files, store: store)
        if let named, Checkpoint.NamedRun(run) != named {
          // What another says is of another state.
          lost = [.run(name)]
        } else {
          try run.forEachSound(losing: { lost.append($0) }) { rows.append($0) }
        }
      } catch {
        switch error {
        case .damaged: break
        case .disk(let cause) where cause.code == .notFound || cause.meetsNoFile: break
        default: throw StoreError(error)
        }
        lost = [.run(name)]
      }
      losses += lost
      for row in rows { take(row, ofEra: era, isNamed: named != nil) }
    }

    /// Opens a run, where its index or its footer is damaged with what its blocks say of themselves.
    private static func run(
      _ name: String, in folder: any ReadableFolder, store: StoreIdentity
    ) throws(RunError) -> Run {
      let cache = BlockCache(largestByteCount: 0)
      do throws(RunError) {
        return try Run(name, in: folder, store: store, cache: cache)
      } catch {
        guard case .damaged = error,
          let run = try Run(searching: name, in: folder, store: store, cache: cache)
        else { throw error }
        return run
      }
    }

    private mutating func take(_ each: SoundRow, ofEra era: Int, isNamed: Bool) {
      let object = each.object
      if let changed = each.changed { lastChanged = max(lastChanged ?? changed, changed) }
      if known[object] != nil || deleted[object] != nil {
        // Only a checkpoint says which of two rows is the newer one; without it, the commits do.
        guard !isNamed, let before = known[object]?.changed ?? deleted[object] ?? nil,
          let changed = each.changed, changed > before
        else { return }
      }
      let last = max(0, snapshot.eras.count - 1)
      if let row = snapshot.convert(each.row, of: object, from: era, to: last) {
        // Of a row of an older model nobody knows what the values became that cannot be read.
        let isKnown = era == last || each.unread.isEmpty
        known[object] = Known(
          row: row, changed: each.changed, unread: isKnown ? each.unread : nil)
        deleted[object] = nil
      } else {
        known[object] = nil
        deleted.updateValue(each.changed, forKey: object)
      }
    }
  }
}
