/// Measures ours, the floor and the peers in turn, several rounds in one run, so that all meet the same
/// machine.
struct Comparison {
  let line: String
  let what: String
  var unit = Unit.perSecond
  /// What ours is to reach; nothing where the line is only there to be seen.
  var goals: [Goal] = []
  var ours: [Double] = []
  var floor: [Double] = []
  private(set) var peers: [(name: String, measured: [Double])] = []
  /// Where there are any.
  var syncs = SyncsPerSave()
  /// The most memory that each has taken beyond what the process had before, where that was looked at.
  private(set) var megabytes: [(name: String, most: Double)] = []
  /// The most that the folder of each has had on the disk, where it has one.
  private(set) var diskMegabytes: [(name: String, most: Double)] = []

  /// What a line is to reach.
  enum Goal {
    /// A ratio to the floor: no less for rates, no more for what is spent.
    case floor(Double)
    /// Better than each peer, or than those of some names, by a factor.
    case peers(of: Set<String>? = nil, by: Double = 1)
    /// No more than so much of the line's own unit, where there is nothing to compare with.
    case most(Double)
    /// The same of every round, where one that takes too long is one too many.
    case never(over: Double)
    /// No less than so much of it.
    case least(Double)
  }

  /// What is measured.
  enum Unit: String {
    case perSecond = "/s"
    case seconds = "s"
    case bytes = "B"
    case megabytes = "MB"
  }

  mutating func round(ours: Double, floor: Double) {
    self.ours.append(ours)
    self.floor.append(floor)
  }

  /// Notes what a peer took in the same round.
  mutating func peer(_ name: String, _ measured: Double) {
    if let index = peers.firstIndex(where: { $0.name == name }) {
      peers[index].measured.append(measured)
    } else {
      peers.append((name, [measured]))
    }
  }

  /// Notes what somebody has done in a round, and how: ours, the floor or a peer.
  mutating func add(_ counted: Counted, of name: String) {
    switch name {
    case Counted.ours: ours.append(counted.measured)
    case Counted.floor: floor.append(counted.measured)
    default: peer(name, counted.measured)
    }
    syncs.add(name, counted.syncs)
    if let grown = counted.megabytes { noteMemory(grown, of: name) }
    if let occupied = counted.diskMegabytes { Self.note(occupied, of: name, in: &diskMegabytes) }
  }

  /// Notes how much memory somebody has taken.
  mutating func noteMemory(_ grown: Double, of name: String = Counted.ours) {
    Self.note(grown, of: name, in: &megabytes)
  }

  /// Goes on with what another round has measured; of the first, which only warms, with the memory alone.
  mutating func take(_ measured: Comparison, round: Int) {
    if round > 0 {
      self = measured
    } else {
      for (name, most) in measured.megabytes { noteMemory(most, of: name) }
    }
  }

  /// Notes how many bytes somebody's folder has.
  mutating func noteDisk(_ byteCount: UInt64, of name: String = Counted.ours) {
    Self.note(Double(byteCount) / 1e6, of: name, in: &diskMegabytes)
  }

  private static func note(
    _ figure: Double, of name: String, in figures: inout [(name: String, most: Double)]
  ) {
    if let index = figures.firstIndex(where: { $0.name == name }) {
      figures[index].most = max(figures[index].most, figure)
    } else {
      figures.append((name, figure))
    }
  }

  /// The median of the rounds' own ratios.
  var ratio: Double { median(ratios(to: floor)) }
  /// The median of the rounds' ratios to the peer that is best.
  var peerRatio: Double? {
    let medians = peers.map { median(ratios(to: $0.measured)) }
    return unit == .perSecond ? medians.min() : medians.max()
  }

  var isReached: Bool { goals.allSatisfy(isReached) }

  private func ratios(to other: [Double]) -> [Double] { zip(ours, other).map { $0 / $1 } }

  private func isReached(_ goal: Goal) -> Bool {
    switch goal {
    case .floor(let factor): return unit == .perSecond ? ratio >= factor : ratio <= factor
    case .peers(let names, let factor):
      return peers.allSatisfy { peer in
        guard names?.contains(peer.name) ?? true else { return true }
        let ratio = median(ratios(to: peer.measured))
        return unit == .perSecond ? ratio >= factor : ratio * factor <= 1
      }
    case .most(let most): return median(ours) <= most
    case .never(let most): return ours.allSatisfy { $0 <= most }
    case .least(let least): return median(ours) >= least
    }
  }

  /// What is to be reached, in words.
  var goal: String { goals.isEmpty ? "–" : goals.map(words).joined(separator: ", ") }

  private func words(for goal: Goal) -> String {
    switch goal {
    case .floor(let factor): return (unit == .perSecond ? "≥ " : "≤ ") + fixed(factor)
    case .peers(let names, let factor):
      let whom = names.map { $0.sorted().joined(separator: ", ") } ?? "peers"
      return factor == 1 ? "beats \(whom)" : "≥ \(fixed(factor)) × \(whom)"
    case .most(let most): return "≤ \(unit.text(most))"
    case .never(let most): return "never over \(unit.text(most))"
    case .least(let least): return "≥ \(unit.text(least))"
    }
  }

  static let header = [
    "line", "work", "ours", "floor", "of the floor", "of the best peer", "goal", "", "peers",
    "syncs a save", "memory", "on disk",
  ]

  var row: [String] {
    [
      line, what, unit.text(median(ours)) + (floor.isEmpty ? oursSpread : ""),
      floor.isEmpty ? "–" : unit.text(median(floor)),
      floor.isEmpty ? "–" : fixed(ratio) + " (\(words(ratioSpread)))",
      peerRatio.map(fixed) ?? "–",
      goal,
      goals.isEmpty ? "–" : isReached ? "reached" : "MISSED",
      peers.map { "\($0.name) \(unit.text(median($0.measured)))" }.joined(separator: "; "),
      syncs.words,
      Self.words(megabytes), Self.words(diskMegabytes),
    ]
  }

  /// What ours has taken, and what its peers have, the least and the most of them.
  private static func words(_ figures: [(name: String, most: Double)]) -> String {
    let others = figures.filter { $0.name != Counted.ours && $0.name != Counted.floor }.map(\.most)
    let own = figures.first { $0.name == Counted.ours }.map { Unit.megabytes.text($0.most) } ?? "–"
    guard let least = others.min(), let most = others.max() else { return own }
    return own + "; peers \(fixed(least))–\(fixed(most))"
  }

  private var ratioSpread: [Double] { spread(of: ratios(to: floor)) }

  /// How far apart the rounds of ours are, in words, as parts of their median.
  private var oursSpread: String {
    let middle = median(ours)
    guard ours.count > 1, middle > 0 else { return "" }
    return " (\(words(spread(of: ours).map { $0 / middle })))"
  }

  private func spread(of values: [Double]) -> [Double] {
    [values.min(), values.max()].compactMap(\.self)
  }

  private func words(_ spread: [Double]) -> String { spread.map(fixed).joined(separator: "–") }

  var json: String {
    let peers = peers.map { "\(quoted($0.name)): \(median($0.measured))" }.joined(separator: ", ")
    let (floor, ratio) = floor.isEmpty ? ("null", "null") : ("\(median(floor))", "\(ratio)")
    return """
      {"line": \(quoted(line)), "work": \(quoted(what)), "unit": \(quoted(unit.rawValue)), "ours": \(median(ours)), \
      "floor": \(floor), "ratio": \(ratio), "peers": {\(peers)}, \
      "peerRatio": \(peerRatio.map { "\($0)" } ?? "null"), "goal": \(goals.isEmpty ? "null" : quoted(goal)), \
      "reached": \(goals.isEmpty ? "null" : "\(isReached)"), "spread": \(spread(of: ours)), \
      "ratioSpread": \(floor.isEmpty ? "null" : "\(ratioSpread)"), "syncs": \(syncs.json), \
      "megabytes": \(Self.json(megabytes)), "diskMegabytes": \(Self.json(diskMegabytes))}
      """
  }

  private static func json(_ figures: [(name: String, most: Double)]) -> String {
    "{\(figures.map { "\(quoted($0.name)): \($0.most)" }.joined(separator: ", "))}"
  }
}

extension Comparison.Unit {
  /// A measured number as people read it.
  func text(_ value: Double) -> String {
    switch self {
    case .perSecond: thousands(value) + "/s"
    case .seconds where value < 0.000_999: fixed(value * 1e6) + " µs"
    case .seconds where value < 0.999: fixed(value * 1e3) + " ms"
    case .seconds: fixed(value) + " s"
    case .bytes, .megabytes: fixed(value) + " " + rawValue
    }
  }
}

func median(_ values: [Double]) -> Double {
  let sorted = values.sorted()
  guard !sorted.isEmpty else { return 0 }
  return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
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
