package import EventFold
internal import ObjectModel
public import ObjectStore

/// Objects of a store, and what has been changed in them and not saved.
///
/// Every change is an event in the journal when the call returns. A context and its objects stay on one thread, or with
/// one actor; the compiler sees to it.
///
/// What every edit asks is not checked for overlapping accesses at run time (`exclusivity`), where there is nothing in it
/// that could be half changed, and where no code of the program's runs while it is changed. Everything else is.
public final class ManagedObjectContext {
  /// What of the store the context shows.
  let view: StoreView
  package let schema: Schema

  /// What is not saved, and what can be undone: what a replay of the context's edits would give, but for steps that were
  /// forgotten here (`levelsOfUndo`).
  package internal(set) var fold: ContextFold
  /// How the context's edits reach the journal.
  @exclusivity(unchecked) var writer: EditWriter

  /// The objects that there are instances of.
  @exclusivity(unchecked) var registered: [UInt64: Unmanaged<ObjectState>] = [:]
  /// The objects that have changes, or that the undo history needs.
  var held: [ObjectID: ManagedObject] = [:]
  /// The objects that a save would take, where they have been found since the last edit.
  var foundToSave: [ManagedObject]?
  /// How many they were when it was last looked which of them are needed.
  @exclusivity(unchecked) var heldAfterRelease = 0
  /// How many saves are still to come before it is looked again, unless these have become many more.
  @exclusivity(unchecked) var savesUntilRelease = 0
  /// The numbers of keys that have been looked up.
  var keys: [String: KeyNumber] = [:]
  /// The key paths that have been looked up, by the class of the objects that they were read of.
  var knownKeyPaths: [AnyKeyPath: [ObjectIdentifier: KnownKeyPath]] = [:]
  /// What was asked for last.
  var boundQueries = BoundQueries()
  /// What has changed since pending changes were processed last.
  @exclusivity(unchecked) var event = ContextEvent()
  @exclusivity(unchecked) var marks = EventMarks()
  /// Who watches the objects.
  let watching = Watching()
  let probe = TrackingProbe()
  /// Who listens to the context as a whole.
  let listeners = ContextListeners()
  /// Whether the context is used by the main actor.
  let isOfMainActor: Bool
  /// Whether the next change has pending changes be processed by and by.
  @exclusivity(unchecked) var schedulesProcessing: Bool
  /// Tells when others save, where the context brings that in by itself, and whenever it comes.
  var commitWatch: CommitWatch?
  /// The last commit that was brought in, where the context does so by itself.
  @exclusivity(unchecked) var mergedThrough = CommitNumber.none
  /// The last of them that could not be brought in as a whole: of the next try what cannot be read is left out.
  @exclusivity(unchecked) var unreadThrough = CommitNumber.none
  /// Objects that the parent has changed and that could not be read when that was tried last, which was told.
  @exclusivity(unchecked) var unreadBelow: Set<ObjectID> = []
  /// By which numbers the context has saved, and up to which commit, as others may have gone on under one that it has
  /// left: others' commits are brought in, and not its own.
  var ownNumbers: [ContextNumber: CommitNumber] = [:]
  /// Deleted objects whose delete rules are to be run.
  var pendingDeletions: [ObjectState] = []
  /// Objects with values of transformed attributes that are not stored yet.
  var unstored: Set<ObjectID> = []
  /// Whether a relationship that is answered from its inverse has been read: its destinations are kept in step.
  @exclusivity(unchecked) var hasReadMembers = false
  /// What leads where of what is not saved, since that was asked for; nil where it is to be found out anew.
  var unsavedReferences: UnsavedReferences?
  /// How many are reading what was fetched, while nothing is tracked.
  @exclusivity(unchecked) var untrackedDepth = 0
  /// What a child has written down of its ancestors' unsaved work.
  var standIns = StandIns()
  /// The contexts within this one that bring in by themselves what it changes.
  var followers: [FollowingContext] = []
  /// What the parent has changed, where the context brings that in by itself.
  var parentChanges = ParentChanges()
  /// The save whose commit is on its way, while the caller's thread does something else.
  var saveOnItsWay: SaveOnItsWay?
  /// How many groups of undo steps are open.
  @exclusivity(unchecked) var groupDepth = 0
  /// How many groups undoing or giving up has ended, of which the end is yet to be said.
  @exclusivity(unchecked) var brokenGroupCount = 0
  /// The patch that is being applied, from its first change until its step is whole.
  var openPatch: OpenPatch?
  /// Whether a save is being prepared or made.
  @exclusivity(unchecked) var isSaving = false
  /// The name of the step that is being made. The empty one is that of hooks' steps, and none that can be given.
  var actionName: String? {
    didSet { if actionName == UndoStep.nameOfHooks { actionName = nil } }
  }
  /// What becomes of changes that follow from what was undone or redone just now.
  @exclusivity(unchecked) var followUp = FollowUp.none
  /// How many have switched undo off.
  @exclusivity(unchecked) var undoDisabledDepth = 0
  /// Why something could not be read that a caller could not be told of. No save succeeds until it is taken.
  var readFailure: (any Error)?

  /// What becomes of objects that somebody else has changed since this context has seen them.
  public var mergePolicy = MergePolicy.error
  /// How many steps can be undone; 0 for all. The oldest are given up, also where redoing makes them more.
  public var levelsOfUndo = 0 {
    didSet { forgetEarlySteps() }
  }
  /// How many steps were forgotten by that.
  @exclusivity(unchecked) var forgottenStepCount = 0
  /// Whether delete rules run when pending changes are processed; otherwise they do at the save.
  @exclusivity(unchecked) public var propagatesDeletesAtEndOfEvent = true
  /// Whether a fault whose object is gone is shown as a deleted object without values; otherwise the next save
  /// throws what was missing.
  @exclusivity(unchecked) public var shouldDeleteInaccessibleFaults = true
  /// Whether dynamic attributes that are set as they were saved do not count as changed.
  @exclusivity(unchecked) public var reconcilesChangesAtOnce = false

  /// Whether what others save is brought in when pending changes are processed, as `merge(from:)` does: what was
  /// changed here is kept. In a context within another it is what that one changes, saved or not, once that has
  /// processed its pending changes. A context of the main actor processes them, too, when others have saved. A context
  /// that cannot be changed stays at what it shows.
  public var automaticallyMergesChanges = false {
    didSet {
      if automaticallyMergesChanges == oldValue { return }
      if automaticallyMergesChanges { beginMerging() } else { commitWatch = nil }
    }
  }

  /// Makes a context on a store. Nothing is written before the first change.
  ///
  /// - Parameter isolation: where the context is used. One of the main actor processes pending changes once a turn;
  ///   any other does so when it is told to.
  public convenience init(_ store: JournaledStore, isolation: (any Actor)? = #isolation) {
    self.init(StoreView(store), EditWriter(store), isolation: isolation)
  }

  init(
    _ view: StoreView, _ writer: EditWriter, _ fold: ContextFold? = nil,
    isolation: (any Actor)? = nil
  ) {
    self.view = view
    isOfMainActor = isolation === MainActor.shared
    schedulesProcessing = isOfMainActor
    self.writer = writer
    schema = Schema.of(view.store, view.snapshot.eras)
    self.fold =
      fold
      ?? ContextFold(ContextNumber(rawValue: 0), name: "", on: .none, traits: schema.traits)
    name = fold?.name ?? ""
  }

  /// The store.
  public var store: ReadableStore { view.store }

  deinit {
    let states = registered.values.map { $0.takeUnretainedValue() }
    for state in states { state.context = nil }
    endTelling(of: states)
    listeners.finish()
    // What is not saved stays in the journal, and is offered as a draft when the store is opened next.
    if view.parent != nil || !fold.hasChanges { writer.end() } else { writer.letGo() }
  }

  /// What people call the context: drafts, commits and events say it.
  public var name = "" {
    didSet { if name != oldValue { rename() } }
  }

  /// Whether an object has something to save.
  public var hasChanges: Bool { fold.hasChanges }

  /// The objects that a save would bring into the store.
  public var insertedObjects: Set<ManagedObject> { objects(.inserted) }

  /// The objects that a save would change.
  public var updatedObjects: Set<ManagedObject> { objects(.updated) }

  /// The objects that a save would delete.
  public var deletedObjects: Set<ManagedObject> { objects(.deleted) }

  /// The objects that there are instances of.
  public var registeredObjects: Set<ManagedObject> {
    Set(registered.values.compactMap { $0.takeUnretainedValue().object })
  }

  private func objects(_ standing: ObjectState.Standing) -> Set<ManagedObject> {
    Set(objectsToSave.filter { $0.state.standing == standing })
  }

  /// The objects that a save would take, in the order of their IDs.
  ///
  /// Costs: time in proportion to what is unsaved, and not to what can be undone; hardly any where nothing else has
  /// changed since it was asked last.
  var objectsToSave: [ManagedObject] {
    if let foundToSave { return foundToSave }
    let dirty = fold.dirtyObjects
    var objects: [ManagedObject] = []
    objects.reserveCapacity(dirty.count)
    for id in dirty {
      if let object = held[id], object.state.standing != .unchanged { objects.append(object) }
    }
    foundToSave = objects
    return objects
  }

  /// An object, if it has changes that a save would take.
  func objectToSave(_ id: ObjectID) -> ManagedObject? {
    guard fold.objects[id]?.isDirty ?? false, let object = held[id],
      object.state.standing != .unchanged
    else { return nil }
    return object
  }
}

/// A context stays on its thread.
@available(*, unavailable)
extension ManagedObjectContext: Sendable {}
