package import ObjectModel

/// Where a relationship to many of an object leads, while it is asked and changed for many others: none of that goes
/// over all of them.
package struct GatheredDestinations {
  private let isOrdered: Bool
  /// In their order; nil where one was taken out.
  private var destinations: [ObjectID?]
  private var places: [ObjectID: Int] = [:]
  /// Whether it leads elsewhere than at first.
  package private(set) var isChanged = false

  package init(_ value: Value?, isOrdered: Bool) {
    self.isOrdered = isOrdered
    // Members of a set have no order that would have to be found.
    destinations =
      if case .set(let members)? = value, !isOrdered {
        members.compactMap(\.reference)
      } else {
        value.destinations
      }
    places.reserveCapacity(destinations.count)
    for (place, destination) in destinations.enumerated() {
      guard let destination else { continue }
      places[destination] = place
    }
  }

  func contains(_ object: ObjectID) -> Bool { places[object] != nil }

  package mutating func remove(_ object: ObjectID) {
    guard let place = places.removeValue(forKey: object) else { return }
    destinations[place] = nil
    isChanged = true
  }

  package mutating func append(_ object: ObjectID) {
    if contains(object) { return }
    places[object] = destinations.count
    destinations.append(object)
    isChanged = true
  }

  /// What the object is to hold. A relationship that leads to none has no value.
  package var value: Value? {
    if places.isEmpty { return Value?.none }
    let members = destinations.lazy.compactMap(\.self).map { Value.reference($0) }
    return isOrdered ? .array(Array(members)) : .set(Set(members))
  }
}
