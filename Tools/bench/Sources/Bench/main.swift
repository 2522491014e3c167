import Glibc

// Measures the journal and the store against the floors they stand on and their peers; Tools/bench/run
// builds and starts it.

let arguments = Array(CommandLine.arguments.dropFirst())
func argument(_ name: String) -> String? {
  guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
  return arguments[index + 1]
}

let workplace = Workplace(path: arguments.first ?? ".")
if let what = argument("--opening") {
  print(try Opening(of: what, at: workplace.path).line)
  exit(0)
}

let bench = Bench(
  workplace: workplace, rounds: argument("--rounds").flatMap { Int($0) } ?? 5,
  objectCount: argument("--objects").flatMap { Int($0) } ?? 1_000_000)
let journal = JournalLines(workplace: workplace, rounds: bench.rounds)
let saving = SavingLines(bench: bench)
let indexes = IndexLines(bench: bench)
let objects = ObjectLines(bench: bench)
let library = Library(bench)
let (opening, reading, history) = (
  OpeningLines(library: library), ReadingLines(library: library), HistoryLines(library: library)
)
let patching = PatchLines(library: library)

/// What measures the lines, by what `--only` calls them.
let families: [(name: String, measure: () throws -> [Comparison])] = [
  ("J1", { [try journal.oneThread(saves: 3000)] }),
  ("J2", { [try journal.manyThreads(16, savesPerThread: 1000)] }),
  (
    "J3",
    {
      [
        try journal.edits(300_000, against: .checked),
        try journal.edits(1_000_000, against: .checked, sealing: true),
        try journal.edits(300_000, against: .copied),
      ]
    }
  ),
  ("J4", { [try journal.reading(frames: 1000)] }),
  ("P1", { try saving.oneThread(saves: 3000) }),
  ("P2", { try saving.inserting() }),
  ("P3", { try objects.editing() }),
  ("P4", { [try opening.recovery(), try opening.clean()] }),
  ("P4h", { try opening.withHistory() }),
  ("P5", { try reading.warm() + [try reading.cold()] }),
  ("P6", { try reading.filter() }),
  ("P6i", { try indexes.filter() }),
  ("P7", { try history.size() }),
  ("P8", { [try history.pastState(), try history.pastObject()] }),
  ("P9", { try saving.manyThreads(16, savesPerThread: 1000) }),
  ("P10", { try history.compaction() }),
  ("P11", { [try opening.memory(), try opening.objectMemory()] }),
  ("P12", { try indexes.toMany() }),
  ("D1", { [try patching.difference(), try patching.pastDifference()] }),
  ("D2", { [try patching.applying()] }),
]

let wanted = argument("--only").map { Set($0.split(separator: ",").map(String.init)) }
if let unknown = wanted?.subtracting(families.map(\.name)).sorted(), !unknown.isEmpty {
  let known = families.map(\.name).joined(separator: ", ")
  print("There is no line \(unknown.joined(separator: ", ")); there are \(known).")
  exit(2)
}
var comparisons: [Comparison] = []
for family in families where wanted?.contains(family.name) ?? true {
  comparisons += try family.measure()
}

if arguments.contains("--json") {
  print("{\"lines\": [\(comparisons.map(\.json).joined(separator: ", "))]}")
} else {
  let rows = [Comparison.header] + comparisons.map(\.row)
  let widths = Comparison.header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  for row in rows {
    let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
    print(cells.joined(separator: "  "))
  }
}

// The table first, also where it goes into a pipe.
fflush(nil)
if comparisons.contains(where: { !$0.isReached }) { exit(1) }
