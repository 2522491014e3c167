internal import ObjectModel

// Transformed attributes by key: for entities that have no class.
extension ManagedObject {
  /// The program's value of a transformed attribute; nil where there is none.
  ///
  /// - Throws: what the transformer does with a stored value that it cannot read.
  public final func transformedValue<Object>(
    forKey key: String, as type: Object.Type
  ) throws -> Object? {
    let context = state.attached()
    let property = transformedProperty(key)
    context.willRead(state, property.key)
    guard let decoded = try context.decode(state, property) else { return nil }
    guard let object = decoded.object(as: type) else { refuse(key, type) }
    return object
  }

  /// Sets the program's value of a transformed attribute; nil for none. What the transformer cannot store is told by
  /// the save.
  public final func setTransformedValue<Object>(_ object: Object?, forKey key: String) {
    state.attached().setDecoded(object.map { Decoded($0) }, of: state, transformedProperty(key))
  }

  private func transformedProperty(_ key: String) -> Property {
    guard let property = state.entity.property(key), property.transformation != nil else {
      preconditionFailure(
        "\(state.entity.name).\(key) has no transformer; give the model one, or use value(forKey:)."
      )
    }
    return property
  }

  private func refuse(_ key: String, _ type: Any.Type) -> Never {
    preconditionFailure("the transformer of \(state.entity.name).\(key) makes no \(type).")
  }
}
