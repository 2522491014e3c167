public import ObjectModel

/// Makes storable values of values of a type of the program's own, and back.
public protocol ValueTransformer: Sendable {
  /// The type of the program's own.
  associatedtype Object

  /// What tells the transformer from others in the model; the name of its type if nothing else is said.
  static var name: String { get }

  /// The value that stands for an object.
  func encode(_ object: Object) throws -> Value

  /// The object that a value stands for.
  func decode(_ value: Value) throws -> Object
}

extension ValueTransformer {
  /// The name of the transformer's type.
  public static var name: String { String(describing: Self.self) }
}
