internal import ObjectModel

/// A patch as operations on the document of a graph (RFC 6902): tests of what there was, then creations and updates,
/// then relationships, then deletions.
struct JSONOperations {
  private let graph: JSONGraph
  private var tests: [JSONPatchDocument.Operation] = []
  private var attributes: [JSONPatchDocument.Operation] = []
  private var removals: [JSONPatchDocument.Operation] = []
  private var additionsFromInverses: [JSONPatchDocument.Operation] = []
  private var additions: [JSONPatchDocument.Operation] = []
  private var deletions: [JSONPatchDocument.Operation] = []
  private let created: Set<PatchIdentity>
  /// What is tested and removed already: one connection may be said at both of its ends.
  private var tested: [JSONPointer: [JSONValue]] = [:]
  private var removed: Set<JSONPointer> = []

  init(_ entries: [FlatPatch.Entry], _ graph: JSONGraph) throws(JSONError) {
    self.graph = graph
    created = entries.created
    try graph.forEach(entries) { (_, written) throws(JSONError) in try add(written) }
  }

  var operations: [JSONPatchDocument.Operation] {
    tests + attributes + removals + additionsFromInverses + additions + deletions
  }

  private mutating func test(_ place: JSONPointer, _ value: JSONValue) {
    if tested[place]?.contains(value) ?? false { return }
    tested[place, default: []].append(value)
    tests.append(.test(place, value))
  }

  private mutating func remove(_ place: JSONPointer) {
    if removed.insert(place).inserted { removals.append(.remove(place)) }
  }

  private mutating func add(_ written: JSONGraph.Written) throws(JSONError) {
    let (patch, entity, place) = (written.patch, written.entity, written.place)
    switch patch.kind {
    case .creation:
      attributes.append(.add(place, creation(written)))
    case .update, .deletion:
      try addAttributes(patch, entity, place)
    }
    // What comes under the same name takes its place.
    if patch.kind == .deletion, !created.contains(patch.identity) {
      deletions.append(.remove(place))
    }
    for (part, relationship) in try written.relationships {
      if patch.kind == .deletion {
        try test(part, relationship, of: place, patch.identity)
      } else {
        try add(part, relationship, of: place, patch.identity)
      }
    }
  }

  /// A new object; relationships are added to it.
  private func creation(_ written: JSONGraph.Written) -> JSONValue {
    var object = JSONObject()
    for (key, value) in written.beginning.sortedByKey where !value.isNull {
      object.append(key, graph.json(value, key, of: written.entity))
    }
    for relationship in written.entity.relationships where !relationship.isTransient {
      switch graph.shape(of: relationship) {
      case .members: object.append(relationship.name, .object(JSONObject()))
      case .list: object.append(relationship.name, .array([]))
      case .pointer, .inverse: break
      }
    }
    return .object(object)
  }

  private mutating func addAttributes(
    _ patch: ObjectPatch, _ entity: ModelEntity, _ place: JSONPointer
  ) throws(JSONError) {
    let (old, new) = (patch.oldValues, patch.newValues)
    for (key, value) in old.sortedByKey where !value.isNull {
      test(place.appending(key), graph.json(value, key, of: entity))
    }
    for (key, value) in new.sortedByKey {
      let at = place.appending(key)
      switch (old[key], value) {
      case (.null?, .null): break
      case (let before?, _) where before == value: break
      case (_?, .null): attributes.append(.remove(at))
      // What may be there or not can be removed once it has been set.
      case (nil, .null): attributes += [.add(at, .null), .remove(at)]
      case (.null?, _), (nil, _): attributes.append(.add(at, graph.json(value, key, of: entity)))
      case (_?, _): attributes.append(.replace(at, graph.json(value, key, of: entity)))
      }
    }
  }

  private mutating func add(
    _ part: RelationshipPatch, _ relationship: RelationshipDescription, of place: JSONPointer,
    _ identity: PatchIdentity
  ) throws(JSONError) {
    let at = place.appending(relationship.name)
    switch graph.shape(of: relationship) {
    case .pointer:
      let (before, after) = (part.removed.first, part.added.first)
      if let before { test(at, .string(try graph.pointer(before.identity).text)) }
      if let after {
        additions.append(.add(at, .string(try graph.pointer(after.identity).text)))
      } else if before != nil {
        remove(at)
      }
    case .members:
      for member in part.removed {
        remove(at.appending(try graph.pointer(member.identity).text))
      }
      for member in part.added {
        additions.append(.add(at.appending(try graph.pointer(member.identity).text), true))
      }
    case .list:
      // From behind, so that the places before stay what they were.
      for member in part.removed.sorted(by: { $0.position ?? 0 > $1.position ?? 0 }) {
        guard let position = member.position else {
          throw JSONError(.badValue, "takes out an object without saying where it stands")
            .inside(relationship.name)
        }
        let element = at.appending(String(position))
        let pointer = JSONValue.string(try graph.pointer(member.identity).text)
        removals += [.test(element, pointer), .remove(element)]
      }
      for member in part.added.sorted(by: { $0.position ?? .max < $1.position ?? .max }) {
        let element = at.appending(member.position.map(String.init) ?? "-")
        additions.append(.add(element, .string(try graph.pointer(member.identity).text)))
      }
    case .inverse(let inverse):
      let owner = JSONValue.string(try graph.pointer(identity).text)
      for member in part.removed {
        let place = try graph.pointer(member.identity).appending(inverse)
        test(place, owner)
        remove(place)
      }
      for member in part.added {
        additionsFromInverses.append(
          .add(try graph.pointer(member.identity).appending(inverse), owner))
      }
    }
  }

  /// Tests where what goes leads.
  private mutating func test(
    _ part: RelationshipPatch, _ relationship: RelationshipDescription, of place: JSONPointer,
    _ identity: PatchIdentity
  ) throws(JSONError) {
    let at = place.appending(relationship.name)
    for member in part.removed {
      let pointer = try graph.pointer(member.identity)
      switch graph.shape(of: relationship) {
      case .pointer: test(at, .string(pointer.text))
      case .members: test(at.appending(pointer.text), true)
      case .list:
        if let position = member.position {
          test(at.appending(String(position)), .string(pointer.text))
        }
      case .inverse(let inverse):
        test(pointer.appending(inverse), .string(try graph.pointer(identity).text))
      }
    }
  }
}
