public import ObjectModel

// Types whose values are made of others.

extension Set: AttributeConvertible where Element: AttributeConvertible {
  /// A set.
  @inlinable public static var attributeType: AttributeType { .set }
  /// The set of what the members are stored as.
  @inlinable public var storedValue: Value? {
    var values = Set<Value>(minimumCapacity: count)
    for member in self {
      if let value = member.storedValue { values.insert(value) }
    }
    return .set(values)
  }
  /// The set; a member of another kind is left out.
  @inlinable public init?(storedValue: Value?) {
    guard case .set(let values)? = storedValue else { return nil }
    self.init(minimumCapacity: values.count)
    for value in values {
      if let member = Element(storedValue: value) { insert(member) }
    }
  }
}

extension Array: AttributeConvertible where Element: AttributeConvertible {
  /// An array, which is looked into by the program alone.
  @inlinable public static var attributeType: AttributeType { .transformed(by: "Array") }
  /// Whether the elements can.
  @inlinable public static var isPropertyList: Bool { Element.isPropertyList }
  /// The array of what the elements are stored as.
  @inlinable public var storedValue: Value? { .array(map { $0.storedValue ?? .null }) }
  /// The array; nil where an element is of another kind.
  @inlinable public init?(storedValue: Value?) {
    guard case .array(let values)? = storedValue else { return nil }
    self = []
    reserveCapacity(values.count)
    for value in values {
      guard let element = Element(storedValue: value) else { return nil }
      append(element)
    }
  }
}

extension Dictionary: AttributeConvertible where Key == String, Value: AttributeConvertible {
  /// A dictionary of property-list values; one of other values, as UUIDs, is looked into by the program alone.
  @inlinable public static var attributeType: AttributeType {
    isPropertyList ? .dictionary : .transformed(by: "Dictionary")
  }
  /// Whether the values can.
  @inlinable public static var isPropertyList: Bool { Value.isPropertyList }
  /// The dictionary of what the values are stored as; one that is nil is left out.
  @inlinable public var storedValue: ObjectModel.Value? {
    .dictionary(compactMapValues(\.storedValue))
  }
  /// The dictionary; nil where a value is of another kind.
  @inlinable public init?(storedValue: ObjectModel.Value?) {
    guard case .dictionary(let values)? = storedValue else { return nil }
    self.init(minimumCapacity: values.count)
    for (key, stored) in values {
      guard let value = Value(storedValue: stored) else { return nil }
      self[key] = value
    }
  }
}

extension Range: AttributeConvertible where Bound: AttributeConvertible {
  /// A range, stored as its two bounds.
  @inlinable public static var attributeType: AttributeType { .transformed(by: "Range") }
  /// Whether the bounds can.
  @inlinable public static var isPropertyList: Bool { Bound.isPropertyList }
  /// Both bounds.
  @inlinable public var storedValue: Value? {
    .array([lowerBound.storedValue ?? .null, upperBound.storedValue ?? .null])
  }
  /// The range; nil where the bounds are not in order.
  @inlinable public init?(storedValue: Value?) {
    guard let (lower, upper) = Bound.bounds(of: storedValue), lower <= upper else { return nil }
    self = lower..<upper
  }
}

extension ClosedRange: AttributeConvertible where Bound: AttributeConvertible {
  /// A range, stored as its two bounds.
  @inlinable public static var attributeType: AttributeType { .transformed(by: "Range") }
  /// Whether the bounds can.
  @inlinable public static var isPropertyList: Bool { Bound.isPropertyList }
  /// Both bounds.
  @inlinable public var storedValue: Value? {
    .array([lowerBound.storedValue ?? .null, upperBound.storedValue ?? .null])
  }
  /// The range; nil where the bounds are not in order.
  @inlinable public init?(storedValue: Value?) {
    guard let (lower, upper) = Bound.bounds(of: storedValue), lower <= upper else { return nil }
    self = lower...upper
  }
}

extension AttributeConvertible {
  /// Two values that are stored together.
  @usableFromInline static func bounds(of value: Value?) -> (Self, Self)? {
    guard case .array(let bounds)? = value, bounds.count == 2,
      let lower = Self(storedValue: bounds[0]), let upper = Self(storedValue: bounds[1])
    else { return nil }
    return (lower, upper)
  }
}

/// A type with raw values is stored by these; it says no more than that it is `AttributeConvertible`:
/// `enum Mood: String, AttributeConvertible { … }`.
extension AttributeConvertible where Self: RawRepresentable, RawValue: AttributeConvertible {
  /// That of the raw value.
  @inlinable public static var attributeType: AttributeType { RawValue.attributeType }
  /// The raw value.
  @inlinable public var storedValue: Value? { rawValue.storedValue }
  /// What has the raw value; nil where nothing has.
  @inlinable public init?(storedValue: Value?) {
    guard let rawValue = RawValue(storedValue: storedValue) else { return nil }
    self.init(rawValue: rawValue)
  }
}
