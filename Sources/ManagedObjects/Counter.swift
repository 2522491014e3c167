public import ObjectModel

/// An amount that merges by what was added to it: `@Counter("likes") var likes: Int`. It begins at 0, if no other
/// default is given.
@propertyWrapper
public struct Counter {
  @usableFromInline let place: PropertyPlace

  /// The amount. Setting it counts as adding what it differs by.
  @inlinable public var wrappedValue: Int {
    get { PlainAttribute<Int>.read(place) }
    nonmutating set { place.setStoredValue(.counter(newValue)) }
  }

  /// Declares a counter.
  @inlinable public init(
    wrappedValue: @autoclosure () -> Int = 0, _ name: @autoclosure () -> String,
    _ first: @autoclosure () -> AttributeOption? = nil,
    _ second: @autoclosure () -> AttributeOption? = nil,
    _ third: @autoclosure () -> AttributeOption? = nil,
    _ fourth: @autoclosure () -> AttributeOption? = nil
  ) {
    place = .next()
    if place.isOfPrototype {
      PropertyPlace.declare(
        AttributeDescription(
          name(), .counter, isOptional: false, defaultValue: .counter(wrappedValue())),
        Int.self, [first(), second(), third(), fourth()])
    }
  }
}
