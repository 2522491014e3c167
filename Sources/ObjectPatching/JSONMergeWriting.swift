internal import ObjectModel

/// A patch as a merge patch (RFC 7396) of the document of a graph: what shall be, with null for what shall go. It says
/// nothing of what there was.
struct JSONMergeWriting {
  private let graph: JSONGraph
  private(set) var document = JSONValue.object(JSONObject())

  init(_ entries: [FlatPatch.Entry], _ graph: JSONGraph) throws(JSONError) {
    self.graph = graph
    for entry in entries {
      do throws(JSONError) {
        try add(entry.patch)
      } catch {
        throw error.inside(entry.path)
      }
    }
  }

  private mutating func set(_ value: JSONValue, at place: JSONPointer) throws(JSONError) {
    try Self.set(value, at: place.tokens[...], in: &document)
  }

  private static func set(
    _ value: JSONValue, at tokens: ArraySlice<String>, in target: inout JSONValue
  ) throws(JSONError) {
    guard let token = tokens.first else {
      target = value
      return
    }
    var object = target.object ?? JSONObject()
    target = .null
    defer { target = .object(object) }
    if object[token] == nil, !object.append(token, .object(JSONObject())) {
      throw JSONError(.keysLookTheSame, "is a key beside another that looks the same")
        .inside(token)
    }
    _ = try object.update(token) { (member) throws(JSONError) in
      try set(value, at: tokens.dropFirst(), in: &member)
    }
  }

  private mutating func add(_ patch: ObjectPatch) throws(JSONError) {
    let entity = try graph.entity(patch.entityName)
    let place = try graph.pointer(patch.identity)
    try patch.checkKeepsIdentifier(entity)
    if patch.kind == .deletion { return try set(.null, at: place) }
    if patch.kind == .creation { try set(.object(JSONObject()), at: place) }
    for (key, value) in (patch.new ?? [:]).sortedByKey where patch.old?[key] != value {
      do throws(JSONError) {
        if let change = try change(key, value, in: patch, entity) {
          try set(change, at: place.appending(key))
        }
      } catch {
        throw error.inside(key)
      }
    }
    for (key, part) in patch.relationships.sorted(by: { $0.key.orderOfBytes($1.key) < 0 }) {
      guard let relationship = entity.relationship(key) else {
        throw JSONError(.unknownKey, "is no relationship of \(entity.name)").inside(key)
      }
      do throws(JSONError) {
        try add(part, relationship, of: place, patch)
      } catch {
        throw error.inside(key)
      }
    }
  }

  /// What a merge makes of a value: where both are objects only what differs, as a merge goes into them.
  private func change(
    _ key: String, _ value: Value, in patch: ObjectPatch, _ entity: ModelEntity
  ) throws(JSONError) -> JSONValue? {
    if value.isNull { return patch.kind == .creation ? JSONValue?.none : .some(.null) }
    let new = graph.json(value, key, of: entity)
    guard case .object = new else { return new }
    guard let old = patch.kind == .creation ? Value.null : patch.old?[key] else {
      throw JSONError(
        .badValue, "is a dictionary that a merge would go into, and what it was is not known")
    }
    let wrapped = { (value: JSONValue) in JSONValue.object(JSONObject([("value", value)])) }
    let before = old.isNull ? JSONValue.object(JSONObject()) : graph.json(old, key, of: entity)
    let merge = try JSONMergePatch(from: wrapped(before), to: wrapped(new))
    return merge.document.object?["value"] ?? (old.isNull ? .object(JSONObject()) : JSONValue?.none)
  }

  private mutating func add(
    _ part: RelationshipPatch, _ relationship: RelationshipDescription, of place: JSONPointer,
    _ patch: ObjectPatch
  ) throws(JSONError) {
    let at = place.appending(relationship.name)
    switch graph.shape(of: relationship) {
    case .pointer:
      if let member = part.added.first {
        try set(.string(try graph.pointer(member.identity).text), at: at)
      } else if !part.removed.isEmpty {
        try set(.null, at: at)
      }
    case .members:
      for member in part.removed {
        try set(.null, at: at.appending(try graph.pointer(member.identity).text))
      }
      for member in part.added {
        try set(true, at: at.appending(try graph.pointer(member.identity).text))
      }
    case .list:
      if part.removed.isEmpty, part.added.isEmpty { return }
      guard patch.kind == .creation else {
        throw JSONError(
          .badValue, "has an order, of which a merge patch cannot say a part; use a JSON Patch")
      }
      let members = part.added.sorted { $0.position ?? .max < $1.position ?? .max }
      var pointers: [JSONValue] = []
      for member in members {
        pointers.append(.string(try graph.pointer(member.identity).text))
      }
      try set(.array(pointers), at: at)
    case .inverse(let inverse):
      for member in part.removed {
        try set(.null, at: try graph.pointer(member.identity).appending(inverse))
      }
      let owner = JSONValue.string(try graph.pointer(patch.identity).text)
      for member in part.added {
        try set(owner, at: try graph.pointer(member.identity).appending(inverse))
      }
    }
  }
}
