internal import ObjectModel

/// The members of a JSON object, in their order. No two keys are the same, nor do any two look the same (are
/// equal after Unicode normalisation): what reads the one would take it for the other.
///
/// Costs: a member is found by its key at once, also among many; removing one does not move the others.
package struct JSONObject: Sendable {
  private struct Slot {
    let key: String
    /// Nil where the member was removed.
    var value: JSONValue?
  }

  private var slots: [Slot] = []
  /// Where each key stands, once there are more than a few. Keys that look the same are found for each other.
  private var places: [String: Int] = [:]
  private var removedCount = 0
  private static let fewest = 8

  package init() {}

  /// Makes an object of members whose keys are known to differ.
  package init(_ members: some Sequence<(String, JSONValue)>) {
    for (key, value) in members {
      let isNew = append(key, value)
      precondition(isNew, "the key ‘\(key)’ stands twice in an object that is made")
    }
  }

  package var count: Int { slots.count - removedCount }
  package var isEmpty: Bool { count == 0 }

  /// The members, in their order.
  package var members: some Sequence<(key: String, value: JSONValue)> {
    slots.lazy.compactMap { slot in slot.value.map { (slot.key, $0) } }
  }

  /// The value of a key.
  package subscript(key: String) -> JSONValue? { place(of: key).flatMap { slots[$0].value } }

  /// Adds a member behind the others.
  ///
  /// - Returns: whether it was added: not where there is one of that key, or of a key that looks the same.
  @discardableResult
  package mutating func append(_ key: String, _ value: JSONValue) -> Bool {
    if placeLookingLike(key) != nil { return false }
    slots.append(Slot(key: key, value: value))
    if !places.isEmpty {
      places[key] = slots.count - 1
    } else if slots.count > Self.fewest {
      noteAllPlaces()
    }
    return true
  }

  /// Sets the value of a key, in its place where it has one.
  ///
  /// - Returns: whether it was set: not where there is another key that looks the same.
  @discardableResult
  package mutating func set(_ key: String, _ value: JSONValue) -> Bool {
    guard let place = place(of: key) else { return append(key, value) }
    slots[place].value = value
    return true
  }

  /// Takes a member out; nil where there is none.
  @discardableResult
  package mutating func remove(_ key: String) -> JSONValue? {
    guard let place = place(of: key), let value = slots[place].value else { return nil }
    places[key] = nil
    slots[place].value = nil
    removedCount += 1
    if removedCount > slots.count / 2 {
      slots.removeAll { $0.value == nil }
      removedCount = 0
      places = [:]
      if slots.count > Self.fewest { noteAllPlaces() }
    }
    return value
  }

  /// Changes the value of a key where it is; nil where there is none.
  package mutating func update<Answer, Failure: Error>(
    _ key: String, _ change: (inout JSONValue) throws(Failure) -> Answer
  ) throws(Failure) -> Answer? {
    guard let place = place(of: key), var value = slots[place].value else { return nil }
    // The value must not be held twice while it changes, or it would be copied.
    slots[place].value = .null
    defer { slots[place].value = value }
    return try change(&value)
  }

  private mutating func noteAllPlaces() {
    places.reserveCapacity(slots.count)
    for (place, slot) in slots.enumerated() where slot.value != nil { places[slot.key] = place }
  }

  private func place(of key: String) -> Int? {
    guard let place = placeLookingLike(key), slots[place].key.hasSameBytes(as: key) else {
      return nil
    }
    return place
  }

  private func placeLookingLike(_ key: String) -> Int? {
    if !places.isEmpty { return places[key] }
    return slots.firstIndex { $0.value != nil && $0.key == key }
  }
}

extension JSONObject: Equatable {
  package static func == (one: JSONObject, other: JSONObject) -> Bool {
    guard one.count == other.count else { return false }
    return one.members.allSatisfy { key, value in other[key] == value }
  }
}
