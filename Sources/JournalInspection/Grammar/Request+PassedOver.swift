internal import ObjectModel
package import ObjectStore

// What is left out because it cannot be read, and how that is told.
extension Request {
  /// Notes damage that was passed over, once.
  package func passOver(_ error: StoreError) {
    let finding = StoreFinding(passingOver: error)
    let known = noted + (opened?.findings ?? [])
    // The same may have been met on another way, and said of another frame.
    if !known.contains(where: { $0.description == finding.description }) { noted.append(finding) }
  }

  /// Tells that not all values of a commit could be told, as they follow from others that cannot be read.
  ///
  /// - Throws: what is no damage.
  func passOverValues(of number: CommitNumber, _ error: StoreError) throws(StoreError) {
    guard error.isFinding else { throw error }
    passOver(error)
    output.remark("what else commit \(number) has changed cannot be told.")
  }

  /// Notes that events are passed over.
  func passOverEvents(_ error: StoreError, before next: CommitNumber?) {
    passOver(error)
    output.remark("here events are missing that cannot be read.")
  }

  /// Goes through the events of a journal, and tells what of them cannot be read, in frames and behind them.
  ///
  /// - Parameters:
  ///   - pass: is told which commit comes next behind what cannot be read.
  ///   - body: returns whether to go on.
  func forEachEvent(
    of store: StoreReader, passing pass: @escaping (CommitNumber?) -> Void = { _ in },
    _ body: (StoreEvent) throws(StoreError) -> Bool
  ) throws(ToolError) {
    var goesOn = true
    try onStore { () throws(StoreError) in
      try store.forEachEvent { error, next in
        self.passOverEvents(error, before: next)
        pass(next)
      } _: { (event) throws(StoreError) in
        goesOn = try body(event)
        return goesOn
      }
    }
    if goesOn { try tellUnreadEdits(of: store) }
  }

  /// Tells what of the edits cannot be read that no frame has yet.
  func tellUnreadEdits(of store: StoreReader) throws(ToolError) {
    // That all of their file is damaged is told in any case.
    guard untold() == nil else { return }
    let edits = try onStore { () throws(StoreError) in try store.unsavedVerification() }
    noted += edits.findings
    for doubt in edits.leftoverDoubts { output.remark("\(doubt).") }
  }

  /// Says that something cannot be told, as it may be in what was passed over; returns what that ends a command with.
  func cannotTell(_ what: String) -> ExitStatus {
    output.remark("\(what) cannot be told.")
    return .damage
  }

  /// What is told of commits that may be missing because nobody knows that they are durable, and the status that a
  /// command ends with for that; nil where there is nothing to tell.
  func untold() -> (text: String, status: ExitStatus?)? {
    guard !tellsEdits, let store = opened, let beyond = (try? store.beyond()) ?? nil else {
      return nil
    }
    let isMore = beyond.segmentCount > 0
    let more =
      "\(Wording.bytes(beyond.byteCount)) in \(Wording.count(beyond.segmentCount, "segment"))"
    let last = store.lastCommit == .none ? "" : " after \(store.lastCommit)"
    let missing = "commits\(last) may be missing: \(more) lie beyond what is known to be durable"
    switch beyond.fault {
    case .missing, .uncertain:
      // Where nothing is behind it, all there is was shown.
      guard isMore else { return nil }
      let what =
        beyond.fault == .missing
        ? "the file of unsaved edits is missing"
        : "the file of unsaved edits does not say for certain what is durable"
      return ("\(what), and \(missing).", nil)
    case .damaged, .newer:
      let what =
        beyond.fault == .damaged
        ? "the file of unsaved edits is damaged"
        : "newer code has written the file of unsaved edits"
      return (
        isMore
          ? "\(what), and \(missing)."
          : "\(what); all commits that the journal has are shown.",
        beyond.fault == .damaged ? .damage : .newerFormat
      )
    }
  }
}

/// Commits that cannot be read and are passed over, told by their numbers where those beside them are shown.
final class PassedCommits {
  private let request: Request
  /// Those that were not told yet, as they were met.
  private var stretches: [ClosedRange<CommitNumber>] = []
  /// Whether nothing at all was passed over, told or not.
  private(set) var isNone = true

  init(_ request: Request) { self.request = request }

  /// Passes over a commit.
  func pass(_ number: CommitNumber, _ error: StoreError) {
    isNone = false
    request.passOver(error)
    guard let last = stretches.last,
      number >= last.lowerBound.previous && number <= last.upperBound.next
    else { return stretches.append(number...number) }
    stretches[stretches.count - 1] =
      min(number, last.lowerBound)...max(number, last.upperBound)
  }

  /// Passes over what there was before the commits that compaction has kept.
  func passWhatIsDropped(_ error: StoreError) {
    isNone = false
    request.passOver(error)
  }

  /// Tells of those that were passed over: all, or those before a commit.
  func tell(before number: CommitNumber? = nil) {
    let told = stretches.filter { stretch in number.map { stretch.upperBound < $0 } ?? true }
    stretches.removeAll { told.contains($0) }
    for stretch in told.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      request.output.remark("\(Self.words(stretch)) cannot be read.")
    }
  }

  static func words(_ stretch: ClosedRange<CommitNumber>) -> String {
    stretch.lowerBound == stretch.upperBound
      ? "commit \(stretch.lowerBound)"
      : "commits \(stretch.lowerBound) to \(stretch.upperBound)"
  }
}
