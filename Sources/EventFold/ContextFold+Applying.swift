package import ObjectModel

/// How a fold reads the row that an object had at a commit. Why it could not, whoever reads it keeps.
typealias RowReading = (ObjectID, CommitNumber) throws(RowUnread) -> Row?

/// A row could not be read.
struct RowUnread: Error {}

extension ContextFold {
  /// Goes on by one edit.
  ///
  /// What contradicts the edits before it is refused: an object that comes to be and is there, one that is
  /// changed or deleted and is not there, members of a value that has none, undoing and redoing without a
  /// step. Setting a value without notification where no object is does nothing, because hooks of deleted
  /// objects do so. So do values that come back to an object that is gone: a merge may have taken it.
  ///
  /// - Parameter row: the row that an object had at a commit; nil where there was none. It is asked once for
  ///   each object that is changed, and again when the object's base is another.
  /// - Throws: `ContextFoldError`; the fold is as it was then.
  ///
  /// Costs: of most edits, a few look-ups by object and key; setting a set or ordered members that can be undone,
  /// time in proportion to them; undoing, refreshing, merging, saving and giving up, in proportion to the objects
  /// concerned.
  package mutating func apply<RowError>(
    _ edit: Edit, row: (ObjectID, CommitNumber) throws(RowError) -> Row?
  ) throws(ContextFoldError<RowError>) {
    // What is thrown is known here alone: below nothing need know of what type it is, and neither need an edit that
    // succeeds.
    var failure: (any Error)?
    do throws(ContextFoldError<RowUnread>) {
      try apply(edit) { (object, commit) throws(RowUnread) in
        do throws(RowError) {
          return try row(object, commit)
        } catch {
          failure = error
          throw RowUnread()
        }
      }
    } catch {
      if case .contradiction(let contradiction) = error { throw .contradiction(contradiction) }
      guard let failure = failure as? RowError else {
        preconditionFailure("a row is unread, and nobody says why")
      }
      throw .row(failure)
    }
  }

  private mutating func apply(
    _ edit: Edit, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    switch edit {
    case .inserted(let object):
      try load(object, for: .inserted, row)
      insert(object)
    case .set(let object, let key, let value):
      try set(object, key, to: value.stored, row)
    case .spliced(let object, let key, let splice):
      try load(object, for: .updated, row)
      let before = objects[object]?.value(of: key)
      guard let value = before.flatMap(splice.applied) else {
        tidy(object)
        throw .contradiction(.valueDoesNotFit(object, key))
      }
      set(object, key, to: value)
    case .setPrimitive(let object, let key, let value):
      try load(object, row)
      setPrimitive(object, key, to: value.stored)
    case .membersChanged(let object, let key, let inserted, let removed):
      try load(object, for: .updated, row)
      guard changeMembers(object, key, inserted: inserted, removed: removed) else {
        throw .contradiction(.valueDoesNotFit(object, key))
      }
    case .deleted(let object):
      try load(object, for: .deleted, row)
      delete(object)
    case .undone(let restorations):
      try undo(restorations, row)
    case .redone(let restorations):
      try redo(restorations, row)
    default:
      try applyToContext(edit, row)
      return
    }
    editCount += 1
  }

  /// Goes on by an edit that changes no object by itself.
  private mutating func applyToContext(
    _ edit: Edit, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    switch edit {
    case .inserted, .set, .spliced, .setPrimitive, .membersChanged, .deleted, .undone, .redone,
      .saveFailed:
      break
    case .renamed(let name): self.name = name
    case .stepEnded(let name): endStep(named: name)
    case .undoSwitched(let isOn): registersUndo = isOn
    case .based(let object, let commit):
      try refresh([object], keepingChanges: true, at: commit, row)
    case .refreshed(let objects, let keepingChanges, let commit):
      try refresh(objects, keepingChanges: keepingChanges, at: commit, row)
    case .merged(let commit): try merge(commit, row)
    case .rolledBack: rollBack()
    case .wasReset: reset()
    case .saved(let commit): try save(as: commit, row)
    case .reconciled(let object, let keys): reconcile(object, keys)
    }
  }

  /// Brings an object's draft into memory, if what is to happen to the object can happen.
  private mutating func load(
    _ object: ObjectID, for kind: ObjectChange.Kind,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    if let index = objects.index(of: object) {
      if objects[index].isThere != (kind == .inserted) { return }
    } else {
      let draft = try draft(ofUnchanged: object, row)
      if draft.isThere != (kind == .inserted) { return adopt(object, draft) }
    }
    throw .contradiction(.objectDoesNotFit(object, kind))
  }

  /// Sets a value of an object that is there: the edit that there are most of.
  private mutating func set(
    _ object: ObjectID, _ key: KeyNumber, to value: Value?,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    if objects.index(of: object) == nil {
      var draft = try draft(ofUnchanged: object, row)
      if let before = draft.exchange(key, for: value) {
        adopt(object, draft)
        return register(object, key, from: before, to: value)
      }
    } else if set(object, key, to: value) {
      return
    }
    throw .contradiction(.objectDoesNotFit(object, .updated))
  }

  private mutating func load(
    _ object: ObjectID, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) {
    if objects.index(of: object) == nil {
      adopt(object, try draft(ofUnchanged: object, row))
    }
  }

  /// What an object is, changed or not.
  func draft(
    of object: ObjectID, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> ObjectDraft {
    if let draft = objects[object] { return draft }
    return try draft(ofUnchanged: object, row)
  }

  /// What an object is of which there is nothing in memory.
  private func draft(
    ofUnchanged object: ObjectID, _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> ObjectDraft {
    let base = base(ofUnchanged: object)
    return ObjectDraft(
      base: base, baseRow: try read(object, base, row),
      defaults: traits[object.entity]?.defaults ?? Row())
  }

  func read(
    _ object: ObjectID, _ commit: CommitNumber,
    _ row: RowReading
  ) throws(ContextFoldError<RowUnread>) -> Row? {
    do { return try row(object, commit) } catch { throw .row(error) }
  }
}
