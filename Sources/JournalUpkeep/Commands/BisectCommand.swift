internal import DiskAccess
internal import JournalInspection
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal bisect`: finds the commit from which on something is no more as it was.
extension Command {
  static func bisect(running program: @escaping ProgramRunner) -> Command {
    Command(
      "bisect", "Finds the commit from which on a command fails, by halves.",
      details: [
        "The command is run for one commit after the other, with XJOURNAL_STORE and XJOURNAL_COMMIT in its environment, and "
          + "the number of the commit in the place of every word that is {}. Where it ends with 0 the commit is good, with "
          + "125 it cannot be told, with anything else below 126 it is bad. With 64 to 78, by which programs tell that they were "
          + "misused or met with damage, and with 126 or more, by which a shell tells that it could not run one, the search is "
          + "broken off, and ends with 64.",
        "The two commits that are named are tried first. Where they are not as they are said to be the search does not begin, "
          + "and it ends with 1, as it does where all commits that are left cannot be told. Nothing is changed.",
      ],
      examples: [
        Example(
          "xjournal bisect 2 head -- xjournal get Post/2 --at {}",
          "the first commit at which an object is there no more"),
        Example(
          "xjournal bisect v1 head -- sh check.sh", "a script, which asks $XJOURNAL_COMMIT"),
      ],
      operands: [
        Operand("GOOD", "a commit at which the command succeeds"),
        Operand("BAD", "a later one at which it fails"),
        Operand("COMMAND", "the command, behind --", isRepeated: true),
      ],
      notTravellingAs: "the two states are named by themselves, as in ‘bisect 2 head’.",
      isPaged: false
    ) { (request) throws(ToolError) in
      let store = try request.store()
      let good = try Reference(request.operands[0], now: request.now).commit(in: store)
      let bad = try Reference(request.operands[1], now: request.now).commit(in: store)
      guard good < bad else {
        throw .usage("the good commit, \(good), must come before the bad one, \(bad).")
      }
      var bisection = Bisection(
        good: good, bad: bad, Array(request.operands.dropFirst(2)), try request.path(),
        request.output, program)
      return try bisection.run(in: store)
    }
  }
}

/// A search by halves for the first bad commit.
private struct Bisection {
  private var good: UInt64
  private var bad: UInt64
  /// Commits of which it cannot be told.
  private var untold: Set<UInt64> = []
  private var stepCount = 0
  private let words: [String]
  private let path: String
  private let output: Output
  private let program: ProgramRunner

  init(
    good: CommitNumber, bad: CommitNumber, _ words: [String], _ path: String, _ output: Output,
    _ program: @escaping ProgramRunner
  ) {
    (self.good, self.bad) = (good.rawValue, bad.rawValue)
    self.words = words
    self.path = path
    self.output = output
    self.program = program
  }

  mutating func run(in store: StoreReader) throws(ToolError) -> ExitStatus {
    try check(good, isGood: true)
    try check(bad, isGood: false)
    while let next = nextToTry() {
      switch try status(at: next) {
      case 0: good = next
      case 125: untold.insert(next)
      default: bad = next
      }
    }
    let isFound = bad == good + 1
    guard !output.isJSON else {
      output.json(
        .document(
          "bisection",
          [
            ("first", isFound ? .count(bad) : .null), ("good", .count(good)), ("bad", .count(bad)),
            ("steps", .count(stepCount)),
          ]))
      return isFound ? .fine : .no
    }
    guard isFound else {
      output.line(
        "one of the commits \(good + 1) to \(bad) is the first bad one; of those between it cannot be told."
      )
      return .no
    }
    output.line(
      "\("commit \(bad)", .heading) is the first bad one, found in \(Wording.count(stepCount, "step")):"
    )
    var printer = CommitPrinter(store, .objects, output)
    let number = CommitNumber(rawValue: bad)
    try onStore { () throws(StoreError) in try printer.show(try store.content(of: number)) }
    return .fine
  }

  /// Refuses a commit at which the command does not do what is said of it: what is found by that would be found by chance.
  private mutating func check(_ commit: UInt64, isGood: Bool) throws(ToolError) {
    let status = try status(at: commit)
    guard status == 125 || (status == 0) != isGood else { return }
    throw .no(
      "‘\(words[0])’ ends with \(status) at commit \(commit), which is to be \(isGood ? "good" : "bad"); name another commit, or "
        + "mend the command.")
  }

  /// The commit nearest to the middle of which nothing is known yet.
  private func nextToTry() -> UInt64? {
    guard bad > good + 1 else { return nil }
    let middle = good + (bad - good) / 2
    // Of those that cannot be told there are few, or nothing can be found.
    for distance in 0...(bad - good) {
      for candidate in [middle + distance, middle &- distance]
      where candidate > good && candidate < bad && !untold.contains(candidate) {
        return candidate
      }
    }
    return nil
  }

  /// What the command ends with at a commit.
  private mutating func status(at commit: UInt64) throws(ToolError) -> Int32 {
    stepCount += 1
    output.flush()
    let variables = ["XJOURNAL_STORE": path, "XJOURNAL_COMMIT": "\(commit)"]
    guard let status = program(words.map { $0 == "{}" ? "\(commit)" : $0 }, variables) else {
      throw .usage("‘\(words[0])’ cannot be run; check its name, and that it may be executed.")
    }
    guard status < 126, !(64...78).contains(status) else {
      throw .usage(
        "‘\(words[0])’ ended with \(status) at commit \(commit), which is no verdict; the search was broken off."
      )
    }
    let verdict = status == 0 ? "good" : status == 125 ? "untold" : "bad"
    if output.isJSON {
      output.json(
        .document(
          "bisectionStep",
          [
            ("commit", .count(commit)), ("status", .count(status)), ("verdict", .string(verdict)),
          ]))
    } else {
      output.note("commit \(commit): \(verdict, status == 0 ? .added : .removed)")
    }
    return status
  }
}
