public import FoundationEssentials
public import ObjectModel

// The types that a store has kinds of values for.

extension Bool: AttributeConvertible {
  /// A boolean.
  @inlinable public static var attributeType: AttributeType { .boolean }
  /// The boolean.
  @inlinable public var storedValue: Value? { .boolean(self) }
  /// The boolean.
  @inlinable public init?(storedValue: Value?) {
    guard case .boolean(let value)? = storedValue else { return nil }
    self = value
  }
}

extension Decimal: AttributeConvertible {
  /// A decimal.
  @inlinable public static var attributeType: AttributeType { .decimal }
  /// The decimal.
  @inlinable public var storedValue: Value? { .decimal(self) }
  /// The decimal.
  @inlinable public init?(storedValue: Value?) {
    guard case .decimal(let value)? = storedValue else { return nil }
    self = value
  }
}

extension String: AttributeConvertible {
  /// A string.
  @inlinable public static var attributeType: AttributeType { .string }
  /// The string.
  @inlinable public var storedValue: Value? { .string(self) }
  /// The string.
  @inlinable public init?(storedValue: Value?) {
    guard case .string(let value)? = storedValue else { return nil }
    self = value
  }
}

extension Data: AttributeConvertible {
  /// Data.
  @inlinable public static var attributeType: AttributeType { .data }
  /// The data.
  @inlinable public var storedValue: Value? { .data(self) }
  /// The data.
  @inlinable public init?(storedValue: Value?) {
    guard case .data(let value)? = storedValue else { return nil }
    self = value
  }
}

extension Date: AttributeConvertible {
  /// A date.
  @inlinable public static var attributeType: AttributeType { .date }
  /// The date.
  @inlinable public var storedValue: Value? { .date(self) }
  /// The date.
  @inlinable public init?(storedValue: Value?) {
    guard case .date(let value)? = storedValue else { return nil }
    self = value
  }
}

extension UUID: AttributeConvertible {
  /// A UUID.
  @inlinable public static var attributeType: AttributeType { .uuid }
  /// The UUID.
  @inlinable public var storedValue: Value? { .uuid(self) }
  /// The UUID.
  @inlinable public init?(storedValue: Value?) {
    guard case .uuid(let value)? = storedValue else { return nil }
    self = value
  }
}

extension URL: AttributeConvertible {
  /// A URL.
  @inlinable public static var attributeType: AttributeType { .url }
  /// The URL.
  @inlinable public var storedValue: Value? { .url(self) }
  /// The URL.
  @inlinable public init?(storedValue: Value?) {
    guard case .url(let value)? = storedValue else { return nil }
    self = value
  }
}

extension ObjectID: AttributeConvertible {
  /// A reference to an object of another store.
  @inlinable public static var attributeType: AttributeType { .reference }
  /// The reference.
  @inlinable public var storedValue: Value? { .reference(self) }
  /// The object referred to.
  @inlinable public init?(storedValue: Value?) {
    guard case .reference(let value)? = storedValue else { return nil }
    self = value
  }
}
