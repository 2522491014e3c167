internal import ByteCoding
internal import EventCoding
internal import Journaling
public import ObjectModel

/// How far somebody has followed a store: a commit by its number and by what it holds, which tells it from another that
/// has come to have the number, as in a store that was brought back from a backup and has gone on.
///
/// Its text can be kept and read again.
public struct CommitMark: Hashable, Sendable {
  /// The commit; none before the first.
  public let number: CommitNumber
  /// Of what the commit holds, and so of which commits changed its objects before.
  private let check: UInt64

  /// Before the first commit.
  public static let beginning = CommitMark(.none, 0)

  fileprivate init(_ number: CommitNumber, _ check: UInt64) {
    self.number = number
    self.check = check
  }
}

extension CommitMark: LosslessStringConvertible {
  /// The number, and what tells the commit from others.
  public var description: String {
    let digits = String(check, radix: 16)
    return "\(number)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  /// Reads what `description` wrote; nil where it is nothing of that kind.
  public init?(_ description: String) {
    let parts = description.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let number = UInt64(parts[0]),
      number <= CommitNumber.largest.rawValue, let check = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(CommitNumber(rawValue: number), check)
    guard self.description == description else { return nil }
  }
}

extension ReadableStore {
  /// What tells a commit from others that have its number in copies of the store that have gone on by themselves.
  ///
  /// - Throws: where there is no such commit, or compaction has dropped it.
  public func mark(of number: CommitNumber) throws(StoreError) -> CommitMark {
    if number == .none { return .beginning }
    guard number <= lastCommit else { throw .commitMissing(number, head: lastCommit) }
    let content = try content(of: number)
    // Where it stands among edits is not told: who writes the journal anew may have it stand elsewhere.
    let commit = CommitContent(
      number: number, time: content.time, context: content.context,
      contextName: content.contextName, author: content.author, message: content.message,
      userInfo: content.userInfo, changes: content.changes)
    var writer = ByteWriter()
    do throws(EventCodingError) {
      try CommitEncoder(store: tag).append(commit, to: &writer)
    } catch {
      throw StoreError(.damaged, "commit \(number) cannot be written again: \(error)")
    }
    return CommitMark(number, writer.withBytes { Checksum.of($0, salt: 0) })
  }

  /// The commits after one that was seen, in order, with old and new values.
  ///
  /// - Parameter last: the last of them; nil for the store's.
  /// - Throws: as `commits(since:)` of its number; where compaction has dropped the commit itself, as nobody can tell then
  ///   whether it is the one that was seen; and with `commitOfAnotherHistory` where it is another.
  public func commits(
    following seen: CommitMark, through last: CommitNumber? = nil
  ) throws(StoreError) -> [Commit] {
    guard try mark(of: seen.number) == seen else {
      throw StoreError(
        .commitOfAnotherHistory,
        "commit \(seen.number) is not the one that was seen before: the store was brought back from a backup and has gone "
          + "on since, or is another; compare the states, and go on from there.")
    }
    var commits: [Commit] = []
    try forEachCommit(since: seen.number) { (commit) throws(StoreError) in
      if let last, commit.number > last { return false }
      commits.append(commit)
      return true
    }
    return commits
  }
}
