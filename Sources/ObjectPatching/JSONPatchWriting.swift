internal import ObjectModel

private typealias Name = JSONPatchShape.Name

extension Patch {
  /// The patch as JSON, the same for equal patches.
  package var jsonValue: JSONValue {
    .object(
      JSONObject([
        (Name.version, .integer(JSONPatchShape.version)),
        (Name.objects, .array(objects.map(\.jsonValue))),
      ]))
  }
}

extension ObjectPatch {
  fileprivate var jsonValue: JSONValue {
    var object = identity.jsonMembers
    var types = JSONObject()
    let keys = Set(old?.keys.map(\.self) ?? []).union(new?.keys.map(\.self) ?? [])
    var marks: [String: JSONMark] = [:]
    for key in keys.sorted(by: { $0.orderOfBytes($1) < 0 }) {
      guard let mark = commonMark(of: key) else { continue }
      marks[key] = mark
      types.append(key, .string(mark.rawValue))
    }
    if let old { object.append(Name.old, Self.json(old, marks)) }
    if let new { object.append(Name.new, Self.json(new, marks)) }
    if !types.isEmpty { object.append(Name.types, .object(types)) }
    if !relationships.isEmpty {
      object.append(
        Name.relationships,
        .object(
          JSONObject(
            relationships.sorted { $0.key.orderOfBytes($1.key) < 0 }
              .map { ($0.key, $0.value.jsonValue) })))
    }
    return .object(object)
  }

  /// The kind that is said once for the old and the new value of a key; nil where there is none to say, or where they
  /// differ in it, and each is marked.
  private func commonMark(of key: String) -> JSONMark? {
    var common: JSONMark?
    for values in [old, new] {
      guard let value = values?[key], !value.isNull else { continue }
      guard let mark = JSONMark(value), mark != .dictionary, value.plainJSON != nil,
        common == nil || common == mark
      else { return nil }
      common = mark
    }
    return common
  }

  private static func json(_ values: [String: Value], _ marks: [String: JSONMark]) -> JSONValue {
    .object(
      JSONObject(
        values.sortedByKey.map { key, value in
          (key, marks[key] != nil ? value.plainJSON ?? value.markedJSON : value.markedJSON)
        }))
  }
}

extension PatchIdentity {
  fileprivate var jsonMembers: JSONObject {
    let id: JSONValue =
      switch identifier {
      case .objectID(let object): .string(object.uri)
      case .attribute(let key, let value):
        .object(JSONObject([(key, value.plainJSON ?? value.markedJSON)]))
      }
    return JSONObject([(Name.entity, .string(entityName)), (Name.identifier, id)])
  }
}

extension RelationshipPatch {
  fileprivate var jsonValue: JSONValue {
    var object = JSONObject([(Name.kind, .string(kind.jsonName))])
    if !removed.isEmpty { object.append(Name.removed, .array(removed.map(\.jsonValue))) }
    if !added.isEmpty { object.append(Name.added, .array(added.map(\.jsonValue))) }
    if !patches.isEmpty { object.append(Name.patches, .array(patches.map(\.jsonValue))) }
    return .object(object)
  }
}

extension RelationshipPatch.Member {
  fileprivate var jsonValue: JSONValue {
    var object = identity.jsonMembers
    if let position { object.append(Name.position, .integer(position)) }
    return .object(object)
  }
}
