internal import ObjectModel

/// How an attribute of a type of the program's own is stored: said behind the attribute's name.
public struct AttributeTransformation<Transformer: ValueTransformer>: Sendable {
  let transformation: Transformation<Transformer>

  /// By a transformer.
  ///
  /// - Parameters:
  ///   - reading: when the stored value is made the program's.
  ///   - writing: when the program's is made a stored value.
  public static func transformed(
    by transformer: Transformer, reading: TransformationReading = .onDemand,
    writing: TransformationWriting = .atOnce
  ) -> AttributeTransformation {
    AttributeTransformation(
      transformation: Transformation(transformer, reading: reading, writing: writing))
  }
}

/// That an attribute's type says itself how it is stored, being `Codable`: said behind the attribute's name.
public struct AttributeCoding: Sendable {
  let reading: TransformationReading
  let writing: TransformationWriting

  /// Read on demand, and written at once.
  public static let codable = AttributeCoding(reading: .onDemand, writing: .atOnce)

  /// Read and written when this says.
  public static func codable(
    reading: TransformationReading = .onDemand, writing: TransformationWriting = .atOnce
  ) -> AttributeCoding {
    AttributeCoding(reading: reading, writing: writing)
  }

  @usableFromInline func transformation<Content>(
    of type: Content.Type
  ) -> AttributeTransformation<CodableTransformer<Content>> {
    .transformed(by: CodableTransformer(), reading: reading, writing: writing)
  }
}

/// Values that a transformer stores, and that may be nil.
public enum OptionalTransformedAttribute<Transformer: ValueTransformer>: AttributeAccess {
  /// Reads the value; nil also for one that the transformer cannot read.
  public static func read(_ place: PropertyPlace) -> Transformer.Object? {
    place.decoded(by: Transformer.self)
  }

  /// Sets the value.
  public static func write(_ content: Transformer.Object?, _ place: PropertyPlace) {
    place.setDecoded(content, by: Transformer.self)
  }
}

/// Values that a transformer stores, and that cannot be nil.
public enum RequiredTransformedAttribute<Transformer: ValueTransformer>: AttributeAccess {
  /// Reads the value; the default where there is none, or one that the transformer cannot read.
  public static func read(_ place: PropertyPlace) -> Transformer.Object {
    place.decoded(by: Transformer.self) ?? place.decodedFallback(by: Transformer.self)
  }

  /// Sets the value.
  public static func write(_ content: Transformer.Object, _ place: PropertyPlace) {
    place.setDecoded(content, by: Transformer.self)
  }
}

extension Attribute {
  /// Declares an attribute that a transformer stores, and that may be nil.
  @inlinable public init<Transformer: ValueTransformer>(
    _ name: @autoclosure () -> String,
    _ transformation: @autoclosure () -> AttributeTransformation<Transformer>,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) where Access == OptionalTransformedAttribute<Transformer> {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        name(), isOptional: true, nil, transformation(), [first(), second(), third(), fourth()])
    }
  }

  /// Declares an attribute that a transformer stores, that may be nil, and that objects have a default of.
  @inlinable public init<Transformer: ValueTransformer>(
    wrappedValue: @autoclosure () -> Transformer.Object?, _ name: @autoclosure () -> String,
    _ transformation: @autoclosure () -> AttributeTransformation<Transformer>,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) where Access == OptionalTransformedAttribute<Transformer> {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        name(), isOptional: true, wrappedValue(), transformation(),
        [first(), second(), third(), fourth()])
    }
  }

  /// Declares an attribute that a transformer stores, and that objects have a default of.
  @inlinable public init<Transformer: ValueTransformer>(
    wrappedValue: @autoclosure () -> Transformer.Object, _ name: @autoclosure () -> String,
    _ transformation: @autoclosure () -> AttributeTransformation<Transformer>,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) where Access == RequiredTransformedAttribute<Transformer> {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        name(), isOptional: false, wrappedValue(), transformation(),
        [first(), second(), third(), fourth()])
    }
  }

  /// Declares an attribute of a type that codes itself, and that may be nil.
  @inlinable public init<Content: Codable>(
    _ name: @autoclosure () -> String, _ coding: @autoclosure () -> AttributeCoding,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) where Access == OptionalTransformedAttribute<CodableTransformer<Content>> {
    self.init(
      name(), coding().transformation(of: Content.self), first(), second(), third(), fourth())
  }

  /// Declares an attribute of a type that codes itself, and that objects have a default of.
  @inlinable public init<Content: Codable>(
    wrappedValue: @autoclosure () -> Content, _ name: @autoclosure () -> String,
    _ coding: @autoclosure () -> AttributeCoding,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) where Access == RequiredTransformedAttribute<CodableTransformer<Content>> {
    self.init(
      wrappedValue: wrappedValue(), name(), coding().transformation(of: Content.self), first(),
      second(), third(), fourth())
  }
}

extension PropertyPlace {
  /// Notes what the wrapper of a prototype declares.
  @usableFromInline static func declare<Transformer: ValueTransformer>(
    _ name: String, isOptional: Bool, _ defaultObject: Transformer.Object?,
    _ transformation: AttributeTransformation<Transformer>, _ options: [AttributeOption?]
  ) {
    guard let prototype = Construction.prototype else { return }
    var description = AttributeDescription(
      name, .transformed(by: Transformer.name), isOptional: isOptional)
    if let defaultObject {
      do {
        description.defaultValue =
          try transformation.transformation.transformer.encode(defaultObject)
      } catch {
        prototype.note(.defaultCannotBeStored("\(error)"), of: name)
      }
    }
    prototype.declare(
      .attribute(AttributeDeclaration(description, options, transformation.transformation)))
  }

  func decoded<Transformer: ValueTransformer>(
    by type: Transformer.Type
  ) -> Transformer.Object? {
    let state = present
    guard let property = state.entity.wrapped[ordinal] else { return nil }
    return state.decoded(of: property)?.object(as: Transformer.Object.self)
  }

  func setDecoded<Transformer: ValueTransformer>(
    _ object: Transformer.Object?, by type: Transformer.Type
  ) {
    let state = present
    guard let property = state.entity.wrapped[ordinal] else { return }
    state.attached().setDecoded(object.map { Decoded($0) }, of: state, property)
  }

  func decodedFallback<Transformer: ValueTransformer>(
    by type: Transformer.Type
  ) -> Transformer.Object {
    let wrapper = present.entity.wrappers[ordinal]
    guard let value = wrapper.fallback,
      let decoded = try? wrapper.transformation?.decode(value),
      let object = decoded.object(as: Transformer.Object.self)
    else { trapMissing() }
    return object
  }
}
