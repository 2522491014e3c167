internal import EventFold
internal import FoundationEssentials
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// Finds the keys that key paths of a program's classes lead to, and gives names to what leads to none.
final class KeyPathNames {
  private let context: ManagedObjectContext
  private var names: [AnyKeyPath: String] = [:]
  /// What leads to no key, by the names that it is given; its values are asked of objects.
  private(set) var accessors: [String: KeyAccessor] = [:]
  /// Those of which there is no object that could be asked.
  private var unasked: Set<String> = []
  /// What those give, before it is made a value.
  private var contents: [String: (ManagedObject) -> Any?] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  /// The keys that a key path leads to behind others; nil where its root is no class of the model.
  func keys(of path: AnyKeyPath, behind keys: [String]) -> [String]? {
    guard let root = type(of: path).rootType as? ManagedObject.Type,
      let info = context.schema.entity(of: root)
    else { return nil }
    // What is computed leads to objects that no row knows of.
    if let last = keys.last, let content = contents[last] {
      nonisolated(unsafe) let path = path
      let name = add { object in (content(object) as? ManagedObject)?[keyPath: path] }
      if unasked.contains(last) { unasked.insert(name) }
      return keys.dropLast() + [name]
    }
    if let name = names[path] { return keys + [name] }
    let stored = context.storedKey(of: path, info, provingByObjects: true)
    let name = stored ?? accessor(of: path)
    if stored == nil, !context.hasObject(of: info) { unasked.insert(name) }
    names[path] = name
    return keys + [name]
  }

  /// Whether a name is of a property of which there is no object.
  func isUnasked(_ name: String) -> Bool { unasked.contains(name) }

  /// Whether a name is of what is computed.
  func isComputed(_ name: String) -> Bool { accessors[name] != nil }

  private func accessor(of path: AnyKeyPath) -> String {
    nonisolated(unsafe) let path = path
    return add { object in object[keyPath: path] }
  }

  private func add(_ content: @escaping (ManagedObject) -> Any?) -> String {
    let name = "\u{1}\(accessors.count)"
    contents[name] = content
    accessors[name] = { object in content(object).flatMap(Self.value) }
    return name
  }

  /// What a property gives, as filters compare and count it.
  private static func value(of content: Any) -> Value? {
    switch content {
    case let convertible as any AttributeConvertible: convertible.storedValue
    case let object as ManagedObject: .reference(object.objectID)
    case let objects as Set<ManagedObject>: .set(Set(objects.map { .reference($0.objectID) }))
    // What the elements are may be nobody's but the program's; how many there are can be told.
    case let elements as any Collection: .array(elements.map { value(of: $0) ?? .null })
    default: nil
    }
  }
}

extension Filter {
  /// Reads what a predicate says of objects of a context.
  init<Object>(_ predicate: Predicate<Object>, _ names: KeyPathNames) throws(QueryError) {
    try self.init(
      predicate, keys: { names.keys(of: $0, behind: $1) }, isComputed: { names.isComputed($0) },
      isUnasked: { names.isUnasked($0) })
  }
}

/// A key path of a property that can be set: every property that a wrapper declares has one, where its setter is in
/// reach.
private protocol SettableKeyPath {}
extension ReferenceWritableKeyPath: SettableKeyPath {}

/// What a key path leads to on objects of a class: a key of the model, or none.
struct KnownKeyPath {
  let name: String?
}

extension ManagedObjectContext {
  /// The key that a key path leads to on all objects of an entity; nil where it is computed of any.
  ///
  /// A key path has no name. So it is read on objects that are there for nothing else, first of all on one that holds
  /// what an object of the store does: a getter that relies on something is not to find that missing. Only where it
  /// reads one property, and gives what that holds whatever that is, it is that property. Get-only ones are not read,
  /// and an heir's override may be another.
  ///
  /// - Parameter provesByObjects: whether what no object is there to show counts as computed.
  func storedKey(
    of path: AnyKeyPath, _ info: EntityInfo, provingByObjects provesByObjects: Bool
  ) -> String? {
    guard path is any SettableKeyPath else { return isObjectID(path, info) ? "objectID" : nil }
    let type = type(of: path).valueType
    guard info.wrappers.contains(where: { $0.contentType == type }) else { return nil }
    var classes: [ObjectIdentifier: EntityInfo] = [:]
    var samples: [ObjectIdentifier: (EntityInfo, Row)] = [:]
    for entity in info.kinds.compactMap({ schema.entity($0) }) {
      let id = ObjectIdentifier(entity.objectClass)
      classes[id] = classes[id] ?? entity
      if knownKeyPaths[path]?[id] == nil, samples[id] == nil {
        samples[id] = sample(of: entity).map { (entity, $0) }
      }
    }
    let isShown = classes.keys.contains { samples[$0] != nil || knownKeyPaths[path]?[$0] != nil }
    if provesByObjects, !isShown { return nil }
    var found: Set<String?> = []
    // Those first that are known, and then those of which there is an object: what is computed of these is not read of
    // any other.
    func rank(_ id: ObjectIdentifier) -> Int {
      knownKeyPaths[path]?[id] != nil ? 0 : samples[id] != nil ? 1 : 2
    }
    for id in classes.keys.sorted(by: { rank($0) < rank($1) }) {
      guard let entity = samples[id]?.0 ?? classes[id] else { continue }
      let known =
        knownKeyPaths[path]?[id]
        ?? KnownKeyPath(name: property(of: path, entity, samples[id]?.1)?.name)
      knownKeyPaths[path, default: [:]][id] = known
      found.insert(known.name)
      if known.name == nil { return nil }
    }
    guard found.count == 1, let name = found.first ?? nil else { return nil }
    // The class has an accessor of its own for it, which property and key need not share.
    let hasAccessor = info.kinds.contains { schema.entity($0)?.virtualAttributes[name] != nil }
    return hasAccessor ? nil : name
  }

  /// Whether there is an object of an entity, or of an heir of it.
  fileprivate func hasObject(of info: EntityInfo) -> Bool {
    info.kinds.contains { schema.entity($0).map { sample(of: $0) != nil } ?? false }
  }

  /// What an object of an entity has; nil where there is none.
  private func sample(of entity: EntityInfo) -> Row? {
    var sample: Row?
    // What cannot be read is told by the fetch itself, which asks objects then.
    try? view.snapshot.forEach(entity.number) { (_, row) in
      sample = row
      return false
    }
    if sample == nil, hasPendingObjects {
      try? forEachPending { (object, draft) in
        guard object.entity == entity.number, draft.isThere else { return true }
        sample = draft.row
        return false
      }
    }
    return sample
  }

  /// Whether a key path that cannot be set leads to the object's ID.
  private func isObjectID(_ path: AnyKeyPath, _ info: EntityInfo) -> Bool {
    guard type(of: path).valueType == ObjectID.self else { return false }
    let reading = KeyPathReading(in: self)
    defer { reading.end() }
    let id = ObjectID(entity: info.number, number: 0, store: store.tag)
    return reading.result(of: path, info, .plain) as? ObjectID == id && reading.reads.isEmpty
  }

  /// The property that a key path leads to on objects of one class.
  private func property(
    of path: AnyKeyPath, _ info: EntityInfo, _ sample: Row?
  ) -> Property? {
    let content = sample.map { KeyProbe.Content.row($0, view.snapshot) } ?? .plain
    guard let name = propertyRead(by: path, info, content), let property = info.property(name),
      let place = info.wrapped.firstIndex(where: { $0 === property }),
      let type = info.wrappers[place].contentType, type == Swift.type(of: path).valueType
    else { return nil }
    if property.relationship != nil {
      let isFull = propertyRead(by: path, info, .plain) == name
      return isFull && propertyRead(by: path, info, .one(property, nil)) == name ? property : nil
    }
    guard let attribute = property.attribute,
      let convertible = type as? any AttributeConvertible.Type
    else { return nil }
    // Where rows may have nothing of it, but the property has something, they are not the same.
    if attribute.isOptional, !convertible.isOptional { return nil }
    let values = ProbeValues.hard(of: attribute.type).filter { value in
      guard let content = convertible.init(storedValue: value) else { return false }
      return property.taken(content.storedValue)?.value == value
    }
    guard values.count > 1 else { return nil }
    var trials: [Value?] = values
    if convertible.isOptional { trials.append(nil) }
    return trials.allSatisfy { propertyRead(by: path, info, .one(property, $0)) == name }
      ? property : nil
  }

  /// The property that a key path reads and gives the value of; nil where it does anything else.
  private func propertyRead(
    by path: AnyKeyPath, _ info: EntityInfo, _ content: KeyProbe.Content
  ) -> String? {
    let reading = KeyPathReading(in: self)
    defer { reading.end() }
    let result = reading.result(of: path, info, content)
    guard reading.reads.count == 1, let read = reading.reads.first,
      let property = info.property(read.name)
    else { return nil }
    if property.relationship != nil {
      return leads(result, to: reading.destinations) ? read.name : nil
    }
    let given = (result as? any AttributeConvertible)?.storedValue
    return property.taken(given)?.value == read.value ? read.name : nil
  }

  /// Whether what a relationship's key path gives is these objects.
  private func leads(_ result: Any?, to destinations: [ManagedObject]) -> Bool {
    switch result {
    case let objects as [ManagedObject]: objects == destinations
    case let objects as Set<ManagedObject>: objects == Set(destinations)
    case let object as ManagedObject: destinations == [object]
    default: destinations.isEmpty
    }
  }
}
