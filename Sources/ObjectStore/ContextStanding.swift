package import ObjectModel

/// From which edit on a context may have something that is not saved, and where its objects stand there.
///
/// So much is known of every open context without its history: a fold of what is not saved begins with it. It
/// needs no earlier edit, because the first edit of an object since then comes behind a `based` that says
/// where the object stands, unless that is where the context itself stands.
package struct ContextStanding: Hashable, Sendable {
  /// The first edit that may not have been saved or given up; nil where there is none.
  package private(set) var firstUnsavedEdit: UInt64?
  /// Where the context stood when that edit was made, or stands now: the commit that it began on, was saved as
  /// or was brought to last.
  package private(set) var base: CommitNumber
  /// The commit that it was brought to since.
  package private(set) var merged: CommitNumber?
  /// The oldest commit that anything of the context ever stood on.
  package private(set) var oldest: CommitNumber

  /// A context that has nothing unsaved, stands on a commit, and may have stood on an older one.
  package init(on base: CommitNumber, oldest: CommitNumber? = nil) {
    self.base = base
    self.oldest = min(base, oldest ?? base)
  }

  /// What a checkpoint says of a context.
  init(
    firstUnsavedEdit: UInt64?, base: CommitNumber, merged: CommitNumber?, oldest: CommitNumber
  ) {
    self.firstUnsavedEdit = firstUnsavedEdit
    self.base = base
    self.merged = merged
    self.oldest = oldest
  }

  /// The commit that it stands on.
  package var latest: CommitNumber { merged ?? base }

  /// Notes what the context did.
  mutating func note(_ edit: Edit, _ number: UInt64) {
    // What was in already moves nothing.
    if case .merged(let commit) = edit, commit <= latest { return }
    if let commit = edit.commitStoodOn { noteStanding(on: commit) }
    switch edit {
    case .merged(let commit):
      if firstUnsavedEdit == nil { base = commit } else { merged = commit }
    case .rolledBack, .wasReset: settle(on: latest)
    case .saved(let commit): settle(on: commit)
    default: if edit.isWork { noteWork(number) }
    }
  }

  /// Notes that the context has done something that is not saved.
  mutating func noteWork(_ number: UInt64) {
    if firstUnsavedEdit.map({ number < $0 }) ?? true { firstUnsavedEdit = number }
  }

  /// Notes that something of the context stands on a commit.
  mutating func noteStanding(on commit: CommitNumber) { oldest = min(oldest, commit) }

  /// Notes that the context has nothing unsaved, and stands on a commit.
  mutating func settle(on commit: CommitNumber) {
    (firstUnsavedEdit, base, merged) = (nil, commit, nil)
  }
}

extension Edit {
  /// Whether there may be something to save after it.
  var changesObjects: Bool {
    switch self {
    case .inserted, .set, .spliced, .setPrimitive, .membersChanged, .deleted, .undone, .redone,
      .refreshed:
      true
    case .renamed, .based, .stepEnded, .undoSwitched, .merged, .rolledBack, .wasReset, .saved,
      .saveFailed, .reconciled:
      false
    }
  }

  /// Whether what is to be known of unsaved work may begin with it.
  var isWork: Bool {
    if case .based = self { true } else { changesObjects }
  }

  /// Whether what it changes of what is known of its context can only be noted once the journal has it.
  var isNotedAfterwards: Bool {
    switch self {
    case .renamed, .merged, .rolledBack, .wasReset, .saved: true
    case .based, .inserted, .set, .spliced, .setPrimitive, .membersChanged, .deleted, .stepEnded,
      .undoSwitched, .undone, .redone, .refreshed, .saveFailed, .reconciled:
      false
    }
  }

  /// The commit on which something stands by this edit.
  var commitStoodOn: CommitNumber? {
    switch self {
    case .based(_, let commit), .refreshed(_, _, let commit), .merged(let commit): commit
    default: nil
    }
  }
}
