/// What a commit says, with keys and entities by their numbers.
package struct CommitContent: Hashable, Sendable {
  package let number: CommitNumber
  /// Never before the time of the commit before.
  package let time: RecordedTime
  /// The context that saved.
  package let context: ContextNumber
  /// Its name at that time, where it had one.
  package let contextName: String?
  /// How many edits of the batch that holds the commit came before it: those of its context are in it.
  package let precedingEditCount: Int
  package let author: String?
  package let message: String?
  /// What the program added, by its own keys.
  package let userInfo: [String: Value]
  /// What changed, each object once.
  package var changes: [ObjectChange]

  package init(
    number: CommitNumber, time: RecordedTime, context: ContextNumber, contextName: String? = nil,
    precedingEditCount: Int = 0, author: String? = nil, message: String? = nil,
    userInfo: [String: Value] = [:],
    changes: [ObjectChange]
  ) {
    self.number = number
    self.time = time
    self.context = context
    self.contextName = contextName
    self.precedingEditCount = precedingEditCount
    self.author = author
    self.message = message
    self.userInfo = userInfo
    self.changes = changes
  }
}
