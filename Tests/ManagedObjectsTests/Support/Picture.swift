import ManagedObjects
import ObjectModel

/// What a context shows of some objects: all their values, or that they are not there.
struct Picture: Equatable {
  private var values: [ObjectID: [String: Value]] = [:]

  /// - Parameter isStored: whether only what a save takes is shown.
  init(_ objects: [ObjectID], in context: ManagedObjectContext, isStored: Bool = false) {
    for id in objects {
      let object = context.object(with: id)
      _ = object.value(forKey: object.entity.attributes.first?.name ?? "")
      guard !object.isDeleted else { continue }
      var shown: [String: Value] = [:]
      for attribute in object.entity.attributes where !(isStored && attribute.isTransient) {
        shown[attribute.name] = object.value(forKey: attribute.name)
      }
      for relationship in object.entity.relationships {
        shown[relationship.name] = object.value(forKey: relationship.name)
      }
      for key in ["mood", "stats"] { shown[key] = object[key] }
      values[id] = shown
    }
  }

  subscript(_ object: ObjectID, _ key: String) -> Value? { values[object]?[key] }

  /// The first thing in which another picture is not as this one.
  func difference(_ other: Picture) -> String? {
    for object in Set(values.keys).union(other.values.keys).sorted()
    where values[object] != other.values[object] {
      guard let one = values[object] else { return "\(object) is there" }
      guard let two = other.values[object] else { return "\(object) is not there" }
      let key = Set(one.keys).union(two.keys).sorted().first { one[$0] != two[$0] } ?? ""
      let (value, instead) = (one[key] ?? .null, two[key] ?? .null)
      return "\(object).\(key) is \(instead) and not \(value)"
    }
    return nil
  }

  /// Whether something leads to an object that is not there.
  var leadsAstray: Bool {
    values.values.contains { shown in
      shown.values.contains { value in
        let members = value.set.map { Array($0) } ?? value.array ?? [value]
        return members.contains { $0.reference.map { values[$0] == nil } ?? false }
      }
    }
  }

  func has(_ object: ObjectID) -> Bool { values[object] != nil }
}

extension ManagedObject {
  /// A reference to the object.
  var reference: Value { .reference(objectID) }
}
