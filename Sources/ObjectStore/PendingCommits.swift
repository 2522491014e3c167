internal import Journaling
internal import ObjectModel

/// The commits that are on their way to the disk, and the state that the next one builds on.
struct PendingCommits {
  /// The state after every commit that is made or on its way.
  private(set) var latest: SharedSnapshot
  /// The state of the last commit that is not on its way any more.
  private(set) var settled: SharedSnapshot
  private var onTheirWay: [(ticket: CommitTicket, state: SharedSnapshot, isShown: Bool)] = []
  /// Which failures of the journal's are taken account of.
  private(set) var epoch: UInt64
  /// The first commit that was shown and then could not be written.
  private(set) var lost: CommitNumber?

  init(after snapshot: Snapshot, epoch: UInt64) {
    latest = SharedSnapshot(snapshot)
    settled = latest
    self.epoch = epoch
  }

  /// The last state that was shown, of those that have not failed.
  var shown: SharedSnapshot { onTheirWay.last(where: \.isShown)?.state ?? settled }

  /// The state after every commit that is made or on its way, for who looks into it.
  var snapshot: Snapshot { _read { yield latest.snapshot } }

  /// Takes account of the failures so far: commits that have failed are no ground to build on.
  ///
  /// - Returns: whether there were any.
  mutating func settle(
    epoch: UInt64, outcome: (CommitTicket) -> Result<FramePlace, JournalError>?
  ) -> Bool {
    guard epoch != self.epoch else { return false }
    self.epoch = epoch
    latest = settled
    for (index, each) in onTheirWay.enumerated() {
      if case .failure = outcome(each.ticket) {
        // Whatever was queued behind a failure has failed as well.
        lost = lost ?? onTheirWay[index...].first(where: \.isShown)?.state.number
        onTheirWay.removeSubrange(index...)
        return true
      }
      latest = each.state
    }
    return true
  }

  /// Notes that the first commits for which nobody waits are made. The others are settled by those who do.
  mutating func settleShown(outcome: (CommitTicket) -> Result<FramePlace, JournalError>?) {
    while let first = onTheirWay.first, first.isShown, case .success? = outcome(first.ticket) {
      settled = first.state
      onTheirWay.removeFirst()
    }
  }

  /// Notes that a commit is shown while it is on its way, and that nobody waits for it.
  ///
  /// - Returns: its state; nil where it is not on its way any more.
  mutating func show(_ number: CommitNumber) -> SharedSnapshot? {
    guard let index = onTheirWay.lastIndex(where: { $0.state.number == number }) else {
      return nil
    }
    onTheirWay[index].isShown = true
    return onTheirWay[index].state
  }

  /// Notes that a commit is on its way.
  mutating func add(_ ticket: CommitTicket, _ snapshot: consuming Snapshot) {
    latest = SharedSnapshot(snapshot)
    onTheirWay.append((ticket, latest, false))
  }

  /// The last commit that is on its way; nil where none is.
  var last: (ticket: CommitTicket, number: CommitNumber)? {
    onTheirWay.last.map { ($0.ticket, $0.state.number) }
  }

  /// Notes that a commit is made, and with it every one before.
  ///
  /// - Returns: its state, unless a later one was noted before.
  mutating func settle(_ number: CommitNumber) -> SharedSnapshot? {
    guard let index = onTheirWay.lastIndex(where: { $0.state.number == number }) else {
      return nil
    }
    settled = onTheirWay[index].state
    onTheirWay.removeSubrange(...index)
    return settled
  }

  /// Notes that everything is made.
  mutating func settleAll() -> Snapshot {
    settled = latest
    onTheirWay.removeAll()
    return latest.snapshot
  }

  /// Puts a layer on top of everything that is made; nothing else is on its way.
  mutating func cover() { change { $0.cover() } }

  /// Changes the state while nothing is on its way.
  private mutating func change(_ body: (inout Snapshot) -> Void) {
    latest = latest.changed(body)
    settled = latest
  }

  /// Puts other layers, which say the same, in the place of those below the first.
  mutating func replaceLayers(belowTop layers: [Layer], _ indexRuns: [IndexRun]) {
    func replaced(_ state: SharedSnapshot) -> SharedSnapshot {
      state.changed { $0.replaceLayers(belowTop: layers, indexRuns) }
    }
    let isSettled = latest === settled
    latest = replaced(latest)
    settled = isSettled ? latest : replaced(settled)
    for index in onTheirWay.indices {
      onTheirWay[index].state = replaced(onTheirWay[index].state)
    }
  }

  /// Keeps the indexes that were not kept, by what they have been made of, while nothing is on its way.
  mutating func keepMissingIndexes(_ entries: some Sequence<IndexEntry>, _ runs: [IndexRun]) {
    change { snapshot in
      _ = snapshot.index.keepAll()
      snapshot.index.add(entries, runs: runs)
    }
  }

  /// Begins another era, while nothing is on its way.
  mutating func begin(_ era: Era) {
    precondition(onTheirWay.isEmpty, "a model is adopted before the first commit")
    change { $0.begin(era) }
  }
}
