public import ObjectModel

/// A relationship of a class of objects. The property's type says whether it leads to one (`Blog?`), to many
/// (`Set<Comment>`), or to many in an order (`[Comment]`):
/// `@Relationship("comments", inverse: "post", deleteRule: .cascade) var comments: Set<Comment>`.
@propertyWrapper
public struct Relationship<Content: RelationshipContent> {
  let place: PropertyPlace

  /// The destinations: faults, until something of them is read. Setting them sets the inverse, too.
  public var wrappedValue: Content {
    get { Content(at: place) }
    nonmutating set { newValue.write(to: place) }
  }

  /// Declares a relationship.
  ///
  /// - Parameters:
  ///   - name: its key.
  ///   - inverse: the key of the destination's relationship that leads back.
  ///   - deleteRule: what becomes of the destinations of a deleted object.
  ///   - isOptional: whether it may be empty when it is saved.
  ///   - minCount: how few destinations there may be where there are any.
  ///   - maxCount: how many destinations there may be.
  ///   - isTransient: whether it is never saved.
  ///   - formerName: the name it had in the model before.
  public init(
    _ name: @autoclosure () -> String, inverse: @autoclosure () -> String? = nil,
    deleteRule: @autoclosure () -> DeleteRule = .nullify,
    isOptional: @autoclosure () -> Bool = true, minCount: @autoclosure () -> Int? = nil,
    maxCount: @autoclosure () -> Int? = nil, isTransient: @autoclosure () -> Bool = false,
    renamedFrom formerName: @autoclosure () -> String? = nil
  ) {
    place = .next()
    guard place.isOfPrototype else { return }
    Construction.prototype?.declare(
      .relationship(
        Content.self,
        RelationshipDescription(
          name(), to: Content.destination.entityName, inverse: inverse(),
          isToMany: Content.isToMany, isOrdered: Content.isOrdered, isOptional: isOptional(),
          minCount: minCount(), maxCount: maxCount(), deleteRule: deleteRule(),
          isTransient: isTransient(), renamingIdentifier: formerName())))
  }
}

/// What the property of a relationship can be: an optional object, a set of objects, or an array of them.
public protocol RelationshipContent {
  /// The class of the destinations.
  static var destination: ManagedObject.Type { get }
  /// Whether there may be several.
  static var isToMany: Bool { get }
  /// Whether they have an order.
  static var isOrdered: Bool { get }
  /// The destinations that a property leads to.
  init(at place: PropertyPlace)
  /// Has a property lead here.
  func write(to place: PropertyPlace)
}

extension Optional: RelationshipContent where Wrapped: ManagedObject {
  /// The class of the object.
  public static var destination: ManagedObject.Type { Wrapped.self }
  /// It leads to one.
  public static var isToMany: Bool { false }
  /// One has no order.
  public static var isOrdered: Bool { false }

  /// The object that a property leads to.
  public init(at place: PropertyPlace) {
    if let made = place.probed() {
      self = made.first as? Wrapped
    } else {
      self = place.storedValue()?.reference.flatMap { place.object($0, as: Wrapped.self) }
    }
  }

  /// Has a property lead here.
  public func write(to place: PropertyPlace) {
    guard let object = self else { return place.setStoredValue(nil) }
    place.setStoredValue(place.reference(to: object))
  }
}

extension Set: RelationshipContent where Element: ManagedObject {
  /// The class of the members.
  public static var destination: ManagedObject.Type { Element.self }
  /// It leads to many.
  public static var isToMany: Bool { true }
  /// A set has no order.
  public static var isOrdered: Bool { false }

  /// The objects that a property leads to.
  public init(at place: PropertyPlace) {
    if let made = place.probed() {
      self.init(made.compactMap { $0 as? Element })
      return
    }
    let destinations = place.destinations()
    self.init(minimumCapacity: destinations.count)
    for destination in destinations {
      if let object = place.object(destination, as: Element.self) { insert(object) }
    }
  }

  /// Has a property lead here.
  public func write(to place: PropertyPlace) {
    place.setStoredValue(.set(Set<Value>(map { place.reference(to: $0) })))
  }
}

extension Array: RelationshipContent where Element: ManagedObject {
  /// The class of the elements.
  public static var destination: ManagedObject.Type { Element.self }
  /// It leads to many.
  public static var isToMany: Bool { true }
  /// An array has an order.
  public static var isOrdered: Bool { true }

  /// The objects that a property leads to, in their order.
  public init(at place: PropertyPlace) {
    if let made = place.probed() {
      self = made.compactMap { $0 as? Element }
    } else {
      self = place.destinations().compactMap { place.object($0, as: Element.self) }
    }
  }

  /// Has a property lead here, in this order; an object that stands twice stays where it stands first.
  public func write(to place: PropertyPlace) {
    var seen: Set<ObjectID> = []
    place.setStoredValue(
      .array(filter { seen.insert($0.objectID).inserted }.map { place.reference(to: $0) }))
  }
}

extension PropertyPlace {
  /// The destinations of an object that is there only to find out what is read of it; nil of any other.
  fileprivate func probed() -> [ManagedObject]? {
    let state = present
    guard let probe = state.probe else { return nil }
    return state.entity.wrapped[ordinal].map { probe.destinations(of: $0) } ?? []
  }

  fileprivate func destinations() -> [ObjectID] {
    let state = present
    guard let property = state.entity.wrapped[ordinal], let relationship = property.relationship
    else { return [] }
    let context = state.attached()
    context.willRead(state, property.key)
    return context.destinations(of: state, property.key, relationship)
  }

  /// The instance of a destination.
  fileprivate func object<Object: ManagedObject>(
    _ id: ObjectID, as type: Object.Type
  ) -> Object? {
    let context = present.attached()
    guard let object = context.instance(of: id) else { return nil }
    guard let typed = object as? Object else {
      preconditionFailure(
        "\(name) leads to \(object), which is of class \(Swift.type(of: object)), not \(type); "
          + "give the model \(type), too.")
    }
    return typed
  }

  fileprivate func reference(to object: ManagedObject) -> Value {
    guard object.state.context === present.attached() else {
      preconditionFailure(
        "\(name) cannot lead to \(object), which is an object of another context; ask this "
          + "context for it by its objectID.")
    }
    return .reference(object.objectID)
  }
}
