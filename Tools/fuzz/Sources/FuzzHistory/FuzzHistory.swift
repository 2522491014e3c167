// Opens stores whose journal says what no store would: the events and commits are hostile, the frames are sound. What
// opens is read, worked with, compacted, closed and opened again, and has the same objects then.

internal import DiskSimulation
internal import FuzzSupport
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The first byte: bit 0, whether what the bytes say comes behind a sound history with a checkpoint, or is all there is;
/// bit 1, whether the store is opened for writing, or only read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHistory(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  do {
    let past = try Past.shared.get()
    let disk = (input.has(0) ? past.sound : past.empty).imageAfterProcessDeath()
    try append(HistoryInput(input.bytes), to: disk)
    refusal { () throws(StoreError) in try read(disk) }
    if input.has(1) { write(disk) }
  } catch {
    expect(false, "a disk in memory gives no failure: \(error)")
  }
  return 0
}

/// What histories come behind.
private struct Past {
  static let shared = Result { try Past() }
  static let path = "store"

  let sound = SimulatedDisk(seed: 1)
  let empty = SimulatedDisk(seed: 1)

  init() throws {
    try IndexedStore.make(on: sound, at: Self.path)
    try journal(on: empty).close()
  }
}

private func journal(on disk: SimulatedDisk) throws(JournalError) -> Journal {
  try Journal.open(on: disk, at: Past.path, options: IndexedStore.options.journal).journal
}

private func append(_ history: HistoryInput, to disk: SimulatedDisk) throws(JournalError) {
  let journal = try journal(on: disk)
  try history.append(to: journal)
  try journal.close()
}

/// Does something that a hostile history may refuse.
private func refusal(_ body: () throws(StoreError) -> Void) {
  do throws(StoreError) {
    try body()
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    expect(error.code != .disk, "a disk in memory gives no failure: \(error)")
  }
}

private func rows(of snapshot: Snapshot) throws(StoreError) -> [ObjectID: Row] {
  var rows: [ObjectID: Row] = [:]
  for entity in (snapshot.era?.entities ?? []).map(\.number) {
    try snapshot.forEach(entity) { (object, row) throws(StoreError) in
      rows[object] = row
      return true
    }
  }
  return rows
}

/// Asks a reader for the state, for what led to it, and for what was never saved.
private func read(_ disk: SimulatedDisk) throws(StoreError) {
  let reader = try StoreReader(on: disk, at: Past.path, cacheByteCount: 1 << 20)
  refusal { () throws(StoreError) in _ = try rows(of: reader.head) }
  refusal { () throws(StoreError) in
    var left = 20
    try reader.forEachCommit(since: .none) { commit in
      refusal { () throws(StoreError) in
        _ = try rows(of: try reader.snapshot(at: commit.number))
      }
      left -= 1
      return left > 0
    }
  }
  refusal { () throws(StoreError) in _ = try reader.events() }
  refusal { () throws(StoreError) in _ = try reader.unsavedWork() }
  refusal { () throws(StoreError) in
    for finding in try reader.verification(deep: true).findings {
      expect(!finding.description.isEmpty, "a finding has words")
    }
  }
}

/// Works with the store; where it could be closed in order, it opens again, with the same objects.
private func write(_ disk: SimulatedDisk) {
  var left: [ObjectID: Row]?
  refusal { () throws(StoreError) in left = try work(disk) }
  guard let left else { return }
  do throws(StoreError) {
    let again = try open(disk)
    expect(try rows(of: again.head) == left, "what was closed in order is there again")
    try again.close()
  } catch {
    expect(false, "what was closed in order opens again: \(error)")
  }
}

private func open(_ disk: SimulatedDisk) throws(StoreError) -> JournaledStore {
  let model: ManagedObjectModel
  do {
    model = try IndexedStore.model()
  } catch {
    preconditionFailure("the model is sound: \(error)")
  }
  return try JournaledStore(on: disk, at: Past.path, model: model, options: IndexedStore.options)
}

/// Takes drafts up and gives them up, saves, and compacts.
///
/// - Returns: the objects at the end; nil where they cannot be read.
private func work(_ disk: SimulatedDisk) throws(StoreError) -> [ObjectID: Row]? {
  let store = try open(disk)
  for draft in store.unsavedDrafts {
    refusal { () throws(StoreError) in store.giveUp(try store.resume(draft).0) }
  }
  refusal { () throws(StoreError) in try save(store) }
  refusal { () throws(StoreError) in _ = try store.verification(deep: true) }
  var (before, after): ([ObjectID: Row]?, [ObjectID: Row]?)
  refusal { () throws(StoreError) in before = try rows(of: store.head) }
  refusal { () throws(StoreError) in try store.checkpoint() }
  refusal { () throws(StoreError) in try store.compact(keeping: .latest) }
  refusal { () throws(StoreError) in after = try rows(of: store.head) }
  expect(before == nil || before == after, "compaction leaves every object as it is")
  try store.close()
  return after
}

private func save(_ store: JournaledStore) throws(StoreError) {
  let context = try store.beginContext(name: "fuzzed", on: store.lastCommit)
  let object = try store.newObject(of: IndexedStore.entities[0])
  try store.record(.inserted(object), by: context)
  do throws(CommitError) {
    _ = try store.commit(CommitRequest([.init(object, base: .none, nil, to: Row())]), by: context)
  } catch {
    guard case .store(let error) = error else { return }
    throw error
  }
  try store.endContext(context)
}
