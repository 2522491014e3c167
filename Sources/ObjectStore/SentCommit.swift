internal import Journaling
package import ObjectModel

/// A commit that is on its way to the disk.
package struct SentCommit: Sendable {
  package let content: CommitContent
  /// What the objects have that others had changed since the context saw them, also where the commit leaves them as
  /// they are, and those that the commit changed to keep the ends of relationships in step; nil for one that is gone.
  package let merged: [ObjectID: Row?]
  let ticket: CommitTicket
  let durability: Durability
}
