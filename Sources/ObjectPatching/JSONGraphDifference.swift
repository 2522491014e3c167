internal import ObjectModel

/// The patch that leads from one document of a graph to another.
struct JSONGraphDifference {
  private let graph: JSONGraph
  private let allowsDynamicKeys: Bool

  /// - Parameter allowsDynamicKeys: whether any entity takes keys that it has no attribute for, and that the object does
  ///   not have yet.
  init(_ graph: JSONGraph, allowsDynamicKeys: Bool) {
    self.graph = graph
    self.allowsDynamicKeys = allowsDynamicKeys
  }

  /// - Parameter goingAlong: the pointers of what cascades take with what is gone; nil for what the documents tell.
  func patch(
    from one: JSONValue, to other: JSONValue, goingAlong: Set<String>? = nil
  ) throws(JSONError) -> Patch {
    let removals = JSONRemovals(graph, from: one, to: other, goingAlong: goingAlong)
    let (before, after) = (try one.asObject(), try removals.after.asObject())
    var patch = Patch()
    for name in names(before, after) {
      let entity = try graph.entity(name)
      do throws(JSONError) {
        patch.objects += try patches(of: entity, before[name], after[name], removals.leaders)
      } catch {
        throw error.inside(name)
      }
    }
    return patch
  }

  private typealias Leaders = [String: [String: [JSONRemovals.Leader]]]

  /// The keys of both, those of the first before the others.
  private func names(_ one: JSONObject, _ other: JSONObject) -> [String] {
    one.members.map(\.key) + other.members.map(\.key).filter { one[$0] == nil }
  }

  private func patches(
    of entity: ModelEntity, _ one: JSONValue?, _ other: JSONValue?, _ leaders: Leaders
  ) throws(JSONError) -> [ObjectPatch] {
    let before = try one.map { (value) throws(JSONError) in try value.asObject() } ?? JSONObject()
    let after = try other.map { (value) throws(JSONError) in try value.asObject() } ?? JSONObject()
    var patches: [ObjectPatch] = []
    for name in names(before, after) {
      do throws(JSONError) {
        if var patch = try patch(name, of: entity, before[name], after[name]) {
          if after[name] == nil {
            try add(leaders[JSONPointer([entity.name, name]).text] ?? [:], to: &patch)
          }
          patches.append(patch)
        }
      } catch {
        throw error.inside(name)
      }
    }
    return patches
  }

  /// Has the deletion of an object say what led there.
  private func add(
    _ leaders: [String: [JSONRemovals.Leader]], to patch: inout ObjectPatch
  ) throws(JSONError) {
    for (key, leaders) in leaders {
      var part = RelationshipPatch(.toMany)
      for leader in leaders {
        part.removed.append(.init(try graph.identity(leader.key, of: leader.entity)))
      }
      patch.relationships[key] = part
    }
  }

  private func patch(
    _ name: String, of entity: ModelEntity, _ one: JSONValue?, _ other: JSONValue?
  ) throws(JSONError) -> ObjectPatch? {
    if isWritten(one, as: other) { return nil }
    let identity = try graph.identity(name, of: entity)
    let before = try one.map { (value) throws(JSONError) in try value.asObject() } ?? JSONObject()
    let after = try other.map { (value) throws(JSONError) in try value.asObject() } ?? JSONObject()
    var (old, new): ([String: Value], [String: Value]) = ([:], [:])
    var relationships: [String: RelationshipPatch] = [:]
    for key in names(before, after) where !isWritten(before[key], as: after[key]) {
      do throws(JSONError) {
        if let relationship = entity.relationship(key) {
          let part = try part(relationship, before[key], after[key])
          // None and an empty one are the same.
          if !part.isEmpty { relationships[key] = part }
        } else {
          guard
            before[key] != nil || allowsDynamicKeys || entity.attribute(key) != nil
              || entity.description.allowsAnyKey
          else { throw JSONError.unknown(key, of: entity) }
          let was = try value(before[key], key, of: entity)
          let now = try value(after[key], key, of: entity)
          // The same value may be written in two ways.
          if was != now { (old[key], new[key]) = (.some(was), .some(now)) }
        }
      } catch {
        throw error.inside(key)
      }
    }
    if case .attribute(let key, let value) = identity.identifier, other != nil {
      // Who creates an object under a key need not repeat it within.
      if one == nil, new[key]?.isNull ?? true { new[key] = .some(value) }
      if let now = new[key], now != value {
        throw JSONError(.badIdentifier, "is not what the object is named by").inside(key)
      }
    }
    if one != nil, other != nil, new.isEmpty, relationships.isEmpty { return nil }
    var patch = ObjectPatch(updating: identity, relationships: relationships)
    patch.old = one == nil ? nil : old
    patch.new = other == nil ? nil : new
    // What a new object has no value for goes without saying.
    if one == nil { patch.new = Self.beginning(new.filter { !$0.value.isNull }, of: entity) }
    if other == nil { patch.old = Self.end(identity, old, of: entity) }
    return patch
  }

  /// The values of a new object. What is not in the document has no value, though an insert would give it one; what
  /// must have one begins with its default.
  private static func beginning(
    _ values: [String: Value], of entity: ModelEntity
  ) -> [String: Value] {
    var values = values
    for attribute in entity.attributes
    where attribute.isOptional && !attribute.isTransient && values[attribute.name] == nil {
      if let value = attribute.defaultValue, !value.isNull { values[attribute.name] = .some(.null) }
    }
    return values
  }

  /// The values of an object that goes: what it has no value for is said, so that it can come again as it was.
  private static func end(
    _ identity: PatchIdentity, _ values: [String: Value], of entity: ModelEntity
  ) -> [String: Value] {
    var values = values
    if case .attribute(let key, let value) = identity.identifier {
      values[key] = values[key] ?? value
    }
    for attribute in entity.attributes
    where attribute.isOptional && !attribute.isTransient && values[attribute.name] == nil {
      values[attribute.name] = .some(.null)
    }
    return values
  }

  private func isWritten(_ one: JSONValue?, as other: JSONValue?) -> Bool {
    guard let one, let other else { return one == nil && other == nil }
    return one.isWritten(as: other)
  }

  private func value(
    _ json: JSONValue?, _ key: String, of entity: ModelEntity
  ) throws(JSONError) -> Value {
    guard let json else { return .null }
    let value = try json.value(of: entity.attribute(key)?.type)
    guard value.isWithinDepth else {
      throw JSONError(.tooDeep, "is a value nested deeper than \(Value.largestDepth) levels")
    }
    guard entity.attribute(key) != nil || value.isNull || value.isPropertyList else {
      throw JSONError(noPropertyList: value, of: entity)
    }
    return value
  }

  // MARK: Relationships

  private func part(
    _ relationship: RelationshipDescription, _ one: JSONValue?, _ other: JSONValue?
  ) throws(JSONError) -> RelationshipPatch {
    let kind = RelationshipPatch.Kind(relationship)
    switch graph.shape(of: relationship) {
    case .inverse(let inverse):
      throw JSONError(.unknownKey, "is said at the other end, by \(inverse)")
    case .list:
      return list(try pointers(one, relationship), try pointers(other, relationship))
    case .pointer, .members:
      let before = try pointers(one, relationship)
      let after = try pointers(other, relationship)
      let (wasThere, isThere) = (Set(before), Set(after))
      return RelationshipPatch(
        kind, removed: before.filter { !isThere.contains($0) }.map { .init($0) },
        added: after.filter { !wasThere.contains($0) }.map { .init($0) })
    }
  }

  private func list(_ before: [PatchIdentity], _ after: [PatchIdentity]) -> RelationshipPatch {
    let order = MemberOrder(from: before, to: after)
    return RelationshipPatch(
      .ordered, removed: order.removed.map { .init(before[$0], position: $0) },
      added: order.added.map { .init(after[$0], position: $0) })
  }

  /// The objects that a relationship leads to.
  private func pointers(
    _ value: JSONValue?, _ relationship: RelationshipDescription
  ) throws(JSONError) -> [PatchIdentity] {
    switch (graph.shape(of: relationship), value) {
    case (_, nil): return []
    case (.pointer, .null?): return []
    case (.pointer, .string(let text)?): return [try graph.destination(text, of: relationship)]
    case (.list, let value?):
      let identities = try value.elements { (element) throws(JSONError) in
        try graph.destination(try element.text(), of: relationship)
      }
      guard Set(identities).count == identities.count else {
        throw JSONError(.badValue, "has an object twice")
      }
      return identities
    case (.members, .object(let object)?):
      var identities: [PatchIdentity] = []
      for (key, mark) in object.members {
        do throws(JSONError) {
          guard mark == true else {
            throw JSONError(.wrongType, "is \(mark.kindName) where true is wanted")
          }
          identities.append(try graph.destination(key, of: relationship))
        } catch {
          throw error.inside(key)
        }
      }
      return identities
    case (_, let value?):
      throw JSONError(
        .wrongType, "is \(value.kindName), as which \(relationship.name) is not written")
    }
  }
}

extension JSONError {
  /// A key that an entity has not, and that would become data.
  static func unknown(_ key: String, of entity: ModelEntity) -> JSONError {
    JSONError(
      .unknownKey,
      "is no attribute of \(entity.name), which does not allow any key; allow dynamic keys where it is to be one"
    )
  }
}
