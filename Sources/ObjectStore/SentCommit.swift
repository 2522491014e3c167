internal import Journaling
package import ObjectModel

/// A commit that is on its way to the disk; or that there is nothing to commit, which holds once all that it was
/// compared with is made.
package struct SentCommit: Sendable {
  /// What is committed; nil where all of it is there already, also where others have sent it.
  package let content: CommitContent?
  /// The commit; where there is nothing to commit, the last of those with which that was compared.
  package let number: CommitNumber
  /// What the objects have that others had changed since the context saw them, also where the commit leaves them as
  /// they are, and those that the commit changed to keep the ends of relationships in step; nil for one that is gone.
  package let merged: [ObjectID: Row?]
  /// What is waited for; nil where nothing is on its way.
  let ticket: CommitTicket?
  let durability: Durability
}
