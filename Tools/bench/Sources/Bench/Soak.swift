import DiskAccess
import ManagedObjects
import ObjectModel
import ObjectStore

/// Edits by the hundred million with a rolling compaction: whether what an edit costs, and memory and disk, stay as they
/// are.
struct Soak {
  let workplace: Workplace
  let editCount: Int

  /// So many edits are a stretch, of which the figures are told, and behind which the past before it is dropped.
  private static let stretchEditCount = 1_000_000
  private static let saveEditCount = 1_000
  private static let noteCount = 10_000
  /// By how much the last quarter of the stretches may differ from the first.
  private static let tolerance = 1.25

  private struct Stretch {
    let nanoseconds: Double
    /// What processors have worked of that, and for the compaction: other programs change it least.
    let workNanoseconds: Double
    let compactionSeconds: Double
    let compactionWorkSeconds: Double
    let memoryMegabytes: Double
    let diskMegabytes: Double
  }

  /// - Returns: whether all stays as it is.
  func run() throws -> Bool {
    let store = try NoteStore(try workplace.emptyFolder("soak")) { $0.durability = .written }
    var source = NoteSource(Self.noteCount)
    let first = NoteContext(store)
    var notes = source.next()
    while !notes.isEmpty {
      try first.insert(notes)
      notes = source.next()
    }
    first.context.close()
    var chance = Chance(seed: 3)
    var stretches: [Stretch] = []
    print("edits  ns an edit  of work  s a compaction  of work  MB memory  MB disk")
    for number in 1...max(4, editCount / Self.stretchEditCount) {
      let stretch = try stretch(of: store, &chance)
      stretches.append(stretch)
      print(
        "\(thousands(Double(number * Self.stretchEditCount)))  \(fixed(stretch.nanoseconds))  "
          + "\(fixed(stretch.workNanoseconds))  \(fixed(stretch.compactionSeconds))  "
          + "\(fixed(stretch.compactionWorkSeconds))  \(fixed(stretch.memoryMegabytes))  "
          + "\(fixed(stretch.diskMegabytes))")
    }
    let findings = try store.store.verify(deep: true)
    try store.store.close()
    try workplace.remove("soak")
    for finding in findings { print("not sound: \(finding)") }
    return judge(stretches) && findings.isEmpty
  }

  /// A context edits and saves; then what came before it is dropped.
  private func stretch(of store: NoteStore, _ chance: inout Chance) throws -> Stretch {
    let context = NoteContext(store)
    context.context.levelsOfUndo = 10
    guard let rank = context.context.resolvedKey("rank", of: "StoredNote") else {
      throw BenchError.wrongResult("no key")
    }
    let since = store.store.lastCommit
    let objects = try (1...Self.noteCount).map { try context.note($0) }
    let begun = try Opening.processorSeconds
    let time = try seconds(workplace.disk) {
      for edit in 1...Self.stretchEditCount {
        objects[chance.number(below: objects.count)][rank] = .integer(edit)
        if edit % Self.saveEditCount == 0 { try context.context.save() }
      }
    }
    context.context.close()
    let edited = try Opening.processorSeconds
    let compaction = try seconds(workplace.disk) {
      try store.store.compact(keeping: .commits(since: since))
    }
    return Stretch(
      nanoseconds: time / Double(Self.stretchEditCount) * 1e9,
      workNanoseconds: (edited - begun) / Double(Self.stretchEditCount) * 1e9,
      compactionSeconds: compaction,
      compactionWorkSeconds: try Opening.processorSeconds - edited,
      memoryMegabytes: try Opening.residentMegabytes,
      diskMegabytes: Double(try workplace.byteCount(of: "soak")) / 1e6)
  }

  /// Tells how the last quarter compares with the first, but for the very first stretch, which warms.
  private func judge(_ stretches: [Stretch]) -> Bool {
    let warm = stretches.dropFirst()
    let count = max(1, warm.count / 4)
    var isFlat = true
    for (name, figure) in [
      ("work an edit", \Stretch.workNanoseconds),
      ("work of a compaction", \.compactionWorkSeconds),
      ("memory", \.memoryMegabytes), ("disk", \.diskMegabytes),
    ] {
      let ratio =
        median(warm.suffix(count).map { $0[keyPath: figure] })
        / median(warm.prefix(count).map { $0[keyPath: figure] })
      let isKept = ratio <= Self.tolerance
      isFlat = isFlat && isKept
      print("\(name): the end is \(fixed(ratio)) of the beginning\(isKept ? "" : ": IT GROWS")")
    }
    return isFlat
  }
}
