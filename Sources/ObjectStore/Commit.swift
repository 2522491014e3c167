public import FoundationEssentials
public import ObjectModel
internal import Synchronization

/// A save that was made: what changed, when, by whom and why.
public struct Commit: Hashable, Sendable {
  /// Its place in the store's history.
  public let number: CommitNumber
  /// When it was made; never before the one before it.
  public let date: Date
  /// Who made it, where the save said.
  public let author: String?
  /// What it was made for, where the save said.
  public let message: String?
  /// The name of the context that saved, where it had one.
  public let contextName: String?
  /// The number of the context that saved.
  package let context: ContextNumber
  /// What the program added.
  public let userInfo: [String: Value]
  /// What changed, each object once, in the order of their IDs. Of a commit that a save gives it is made when it is
  /// first asked for.
  public var changes: [Change] { details.changes }
  private let details: CommitDetails

  /// What became of an object.
  public struct Change: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The name its entity had at the time.
    public let entityName: String
    /// Whether it came to be, changed, or was deleted.
    public let kind: Kind
    /// The values that changed, by key.
    public let values: [String: ChangedValue]
  }

  /// What becomes of an object in a commit.
  public enum Kind: Hashable, Sendable {
    /// It came to be.
    case inserted
    /// It was there, and still is.
    case updated
    /// It is gone.
    case deleted
  }

  /// A value that changed.
  public struct ChangedValue: Hashable, Sendable {
    /// What it was; nil for none.
    public let old: Value?
    /// What it became; nil for none.
    public let new: Value?

    package init(old: Value?, new: Value?) {
      self.old = old
      self.new = new
    }
  }
}

extension Commit {
  init(_ content: CommitContent, _ details: CommitDetails) {
    number = content.number
    date = content.time.date
    author = content.author
    message = content.message
    contextName = content.contextName
    context = content.context
    userInfo = content.userInfo
    self.details = details
  }
}

/// What a commit changed, as programs see it.
final class CommitDetails: Sendable {
  private enum State {
    case made([Commit.Change])
    case unmade(@Sendable () -> [Commit.Change])
  }

  private let state: Mutex<State>

  init(_ changes: [Commit.Change]) { state = Mutex(.made(changes)) }

  /// Makes the changes when they are asked for.
  init(_ make: @escaping @Sendable () -> [Commit.Change]) { state = Mutex(.unmade(make)) }

  var changes: [Commit.Change] {
    state.withLock { state in
      switch state {
      case .made(let changes): return changes
      case .unmade(let make):
        let changes = make()
        state = .made(changes)
        return changes
      }
    }
  }
}

extension CommitDetails: Hashable {
  static func == (one: CommitDetails, other: CommitDetails) -> Bool {
    one === other || one.changes == other.changes
  }

  /// The commit's number tells enough.
  func hash(into hasher: inout Hasher) {}
}

/// A value that an object had from one commit on.
public struct PastValue: Hashable, Sendable {
  /// The commit that set it.
  public let commit: CommitNumber
  /// When it was made.
  public let date: Date
  /// Who made it, where the save said.
  public let author: String?
  /// What it was made for, where the save said.
  public let message: String?
  /// The name of the context that saved, where it had one.
  public let contextName: String?
  /// The key.
  public let key: String
  /// The value before; nil for none.
  public let old: Value?
  /// The value from then on; nil for none.
  public let new: Value?
}

extension RecordedTime {
  /// The moment as Foundation has it.
  package var date: Date { Date(timeIntervalSince1970: Double(rawValue) / 1e9) }
}
