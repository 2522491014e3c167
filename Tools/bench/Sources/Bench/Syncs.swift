import CSyncCount
import Synchronization

/// How many syncs what is timed has cost, so that nobody is compared with saves that were not made durable.
///
/// Counted are the calls of all libraries in this process; LMDB's second write of a save, to a file that it has
/// opened for synced writes, is none.
enum Syncs {
  /// All since the process began.
  static var count: Int { sync_count() }

  private static let timed = Atomic(0)
  private static let saves = Atomic(0)

  /// Notes what some saves have cost.
  static func add(_ syncs: Int, of saveCount: Int) {
    timed.add(syncs, ordering: .relaxed)
    saves.add(saveCount, ordering: .relaxed)
  }

  /// Measures something, and how many syncs it costs for each save; nil where there are none.
  static func counted(
    _ body: () throws -> Double
  ) rethrows -> (measured: Double, syncs: Double?) {
    _ = take()
    return (try body(), take())
  }

  /// How many there were for each save since this was last asked.
  private static func take() -> Double? {
    let syncs = timed.exchange(0, ordering: .relaxed)
    let saveCount = saves.exchange(0, ordering: .relaxed)
    return syncs > 0 && saveCount > 0 ? Double(syncs) / Double(saveCount) : nil
  }
}

/// What a comparison has counted of syncs for each save, by who saved.
struct SyncsPerSave {
  private(set) var counted: [(name: String, measured: [Double])] = []

  static let (ours, floor) = ("ours", "floor")

  /// Notes those of one round.
  mutating func add(_ name: String, _ syncs: Double?) {
    guard let syncs else { return }
    if let index = counted.firstIndex(where: { $0.name == name }) {
      counted[index].measured.append(syncs)
    } else {
      counted.append((name, [syncs]))
    }
  }

  /// The fewest of any round.
  func fewest(of name: String) -> Double {
    counted.first { $0.name == name }?.measured.min() ?? 0
  }

  var words: String {
    counted.isEmpty
      ? "–"
      : counted.map { "\($0.name) \(fixed(median($0.measured)))" }.joined(separator: "; ")
  }

  var json: String {
    let members = counted.map { "\(quoted($0.name)): \(median($0.measured))" }
    return counted.isEmpty ? "null" : "{\(members.joined(separator: ", "))}"
  }
}

extension Comparison {
  /// Throws where somebody has not made each save durable, who saves alone.
  func requireSyncs() throws {
    for name in [SyncsPerSave.ours, SyncsPerSave.floor] + peers.map(\.name) {
      let fewest = syncs.fewest(of: name)
      guard fewest >= 1 else {
        throw BenchError.wrongResult("\(line): \(name) has \(fewest) syncs a save")
      }
    }
  }
}
