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

  /// How many there were for each save since this was last asked; nil where there are none.
  static func take() -> Double? {
    let syncs = timed.exchange(0, ordering: .relaxed)
    let saveCount = saves.exchange(0, ordering: .relaxed)
    return syncs > 0 && saveCount > 0 ? Double(syncs) / Double(saveCount) : nil
  }
}

/// What somebody has done, and what that has cost.
struct Counted {
  let measured: Double
  /// For each save; nil where there are none.
  let syncs: Double?
  /// The most memory that it has taken beyond what the process had before, pages of mapped files too.
  let megabytes: Double?
  /// What its folder had on the disk at the end; nil where nobody has said so.
  let diskMegabytes: Double?

  static let (ours, floor) = ("ours", "floor")

  init(_ body: () throws -> Double) throws {
    _ = (Syncs.take(), FolderSize.take())
    let before = try Opening.residentMegabytes
    try Opening.forgetPeak()
    measured = try body()
    syncs = Syncs.take()
    megabytes = max(0, try Opening.peakMegabytes - before)
    diskMegabytes = FolderSize.take().map { Double($0) / 1e6 }
  }
}

/// How many bytes the folder has that something is done in, which is gone when it has been done.
enum FolderSize {
  private static let noted = Atomic(0)

  static func note(_ byteCount: UInt64) { noted.store(Int(byteCount), ordering: .relaxed) }

  /// What was noted since this was last asked; nil where nothing was.
  static func take() -> Int? {
    let byteCount = noted.exchange(0, ordering: .relaxed)
    return byteCount > 0 ? byteCount : nil
  }
}

/// What a comparison has counted of syncs for each save, by who saved.
struct SyncsPerSave {
  private(set) var counted: [(name: String, measured: [Double])] = []

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
    for name in [Counted.ours] + (floor.isEmpty ? [] : [Counted.floor]) + peers.map(\.name) {
      let fewest = syncs.fewest(of: name)
      guard fewest >= 1 else {
        throw BenchError.wrongResult("\(line): \(name) has \(fewest) syncs a save")
      }
    }
  }
}
