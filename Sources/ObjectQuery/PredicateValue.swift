internal import FoundationEssentials
internal import ObjectModel

extension Value {
  /// What a program's value is as one that an object can store; nil where it is none.
  init?(any value: Any) {
    switch value {
    case let value as Bool: self = .boolean(value)
    case let value as any BinaryInteger:
      guard let integer = Int(exactly: value) else { return nil }
      self = .integer(integer)
    case let value as Double: self = .real(value)
    case let value as Float: self = .real(Double(value))
    case let value as Decimal: self = .decimal(value)
    case let value as String: self = .string(value)
    case let value as Data: self = .data(value)
    case let value as Date: self = .date(value)
    case let value as UUID: self = .uuid(value)
    case let value as URL: self = .url(value)
    case let value as ObjectID: self = .reference(value)
    case let value as any OptionalValue:
      guard let wrapped = value.wrappedValue else {
        self = .null
        return
      }
      guard let made = Value(any: wrapped) else { return nil }
      self = made
    case let value as any RawRepresentable:
      guard let made = Value(any: value.rawValue) else { return nil }
      self = made
    case let values as any ValueList:
      var made: [Value] = []
      for element in values.elements {
        guard let value = Value(any: element) else { return nil }
        made.append(value)
      }
      self = .array(made)
    default: return nil
    }
  }
}

private protocol OptionalValue { var wrappedValue: Any? { get } }

extension Optional: OptionalValue { fileprivate var wrappedValue: Any? { map { $0 } } }

private protocol ValueList { var elements: [Any] { get } }

extension Array: ValueList { fileprivate var elements: [Any] { map { $0 } } }

extension Set: ValueList { fileprivate var elements: [Any] { map { $0 } } }

/// A range that a program has, as a predicate's value.
protocol PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) { get }
}

extension ClosedRange: PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, upperBound, true) }
}

extension Range: PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) {
    (lowerBound, upperBound, false)
  }
}

extension PartialRangeFrom: PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, nil, false) }
}

extension PartialRangeUpTo: PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, false) }
}

extension PartialRangeThrough: PredicateRange {
  var predicateBounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, true) }
}
