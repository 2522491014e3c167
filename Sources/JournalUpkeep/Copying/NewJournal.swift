internal import JournalInspection
internal import ObjectModel
internal import ObjectStore

/// What there is to tell of a journal that was made.
struct NewJournal {
  let path: String
  /// The first and the last commit that it has.
  let first, last: CommitNumber
  let byteCount: UInt64

  init(_ store: JournaledStore) throws(ToolError) {
    (path, first, last) = (store.path, store.firstKeptCommit, store.lastCommit)
    byteCount = try onStore { () throws(StoreError) in try store.files() }.byteCount
  }

  /// Which commits it has.
  var wordsForPast: String {
    if first <= CommitNumber(rawValue: 1) { return Wording.count(last.rawValue, "commit") }
    if first > last { return "the state after commit \(last), and nothing of the past" }
    return first == last ? "commit \(last)" : "commits \(first) to \(last)"
  }
}
