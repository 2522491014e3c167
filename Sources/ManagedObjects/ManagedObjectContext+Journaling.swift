internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Every change goes through here: first into the journal, then into the fold.
extension ManagedObjectContext {
  /// Does an edit: the journal has it when this returns, and so has the fold.
  ///
  /// - Parameter rows: what objects were at commits, where the edit moves objects to another one.
  func perform(_ edit: Edit, rows: [ObjectID: Row?] = [:]) {
    settleSave()
    if followUp == .expected, edit.isRefusedWhereOnlyRead { noteFollowUp() }
    if schedulesProcessing { scheduleProcessing() }
    if writer.isWriting || edit.isRefusedWhereOnlyRead {
      begin()
      let number = writer.record(edit)
      switch edit {
      case .set(let object, let key, let value), .setPrimitive(let object, let key, let value):
        guard let state = registered[object.rawValue]?.takeUnretainedValue() else { break }
        state.note(number, key, value, marks.event, marks.setStretch)
        if case .set = edit { noteSetOver(state, key) }
      case .inserted, .based, .stepEnded, .renamed, .undoSwitched, .membersChanged, .saveFailed:
        break
      default: marks.setStretch &+= 1
      }
    }
    apply(edit, rows: rows)
  }

  /// Does the edit that there are most of, of an object whose values are read.
  func performSet(_ state: ObjectState, _ key: KeyNumber, _ value: Value?) {
    if followUp == .expected { noteFollowUp() }
    if schedulesProcessing { scheduleProcessing() }
    begin()
    if let splice = splice(of: state, key, to: value) {
      // No commit can name the edit: it does not have the value.
      writer.record(.spliced(state.objectID, key, splice))
    } else {
      let edit = writer.recordSetting(of: key, of: state.objectID, to: value)
      state.note(edit, key, value, marks.event, marks.setStretch)
    }
    noteSetOver(state, key)
    if !state.hasDraft || !fold.setHeld(state.objectID, key, to: value) {
      apply(.set(state.objectID, key, value)) { (_, commit) throws(StoreError) in
        try row(of: state, at: commit)
      }
    } else if unsavedReferences != nil {
      noteReferences(in: .set(state.objectID, key, value))
    }
  }

  /// What a long value that is about to be set differs in from the one before; nil where the value is to be written
  /// whole.
  @inline(__always)
  private func splice(of state: ObjectState, _ key: KeyNumber, to value: Value?) -> Splice? {
    guard let value, value.isLong else { return nil }
    return try? fold.splice(of: key, of: state.objectID, to: value, row: row)
  }

  /// What an object was at a commit.
  private func row(of object: ObjectID, at commit: CommitNumber) throws(StoreError) -> Row? {
    guard let state = registered[object.rawValue]?.takeUnretainedValue() else {
      return try store.row(of: object, at: commit)
    }
    return try row(of: state, at: commit)
  }

  private func row(of state: ObjectState, at commit: CommitNumber) throws(StoreError) -> Row? {
    // What a child has read is in no commit: nobody else knows it, also where there was nothing.
    if state.base == commit, view.parent != nil || state.handle != nil {
      return try state.handle?.stored().row
    }
    return commit == .none ? Row?.none : try store.row(of: state.objectID, at: commit)
  }

  /// Does the edit by which a context comes to stand on a commit that was brought in, without looking at all that is
  /// unsaved.
  ///
  /// - Parameter rows: what those objects are there that may be others.
  func performMerge(_ commit: CommitNumber, rows: [ObjectID: Row?]) {
    settleSave()
    if schedulesProcessing { scheduleProcessing() }
    if writer.isWriting {
      begin()
      writer.record(.merged(commit))
      marks.setStretch &+= 1
    }
    foundToSave = nil
    fold.merge(commit, rows: rows)
    if unsavedReferences != nil { for object in rows.keys { noteDraft(of: object) } }
  }

  /// Has the fold go on by an edit that the journal has.
  func apply(_ edit: Edit, rows: [ObjectID: Row?] = [:]) {
    apply(edit) { (object, commit) throws(StoreError) -> Row? in
      if let row = rows[object] { return row }
      return try row(of: object, at: commit)
    }
  }

  private func apply(
    _ edit: Edit, row: (ObjectID, CommitNumber) throws(StoreError) -> Row?
  ) {
    foundToSave = nil
    do {
      try fold.apply(edit, row: row)
    } catch {
      switch error {
      case .contradiction(let contradiction):
        preconditionFailure(
          "a context made an edit that contradicts those before: \(contradiction)")
      case .row(let error):
        // The journal has the edit, the fold has not: the next save tells that, and the one after it what there is.
        readFailure = error
        writer.note(error)
      }
    }
    if unsavedReferences != nil { noteReferences(in: edit) }
  }

  func begin() {
    guard writer.live == nil, writer.failure == nil else { return }
    _ = writer.writableStore
    view.parent?.begin()
    do throws(StoreError) {
      let parent = view.parent?.writer.live
      guard let live = try writer.begin(named: name, within: parent) else { return }
      fold = ContextFold(
        live.number, name: name, on: live.base, parent: parent?.number, traits: schema.traits)
      unsavedReferences = nil
      if undoDisabledDepth > 0 {
        let isOff = Edit.undoSwitched(isOn: false)
        writer.record(isOff)
        apply(isOff)
      }
    } catch {
      writer.note(error)
    }
  }

  func rename() {
    if writer.live != nil { perform(.renamed(name)) }
  }

  /// Says where an object stands, before its first edit since there was something unsaved.
  @inline(__always)
  func base(_ state: ObjectState) {
    if state.basedIn != marks.stretch { noteBase(of: state) }
  }

  private func noteBase(of state: ObjectState) {
    settleSave()
    begin()
    state.basedIn = marks.stretch
    if let parent = view.parent { return noteBaseInParent(of: state, parent) }
    guard state.base != .none else { return }
    guard let live = writer.live else {
      // The journal cannot take even that the context begins: it is told with all the rest, and here it is so at once.
      if fold.standing(of: state.objectID).any != state.base {
        apply(.based(state.objectID, on: state.base))
      }
      return
    }
    // It was brought to a later commit with all others where nobody has changed it before that.
    let known = fold.standing(of: state.objectID)
    if let changed = known.changed { state.base = max(state.base, changed) }
    let standing = live.base
    if state.base != standing, known.changed == nil {
      // Where nobody has changed it in between, it stands on both alike.
      if isUnchanged(state, through: standing) { state.base = standing }
    }
    if state.base != standing || known.any != state.base {
      perform(.based(state.objectID, on: state.base))
    }
  }

  private func isUnchanged(_ state: ObjectState, through standing: CommitNumber) -> Bool {
    guard let changed = try? view.shared.snapshot.stored(state.objectID)?.changed else {
      return false
    }
    return changed <= min(state.base, standing)
  }

  /// Writes what is not saved anew, as the work of a context that begins for it, where the journal could not take some of
  /// what led there. What was done before can be undone no more then. As long as the journal does not take all of it,
  /// everything is as it was, there and here.
  func restate() throws {
    guard writer.failure != nil else { return }
    let (before, former) = (fold, writer.leave())
    begin()
    marks.setStretch &+= 1
    for edit in before.restatement(on: fold.base) where writer.failure == nil {
      let number = writer.record(edit)
      switch edit {
      case .set(let object, let key, let value), .setPrimitive(let object, let key, let value):
        state(of: object)?.note(number, key, value, marks.event, marks.setStretch)
      default: break
      }
      apply(edit) { (object, _) throws(StoreError) in before.objects[object]?.baseRow }
    }
    if writer.failure == nil { writer.end(former) }
    if let failure = writer.failure {
      writer.goBack(to: former)
      fold = before
      (unsavedReferences, foundToSave) = (nil, nil)
      marks.setStretch &+= 1
      throw failure
    }
    writer.endLenders()
    forgottenStepCount += before.undoSteps.count + (before.hasOpenStep ? 1 : 0)
    beginStretch()
    if let former { ownNumbers[former.number] = store.lastCommit }
    // Also of objects that turn out to be as the store has them.
    for state in before.objects.keys.compactMap(state(of:)) {
      state.basedIn = marks.stretch
      settle(state)
    }
  }

  /// Nothing is unsaved any more: objects say anew where they stand.
  func beginStretch() { marks.stretch &+= 1 }
}

extension ObjectState {
  /// Notes the edit that set a value; none where the journal does not have it.
  @inline(__always)
  fileprivate func note(
    _ edit: RecordedEdit?, _ key: KeyNumber, _ value: Value?, _ event: UInt32, _ stretch: UInt32
  ) {
    // One that is not known is none that could be named: what was noted before has another value, or the same.
    guard let edit else { return }
    // A new object is mostly given all its values.
    let count = insertedIn == event ? entity.properties.count : 1
    setEdits.note(edit, key, value, in: stretch, of: count)
  }
}

extension Edit {
  /// Whether a context that cannot be changed has to refuse it.
  fileprivate var isRefusedWhereOnlyRead: Bool {
    switch self {
    case .inserted, .set, .spliced, .setPrimitive, .membersChanged, .deleted, .undone, .redone: true
    default: false
    }
  }
}
