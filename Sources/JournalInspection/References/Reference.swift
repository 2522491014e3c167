package import FoundationEssentials
package import ObjectModel
internal import ObjectQuery
package import ObjectStore

/// A state of a journal as people name it: `head`, `head~3`, a number, a tag, an ISO time, `2 hours ago`.
package struct Reference {
  private enum Base {
    case head
    case number(UInt64)
    /// A moment, with the last that its text stands for: times are shown to the millisecond.
    case date(Date, through: Date)
    case tag(String)
  }

  private let base: Base
  /// How many commits before that.
  private let offset: UInt64
  private let text: String

  /// Reads a reference. What is nothing else is the name of a tag; `tag:41` is one in any case.
  package init(_ text: String, now: Date) throws(ToolError) {
    self.text = text
    let parts = text.split(separator: "~", omittingEmptySubsequences: false)
    var offset: UInt64 = 0
    for count in parts.dropFirst() {
      guard let number = count.isEmpty ? 1 : UInt64(count) else {
        throw .usage("‘\(text)’ is no reference: behind ~ stands how many commits before.")
      }
      offset = number > .max - offset ? .max : offset + number
    }
    self.offset = offset
    let name = parts[0]
    if name.hasPrefix("tag:") {
      base = .tag(String(name.dropFirst(4)))
    } else if name == "@" || name.lowercased() == "head" {
      base = .head
    } else if let number = UInt64(name) {
      base = .number(number)
    } else if let time = TimeText(name) {
      guard let date = ISODate.read(time.text) else {
        throw .usage(
          "‘\(name)’ is no date or time that there is; one looks like 2026-11-23 or 2026-11-23T10:30:00Z."
        )
      }
      base = .date(
        date, through: Self.isToMillisecond(time.text[...]) ? date + 0.000_999_999 : date)
    } else if let date = RelativeTime.read(name, now: now) {
      base = .date(date, through: date)
    } else {
      base = .tag(String(name))
    }
  }

  /// Whether it is read as the name of a tag.
  package var isTag: Bool { if case .tag = base { true } else { false } }

  private static func isToMillisecond(_ time: Substring) -> Bool {
    guard let point = time.lastIndex(of: ".") else { return false }
    return time[time.index(after: point)...].prefix { $0.isNumber }.count == 3
  }

  /// The moment it says, where it is a time.
  var date: Date? { if case .date(let date, _) = base, offset == 0 { date } else { nil } }

  /// The last moment it stands for.
  var lastDate: Date? { if case .date(_, let last) = base, offset == 0 { last } else { nil } }

  /// The commit whose state it is; none before the first.
  package func commit(in store: ReadableStore) throws(ToolError) -> CommitNumber {
    // What tells a name from all else tells it whole.
    if text.hasPrefix("tag:"), let tagged = store.tags[String(text.dropFirst(4))] {
      return try onStore { () throws(StoreError) in try store.commit(at: .commit(tagged)) }
    }
    let number: CommitNumber
    switch base {
    case .head: number = store.lastCommit
    case .number(let value): number = CommitNumber(rawValue: value)
    case .date(_, let last):
      number = try onStore { () throws(StoreError) in try store.commit(at: last) }
    case .tag(let name):
      guard let tagged = store.tags[name] else { throw missing(name, in: store) }
      number = tagged
    }
    guard offset <= number.rawValue else {
      throw .no("there is no commit \(text); only \(number) come before.")
    }
    return try onStore { () throws(StoreError) in
      try store.commit(at: .commit(CommitNumber(rawValue: number.rawValue - offset)))
    }
  }

  /// Whether it is the number of a commit, which comes before another.
  package func isNumber(before other: CommitNumber) -> Bool {
    if case .number(let value) = base { value < other.rawValue + offset } else { false }
  }

  /// The commit from which on something is asked for. Where compaction has dropped that, what it has kept comes behind it.
  package func beginning(in store: ReadableStore) throws(ToolError) -> CommitNumber {
    let first = store.firstKeptCommit
    guard case .number(let value) = base, offset <= value, value - offset < first.rawValue else {
      return try commit(in: store)
    }
    return first
  }

  private func missing(_ name: String, in store: ReadableStore) -> ToolError {
    let nearest = Spelling.nearest(to: name, among: ["head"] + store.tags.keys.sorted())
    return .no(
      "there is no tag ‘\(name)’"
        + (nearest.map { "; did you mean ‘\($0)’?" }
          ?? "; a reference is head, head~3, a number, a tag, an ISO time, or ‘2 hours ago’."))
  }
}
