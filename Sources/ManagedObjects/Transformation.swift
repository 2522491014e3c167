internal import ObjectModel

/// When the stored value of a transformed attribute is made the program's.
public enum TransformationReading: Hashable, Sendable {
  /// When it is read first: right for what is large, or seldom looked at.
  case onDemand
  /// When its object is read from the store.
  case atFetch
}

/// When the program's value of a transformed attribute is made a stored one.
public enum TransformationWriting: Hashable, Sendable {
  /// When it is set: each set is in the journal when it returns.
  case atOnce
  /// When the object is saved, and before: when a step that can be undone ends, or the stored value is asked for.
  /// So it is made once for any number of sets. What was set and is not stored yet is lost when the process ends.
  case beforeSave
}

/// What stores and reads the values of a transformed attribute, whatever their type.
protocol Transforming: Sendable {
  var reading: TransformationReading { get }
  var writing: TransformationWriting { get }
  /// The stored value; nil where it is none.
  func encode(_ decoded: DecodedValue) throws -> Value?
  func decode(_ value: Value) throws -> DecodedValue
}

/// A transformer, and when it is used.
struct Transformation<Transformer: ValueTransformer>: Transforming {
  let transformer: Transformer
  let reading: TransformationReading
  let writing: TransformationWriting

  init(
    _ transformer: Transformer, reading: TransformationReading = .onDemand,
    writing: TransformationWriting = .atOnce
  ) {
    self.transformer = transformer
    self.reading = reading
    self.writing = writing
  }

  func encode(_ decoded: DecodedValue) throws -> Value? {
    guard let object = decoded.object(as: Transformer.Object.self) else {
      throw TransformationError.notOfType("\(Transformer.Object.self)")
    }
    let value = try transformer.encode(object)
    guard value.isWithinDepth else { throw TransformationError.nestedTooDeep }
    guard value.isStorable else { throw TransformationError.noNumber }
    return value.isNull ? Value?.none : value
  }

  func decode(_ value: Value) throws -> DecodedValue { Decoded(try transformer.decode(value)) }
}

/// Why a transformer's result cannot be stored.
enum TransformationError: Error, CustomStringConvertible {
  case notOfType(String)
  case nestedTooDeep
  case noNumber

  var description: String {
    switch self {
    case .notOfType(let type): "it is no \(type)."
    case .nestedTooDeep:
      "what the transformer makes of it is nested deeper than \(Value.largestDepth) levels."
    case .noNumber: "what the transformer makes of it has a decimal that is no number."
    }
  }
}

/// The program's value of a transformed attribute, kept by its object until the stored value changes.
class DecodedValue {
  /// Whether the stored value has yet to be made of it.
  var isPending = false

  /// The value, where it is of a type.
  final func object<Object>(as type: Object.Type) -> Object? {
    (self as? Decoded<Object>)?.object
  }
}

/// The same, with its type.
final class Decoded<Object>: DecodedValue {
  let object: Object

  init(_ object: Object) { self.object = object }
}
