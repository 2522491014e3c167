package import Journaling
package import ObjectModel

/// How far a save has gone when it returns.
public enum Durability: Int, Hashable, Comparable, Sendable {
  /// It is in memory; it is written soon after. For tests. Where it cannot be written, it is gone, and the store takes
  /// no more saves until it is opened again.
  case memory
  /// It survives the end of the process, but not of the power.
  case written
  /// It survives the end of the power.
  case synced

  /// Whether the first promises less.
  public static func < (one: Durability, other: Durability) -> Bool {
    one.rawValue < other.rawValue
  }
}

/// How a store is kept.
public struct StoreOptions: Sendable {
  /// How far a save has gone when it returns, unless the save asks for more.
  public var durability: Durability = .synced
  /// Whether a store is made where there is none.
  public var makesStore = true
  /// Whether a store may be on a network file system, where locks and syncs cannot be trusted.
  public var allowsNetworkFileSystems = false
  /// How many bytes of memory changes may take before they are written into a run.
  public var unflushedByteCount = 32 << 20
  /// How many bytes of runs are kept decompressed, and how many of past commits.
  public var cacheByteCount = 32 << 20
  /// How many bytes of memory changes must take, or the journal since the last checkpoint, for one to be written at
  /// closing.
  package var closingByteCount = 256 << 10
  /// How much the journal may grow until a checkpoint is written: so much is read at opening.
  package var replayByteCount = 64 << 20
  /// The length from which on a segment is sealed with a checkpoint.
  package var rollingByteCount: UInt64 = 1 << 20
  /// How runs are written.
  package var run = RunOptions()
  /// The numbers that entities get which are new, by their names, where that is known of another store.
  package var entityNumbers: [String: EntityNumber] = [:]
  /// How the journal is kept.
  package var journal = JournalOptions()

  /// The defaults, which suit a program on a disk of today.
  public init() {}
}
