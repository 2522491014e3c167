internal import FoundationEssentials
package import ObjectModel
internal import ObjectPatching
package import ObjectStore

/// `xjournal replay`: the journal step by step.
extension Command {
  package static let replay = Command(
    "replay", "Goes through the journal step by step: edits, and the commits they became.",
    details: [
      "With --speed the steps come with the pauses that were between them, so many times faster; none takes more than "
        + "two seconds. With --check the commits are folded from their edits again, and compared."
    ],
    examples: [
      Example("xjournal replay --until 2", "how the first two commits came about"),
      Example(
        "xjournal replay --speed 100000", "everything, a hundred thousand times as fast as it was"),
      Example("xjournal replay --check", "and whether the edits add up to the commits"),
    ],
    options: [
      Option("until", value: "REF", "only up to this time or commit; --at says the same"),
      Option("speed", value: "FACTOR", "in time, so many times faster than it was"),
      Option("check", "compare the commits with what their edits add up to"),
    ],
    travels: true, passCount: 2
  ) { (request) throws(ToolError) in
    let store = try request.store()
    let last = try request.lastReplayed(in: store)
    var steps = try ReplaySteps(store, request, speed: try request.speed(), through: last)
    if try last.map({ (last) throws(ToolError) in try store.hasEvents(through: last) }) ?? true {
      try request.forEachEvent(of: store) { next in
        steps.pass(before: next)
      } _: { (event) throws(StoreError) in
        try steps.take(event)
      }
    }
    guard request.has("check") else { return .fine }
    let verification = try onStore { () throws(StoreError) in try store.verification(deep: true) }
    request.tellsFindings = true
    verification.noteDamage(in: request.output)
    for finding in verification.toldFindings { request.output.tell(ToolError(finding)) }
    if request.output.isJSON {
      request.output.json(
        .document(
          "check",
          [
            ("comparedCommits", .count(verification.comparedCount(of: store))),
            ("findings", .array(verification.toldFindings.map { .string($0.told) })),
          ]))
    } else {
      let count = Wording.count(verification.comparedCount(of: store), "commit")
      request.output.line(
        verification.findings.isEmpty
          ? "\("checked:", .added) \(count), each what its edits add up to."
          : "\("checked:", .removed) \(count).")
    }
    return verification.status
  }
}

extension Request {
  /// The commit up to which is replayed; nil where nothing is said of that.
  package func lastReplayed(in store: StoreReader) throws(ToolError) -> CommitNumber? {
    var last: CommitNumber?
    for text in [self["until"], self["at"]].compactMap(\.self) {
      let number = try Reference(text, now: now).commit(in: store)
      last = min(last ?? number, number)
    }
    return last
  }

  /// How many times faster; nil for as fast as can be.
  fileprivate func speed() throws(ToolError) -> Double? {
    guard let text = self["speed"] else { return nil }
    guard let speed = Double(text), speed > 0, speed.isFinite else {
      throw .usage("--speed needs a number above 0, not ‘\(text)’.")
    }
    return speed
  }
}

/// Shows events one after the other, in time where that is wanted, and commits where they were made.
private struct ReplaySteps {
  private static let longestPause = 2.0

  private let store: StoreReader
  private let request: Request
  private let output: Output
  private var events: EventPrinter
  private var commits: CommitPrinter
  private let speed: Double?
  private let last: CommitNumber?
  private var time: Date?
  /// Whether what is wanted ends in what could not be read.
  private var isPast = false

  init(
    _ store: StoreReader, _ request: Request, speed: Double?, through last: CommitNumber?
  ) throws(ToolError) {
    let output = request.output
    self.store = store
    self.request = request
    self.output = output
    self.speed = speed
    self.last = last
    events = try EventPrinter(store, output)
    commits = CommitPrinter(store, .summary, output)
  }

  /// Goes on behind what cannot be read, with the edits of a commit; of none where there is no other.
  mutating func pass(before next: CommitNumber?) {
    if let last, next.map({ $0 > last }) ?? true { isPast = true }
    events.pass(before: next)
  }

  /// Shows the next event; returns whether to go on.
  mutating func take(_ event: StoreEvent) throws(StoreError) -> Bool {
    guard !isPast, waits(for: event) else { return false }
    events.take(event)
    events.show(event)
    // What a context within another saved is no commit yet.
    guard case .saved(let number) = event.kind, number > .none, number <= store.lastCommit else {
      return output.isOpen
    }
    // What of its edits is still there compaction may have dropped the commit of.
    if number >= store.firstKeptCommit {
      do throws(StoreError) {
        try commits.show(try store.content(of: number))
      } catch {
        try request.passOverValues(of: number, error)
      }
      if !output.isJSON { output.line() }
    }
    return output.isOpen && number != last
  }

  private mutating func waits(for event: StoreEvent) -> Bool {
    defer { time = event.date }
    guard let speed, let time else { return true }
    let seconds = min(Self.longestPause, event.date.timeIntervalSince(time) / speed)
    guard seconds >= 0.001 else { return true }
    output.flush()
    return output.console.pause(milliseconds: Int(seconds * 1000))
  }
}
