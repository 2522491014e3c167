public import ObjectModel

/// Stores values of types that code themselves, as property-list values: what has keys as dictionaries, what has an
/// order as arrays, and values that the store knows as what they are.
///
/// No bytes are made of them, so that everybody can look into what is stored.
public struct CodableTransformer<Object: Codable>: ValueTransformer {
  /// The same for all types, so that a type can be renamed.
  public static var name: String { "Codable" }

  /// Makes the transformer.
  public init() {}

  /// The value that stands for an object.
  ///
  /// - Throws: what the object's own coding throws, or `EncodingError`.
  public func encode(_ object: Object) throws -> Value { try ValueEncoding.value(of: object) }

  /// The object that a value stands for.
  ///
  /// - Throws: what the object's own coding throws, or `DecodingError`.
  public func decode(_ value: Value) throws -> Object {
    try ValueDecoding.object(Object.self, of: value)
  }
}
