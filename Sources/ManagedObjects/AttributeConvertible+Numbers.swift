public import ObjectModel

// Numbers of other widths: stored as integers and reals.

extension AttributeConvertible where Self: FixedWidthInteger {
  /// An integer.
  @inlinable public static var attributeType: AttributeType { .integer }
  /// The integer.
  @inlinable public var storedValue: Value? { .integer(Int(self)) }
  /// The integer, or a counter's amount; nil where it is out of range.
  @inlinable public init?(storedValue: Value?) {
    switch storedValue {
    case .integer(let value)?, .counter(let value)?: self.init(exactly: value)
    default: return nil
    }
  }
}

extension Int: AttributeConvertible {}
extension Int8: AttributeConvertible {}
extension Int16: AttributeConvertible {}
extension Int32: AttributeConvertible {}
extension Int64: AttributeConvertible {}
extension UInt8: AttributeConvertible {}
extension UInt16: AttributeConvertible {}
extension UInt32: AttributeConvertible {}

extension AttributeConvertible where Self: BinaryFloatingPoint {
  /// A real.
  @inlinable public static var attributeType: AttributeType { .real }
  /// The real.
  @inlinable public var storedValue: Value? { .real(Double(self)) }
  /// The real, rounded to what the type can hold.
  @inlinable public init?(storedValue: Value?) {
    guard case .real(let value)? = storedValue else { return nil }
    self.init(value)
  }
}

extension Double: AttributeConvertible {}
extension Float: AttributeConvertible {}
