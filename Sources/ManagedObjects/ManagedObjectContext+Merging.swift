internal import EventFold
internal import ObjectModel
public import ObjectStore

// Commits of others, brought in.
extension ManagedObjectContext {
  /// Brings in what a commit has changed: what is updated there is refreshed, what is new is a fault, what is
  /// deleted is deleted here. Changes that were made here are kept.
  public func merge(from commit: Commit) {
    if isRefusedInPatch() { return }
    let foreign = commit.changes.first.flatMap { $0.objectID.store == store.tag ? nil : $0 }
    precondition(
      foreign == nil, "a commit of another store is brought in; merge those of the context's own.")
    let new = bringIn(commit) ?? []
    tellChanges()
    withExtendedLifetime(new) {}
  }

  /// Brings in what a commit has changed, of which nobody is told yet.
  ///
  /// - Parameters:
  ///   - isNoted: whether the context is to stand on it; of several the last is enough.
  ///   - isInPart: whether it is brought in also where objects that are here cannot be read, which stay as they are.
  /// - Returns: the objects that came to be. They stay for a moment, for who is told of the change to hold them. Nil
  ///   where nothing was brought in, as it cannot be read.
  @discardableResult
  func bringIn(
    _ commit: Commit, isNoted: Bool = true, evenInPart isInPart: Bool = false
  ) -> [ManagedObject]? {
    settleSave()
    var states: [ObjectState] = []
    var isNew: [ObjectID] = []
    for change in commit.changes {
      switch change.kind {
      case .inserted:
        if let state = state(of: change.objectID) {
          states.append(state)
        } else {
          isNew.append(change.objectID)
        }
      case .updated, .deleted: if let state = state(of: change.objectID) { states.append(state) }
      }
    }
    let new = isNew.compactMap { instance(of: $0) }
    func isHere(_ state: ObjectState) -> Bool { self.state(of: state.objectID) === state }
    func isEarlier(_ state: ObjectState) -> Bool {
      isHere(state) && !state.isFault && state.base < commit.number
    }
    let earlier = states.filter(isEarlier)
    let failure = readFailure
    if !refresh(earlier, keepingChanges: true, reason: .merge) {
      guard isInPart else { return nil }
      // That was told when it was tried first.
      readFailure = failure
      // Hooks of one may have let another go, given it up or read it again.
      for state in earlier where isEarlier(state) {
        let failure = readFailure
        if !refresh([state], keepingChanges: true, reason: .merge) { readFailure = failure }
      }
    }
    if isNoted { noteMerged(commit.number) }
    for change in commit.changes { noteReferences(in: change) }
    tellWaiting(of: commit)
    noteGone(states.filter { isHere($0) && $0.isFault && !isChanged($0) }, in: commit)
    event.inserted.formUnion(new.map(\.objectID))
    tellFollowers(
      ParentChanges(
        inserted: Set(commit.changes.lazy.filter { $0.kind == .inserted }.map(\.objectID)),
        changed: Set(commit.changes.map(\.objectID))))
    return new
  }

  /// Faults that a commit has deleted are deleted, where nothing later has brought them back.
  private func noteGone(_ faults: [ObjectState], in commit: Commit) {
    let deleted = Set(commit.changes.lazy.filter { $0.kind == .deleted }.map(\.objectID))
    let head = view.snapshot
    let gone = faults.filter { state in
      guard deleted.contains(state.objectID) else { return false }
      // What cannot be read stays a fault, and says so when it is fired.
      guard let stored = try? head.stored(state.objectID) else { return false }
      return stored.row == nil
    }
    bury(gone)
  }

  private func isChanged(_ state: ObjectState) -> Bool {
    fold.objects[state.objectID]?.isDirty ?? false
  }

  /// Has faults of which there is nothing any more be deleted.
  func bury(_ gone: [ObjectState]) {
    if gone.isEmpty { return }
    // What was kept of them goes with them; what cannot be read stays, and says so when it is fired.
    let gone = gone.filter { (try? moveLeftValues(of: $0)) != nil }
    transition(gone) {
      for state in gone {
        state.isFault = false
        state.base = commit(ofShown: state.objectID, view.shared.number)
        state.presence = .gone
      }
    }
  }

  /// Has owners follow where a commit has led an object that is not read here.
  private func noteReferences(in change: Commit.Change) {
    guard state(of: change.objectID)?.isFault ?? true,
      let info = schema.entity(change.objectID.entity)
    else { return }
    let last = (try? view.snapshot.stored(change.objectID)).map { $0.row ?? Row() }
    for (name, value) in change.values {
      guard let property = info.property(name), property.relationship?.storage == .one else {
        continue
      }
      let (old, new) = (value.old?.reference, value.new?.reference)
      // A later commit may have led it elsewhere, and owners may have been read since.
      let now = last.map { $0[property.key]?.reference } ?? new
      noteReference(
        ofUnread: change.objectID, property.key, from: [old, new].compactMap(\.self), to: now,
        comes: old == nil)
    }
  }
}
