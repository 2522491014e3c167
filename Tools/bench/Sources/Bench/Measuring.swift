import DiskAccess

/// Measures ours and the floor in turn, several rounds in one run, so that both meet the same machine.
struct Comparison {
  let line: String
  let what: String
  let unit: String
  /// The least ratio of ours to the floor; nil where the line is only there to be seen.
  let goal: Double?
  var ours: [Double] = []
  var floor: [Double] = []

  mutating func round(ours: Double, floor: Double) {
    self.ours.append(ours)
    self.floor.append(floor)
  }

  /// The median of the rounds' own ratios.
  var ratio: Double { median(zip(ours, floor).map { $0 / $1 }) }
  var isReached: Bool { goal.map { ratio >= $0 } ?? true }

  var row: [String] {
    [
      line, what, thousands(median(ours)) + unit, thousands(median(floor)) + unit,
      fixed(ratio) + " (\(spread))", goal.map { "≥ " + fixed($0) } ?? "–",
      goal == nil ? "–" : isReached ? "reached" : "MISSED",
    ]
  }

  private var spread: String {
    let ratios = zip(ours, floor).map { $0 / $1 }.sorted()
    return fixed(ratios.first ?? 0) + "–" + fixed(ratios.last ?? 0)
  }

  var json: String {
    "{\"line\": \"\(line)\", \"ours\": \(median(ours)), \"floor\": \(median(floor)), "
      + "\"ratio\": \(ratio), \"peers\": {}, \"goal\": \(goal.map { "\($0)" } ?? "null"), "
      + "\"reached\": \(isReached)}"
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
}

func fixed(_ value: Double) -> String {
  let hundredths = Int((value * 100).rounded())
  let rest = hundredths % 100
  return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
}

func thousands(_ value: Double) -> String {
  var digits = Array(String(Int(value.rounded())))
  for position in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: position) }
  return String(digits)
}

/// How often a second something done `count` times was done.
func perSecond(_ count: Int, _ disk: PosixDisk, _ body: () throws -> Void) rethrows -> Double {
  let start = disk.steadyClock()
  try body()
  return Double(count) * 1e9 / Double(disk.steadyClock() - start)
}

/// Bytes like those of events: small numbers, repeated keys, short strings that differ.
struct EventBytes {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func number() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += [
        2, 1, UInt8(truncatingIfNeeded: number()), UInt8(truncatingIfNeeded: number() & 3), 5,
      ]
      bytes += Array("title \(number() % 100_000)".utf8)
    }
    return Array(bytes.prefix(count))
  }
}
