public import ObjectModel

/// An attribute of a class of objects: `@Attribute("title", .indexed) var title: String = "Untitled"`.
///
/// A property that cannot be nil has a default, and is required; one that can be nil is optional. Options say what
/// else there is to say. Values of types of the program's own are stored by a transformer
/// (`.transformed(by: ColorTransformer())`) or by their own coding (`.codable`), said right behind the name.
///
/// Costs: 8 bytes in an object. Name, options and default are read once, when the model is made.
@propertyWrapper
public struct Attribute<Access: AttributeAccess> {
  @usableFromInline let place: PropertyPlace

  /// The value. Reading may read the object from the store; setting is an edit.
  @inlinable public var wrappedValue: Access.Content {
    get { Access.read(place) }
    nonmutating set { Access.write(newValue, place) }
  }
}

/// How the values of an attribute's property are read and written.
public protocol AttributeAccess {
  /// What the property holds.
  associatedtype Content
  /// Reads it.
  static func read(_ place: PropertyPlace) -> Content
  /// Writes it.
  static func write(_ content: Content, _ place: PropertyPlace)
}

/// Values that are stored as they are.
public enum PlainAttribute<Content: AttributeConvertible>: AttributeAccess {
  /// Reads the value; one that is missing, or of another kind, is the default.
  @inlinable public static func read(_ place: PropertyPlace) -> Content {
    Content(storedValue: place.storedValue()) ?? place.fallback(Content.self)
  }

  /// Sets the value.
  @inlinable public static func write(_ content: Content, _ place: PropertyPlace) {
    place.setStoredValue(content.storedValue)
  }
}

extension Attribute {
  /// Declares an attribute that objects have a default of.
  @inlinable public init<Content: AttributeConvertible>(
    wrappedValue: @autoclosure () -> Content, _ name: @autoclosure () -> String,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil,
    _ fifth: @autoclosure () -> AttributeOption? = nil,
    _ sixth: @autoclosure () -> AttributeOption? = nil
  ) where Access == PlainAttribute<Content> {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        name(), Content.self, wrappedValue(),
        [first(), second(), third(), fourth(), fifth(), sixth()])
    }
  }

  /// Declares an attribute that may be nil.
  @inlinable public init<Content: AttributeConvertible>(
    _ name: @autoclosure () -> String,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil,
    _ fifth: @autoclosure () -> AttributeOption? = nil,
    _ sixth: @autoclosure () -> AttributeOption? = nil
  ) where Access == PlainAttribute<Content?> {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        name(), Content?.self, nil, [first(), second(), third(), fourth(), fifth(), sixth()])
    }
  }
}

extension PropertyPlace {
  @usableFromInline static func declare<Content: AttributeConvertible>(
    _ name: String, _ type: Content.Type, _ defaultValue: Content, _ options: [AttributeOption?]
  ) {
    declare(
      AttributeDescription(
        name, type.attributeType, isOptional: type.isOptional,
        defaultValue: defaultValue.storedValue),
      type, options)
  }

  /// Notes what the wrapper of a prototype declares.
  @usableFromInline static func declare(
    _ description: AttributeDescription, _ contentType: Any.Type, _ options: [AttributeOption?]
  ) {
    var declaration = AttributeDeclaration(description, options)
    declaration.contentType = contentType
    Construction.prototype?.declare(.attribute(declaration))
  }
}
