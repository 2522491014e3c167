public import Foundation
public import ManagedObjects
public import ObjectModel

// Points, sizes and rectangles as values of attributes. They are Foundation's, which the rooms below do without.

extension CGPoint: AttributeConvertible {
  /// Two numbers, which are looked into by the program alone.
  public static var attributeType: AttributeType { .transformed(by: "Point") }
  /// The coordinates.
  public var storedValue: Value? { [.real(Double(x)), .real(Double(y))] }
  /// The point.
  public init?(storedValue: Value?) {
    guard let numbers = storedValue?.numbers(2) else { return nil }
    self.init(x: numbers[0], y: numbers[1])
  }
}

extension CGSize: AttributeConvertible {
  /// Two numbers, which are looked into by the program alone.
  public static var attributeType: AttributeType { .transformed(by: "Size") }
  /// Width and height.
  public var storedValue: Value? { [.real(Double(width)), .real(Double(height))] }
  /// The size.
  public init?(storedValue: Value?) {
    guard let numbers = storedValue?.numbers(2) else { return nil }
    self.init(width: numbers[0], height: numbers[1])
  }
}

extension CGRect: AttributeConvertible {
  /// Four numbers, which are looked into by the program alone.
  public static var attributeType: AttributeType { .transformed(by: "Rectangle") }
  /// The origin's coordinates, width and height.
  public var storedValue: Value? {
    [
      .real(Double(origin.x)), .real(Double(origin.y)), .real(Double(size.width)),
      .real(Double(size.height)),
    ]
  }
  /// The rectangle.
  public init?(storedValue: Value?) {
    guard let numbers = storedValue?.numbers(4) else { return nil }
    self.init(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
  }
}

extension Value {
  /// So many numbers, where it holds just these.
  fileprivate func numbers(_ count: Int) -> [Double]? {
    guard let values = array, values.count == count else { return nil }
    // Whole numbers are what JSON and people write of such.
    let numbers = values.compactMap { $0.real ?? $0.integer.map(Double.init) }
    return numbers.count == count ? numbers : nil
  }
}
