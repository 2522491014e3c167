public import ObjectModel

/// Values without an order that merge by insertion and removal: `@ValueSet("tags") var tags: Set<String>`. It begins
/// empty, if no other default is given.
///
/// Costs: reading and setting take time in proportion to the members.
@propertyWrapper
public struct ValueSet<Element: AttributeConvertible & Hashable> {
  @usableFromInline let place: PropertyPlace

  /// The members. Setting them counts as inserting and removing what differs.
  @inlinable public var wrappedValue: Set<Element> {
    get { PlainAttribute<Set<Element>>.read(place) }
    nonmutating set { place.setStoredValue(newValue.storedValue) }
  }

  /// Declares a set.
  @inlinable public init(
    wrappedValue: @autoclosure () -> Set<Element> = [], _ name: @autoclosure () -> String,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        AttributeDescription(
          name(), .set, isOptional: false, defaultValue: wrappedValue().storedValue),
        Set<Element>.self, [first(), second(), third(), fourth()])
    }
  }
}
