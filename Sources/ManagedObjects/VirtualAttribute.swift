internal import ObjectModel

/// A key without storage, whose value is computed; or an accessor of the program's own for a key of the model.
public struct VirtualAttribute: Sendable {
  /// The key.
  public let name: String
  /// The keys that the value depends on, also across relationships (`blog.title`), where they are declared.
  /// Those that are found by watching are added.
  public let keyPathsForValuesAffecting: Set<String>
  let read: @Sendable (ManagedObject) -> Value?
  let write: (@Sendable (ManagedObject, Value?) -> Void)?
  /// Whether it can be set to a value.
  let takes: @Sendable (Value?) -> Bool

  /// A key whose value a closure computes.
  ///
  /// - Parameters:
  ///   - dependencies: the keys it depends on; none need be said.
  ///   - get: computes it. What it reads is found by watching.
  ///   - set: takes a value; without it the key can only be read.
  public init<Object: ManagedObject, Property: AttributeConvertible>(
    _ name: String, dependsOn dependencies: Set<String> = [],
    get: @escaping @Sendable (Object) -> Property,
    set: (@Sendable (Object, Property) -> Void)? = nil
  ) {
    self.name = name
    keyPathsForValuesAffecting = dependencies
    read = { object in
      guard let typed = object as? Object else { return nil }
      return get(typed).storedValue
    }
    guard let set else {
      write = nil
      takes = { _ in false }
      return
    }
    takes = { Property(storedValue: $0) != nil }
    write = { object, value in
      guard let typed = object as? Object, let property = Property(storedValue: value) else {
        preconditionFailure(
          "\(object.entity.name).\(name) cannot be set to \(value ?? Value.null); it takes a "
            + "\(Property.self).")
      }
      set(typed, property)
    }
  }

  /// What keys lead to one after the other, each but the last by a relationship to one.
  init(path: [String]) {
    name = path.joined(separator: ".")
    keyPathsForValuesAffecting = []
    write = nil
    takes = { _ in false }
    read = { object in
      var current = object
      for key in path.dropLast() {
        guard let next = current[key]?.reference, let instance = object.context?.object(with: next)
        else { return nil }
        current = instance
      }
      return path.last.flatMap { current[$0] }
    }
  }

  /// A key whose value a closure computes.
  public init<Object: ManagedObject, Property: AttributeConvertible>(
    _ name: String, _ get: @escaping @Sendable (Object) -> Property
  ) {
    self.init(name, get: get)
  }
}
