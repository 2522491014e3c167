internal import ManagedObjects
internal import ObjectModel

/// Nests object patches under the relationships that lead from one to another, so that what belongs to an object is
/// read with it. Each stands in one place.
struct PatchNesting {
  /// How deep patches are nested; what is farther stands at the top.
  static let largestDepth = 12

  private struct Edge {
    let key: String
    let kind: RelationshipPatch.Kind
    let child: Int
  }

  private let entries: [ObjectPatch]
  /// What is nested in each patch that something is nested in.
  private var edges: [Int: [Edge]] = [:]
  private var isChild: [Bool]

  /// - Parameter schema: says what a relationship to one leads back by.
  init(_ entries: [ObjectPatch], _ schema: Schema) {
    self.entries = entries
    isChild = [Bool](repeating: false, count: entries.count)
    // Where nothing is led elsewhere, nobody need be found by identity.
    let leading = entries.indices.filter { !entries[$0].relationships.isEmpty }
    if leading.isEmpty { return }
    let places = Places(entries, ledToBy: leading)
    for index in leading {
      let info = schema.entity(named: entries[index].entityName)
      let relationships = entries[index].relationships
      if relationships.count > 1 {
        for (key, patch) in relationships.sorted(by: { $0.key < $1.key }) {
          add(patch, of: index, key, info?.property(key)?.relationship, places)
        }
      } else {
        for (key, patch) in relationships {
          add(patch, of: index, key, info?.property(key)?.relationship, places)
        }
      }
    }
  }

  /// Adds what is nested by one relationship of a patch.
  private mutating func add(
    _ patch: RelationshipPatch, of index: Int, _ key: String, _ relationship: RelationshipInfo?,
    _ places: Places
  ) {
    if patch.kind == .toOne, let back = relationship?.inverse, back.storage != .one {
      // What belongs to many, as the posts of a blog, is nested there.
      guard back.storage == .inverse, let name = relationship?.description.inverse else { return }
      let owner =
        patch.added.first.flatMap { places.after[$0.identity] }
        ?? patch.removed.first.flatMap { places.before[$0.identity] }
      if let owner { add(Edge(key: name, kind: .toMany, child: index), to: owner) }
      return
    }
    for member in patch.added {
      if let child = places.after[member.identity] {
        add(Edge(key: key, kind: patch.kind, child: child), to: index)
      }
    }
    for member in patch.removed {
      if let child = places.before[member.identity] {
        add(Edge(key: key, kind: patch.kind, child: child), to: index)
      }
    }
  }

  /// Where patches are, by what their objects are named by before and after: of those entities that something leads to.
  private struct Places {
    private(set) var before: [PatchIdentity: Int] = [:]
    private(set) var after: [PatchIdentity: Int] = [:]

    init(_ entries: [ObjectPatch], ledToBy leading: [Int]) {
      var entities: Set<String> = []
      var last: String?
      for index in leading {
        for patch in entries[index].relationships.values {
          for member in [patch.added, patch.removed].joined()
          where member.identity.entityName != last {
            last = member.identity.entityName
            entities.insert(member.identity.entityName)
          }
        }
      }
      var known: (entity: String, isLedTo: Bool) = ("", false)
      for index in entries.indices {
        if entries[index].entityName != known.entity {
          known = (entries[index].entityName, entities.contains(entries[index].entityName))
        }
        guard known.isLedTo else { continue }
        if entries[index].kind != .creation { before[entries[index].identity] = index }
        if let identity = entries[index].identityAfter { after[identity] = index }
      }
    }
  }

  private mutating func add(_ edge: Edge, to owner: Int) {
    guard owner != edge.child else { return }
    edges[owner, default: []].append(edge)
    isChild[edge.child] = true
  }

  /// The patch.
  var patch: Patch {
    if !isChild.contains(true) { return Patch(objects: entries) }
    var placed = [Bool](repeating: false, count: entries.count)
    var objects: [ObjectPatch] = []
    var waiting = entries.indices.filter { !isChild[$0] }
    // Those in cycles have nowhere to begin; the first of each will do.
    waiting += entries.indices.filter { isChild[$0] }
    for index in waiting where !placed[index] {
      objects.append(nested(index, depth: 0, &placed))
    }
    return Patch(objects: objects)
  }

  private func nested(_ index: Int, depth: Int, _ placed: inout [Bool]) -> ObjectPatch {
    placed[index] = true
    var patch = entries[index]
    guard depth < Self.largestDepth else { return patch }
    for edge in edges[index] ?? [] where !placed[edge.child] {
      let child = nested(edge.child, depth: depth + 1, &placed)
      patch.relationships[edge.key, default: RelationshipPatch(edge.kind)].patches.append(child)
    }
    return patch
  }
}

extension ObjectPatch {
  /// What the object is named by after the patch; nil where it is gone, or has lost its name.
  ///
  /// What is named by its ID still is: that it gets an identifier is known only with the model.
  var identityAfter: PatchIdentity? {
    guard kind != .deletion else { return nil }
    guard kind == .update, case .attribute(let key, _) = identity.identifier, let value = new?[key]
    else { return identity }
    return value.isNull ? nil : PatchIdentity(entityName, key, value)
  }
}
