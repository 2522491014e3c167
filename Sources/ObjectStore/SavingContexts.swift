internal import EventCoding
internal import Journaling
internal import ObjectModel

/// Which contexts the journal has commits of, found by walking it once: only these are followed where commits
/// are compared with edits.
///
/// Costs: 8 bytes for each commit of the journal, and about 40 for each context that has any.
struct SavingContexts {
  /// How many models the journal says the store has adopted.
  private(set) var adoptionCount = 0
  private(set) var firstCommit: CommitNumber?
  /// The context of each commit from the first on.
  private var contexts: ContiguousArray<ContextNumber> = []
  private var lastCommits: [ContextNumber: CommitNumber] = [:]
  private var resumed: Set<ContextNumber> = []

  init(_ reader: JournalReader, _ decoder: EventDecoder) throws(StoreError) {
    try reader.forEachEntry(decoder) { (_, batch, entry) throws(StoreError) in
      switch entry {
      case .commit(let place): note(try batch.head(place))
      case .event(let place):
        switch batch.kind(place) {
        case .modelAdopted: adoptionCount += 1
        case .contextResumed:
          if case .contextResumed(let number, _, _, _, _) = try batch.event(place) {
            resumed.insert(number)
          }
        default: break
        }
      }
      return true
    }
  }

  private mutating func note(_ commit: CommitContent) {
    let firstCommit = firstCommit ?? commit.number
    self.firstCommit = firstCommit
    // Where they do not follow one another, whoever folds them tells.
    guard commit.number.rawValue == firstCommit.rawValue + UInt64(contexts.count) else { return }
    contexts.append(commit.context)
    lastCommits[commit.context] = commit.number
  }

  /// The context that made a commit; nil where the journal does not have it.
  func context(of commit: CommitNumber) -> ContextNumber? {
    guard let firstCommit, commit >= firstCommit else { return nil }
    let index = Int(clamping: commit.rawValue - firstCommit.rawValue)
    return index < contexts.count ? contexts[index] : nil
  }

  /// The last commit of a context; nil where it has none.
  func lastCommit(of context: ContextNumber) -> CommitNumber? { lastCommits[context] }

  /// Whether a context went on after it had ended.
  func wasResumed(_ context: ContextNumber) -> Bool { resumed.contains(context) }
}
