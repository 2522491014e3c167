public import FoundationEssentials
public import ObjectModel

/// A state of a store: that which a commit has left.
public struct Moment: Hashable, Sendable {
  fileprivate enum Place: Hashable {
    case commit(CommitNumber)
    case date(Date)
    case tag(String)
    case beforeHead(Int)
  }

  fileprivate let place: Place

  /// After a commit.
  public static func commit(_ number: CommitNumber) -> Moment { Moment(place: .commit(number)) }

  /// After the last commit made then or before.
  public static func date(_ date: Date) -> Moment { Moment(place: .date(date)) }

  /// After the commit that has this name.
  public static func tag(_ name: String) -> Moment { Moment(place: .tag(name)) }

  /// Now.
  public static let head = Moment(place: .beforeHead(0))

  /// So many commits before the last one: `head(-3)`.
  public static func head(_ offset: Int) -> Moment {
    Moment(place: .beforeHead(offset))
  }
}

extension ReadableStore {
  /// The commit that a moment is after; none before the first.
  ///
  /// - Throws: where there is none, or no such tag, or compaction has dropped it.
  public func commit(at moment: Moment) throws(StoreError) -> CommitNumber {
    try number(of: moment, head)
  }

  /// All objects as they were.
  package func snapshot(at moment: Moment) throws(StoreError) -> Snapshot {
    let head = head
    // The last state is in the model of now, also where that was adopted after the last commit.
    if moment == .head { return head }
    // What is wrong with commits that nobody has asked for is no matter here.
    return try snapshot(at: number(of: moment, head), countedBackFrom: head) { _ in }
  }

  /// The same under the model that the store has now, with what that makes of earlier values; nil where that cannot be
  /// told of what was never stored.
  package func snapshotUnderLatestModel(at moment: Moment) throws(StoreError) -> Snapshot? {
    try snapshot(at: moment).under(head.eras)
  }

  private func number(of moment: Moment, _ head: Snapshot) throws(StoreError) -> CommitNumber {
    switch moment.place {
    case .commit(let number):
      try refuseDropped(number, head)
      return number
    case .date(let date): return try commit(at: date)
    case .tag(let name):
      let number = try commit(tagged: name)
      // The tag may be of a commit made since.
      try refuseDropped(number, self.head)
      return number
    case .beforeHead(let offset):
      let (number, overflows) = Int(clamping: head.number.rawValue)
        .addingReportingOverflow(offset)
      guard !overflows, number >= 0, offset <= 0 else {
        throw .momentMissing(offset, head: head.number)
      }
      let commit = CommitNumber(rawValue: UInt64(number))
      try refuseDropped(commit, head)
      return commit
    }
  }
}

extension StoreError {
  fileprivate static func momentMissing(_ offset: Int, head: CommitNumber) -> StoreError {
    StoreError(
      .commitMissing,
      "there is no commit \(offset) from the last one, which is commit \(head); count back from it, as in "
        + "`.head(-1)`.")
  }
}
