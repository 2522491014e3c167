internal import EventFold
internal import ObjectModel

/// Which objects with unsaved changes lead to which others, or led to them where they stand. They are found by it
/// without looking at all that is unsaved.
///
/// It may name an object that does so no more: the fold says what is.
struct UnsavedReferences {
  private struct End: Hashable {
    let key: KeyNumber
    let object: ObjectID
  }

  private var objects: [End: Set<ObjectID>] = [:]

  init(_ drafts: Drafts) {
    for (object, draft) in drafts.mayBeDirty { note(object, draft) }
  }

  /// The objects that may lead to another by a key of theirs.
  func objects(leadingTo object: ObjectID, by key: KeyNumber) -> Set<ObjectID> {
    objects[End(key: key, object: object)] ?? []
  }

  /// Notes what an object leads to, and what it led to where it stands.
  mutating func note(_ object: ObjectID, _ draft: ObjectDraft) {
    for (key, value) in draft.delta { note(object, key, value) }
    for entry in draft.baseRow?.entries ?? [] { note(object, entry.key, entry.value) }
  }

  /// Notes what an object leads to by a key, where that is a relationship to one.
  mutating func note(_ object: ObjectID, _ key: KeyNumber, _ value: Value?) {
    guard case .reference(let destination)? = value else { return }
    objects[End(key: key, object: destination), default: []].insert(object)
  }
}

extension ManagedObjectContext {
  /// The objects with unsaved changes that may lead to another by a key of theirs, or have led to it where they stand.
  ///
  /// Costs: time in proportion to all that is unsaved where it is asked first, and after something that concerns all
  /// of it, as a save does; then to what is found.
  func unsavedObjects(leadingTo object: ObjectID, by key: KeyNumber) -> Set<ObjectID> {
    let references = unsavedReferences ?? UnsavedReferences(fold.objects)
    unsavedReferences = references
    return references.objects(leadingTo: object, by: key)
  }

  /// Keeps what is known of unsaved references in step with an edit that the fold has, before its objects are settled.
  func noteReferences(in edit: Edit) {
    switch edit {
    case .set(let object, let key, let value), .setPrimitive(let object, let key, let value):
      if !noteFirstChange(of: object) { unsavedReferences?.note(object, key, value) }
    case .inserted(let object), .spliced(let object, _, _), .membersChanged(let object, _, _, _),
      .deleted(let object):
      noteFirstChange(of: object)
    case .based(let object, _): noteDraft(of: object)
    case .refreshed(let objects, _, _): for object in objects { noteDraft(of: object) }
    case .undone(let restorations), .redone(let restorations):
      for restoration in restorations { noteDraft(of: restoration.object) }
    case .merged, .rolledBack, .wasReset, .saved: unsavedReferences = nil
    case .stepEnded, .renamed, .undoSwitched, .saveFailed, .reconciled: break
    }
  }

  /// Notes what an object leads to that had no changes before.
  ///
  /// - Returns: whether it had none.
  @discardableResult
  private func noteFirstChange(of object: ObjectID) -> Bool {
    if let state = state(of: object), state.standing != .unchanged { return false }
    noteDraft(of: object)
    return true
  }

  func noteDraft(of object: ObjectID) {
    if let draft = fold.objects[object] { unsavedReferences?.note(object, draft) }
  }
}
