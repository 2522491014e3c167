internal import ObjectModel

/// A patch as a merge patch (RFC 7396) of the document of a graph: what shall be, with null for what shall go. It says
/// nothing of what there was.
struct JSONMergeWriting {
  /// What stands in the way of what: each is written over those before it, whatever the order of the entries.
  private enum Phase: CaseIterable {
    case objects, removals, additionsFromInverses, additions, deletions
  }

  private struct Part {
    let value: JSONValue
    let place: JSONPointer
    let path: PatchPath
  }

  private let graph: JSONGraph
  private let created: Set<PatchIdentity>
  private var parts: [Phase: [Part]] = [:]
  private var path = PatchPath()

  init(_ entries: [FlatPatch.Entry], _ graph: JSONGraph) throws(JSONError) {
    self.graph = graph
    created = entries.created
    try graph.forEach(entries) { (path, written) throws(JSONError) in
      self.path = path
      try add(written)
    }
  }

  /// The merge patch.
  var document: JSONValue {
    get throws(JSONError) {
      var document = JSONValue.object(JSONObject())
      for part in Phase.allCases.flatMap({ parts[$0] ?? [] }) {
        do throws(JSONError) {
          try Self.set(part.value, at: part.place.tokens[0...], in: &document)
        } catch {
          throw error.inside(part.path)
        }
      }
      return document
    }
  }

  private mutating func set(_ value: JSONValue, at place: JSONPointer, _ phase: Phase) {
    parts[phase, default: []].append(Part(value: value, place: place, path: path))
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

  private mutating func add(_ written: JSONGraph.Written) throws(JSONError) {
    let (patch, entity, place) = (written.patch, written.entity, written.place)
    if patch.kind == .deletion {
      guard !created.contains(patch.identity) else {
        throw JSONError(
          .badIdentifier,
          "names what goes and what comes, which a merge would make one; use a JSON Patch")
      }
      return set(.null, at: place, .deletions)
    }
    if patch.kind == .creation { set(.object(JSONObject()), at: place, .objects) }
    let new = patch.kind == .creation ? written.beginning : patch.newValues
    for (key, value) in new.sortedByKey where patch.old?[key] != value {
      do throws(JSONError) {
        if let change = try change(key, value, in: patch, entity) {
          set(change, at: place.appending(key), .objects)
        }
      } catch {
        throw error.inside(key)
      }
    }
    for (part, relationship) in try written.relationships {
      do throws(JSONError) {
        try add(part, relationship, of: place, patch)
      } catch {
        throw error.inside(relationship.name)
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
        set(.string(try graph.pointer(member.identity).text), at: at, .additions)
      } else if !part.removed.isEmpty {
        set(.null, at: at, .removals)
      }
    case .members:
      for member in part.removed {
        set(.null, at: at.appending(try graph.pointer(member.identity).text), .removals)
      }
      for member in part.added {
        set(true, at: at.appending(try graph.pointer(member.identity).text), .additions)
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
      set(.array(pointers), at: at, .additions)
    case .inverse(let inverse):
      for member in part.removed {
        set(.null, at: try graph.pointer(member.identity).appending(inverse), .removals)
      }
      let owner = JSONValue.string(try graph.pointer(patch.identity).text)
      for member in part.added {
        set(
          owner, at: try graph.pointer(member.identity).appending(inverse), .additionsFromInverses)
      }
    }
  }
}
