/// A regular expression as steps, of which all that could be next are followed at once.
struct PatternProgram: Sendable {
  private enum Step: Sendable {
    case one(CharacterTest)
    case place(PatternPlace)
    /// Whether a look around from here finds something, or nothing.
    case around(Int, isWanted: Bool)
    case fork(Int, Int)
    case found
  }

  /// The most steps, with all that there is to compare: repeated parts count as often as they are repeated.
  private static let largestSize = 1 << 13
  /// The most looks around: of each is kept what it finds at every place of a text.
  private static let largestAroundCount = 16

  private var steps: [Step] = []
  /// What is looked for around a place, those before others that have them within; what lies ahead goes backward.
  private var arounds: [(steps: [Step], isAhead: Bool)] = []
  private(set) var size = 0

  init(_ part: PatternPart) throws(NoPattern) { steps = try steps(of: part, backward: false) }

  private mutating func steps(
    of part: PatternPart, backward: Bool
  ) throws(NoPattern) -> [Step] {
    var steps: [Step] = []
    try add(part, backward, to: &steps)
    steps.append(.found)
    return steps
  }

  private mutating func append(_ step: Step, to steps: inout [Step]) throws(NoPattern) {
    if case .one(let test) = step { size += test.size } else { size += 1 }
    guard size <= Self.largestSize else { throw NoPattern() }
    steps.append(step)
  }

  /// Adds the steps of a part: one at least, so that there is an end to what is repeated.
  private mutating func add(
    _ part: PatternPart, _ backward: Bool, to steps: inout [Step]
  ) throws(NoPattern) {
    switch part {
    case .one(let test): try append(.one(test), to: &steps)
    case .place(let place): try append(.place(place), to: &steps)
    case .sequence(let parts):
      if parts.isEmpty { try append(.fork(steps.count + 1, steps.count + 1), to: &steps) }
      for part in backward ? parts.reversed() : parts { try add(part, backward, to: &steps) }
    case .choice(let ways):
      var ends: [Int] = []
      for way in ways.dropLast() {
        let fork = steps.count
        try append(.fork(fork + 1, fork + 1), to: &steps)
        try add(way, backward, to: &steps)
        ends.append(steps.count)
        try append(.fork(0, 0), to: &steps)
        steps[fork] = .fork(fork + 1, steps.count)
      }
      if let last = ways.last { try add(last, backward, to: &steps) }
      for end in ends { steps[end] = .fork(steps.count, steps.count) }
    case .repeated(let part, let least, let most):
      try add(part, backward, least: least, most: most, to: &steps)
    case .around(let part, let isAhead, let isWanted):
      let looked = try self.steps(of: part, backward: isAhead)
      guard arounds.count < Self.largestAroundCount else { throw NoPattern() }
      arounds.append((looked, isAhead))
      try append(.around(arounds.count - 1, isWanted: isWanted), to: &steps)
    }
  }

  private mutating func add(
    _ part: PatternPart, _ backward: Bool, least: Int, most: Int?, to steps: inout [Step]
  ) throws(NoPattern) {
    for _ in 0..<least { try add(part, backward, to: &steps) }
    var forks: [Int] = []
    for _ in 0..<(most.map { $0 - least } ?? 1) {
      forks.append(steps.count)
      try append(.fork(steps.count + 1, 0), to: &steps)
      try add(part, backward, to: &steps)
    }
    if most == nil { try append(.fork(forks[0], forks[0]), to: &steps) }
    if most == 0 { try append(.fork(steps.count + 1, steps.count + 1), to: &steps) }
    for fork in forks { steps[fork] = .fork(fork + 1, steps.count) }
  }

  // MARK: Matching

  func matches(_ text: String) -> Bool {
    var isFound = false
    walk(steps, of: text, anywhere: false, seen(around: text)) { found in
      isFound = found
      return true
    }
    return isFound
  }

  func isFound(in text: String) -> Bool {
    var isFound = false
    walk(steps, of: text, anywhere: true, seen(around: text)) { found in
      isFound = found
      return !found
    }
    return isFound
  }

  /// What each look around finds at every place of a text.
  private func seen(around text: String) -> [[Bool]] {
    var tables: [[Bool]] = []
    for around in arounds {
      var table: [Bool] = []
      walk(around.steps, of: text, backward: around.isAhead, anywhere: true, tables) { found in
        table.append(found)
        return true
      }
      if around.isAhead { table.reverse() }
      tables.append(table)
    }
    return tables
  }

  /// Goes over a text, character by character.
  ///
  /// - Parameters:
  ///   - anywhere: whether a match may begin at every place, and not only at the first.
  ///   - tables: what looks around find at every place, from the first.
  ///   - tell: is told at every place whether a match ends there, and returns whether to go on. Where no match can
  ///     follow any more it is told once more.
  private func walk(
    _ steps: [Step], of text: String, backward: Bool = false, anywhere: Bool, _ tables: [[Bool]],
    _ tell: (Bool) -> Bool
  ) {
    var forward = text.makeIterator()
    var back = text.reversed().makeIterator()
    var place = backward ? (tables.first?.count ?? 1) - 1 : 0
    var front = Front(steps, tables)
    var near =
      backward
      ? Near(before: back.next(), behind: nil, further: nil)
      : Near(before: nil, behind: forward.next(), further: forward.next())
    var isFirst = true
    while true {
      if isFirst || anywhere { front.reach(0, at: place, near) }
      isFirst = false
      guard tell(front.isFound), let character = backward ? near.before : near.behind else {
        return
      }
      guard anywhere || !front.reached.isEmpty else {
        _ = tell(false)
        return
      }
      if backward {
        near = Near(before: back.next(), behind: character, further: near.behind)
        place -= 1
      } else {
        near = Near(before: character, behind: near.further, further: forward.next())
        place += 1
      }
      front.pass(character, to: place, near)
    }
  }

  /// The characters around a place.
  private struct Near {
    let before: Character?
    let behind: Character?
    let further: Character?
  }

  /// The steps that are reached at a place.
  private struct Front {
    let steps: [Step]
    let tables: [[Bool]]
    private(set) var reached: [Int] = []
    private(set) var isFound = false
    private var tried: [Int] = []
    /// At which turn each step was reached last.
    private var turns: [Int]
    private var turn = 1
    private var waiting: [Int] = []

    init(_ steps: [Step], _ tables: [[Bool]]) {
      (self.steps, self.tables) = (steps, tables)
      turns = Array(repeating: 0, count: steps.count)
    }

    mutating func pass(_ character: Character, to place: Int, _ near: Near) {
      swap(&reached, &tried)
      reached.removeAll(keepingCapacity: true)
      isFound = false
      turn += 1
      for step in tried {
        if case .one(let test) = steps[step], test.admits(character) {
          reach(step + 1, at: place, near)
        }
      }
    }

    mutating func reach(_ step: Int, at place: Int, _ near: Near) {
      waiting.append(step)
      while let step = waiting.popLast() {
        guard turns[step] != turn else { continue }
        turns[step] = turn
        switch steps[step] {
        case .one: reached.append(step)
        case .fork(let one, let other):
          waiting.append(other)
          if one != other { waiting.append(one) }
        case .place(let wanted):
          if wanted.isBetween(near.before, near.behind, isLast: near.further == nil) {
            waiting.append(step + 1)
          }
        case .around(let number, let isWanted):
          if tables[number][place] == isWanted { waiting.append(step + 1) }
        case .found: isFound = true
        }
      }
    }
  }
}
