internal import FoundationEssentials
internal import ObjectModel
internal import ObjectStore

/// Stands behind an object that has no values, and notes which of its properties are read.
///
/// A key path has no name. So it is read on such an object: where it reads one property and gives what that was said
/// to hold, whatever it was said to hold, it is that property.
final class KeyProbe {
  private(set) var names: [String] = []
  /// Which of two values each property is said to hold.
  var isSecond = false

  func value(of property: Property) -> Value? {
    names.append(property.name)
    guard let attribute = property.attribute else { return nil }
    return Self.value(of: attribute.type, isSecond)
  }

  /// One of two values of a type that no program is likely to make by itself; nil where there are none.
  static func value(of type: AttributeType, _ isSecond: Bool) -> Value? {
    let number = isSecond ? 1_748_263_915 : 912_384_756
    return switch type {
    case .boolean: .boolean(isSecond)
    case .integer: .integer(number)
    case .counter: .counter(number)
    case .real: .real(Double(number))
    case .decimal: .decimal(Decimal(number))
    case .string: .string("probe \(number)")
    case .data: .data(Data("probe \(number)".utf8))
    case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
    case .uuid:
      .uuid(
        UUID(
          uuidString: isSecond
            ? "8A9B2C1D-0000-4000-8000-000000000002" : "8A9B2C1D-0000-4000-8000-000000000001")
          ?? UUID())
    case .url: URL(string: "probe:\(number)").map { .url($0) }
    case .dictionary: .dictionary(["probe": .integer(number)])
    case .set: .set([.integer(number)])
    case .transformed, .reference: nil
    }
  }
}

/// Finds the keys that key paths of a program's classes lead to.
final class KeyPathNames {
  private let context: ManagedObjectContext
  private var names: [AnyKeyPath: String] = [:]
  /// Key paths that lead to no key, by the names that they are given; their values are asked of objects.
  private(set) var accessors: [String: KeyAccessor] = [:]

  init(_ context: ManagedObjectContext) { self.context = context }

  /// The key that a key path leads to; nil where its root is no class of the model.
  func name(of path: AnyKeyPath) -> String? {
    if let name = names[path] { return name }
    guard let root = type(of: path).rootType as? ManagedObject.Type,
      let info = context.schema.entity(of: root)
    else { return nil }
    let name = property(of: path, info) ?? accessor(of: path)
    names[path] = name
    return name
  }

  private func property(of path: AnyKeyPath, _ info: EntityInfo) -> String? {
    let id = ObjectID(entity: info.number, number: 0, store: context.store.tag)
    let state = ObjectState(id, info, in: context)
    let probe = KeyProbe()
    state.probe = probe
    state.isFault = false
    let object = Construction.makeObject(state)
    var results: [Any?] = []
    for isSecond in [false, true] {
      probe.isSecond = isSecond
      results.append(object[keyPath: path])
    }
    if probe.names.isEmpty {
      return results.allSatisfy { $0 as? ObjectID == id } ? "objectID" : nil
    }
    guard probe.names.count == 2, probe.names[0] == probe.names[1],
      let property = info.property(probe.names[0])
    else { return nil }
    switch property.kind {
    case .relationship: return isRelationship(path) ? property.name : nil
    case .attribute(let attribute):
      let isItself = zip(results, [false, true]).allSatisfy { result, isSecond in
        guard let value = KeyProbe.value(of: attribute.type, isSecond),
          let convertible = result as? any AttributeConvertible
        else { return false }
        return property.taken(convertible.storedValue)?.value == value
      }
      return isItself ? property.name : nil
    }
  }

  /// Whether what a key path gives is what a relationship gives.
  private func isRelationship(_ path: AnyKeyPath) -> Bool {
    type(of: path).valueType is any RelationshipContent.Type
  }

  private func accessor(of path: AnyKeyPath) -> String {
    let name = "\u{1}\(accessors.count)"
    nonisolated(unsafe) let path = path
    accessors[name] = { object in
      guard let result = object[keyPath: path] else { return nil }
      return (result as? any AttributeConvertible)?.storedValue
    }
    return name
  }
}
