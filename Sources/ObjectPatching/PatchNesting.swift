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
  private var edges: [[Edge]]
  private var isChild: [Bool]

  /// - Parameter schema: says what a relationship to one leads back by.
  init(_ entries: [ObjectPatch], _ schema: Schema) {
    self.entries = entries
    edges = entries.map { _ in [] }
    isChild = entries.map { _ in false }
    // Where nothing is led elsewhere, nobody need be found by identity.
    guard entries.contains(where: { !$0.relationships.isEmpty }) else { return }
    var (before, after): ([PatchIdentity: Int], [PatchIdentity: Int]) = ([:], [:])
    for (index, entry) in entries.enumerated() {
      if entry.kind != .creation { before[entry.identity] = index }
      if let identity = entry.identityAfter { after[identity] = index }
    }
    for (index, entry) in entries.enumerated() {
      let info = schema.entity(named: entry.entityName)
      for (key, patch) in entry.relationships.sorted(by: { $0.key < $1.key }) {
        let relationship = info?.property(key)?.relationship
        if patch.kind == .toOne, let back = relationship?.inverse, back.storage != .one {
          // What belongs to many, as the posts of a blog, is nested there.
          guard back.storage == .inverse, let name = relationship?.description.inverse else {
            continue
          }
          let owner =
            patch.added.first.flatMap { after[$0.identity] }
            ?? patch.removed.first.flatMap { before[$0.identity] }
          if let owner { add(Edge(key: name, kind: .toMany, child: index), to: owner) }
        } else {
          for member in patch.added {
            if let child = after[member.identity] {
              add(Edge(key: key, kind: patch.kind, child: child), to: index)
            }
          }
          for member in patch.removed {
            if let child = before[member.identity] {
              add(Edge(key: key, kind: patch.kind, child: child), to: index)
            }
          }
        }
      }
    }
  }

  private mutating func add(_ edge: Edge, to owner: Int) {
    guard owner != edge.child else { return }
    edges[owner].append(edge)
    isChild[edge.child] = true
  }

  /// The patch.
  var patch: Patch {
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
    for edge in edges[index] where !placed[edge.child] {
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
