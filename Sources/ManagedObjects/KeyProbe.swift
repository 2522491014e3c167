internal import ObjectModel
internal import ObjectStore

/// Stands behind an object that is there only for a key path to be read on it: gives it values, and notes which of its
/// properties are read.
final class KeyProbe {
  /// What the properties of the object hold.
  enum Content {
    /// What an object has.
    case row(Row, Snapshot)
    /// What objects begin with.
    case plain
    /// This, of one property; of the others what objects begin with.
    case one(Property, Value?)
  }

  private let content: Content
  private let reading: KeyPathReading

  init(_ content: Content, for reading: KeyPathReading) {
    self.content = content
    self.reading = reading
  }

  /// Notes that what is no property of the model is read.
  func note(_ name: String) { reading.note(name, nil) }

  func value(of property: Property) -> Value? {
    let value = held(property)
    reading.note(property.name, value)
    return value
  }

  private func held(_ property: Property) -> Value? {
    guard let attribute = property.attribute else { return nil }
    switch content {
    // No row has what no save takes; who has set it is not there.
    case .row(let row, _) where !property.isTransient: return row[property.key]
    case .one(let one, let value) where one === property: return value
    default: return attribute.filling ?? ProbeValues.plain(of: attribute.type)
    }
  }

  /// The instances that a relationship leads to, which are there for nothing else, either. There always are some, for
  /// getters that rely on them.
  func destinations(of property: Property) -> [ManagedObject] {
    reading.note(property.name, nil)
    guard let relationship = property.relationship else { return [] }
    if case .one(let one, _) = content, one === property { return [] }
    var contents = Array(repeating: Content.plain, count: relationship.isToMany ? 3 : 1)
    var entity = relationship.destination
    if case .row(let row, let snapshot) = content, !property.isTransient,
      relationship.storage != .inverse
    {
      let destinations = row[property.key].destinations.prefix(3)
      if let first = destinations.first { entity = first.entity }
      contents = destinations.map { destination in
        // What cannot be read is told by the fetch itself.
        guard let row = try? snapshot.row(of: destination) else { return .plain }
        return .row(row, snapshot)
      }
    }
    return contents.compactMap { reading.makeObject(of: entity, $0) }
  }
}

/// One reading of a key path: on objects that are there for nothing else.
final class KeyPathReading {
  /// What was read of properties, in order.
  private(set) var reads: [(name: String, value: Value?)] = []
  /// The objects that relationships have led to.
  private(set) var destinations: [ManagedObject] = []
  private let context: ManagedObjectContext

  init(in context: ManagedObjectContext) { self.context = context }

  func note(_ name: String, _ value: Value?) { reads.append((name, value)) }

  /// What a key path gives of an object that holds something.
  func result(of path: AnyKeyPath, _ info: EntityInfo, _ content: KeyProbe.Content) -> Any? {
    object(info, content, number: 0)[keyPath: path]
  }

  /// Lets the objects go, which hold the reading.
  func end() { destinations = [] }

  fileprivate func makeObject(of entity: EntityNumber, _ content: KeyProbe.Content)
    -> ManagedObject?
  {
    guard let info = context.schema.entity(entity) else { return nil }
    let number = ObjectID.largestNumber - UInt64(destinations.count)
    let made = object(info, content, number: number)
    destinations.append(made)
    return made
  }

  private func object(
    _ info: EntityInfo, _ content: KeyProbe.Content, number: UInt64
  ) -> ManagedObject {
    let id = ObjectID(entity: info.number, number: number, store: context.store.tag)
    let state = ObjectState(id, info, in: context)
    state.probe = KeyProbe(content, for: self)
    state.isFault = false
    // A getter that sets something does not change anything by that.
    state.presence = .gone
    return Construction.makeObject(state)
  }
}
