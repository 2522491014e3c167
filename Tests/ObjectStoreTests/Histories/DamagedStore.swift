import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport

/// Stores whose files are damaged, and what has to be read from them all the same.
enum DamagedStore {
  static let path = StoreLife.path

  /// A store with a history in several segments and runs, closed.
  static func life(_ seed: UInt64, saves: Int = 24) throws -> StoreLife {
    var life = try StoreLife(seed: seed)
    for step in 1...saves {
      try life.save()
      if step % 7 == 0 { try life.roll() }
      if step % 6 == 2 { try life.store.checkpoint() }
    }
    try life.endContexts()
    try life.store.close()
    return life
  }

  static func open(_ disk: SimulatedDisk) throws -> JournaledStore {
    try JournaledStore(on: disk, at: path, model: try StoreLife.model(), options: .small)
  }

  /// The files that the manifest names, and no others.
  static func files(_ disk: SimulatedDisk, _ fileExtension: String) -> [String] {
    disk.paths.filter { $0.hasPrefix(path + "/snapshots/") && $0.hasSuffix(fileExtension) }
  }

  /// Compares every state with what it was.
  static func fault(in store: JournaledStore, _ states: [PlainState]) throws -> String? {
    guard store.lastCommit.rawValue == UInt64(states.count - 1) else {
      return "the last commit is \(store.lastCommit) of \(states.count - 1)"
    }
    for number in Int(store.firstKeptCommit.rawValue) - 1..<states.count {
      let past = try store.snapshot(at: CommitNumber(rawValue: UInt64(number))).plain()
      if past != states[number] { return "commit \(number) is another" }
    }
    var dice = Dice(seed: 1)
    if let fault = try IndexOracle(store.head, store.existingKey).fault(&dice) { return fault }
    return nil
  }
}
