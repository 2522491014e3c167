internal import ObjectModel

// The object patches of a patch, for who writes it by the standards.
extension JSONGraph {
  /// An object patch that can be written, with the object's place in the document.
  struct Written {
    let patch: ObjectPatch
    let entity: ModelEntity
    let place: JSONPointer

    /// What a new object has: what the patch says, what it is named by, and what it begins with besides.
    var beginning: [String: Value] {
      var values = patch.newValues
      if case .attribute(let key, let value) = patch.identity.identifier, values[key] == nil {
        values[key] = value
      }
      for attribute in entity.attributes
      where !attribute.isTransient && values[attribute.name] == nil {
        values[attribute.name] = attribute.filling
      }
      return values
    }

    /// Its relationships, in the order in which they are written.
    var relationships: [(RelationshipPatch, RelationshipDescription)] {
      get throws(JSONError) {
        var relationships: [(RelationshipPatch, RelationshipDescription)] = []
        for (key, part) in patch.relationships.sorted(by: { $0.key.orderOfBytes($1.key) < 0 }) {
          guard let relationship = entity.relationship(key) else {
            throw JSONError(.unknownKey, "is no relationship of \(entity.name)").inside(key)
          }
          relationships.append((part, relationship))
        }
        return relationships
      }
    }
  }

  /// Calls a closure with each object patch; what it throws is told with the path of that.
  func forEach(
    _ entries: [FlatPatch.Entry], _ body: (PatchPath, Written) throws(JSONError) -> Void
  ) throws(JSONError) {
    var named = NamedObjects(graph: self)
    for entry in entries {
      do throws(JSONError) {
        try named.add(entry.patch)
      } catch {
        throw error.inside(entry.path)
      }
    }
    for entry in entries {
      do throws(JSONError) {
        let entity = try entity(entry.patch.entityName)
        let place = try pointer(entry.patch.identity)
        try entry.patch.checkKeepsIdentifier(entity)
        try body(entry.path, Written(patch: entry.patch, entity: entity, place: place))
      } catch {
        throw error.inside(entry.path)
      }
    }
  }
}

extension [FlatPatch.Entry] {
  /// The objects that come to be.
  var created: Set<PatchIdentity> {
    Set(lazy.map(\.patch).filter { $0.kind == .creation }.map(\.identity))
  }
}

extension ObjectPatch {
  /// Another identifier would be another member of the document, and whatever leads to it would have to be changed.
  fileprivate func checkKeepsIdentifier(_ entity: ModelEntity) throws(JSONError) {
    guard let key = entity.attributes.first(where: \.isIdentifier)?.name, let new = new?[key] else {
      return
    }
    if case .attribute(_, new) = identity.identifier { return }
    if case .objectID = identity.identifier, kind == .creation, new.isNull { return }
    throw JSONError(.badIdentifier, "gives \(identity) another identifier, which cannot be told")
      .inside(key)
  }
}

/// The objects that are spoken of, by the keys that they have in the document. Those that look the same cannot both be
/// read again.
private struct NamedObjects {
  let graph: JSONGraph
  /// By what they look like.
  private var keys: [String: String] = [:]

  init(graph: JSONGraph) { self.graph = graph }

  mutating func add(_ patch: ObjectPatch) throws(JSONError) {
    try add(patch.identity)
    for (key, part) in patch.relationships.sorted(by: { $0.key.orderOfBytes($1.key) < 0 }) {
      do throws(JSONError) {
        for member in part.removed + part.added { try add(member.identity) }
      } catch {
        throw error.inside(key)
      }
    }
  }

  private mutating func add(_ identity: PatchIdentity) throws(JSONError) {
    let key = try graph.pointer(identity).text
    try JSONValue.refuseUnreadable(key)
    guard let other = keys.updateValue(key, forKey: key), !other.hasSameBytes(as: key) else {
      return
    }
    throw JSONError(
      .keysLookTheSame,
      "is named ‘\(JSONError.clipped(key))’ beside another object whose name looks the same, and no document has both; "
        + "give each a name of its own")
  }
}
