public import ObjectModel

/// An object of a store, in a context: what was saved of it, and what the context has changed.
///
/// Classes of a program's own inherit from it, declare their properties with `@Attribute`, `@Counter`, `@ValueSet`
/// and `@Relationship`, and override hooks. There is one instance for an object and a context; contexts and objects
/// stay on one thread, or with one actor.
open class ManagedObject {
  package let state: ObjectState

  /// Made by contexts only.
  public required init(_ seed: ObjectSeed) {
    state = seed.state
    state.object = self
  }

  deinit {
    state.object = nil
    state.context?.forget(state)
  }

  /// The name of the class's entity: that of the class, if nothing else is said.
  open class var entityName: String { String(describing: Self.self) }

  /// Whether there are no objects of the entity itself, but only of those that inherit from it: not, if nothing else
  /// is said. What a class says is said for those that inherit from it, too, so an abstract one says
  /// `self == Shape.self`.
  open class var isAbstract: Bool { false }

  /// Whether any key that the model does not know is a dynamic attribute, also for `setValue`: not, if nothing else
  /// is said.
  open class var allowsAnyKey: Bool { false }

  /// The name that the entity had in the model before; nil where it was not renamed.
  open class var formerEntityName: String? { nil }

  /// Keys that are computed, and accessors of the class's own for keys of the model.
  open class var virtualAttributes: [VirtualAttribute] { [] }

  // MARK: What it is

  /// What tells the object from all others: given at insert, and never changed.
  public final var objectID: ObjectID { state.objectID }

  /// What the object has in common with others.
  public final var entity: EntityDescription { state.entity.entity.description }

  /// The context; nil where it has ended or has forgotten the object.
  public final var context: ManagedObjectContext? { state.context }

  /// Whether nothing of the object has been read yet.
  public final var isFault: Bool { state.isFault }

  /// Whether a save would bring it into the store.
  public final var isInserted: Bool { state.standing == .inserted }

  /// Whether a save would change what the store has of it.
  public final var isUpdated: Bool { state.standing == .updated }

  /// Whether it is deleted: here, or as far as the context has learned elsewhere.
  public final var isDeleted: Bool { state.presence != .there }

  /// Whether there is something to save: also where a value was set as it was.
  public final var hasChanges: Bool { state.standing != .unchanged }

  // MARK: Hooks

  /// The object was inserted, once in its life. Primitive values that are set here are where it begins.
  open func awakeFromInsert() {}

  /// The object's values were read. What is set here is neither a change nor journaled.
  open func awakeFromFetch() {}

  /// The object is there with other values, for this reason; or is there no more, where that has come by undoing or
  /// redoing.
  open func awake(from reason: AwakeReason) {}

  /// The object is about to become a fault; its values can be read.
  open func willTurnIntoFault() {}

  /// The object has become a fault.
  open func didTurnIntoFault() {}

  /// The object is about to be deleted; its relationships are as they were.
  open func prepareForDeletion() {}

  /// The object is about to be saved. A public set has this called again; a primitive one does not.
  open func willSave() {}

  /// The object has been saved.
  open func didSave() {}

  /// Whether the object can be inserted as it is; throws what is wrong with it.
  open func validateForInsert() throws {}

  /// Whether the object can be saved as it is; throws what is wrong with it.
  open func validateForUpdate() throws {}

  /// Whether the object can be deleted; throws what is against it.
  open func validateForDelete() throws {}

  /// Whether a key may have a value; throws what is wrong with it.
  open func validateValue(_ value: Value?, forKey key: String) throws {}

  /// The value of a key that neither the model nor the class has, where the entity takes no such keys.
  open func value(forUndefinedKey key: String) -> Value? { misspelt(key) }

  /// Sets a key that neither the model nor the class has, where the entity takes no such keys.
  open func setValue(_ value: Value?, forUndefinedKey key: String) { _ = misspelt(key) }
}

/// Two contexts' objects never cross threads.
@available(*, unavailable)
extension ManagedObject: Sendable {}

extension ManagedObject: Hashable {
  /// Whether both are the same object of the same context.
  public static func == (one: ManagedObject, other: ManagedObject) -> Bool { one === other }

  /// Hashes what tells the object from others.
  public func hash(into hasher: inout Hasher) { hasher.combine(state.objectID) }
}

extension ManagedObject: CustomStringConvertible {
  /// The entity and the ID; nothing is read for it.
  public var description: String { "\(state.entity.name) \(objectID)" }
}

/// What an object is made of; contexts have it.
public struct ObjectSeed {
  let state: ObjectState
}

/// Why an object has other values than before, or is there or not there otherwise than before.
public enum AwakeReason: Hashable, Sendable {
  /// An insert was undone: the object is deleted.
  case undoOfInsert
  /// An insert was undone, and was made again.
  case redoOfInsert
  /// A deletion was undone.
  case undoOfDelete
  /// A deletion was undone, and was made again: the object is deleted.
  case redoOfDelete
  /// An update was undone.
  case undoOfUpdate
  /// An update was made again.
  case redoOfUpdate
  /// What was not saved was given up.
  case rollback
  /// The object was refreshed.
  case refresh
  /// What another context saved was brought in.
  case merge
  /// The context goes on after its process ended.
  case recovery

  /// Whether the object is there no more.
  var isDeletion: Bool { self == .undoOfInsert || self == .redoOfDelete }
}
