public import ObjectModel

/// A type whose values an attribute can have.
public protocol AttributeConvertible: SendableMetatype {
  /// What an attribute of this type holds.
  static var attributeType: AttributeType { get }

  /// Whether there may be no value.
  static var isOptional: Bool { get }

  /// Whether what is stored for it can be part of a property list, as values of dictionaries are that can be looked
  /// into: what `attributeType` says, if nothing else is said.
  static var isPropertyList: Bool { get }

  /// The value that is stored for it; nil for none.
  var storedValue: Value? { get }

  /// What a stored value stands for; nil where it is of another kind.
  init?(storedValue: Value?)
}

extension AttributeConvertible {
  /// Not, but for optionals.
  @inlinable public static var isOptional: Bool { false }

  /// Where the type has values that property lists have, or values of the program's own.
  @inlinable public static var isPropertyList: Bool {
    switch attributeType {
    case .uuid, .url, .decimal, .set, .reference, .counter: false
    default: true
    }
  }
}

extension Optional: AttributeConvertible where Wrapped: AttributeConvertible {
  /// That of what is wrapped.
  @inlinable public static var attributeType: AttributeType { Wrapped.attributeType }

  /// It may be.
  @inlinable public static var isOptional: Bool { true }

  /// Whether that of what is wrapped can.
  @inlinable public static var isPropertyList: Bool { Wrapped.isPropertyList }

  /// That of what is wrapped, or none.
  @inlinable public var storedValue: Value? { self?.storedValue }

  /// What the value stands for, or nothing.
  @inlinable public init?(storedValue: Value?) {
    switch storedValue {
    case nil, .some(.null): self = .none
    case .some(let value):
      guard let wrapped = Wrapped(storedValue: value) else { return nil }
      self = .some(wrapped)
    }
  }
}

extension Value: AttributeConvertible {
  /// A dictionary of property-list values; as part of a dynamic attribute any value.
  @inlinable public static var attributeType: AttributeType { .dictionary }
  /// The value itself.
  @inlinable public var storedValue: Value? { self }
  /// The value itself.
  @inlinable public init?(storedValue: Value?) { self = storedValue ?? .null }
}
