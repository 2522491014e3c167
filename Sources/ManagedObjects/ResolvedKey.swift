public import ObjectModel

/// A key of an entity's objects that has been looked up: setting and getting by it needs no search for a name.
public struct ResolvedKey: Sendable {
  /// The key.
  public var name: String { property.name }
  let property: Property
  let entity: EntityInfo
}

extension ManagedObjectContext {
  /// Looks a key up, for objects of an entity and of those that inherit from it.
  ///
  /// - Returns: nil where the model has no such key, or the class has an accessor of its own for it.
  public func resolvedKey(_ name: String, of entityName: String) -> ResolvedKey? {
    guard let info = schema.entity(named: entityName), let property = info.property(name),
      info.virtualAttributes[name] == nil
    else { return nil }
    return ResolvedKey(property: property, entity: info)
  }

  /// Looks a key up, for objects of a class and of those that inherit from it.
  ///
  /// - Returns: nil where the model has no such key, or the class has an accessor of its own for it.
  public func resolvedKey(_ name: String, of type: ManagedObject.Type) -> ResolvedKey? {
    schema.entity(of: type).flatMap { resolvedKey(name, of: $0.name) }
  }
}

extension ManagedObject {
  /// The value of a key that has been looked up for the object's entity, or for one that it inherits from.
  public final subscript(key: ResolvedKey) -> Value? {
    get {
      check(key)
      return state.attached().value(of: state, key.property)
    }
    set {
      check(key)
      state.attached().setValue(newValue, of: state, key.property)
    }
  }

  @inline(__always)
  private func check(_ key: ResolvedKey) {
    guard key.entity === state.entity || key.entity.includes(state.entity.number) else {
      preconditionFailure(
        "the key ‘\(key.name)’ was looked up for \(key.entity.name), not for \(self).")
    }
  }
}
