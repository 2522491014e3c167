internal import Journaling
internal import ObjectModel

/// The commits that are on their way to the disk, and the state that the next one builds on.
struct PendingCommits {
  /// The state after every commit that is made or on its way.
  private(set) var snapshot: Snapshot
  /// The state of the last commit that is not on its way any more.
  private(set) var settled: Snapshot
  private var onTheirWay: [(ticket: CommitTicket, snapshot: Snapshot, isShown: Bool)] = []
  /// Which failures of the journal's are taken account of.
  private(set) var epoch: UInt64
  /// The first commit that was shown and then could not be written.
  private(set) var lost: CommitNumber?

  init(after snapshot: Snapshot, epoch: UInt64) {
    self.snapshot = snapshot
    settled = snapshot
    self.epoch = epoch
  }

  /// Takes account of the failures so far: commits that have failed are no ground to build on.
  ///
  /// - Returns: whether there were any.
  mutating func settle(
    epoch: UInt64, outcome: (CommitTicket) -> Result<FramePlace, JournalError>?
  ) -> Bool {
    guard epoch != self.epoch else { return false }
    self.epoch = epoch
    snapshot = settled
    for (index, each) in onTheirWay.enumerated() {
      if case .failure = outcome(each.ticket) {
        // Whatever was queued behind a failure has failed as well.
        lost = lost ?? onTheirWay[index...].first(where: \.isShown)?.snapshot.number
        onTheirWay.removeSubrange(index...)
        return true
      }
      snapshot = each.snapshot
    }
    return true
  }

  /// Notes that the first commits for which nobody waits are made. The others are settled by those who do.
  mutating func settleShown(outcome: (CommitTicket) -> Result<FramePlace, JournalError>?) {
    while let first = onTheirWay.first, first.isShown, case .success? = outcome(first.ticket) {
      settled = first.snapshot
      onTheirWay.removeFirst()
    }
  }

  /// Notes that a commit is shown while it is on its way, and that nobody waits for it.
  ///
  /// - Returns: its state; nil where it is not on its way any more.
  mutating func show(_ number: CommitNumber) -> Snapshot? {
    guard let index = onTheirWay.lastIndex(where: { $0.snapshot.number == number }) else {
      return nil
    }
    onTheirWay[index].isShown = true
    return onTheirWay[index].snapshot
  }

  /// Notes that a commit is on its way.
  mutating func add(_ ticket: CommitTicket, _ snapshot: Snapshot) {
    self.snapshot = snapshot
    onTheirWay.append((ticket, snapshot, false))
  }

  /// The last commit that is on its way; nil where none is.
  var last: (ticket: CommitTicket, number: CommitNumber)? {
    onTheirWay.last.map { ($0.ticket, $0.snapshot.number) }
  }

  /// Notes that a commit is made, and with it every one before.
  ///
  /// - Returns: its state, unless a later one was noted before.
  mutating func settle(_ number: CommitNumber) -> Snapshot? {
    guard let index = onTheirWay.lastIndex(where: { $0.snapshot.number == number }) else {
      return nil
    }
    settled = onTheirWay[index].snapshot
    onTheirWay.removeSubrange(...index)
    return settled
  }

  /// Notes that everything is made.
  mutating func settleAll() -> Snapshot {
    settled = snapshot
    onTheirWay.removeAll()
    return snapshot
  }

  /// Puts a layer on top of everything that is made; nothing else is on its way.
  mutating func cover() {
    snapshot.cover()
    settled = snapshot
  }

  /// Puts other layers, which say the same, in the place of those below the first.
  mutating func replaceLayers(belowTop layers: [Layer], _ indexRuns: [IndexRun]) {
    snapshot.replaceLayers(belowTop: layers, indexRuns)
    settled.replaceLayers(belowTop: layers, indexRuns)
    for index in onTheirWay.indices {
      onTheirWay[index].snapshot.replaceLayers(belowTop: layers, indexRuns)
    }
  }

  /// Keeps the indexes that were not kept, by what they have been made of, while nothing is on its way.
  mutating func keepMissingIndexes(_ entries: some Sequence<IndexEntry>, _ runs: [IndexRun]) {
    _ = snapshot.index.keepAll()
    snapshot.index.add(entries, runs: runs)
    settled = snapshot
  }

  /// Begins another era, while nothing is on its way.
  mutating func begin(_ era: Era) {
    precondition(onTheirWay.isEmpty, "a model is adopted before the first commit")
    snapshot.begin(era)
    settled = snapshot
  }
}
