internal import EventFold
internal import ObjectModel
internal import ObjectStore

/// How a context's edits reach the journal. The context begins there with its first edit.
struct EditWriter {
  /// Nil where the context cannot be changed.
  private let store: JournaledStore?
  /// Has compaction keep what the context has read, which its first edits will stand on. Nil where the context
  /// cannot be changed.
  private let pin: CommitPin?
  /// Whether it holds anything.
  private(set) var holdsRead = false
  /// Why it cannot; nil where it can.
  let refusal: ContextError?
  private(set) var live: LiveContext?
  /// A context that began for work which the journal could not take: what is written anew next is its.
  private var spare: LiveContext?
  /// Contexts within this one that have saved into it what the journal could not take of this one. They have it until it
  /// is written anew.
  private var lenders: [LiveContext] = []
  /// Why the journal does not have the last edits. They are in memory, and are written anew when it can be.
  private(set) var failure: StoreError?

  init(_ store: JournaledStore) {
    self.store = store
    pin = CommitPin(store)
    refusal = nil
  }

  /// That of a context which nobody can change.
  ///
  /// - Parameter refusal: why.
  init(refusing refusal: ContextError) {
    (store, pin) = (nil, nil)
    self.refusal = refusal
  }

  /// That of another context on the same store.
  init(asFor other: EditWriter) {
    store = other.store
    pin = store.map(CommitPin.init)
    refusal = other.refusal
  }

  /// Goes on with a context that the journal has already.
  init(_ store: JournaledStore, resuming live: LiveContext) {
    self.init(store)
    self.live = live
  }

  /// Whether edits have a journal to reach.
  var isWriting: Bool { store != nil }

  /// The store, which must be one that can be written: to change anything else is a mistake of the program's.
  var writableStore: JournaledStore {
    guard let store else { preconditionFailure("\(refusal ?? .readOnly)") }
    return store
  }

  /// Begins the context, if it has not.
  ///
  /// - Returns: the context, if it began just now.
  mutating func begin(
    named name: String, within parent: LiveContext? = nil
  ) throws(StoreError) -> LiveContext? {
    guard live == nil, let store else { return nil }
    holdRead()
    guard let spare else {
      let begun = try store.beginContext(
        name: name, on: parent?.base ?? store.lastCommit, within: parent)
      live = begun
      return begun
    }
    // What there is of the try before, where that could not be given up then.
    try store.record(.rolledBack, by: spare)
    if spare.name != name { try store.record(.renamed(name), by: spare) }
    (live, self.spare) = (spare, nil)
    return live
  }

  /// Has the journal take an edit. Where it cannot, that is noted, and nothing more is tried until `restate`.
  ///
  /// - Returns: the edit's number; nil where the journal does not have it.
  @discardableResult
  mutating func record(_ edit: Edit) -> RecordedEdit? {
    guard failure == nil, let live, let store else { return nil }
    do throws(StoreError) {
      return try store.record(edit, by: live)
    } catch {
      failure = error
      return nil
    }
  }

  /// Has the journal take the edit that sets a value, as `record` does.
  mutating func recordSetting(
    of key: KeyNumber, of object: ObjectID, to value: Value?
  ) -> RecordedEdit? {
    guard failure == nil, let live, let store else { return nil }
    do throws(StoreError) {
      return try store.recordSetting(of: key, of: object, to: value, by: live)
    } catch {
      failure = error
      return nil
    }
  }

  // MARK: What was read

  /// Has compaction keep the store's last state, and what comes after it: before anything of it is read.
  @inline(__always)
  mutating func holdRead() {
    if holdsRead { return }
    pin?.hold()
    holdsRead = true
  }

  /// What was read before a commit is not held any more; without a commit, nothing is.
  mutating func releaseRead(before commit: CommitNumber? = nil) {
    if let commit {
      pin?.raise(to: commit)
    } else {
      pin?.release()
      holdsRead = false
    }
  }

  mutating func note(_ failure: StoreError) { self.failure = failure }

  /// Leaves the context as the journal has it; another begins with the next edit.
  ///
  /// - Returns: the context; nil where none has begun.
  mutating func leave() -> LiveContext? {
    defer { (live, failure) = (nil, nil) }
    return live
  }

  /// Ends a context that was left. Where the journal cannot take that, it is noted.
  mutating func end(_ left: LiveContext?) {
    guard let left, let store else { return }
    do throws(StoreError) { try store.endContext(left) } catch { failure = error }
  }

  /// Gives up what the context has that began last, for one that was left. Why stays noted.
  mutating func goBack(to left: LiveContext?) {
    if let begun = live, let store {
      // Where that cannot be written, whoever goes on with it does it.
      do throws(StoreError) { try store.record(.rolledBack, by: begun) } catch { failure = error }
      spare = begun
    }
    live = left
  }

  /// Ends the context in order, and gives up what it has not saved; another begins with the next edit.
  mutating func finish() {
    end()
    (live, spare, failure, lenders) = (nil, nil, nil, [])
  }

  /// Ends a context within this one that has saved into it.
  mutating func end(saving child: inout EditWriter) {
    if failure == nil {
      child.record(.saved(.none))
    } else {
      lenders += child.lenders + [child.live].compactMap(\.self)
      (child.live, child.lenders) = (nil, [])
    }
    child.finish()
  }

  /// Ends those that had what the journal has now.
  mutating func endLenders() {
    for context in lenders { store?.giveUp(context) }
    lenders = []
  }

  /// Leaves what the context has not saved as a draft.
  func letGo() {
    for context in lenders + [live].compactMap(\.self) { context.letGo() }
    if let spare { store?.giveUp(spare) }
  }

  /// Ends the context in order, and gives up what it has not saved.
  func end() {
    for context in lenders + [live, spare].compactMap(\.self) { store?.giveUp(context) }
  }

  /// All contexts whose work is that of this one.
  var numbers: [ContextNumber] { (lenders + [live, spare].compactMap(\.self)).map(\.number) }
}
