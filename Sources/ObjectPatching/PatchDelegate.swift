public import ManagedObjects
public import ObjectModel

/// Does what a patch cannot do by itself: makes objects that need more than an insert, patches objects by hand, and
/// converts values that are not of the type the model says.
///
/// Each method has an implementation that leaves it to the patch. What a method throws ends the applying, and
/// everything it has done is taken back; where something was changed before, nothing can be redone any more.
///
/// Nor may anybody else break what is to be all or nothing: while a patch is being applied, its context refuses to save,
/// to undo and redo, to revert, to roll back, to be reset or closed, to refresh objects and bring in commits, and to end a
/// group of undo steps that was not begun meanwhile. What throws throws `ContextError.isPatching`; of what cannot throw
/// nothing is done, and applying throws that, with everything taken back. Switching undo off has an effect when the patch
/// has been applied.
public protocol PatchDelegate {
  /// Makes an object that is missing, in the context; nil where an insert is enough.
  ///
  /// The values of the patch are set afterwards, and where its relationships lead is added to where the object leads
  /// already. Each patch is to get an object of its own. Objects that are made along with it, and that the patch creates
  /// elsewhere, are found by their identifiers and not made again. It is asked before anything else is made.
  func makeObject(
    for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
  ) throws -> ManagedObject?

  /// Whether the attributes of an entity's objects are patched by hand: by `patch(_:with:at:)`, which is then called
  /// instead of setting them. Their old values are not compared. The identifier is none of them: others are to find the
  /// object by it.
  func patchesByHand(entityNamed name: String) -> Bool

  /// Patches the attributes of an object, of an entity that is patched by hand, where the patch has new values of any;
  /// or where an object that was elsewhere comes to be here, of which it has the old ones.
  func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws

  /// Converts a value from elsewhere that is not of an attribute's type; nil where it cannot be.
  func value(
    for value: Value, of attribute: AttributeDescription, in entityName: String, at path: PatchPath
  ) throws -> Value?
}

extension PatchDelegate {
  /// An insert is enough.
  public func makeObject(
    for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
  ) throws -> ManagedObject? { nil }

  /// No entity is.
  public func patchesByHand(entityNamed name: String) -> Bool { false }

  /// Leaves the object as it is.
  public func patch(_ object: ManagedObject, with patch: ObjectPatch, at path: PatchPath) throws {}

  /// Converts nothing.
  public func value(
    for value: Value, of attribute: AttributeDescription, in entityName: String, at path: PatchPath
  ) throws -> Value? { nil }
}
