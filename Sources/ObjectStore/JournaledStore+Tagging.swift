internal import DiskAccess
internal import Journaling
public import ObjectModel

// Names of commits.
extension JournaledStore {
  /// Gives a commit a name; the head where none is given. A name that stands for another commit stands for
  /// this one from here on.
  ///
  /// The commit is durable when it has the name, whatever the store's durability is.
  /// - Throws: where there is no such commit, or compaction has dropped what the store was then; and where the name is
  ///   empty or long, as all names are held as long as the store is open.
  public func tag(_ name: String, _ commit: CommitNumber? = nil) throws(StoreError) {
    guard !name.isEmpty else {
      throw StoreError(.valueRefused, "a tag needs a name; give it one.")
    }
    guard name.utf8.count <= Self.largestTagByteCount else {
      throw StoreError(
        .tooLarge,
        "the name of a tag has \(name.utf8.count) bytes; it may have \(Self.largestTagByteCount).")
    }
    let head = head
    let commit = commit ?? head.number
    try refuseDropped(commit, head)
    // The name is found again after a crash: it must not stand for whatever has the number then.
    try onJournal { () throws(JournalError) in try journal.sync() }
    try committing.withLock(refuseWhereLost)
    try setTag(name, commit)
  }

  package static let largestTagByteCount = 1024

  /// Takes a name away from its commit.
  public func removeTag(_ name: String) throws(StoreError) {
    guard tags[name] != nil else { throw .tagMissing(name) }
    try setTag(name, nil)
  }

  private func setTag(_ name: String, _ commit: CommitNumber?) throws(StoreError) {
    try noteTime()
    let edit = try cataloguing.withLock { () throws(StoreError) in
      let former = catalogue.tags[name]
      let edit = try record(.tagged(name, commit))
      if options.durability == .synced { taggings[name, default: []].append((edit, former)) }
      return edit
    }
    guard options.durability == .synced else { return }
    do throws(StoreError) {
      try onJournal { () throws(JournalError) in try journal.sync() }
    } catch {
      takeBack(name, edit)
      throw error
    }
    // What was said of it before is not taken back any more.
    cataloguing.withLock {
      taggings[name]?.removeAll { $0.edit <= edit }
      if taggings[name]?.isEmpty == true { taggings[name] = nil }
    }
  }

  /// Takes back what a name was to stand for, and what was refused: it is not to come to be with what is written next.
  private func takeBack(_ name: String, _ edit: EditNumber) {
    cataloguing.withLock {
      var left = taggings[name] ?? []
      // Where somebody was given the name since, it is theirs.
      guard let place = left.firstIndex(where: { $0.edit == edit }) else { return }
      let former = left.remove(at: place).former
      if place < left.count {
        left[place].former = former
      } else if catalogue.tags[name] != former {
        _ = try? record(.tagged(name, former))
      }
      taggings[name] = left.isEmpty ? nil : left
    }
  }
}

extension StoreError {
  static func tagMissing(_ name: String) -> StoreError {
    StoreError(.tagMissing, "there is no tag “\(name)”; ask for `tags` to see those there are.")
  }
}
