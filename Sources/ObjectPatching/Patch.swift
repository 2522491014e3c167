public import ObjectModel

/// What leads from one graph of objects to another, as a value: it can be kept, sent, looked at, inverted, joined with
/// one that follows, and applied elsewhere.
///
/// Each object's own changes stand in it once, in an object patch at the top or nested under a relationship that leads
/// to it. Everywhere else the object is named by its identity, so that a graph with cycles is written like any other.
public struct Patch: Hashable, Sendable {
  /// The object patches, each with those that are nested in it.
  public var objects: [ObjectPatch]

  /// Makes a patch of object patches.
  public init(objects: [ObjectPatch] = []) { self.objects = objects }

  /// Whether nothing is changed by it.
  public var isEmpty: Bool { objects.allSatisfy(\.isEmpty) }
}

/// What becomes of an object, and of others that its relationships lead to.
public struct ObjectPatch: Hashable, Sendable {
  /// What becomes of the object itself.
  public enum Kind: Hashable, Sendable, CaseIterable {
    /// It comes to be: there is new and no old.
    case creation
    /// It was there, and still is. It may itself have no changes, and be there for what is nested in it.
    case update
    /// It is gone: there is old and no new.
    case deletion
  }

  /// The object: as it is named before the patch, or after it where it comes to be.
  public var identity: PatchIdentity

  /// What attributes had, by key, null for no value; nil for a creation.
  ///
  /// Of an update these are the attributes that change, or all where that was asked for. One that is in `new` and not
  /// here may have had anything: whether it still has that is not checked, and the patch cannot be inverted.
  public var old: [String: Value]?

  /// What attributes become, by key, null for no value; nil for a deletion. What is not named is not changed. A key that
  /// the model does not know is a dynamic attribute, as it is to `object[key]`.
  public var new: [String: Value]?

  /// What becomes of relationships, and of the objects they lead to, by key.
  public var relationships: [String: RelationshipPatch]

  /// An update; one without attributes carries what is nested in it.
  public init(
    updating identity: PatchIdentity, old: [String: Value] = [:], new: [String: Value] = [:],
    relationships: [String: RelationshipPatch] = [:]
  ) {
    self.identity = identity
    self.old = old
    self.new = new
    self.relationships = relationships
  }

  /// A creation.
  public init(
    creating identity: PatchIdentity, new: [String: Value],
    relationships: [String: RelationshipPatch] = [:]
  ) {
    self.identity = identity
    self.new = new
    self.relationships = relationships
  }

  /// A deletion.
  public init(
    deleting identity: PatchIdentity, old: [String: Value],
    relationships: [String: RelationshipPatch] = [:]
  ) {
    self.identity = identity
    self.old = old
    self.relationships = relationships
  }

  /// The name of the object's own entity.
  public var entityName: String { identity.entityName }

  /// What becomes of the object itself. Where neither old nor new is there, it is an update.
  public var kind: Kind {
    switch (old, new) {
    case (nil, .some): .creation
    case (.some, nil): .deletion
    default: .update
    }
  }

  /// What the patch says the values were; of one that says nothing of them, none.
  var oldValues: [String: Value] { old ?? [:] }

  /// What the patch says the values become; of one that says nothing of them, none.
  var newValues: [String: Value] { new ?? [:] }

  /// Whether it says what the object had for each attribute that is kept, as the deletions of differences do.
  func saysAll(of attributes: some Sequence<AttributeDescription>) -> Bool {
    attributes.allSatisfy { $0.isTransient || old?[$0.name] != nil }
  }

  /// Whether nothing is changed by it, nor by what is nested in it.
  public var isEmpty: Bool {
    kind == .update && newValues.isEmpty && relationships.values.allSatisfy(\.isEmpty)
  }
}
