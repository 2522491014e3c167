internal import DiskAccess
internal import ObjectModel

/// The indexes of a checkpoint: their numbers, and the files of their entries.
struct CheckpointIndexes: Hashable, Sendable {
  /// An index that is kept: a key and the entity that declares it, and the number its entries have.
  struct Kept: Hashable, Sendable {
    let key: KeyNumber
    let entity: EntityNumber
    let number: IndexNumber
  }

  /// In the order of their numbers.
  private(set) var kept: [Kept] = []
  /// The number that the next index gets.
  private(set) var next = IndexNumber(rawValue: 1)
  /// The newest first.
  private(set) var runs: [Checkpoint.NamedRun] = []

  init() {}

  /// The indexes of a snapshot, with runs that have all their entries.
  init(_ index: SnapshotIndex, runs: [IndexRun]) {
    for (place, each) in index.indexing.indexes.enumerated() {
      guard let number = index.numbers[place] else { continue }
      kept.append(Kept(key: each.key, entity: each.entity, number: number))
    }
    kept.sort { $0.number < $1.number }
    next = index.next
    self.runs = runs.map(Checkpoint.NamedRun.init)
  }

  /// Indexes as a file has them; nil where their numbers do not ascend, or are not below the next.
  init?(_ kept: [Kept], next: IndexNumber, runs: [Checkpoint.NamedRun]) {
    let numbers = kept.map(\.number) + [next]
    guard zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }), next.rawValue > 0 else {
      return nil
    }
    (self.kept, self.next, self.runs) = (kept, next, runs)
  }

  func number(of key: KeyNumber, _ entity: EntityNumber) -> IndexNumber? {
    kept.first { $0.key == key && $0.entity == entity }?.number
  }

  /// Opens the runs; where they are damaged or not there, the indexes are lost, and made anew later.
  func opened(
    _ indexing: Indexing, _ open: (String) throws(RunError) -> IndexRun
  ) throws(StoreError) -> SnapshotIndex {
    do throws(RunError) {
      let opened = try runs.map { run throws(RunError) in try open(run.name) }
      if let (run, _) = zip(runs, opened).first(where: { $0 != Checkpoint.NamedRun($1) }) {
        return SnapshotIndex(lost: .runReplaced(run.name), indexing)
      }
      return SnapshotIndex(self, indexing, runs: opened)
    } catch {
      switch error {
      case .damaged: break
      case .disk(let cause) where cause.code == .notFound: break
      default: throw StoreError(error)
      }
      return SnapshotIndex(lost: StoreError(error), indexing)
    }
  }
}
