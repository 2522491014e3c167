package import EventFold
package import Journaling
package import ObjectModel

/// The number of an edit that was recorded, by which a commit can name the value it set.
package typealias RecordedEdit = EditNumber

/// What a context wants to commit.
package struct CommitRequest {
  /// An object that it has changed.
  package struct Object {
    package let object: ObjectID
    /// The commit at which the context has seen it.
    package let base: CommitNumber
    /// What it had there; nil for an object that was not there.
    package let baseRow: Row?
    /// What it is to have; nil where it is to be deleted.
    package let row: Row?

    package init(_ object: ObjectID, base: CommitNumber, _ baseRow: Row?, to row: Row?) {
      self.object = object
      self.base = base
      self.baseRow = baseRow
      self.row = row
    }
  }

  package var objects: [Object]
  package var author: String?
  package var message: String?
  package var userInfo: [String: Value] = [:]
  /// What becomes of objects that others have changed meanwhile.
  package var policy = ConflictPolicy.tell
  /// How the values of an object's key merge.
  package var mergeKind: (ObjectID, KeyNumber) -> MergeKind = { _, _ in .asWhole }
  /// Why an object cannot have a value that is neither what it was to have, nor what others have made it, but what comes of
  /// both; nil where it can.
  package var objection: (ObjectID, KeyNumber, Value?) -> String? = { _, _, _ in nil }
  /// Whether both ends of relationships are kept in step, as contexts do; otherwise rows are taken as they are.
  package var keepsEnds = false
  /// Whether a commit is made again beside which others are lost: what it deletes is led to no more then, whatever the
  /// delete rules are, and relationships may lead to fewer objects than they must.
  package var isMadeAgain = false
  /// The edit that set a key's value last, where the context knows it: the commit need not repeat it.
  package var edit: (ObjectID, KeyNumber, Value?) -> EditNumber? = { _, _, _ in nil }

  package init(_ objects: [Object]) { self.objects = objects }
}

/// Objects that others have changed since a context saw them, so that it could not commit.
package struct CommitConflicts: Error, Hashable, Sendable {
  package let objects: [ObjectConflict]
}

/// Why a commit was not made.
package enum CommitError: Error, Hashable, Sendable {
  case conflicts(CommitConflicts)
  /// These are to be deleted, and are led to by what others have committed and the request says nothing of: their
  /// delete rules have to be followed on what is there now.
  case stillLedTo([ObjectID])
  /// With what others have committed, and without what is to be deleted, these lead to fewer objects than they must, or to
  /// more than they may.
  case miscounted([Miscount])
  case store(StoreError)

  /// A relationship that leads to too few objects, or to too many.
  package struct Miscount: Hashable, Sendable {
    package let object: ObjectID
    package let key: KeyNumber
    package let count: Int
  }
}
