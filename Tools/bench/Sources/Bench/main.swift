import DiskAccess
import Glibc

// Measures the journal against the floor it stands on; Tools/bench/run builds and starts it.

let arguments = CommandLine.arguments.dropFirst()
let path = arguments.first ?? "."
let roundsIndex = arguments.firstIndex(of: "--rounds").map { $0 + 1 }
let rounds = roundsIndex.flatMap { $0 < arguments.endIndex ? Int(arguments[$0]) : nil } ?? 5
let lines = JournalLines(path: path, rounds: rounds)

let comparisons = [
  try lines.oneThread(saves: 3000),
  try lines.manyThreads(16, savesPerThread: 1000),
  try lines.edits(300_000, against: .checked),
  try lines.edits(1_000_000, against: .checked, sealing: true),
  try lines.edits(300_000, against: .copied),
  try lines.reading(frames: 1000),
]

if arguments.contains("--json") {
  print("{\"lines\": [\(comparisons.map(\.json).joined(separator: ", "))]}")
} else {
  let header = ["line", "work", "ours", "floor", "ratio", "goal", ""]
  let rows = [header] + comparisons.map(\.row)
  let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
  for row in rows {
    let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
    print(cells.joined(separator: "  "))
  }
}

// The table first, also where it goes into a pipe.
fflush(nil)
if comparisons.contains(where: { !$0.isReached }) { exit(1) }
