import Glibc

// Measures the journal and the store against the floors they stand on and their peers; Tools/bench/run
// builds and starts it.

let options: Options
do {
  options = try Options(Array(CommandLine.arguments.dropFirst()))
} catch {
  refuse("\(error.words) See Tools/bench/run --help.")
}

let workplace = Workplace(path: options.place)
if let what = options.opening {
  print(try Opening(of: what, at: workplace.path).line)
  exit(0)
}

if let path = options.hotPath {
  try path.run(options.rounds, at: try workplace.emptyFolder(path.rawValue))
  exit(0)
}

if let editCount = options.soakEditCount {
  exit(try Soak(workplace: workplace, editCount: editCount).run() ? 0 : 1)
}

let bench = Bench(workplace: workplace, rounds: options.rounds, objectCount: options.rows)
let journal = JournalLines(workplace: workplace, rounds: bench.rounds)
let saving = SavingLines(bench: bench)
let indexes = IndexLines(bench: bench)
let objects = ObjectLines(bench: bench)
let library = Library(bench)
let (opening, reading, history) = (
  OpeningLines(library: library), ReadingLines(library: library), HistoryLines(library: library)
)
let patching = PatchLines(library: library)

/// What measures the lines, by what `--line` calls them.
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
  ("E1", { try SessionLines(bench: bench).text() }),
  ("D1", { [try patching.difference(), try patching.pastDifference()] }),
  ("D2", { [try patching.applying()] }),
]

let unknown = options.lines.subtracting(families.map(\.name)).sorted()
guard unknown.isEmpty else {
  let known = families.map(\.name).joined(separator: ", ")
  refuse("There is no line \(unknown.joined(separator: ", ")); there are \(known).")
}
var comparisons: [Comparison] = []
for family in families where options.lines.isEmpty || options.lines.contains(family.name) {
  comparisons += try family.measure()
}
try Results(options: options, comparisons: comparisons).tell()

// The table first, also where it goes into a pipe.
fflush(nil)
if comparisons.contains(where: { !$0.isReached }) { exit(1) }
