public import FoundationEssentials
public import ObjectModel

/// Something that happened to a store: an edit of a context, a save, a tag; as the journal has it.
public struct StoreEvent: Hashable, Sendable {
  /// When it happened, to the millisecond; events of one moment have one time.
  public let date: Date
  /// The context that did it; nil for what no context does.
  public let context: Context?
  /// What happened.
  public let kind: Kind

  /// A context as its events tell it from others.
  public struct Context: Hashable, Sendable {
    /// A number that no other context of the store has.
    public let number: UInt64
    /// What it was called then; nil where that was before what the journal still has.
    public let name: String?
  }

  /// What can happen.
  public enum Kind: Hashable, Sendable {
    /// A context began, standing on a commit.
    case began(on: CommitNumber)
    /// A context ended in order.
    case ended
    /// A context that had ended goes on, with its undo history.
    case resumed
    /// What a context that ended in disorder had not saved was given up.
    case discarded
    /// A context has another name.
    case renamed(String)
    /// An object was first touched, as it was at a commit.
    case based(ObjectID, on: CommitNumber)
    /// An object came to be.
    case inserted(ObjectID)
    /// A value was set; nil where it was removed.
    case set(ObjectID, key: String, Value?)
    /// A long value was set that has much in common with the one before: its middle became another.
    case spliced(ObjectID, key: String, Splice)
    /// A value was set without notification, undo or inverse.
    case setPrimitive(ObjectID, key: String, Value?)
    /// Destinations of a relationship to many came and went.
    case membersChanged(ObjectID, key: String, inserted: [ObjectID], removed: [ObjectID])
    /// An object was deleted.
    case deleted(ObjectID)
    /// What came before it since the last border is one step to be undone.
    case stepEnded(name: String?)
    /// Whether what follows can be undone.
    case undoSwitched(isOn: Bool)
    /// A step was taken back, which gave these objects what they had before.
    case undone([Restored])
    /// A step was made again, which gave these objects what it had given them.
    case redone([Restored])
    /// Objects were read again as they were at a commit.
    case refreshed([ObjectID], keepingChanges: Bool, at: CommitNumber)
    /// What another context saved was brought in.
    case merged(CommitNumber)
    /// Everything unsaved was given up.
    case rolledBack
    /// All objects were forgotten.
    case wasReset
    /// Everything unsaved was saved; within another context where the commit is none.
    case saved(CommitNumber)
    /// A save failed, for this reason.
    case saveFailed(String)
    /// Values of an object that are as they were saved do not count as changed any more.
    case reconciled(ObjectID, keys: [String])
    /// A name stands for a commit from here on, or for nothing any more.
    case tagged(String, CommitNumber?)
    /// The store has a model with these entities from here on.
    case modelAdopted([String])
    /// Something that newer code has written.
    case unknown(kind: UInt8)
  }

  /// An object to which undoing or redoing has given something back.
  public struct Restored: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// What became of it.
    public let kind: Commit.Kind
    /// The values that it has again, null where it has none again: all that it has where it came to be again, and
    /// nothing where it is gone again.
    public let values: [String: Value]
    /// What the middles of long values became, where those are not among the values.
    public let splices: [String: Splice]
  }
}
