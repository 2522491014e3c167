public import ObjectModel

/// Why a context cannot do what it was asked, in one sentence that says what to do.
public enum ContextError: Error, Hashable, Sendable {
  /// There is no such object, here or in the store.
  case objectMissing(ObjectID)
  /// An ID is another store's.
  case objectOfAnotherStore(ObjectID)
  /// The store of an object is not among those that were asked.
  case storeMissing(ObjectID)
  /// An object is of another class than was asked for.
  case objectOfAnotherClass(ObjectID, String, String)
  /// `willSave` sets values, or brings objects to be saved, again and again.
  case willSaveDoesNotEnd(ObjectID)
  /// Hooks that validate set values, or bring objects to be saved, again and again.
  case validationDoesNotEnd(ObjectID)
  /// Others have had something lead to objects that are to be deleted, again each time their delete rules were followed.
  case stillLedTo([ObjectID])
  /// Later changes have touched the same keys of objects, so that an older one cannot be taken back by itself.
  case laterChanges([ChangedKey])
  /// There is nothing to undo, or nothing to undo of an object.
  case nothingToUndo
  /// A save was asked for by what a save calls.
  case isSaving
  /// What a patch calls that is being applied asks for something that would break its step.
  case isPatching
  /// What was changed before a patch was broken off could not be taken back. It says why the patch was broken off, and
  /// what failed then.
  case patchNotTakenBack(reason: String, failure: String)
  /// The context is for looking only.
  case readOnly
  /// The context was closed.
  case closed
  /// A class is not in the model that the store was opened with.
  case classNotInModel(String)
  /// The store has no model yet.
  case noModel
  /// An object leads to one that another context has made and not saved.
  case destinationUnsaved(ObjectID, key: String, destination: ObjectID)
  /// A transformer cannot make a value storable, or read it.
  case transformFailed(ObjectID, key: String, reason: String)

  /// A key of an object.
  public struct ChangedKey: Hashable, Sendable {
    /// The object.
    public let objectID: ObjectID
    /// The key.
    public let key: String
  }
}

extension ContextError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    switch self {
    case .objectMissing(let id): "There is no object \(id); it was deleted, or never saved."
    case .objectOfAnotherStore(let id):
      "\(id) is an object of another store; ask a context of that store for it."
    case .storeMissing(let id):
      "\(id) is an object of a store that is not open here; open it, and give a context of it."
    case .objectOfAnotherClass(let id, let actual, let wanted):
      "\(id) is of class \(actual), not \(wanted); ask for it as what it is."
    case .willSaveDoesNotEnd(let id):
      "willSave sets values or brings objects each of 1,000 times it is called, of \(id) last; set what has to be "
        + "set by setPrimitiveValue, or only where it differs, and insert only what is not there."
    case .validationDoesNotEnd(let id):
      "Hooks that validate have made something else of \(id) each of 100 times they were asked; have them set values "
        + "that are the same when they are asked again, or set these in willSave."
    case .stillLedTo(let ids):
      "Whenever the delete rules of \(ids.map { "\($0)" }.joined(separator: ", ")) had been followed, others have "
        + "committed something else that leads there; save again when they have ended."
    case .laterChanges(let keys):
      "Later changes have touched \(keys.map { "\($0.key) of \($0.objectID)" }.joined(separator: ", ")); take "
        + "these back first."
    case .nothingToUndo: "There is nothing that could be undone."
    case .isSaving:
      "A hook or an observer that a save calls asks for another save of the same context; have it done by the one "
        + "that is being made, or save when that has ended."
    case .isPatching:
      "A patch is being applied to the context, and its delegate, a hook or an observer asks to save, undo, give up, "
        + "refresh or close it, or to end a group of undo steps that is not its own; have that done when the patch has "
        + "been applied."
    case .patchNotTakenBack(let reason, let failure):
      "A patch was broken off (\(reason)), and not all it had changed could be taken back (\(failure)); roll the context "
        + "back, or undo and look what is left."
    case .readOnly:
      "This context is for looking only and cannot be changed; what the past had is brought back by `revert` in "
        + "a context that can."
    case .closed: "This context was closed; make another one, or resume its session."
    case .classNotInModel(let name):
      "The class \(name) is not in the model that the store was opened with; open the store with it."
    case .noModel: "The store has no model yet; open it with one."
    case .destinationUnsaved(let id, let key, let destination):
      "\(key) of \(id) leads to \(destination), which another context has made and not saved; save that one first, or "
        + "make the object in this context."
    case .transformFailed(let id, let key, let reason):
      "The value of \(key) of \(id) cannot be stored: \(reason)"
    }
  }
}
