public import ManagedObjects
internal import ObjectModel
internal import ObjectStore

extension Patch {
  /// What leads from one object to another of the same entity, and from what the relationships of the one lead to, and
  /// so on, to what those of the other do. The patch has one object patch at the top, in which the others are nested;
  /// it has none where nothing differs.
  ///
  /// The two are taken for the same object, whatever they are named by. Others are the same as where contexts are
  /// compared.
  ///
  /// Costs: reading all objects that can be reached, as far as `PatchOptions.depth` says; within one store a look into
  /// the index of identifiers for each that comes, goes or gets another.
  ///
  /// - Throws: `PatchError` where they are of different entities or one has no context, and within one store where what
  ///   comes, goes or gets an identifier has it together with another object, whether that can be reached or not;
  ///   `StoreError` where a store cannot be read.
  public static func difference(
    from old: ManagedObject, to new: ManagedObject, options: PatchOptions = PatchOptions()
  ) throws -> Patch {
    guard let before = old.context, let after = new.context, old.entity.name == new.entity.name
    else {
      throw PatchError(
        .notComparable,
        "\(old) and \(new) cannot be compared; give two objects of one entity, and keep their contexts."
      )
    }
    var walk = try PatchWalk(PatchComparison(before, after, options))
    return try walk.patch(from: old.objectID, to: new.objectID)
  }
}

/// Goes over two graphs from two objects on, and nests what differs along the way.
private struct PatchWalk {
  private typealias Token = PatchComparison.Token

  private struct Node {
    let old: ObjectID?
    let new: ObjectID?
    let parent: Int?
    let key: String
    let kind: RelationshipPatch.Kind
    let depth: Int
    var patch: ObjectPatch?
  }

  private var comparison: PatchComparison
  private var nodes: [Node] = []
  private var known: Set<Token> = []

  init(_ comparison: PatchComparison) { self.comparison = comparison }

  mutating func patch(from old: ObjectID, to new: ObjectID) throws -> Patch {
    if !comparison.isOneStore || old != new {
      comparison.counterparts[old] = new
      comparison.originals[new] = old
    }
    if let token = try comparison.token(after: new) { known.insert(token) }
    nodes.append(Node(old: old, new: new, parent: nil, key: "", kind: .toOne, depth: 0))
    var index = 0
    while index < nodes.count {
      try visit(index)
      index += 1
    }
    return try Patch(objects: assembled())
  }

  private mutating func visit(_ index: Int) throws {
    let node = nodes[index]
    let old = try node.old.flatMap { object in
      try comparison.from.row(of: object).map { (object: object, row: $0) }
    }
    let new = try node.new.flatMap { object in
      try comparison.to.row(of: object).map { (object: object, row: $0) }
    }
    // Before they are compared: who is taken for whom must be known then.
    let goes = new == nil
    if let old { try reach(old.object, comparison.from, isOld: true, goes: goes, from: index) }
    if let new { try reach(new.object, comparison.to, isOld: false, goes: goes, from: index) }
    let patch = try comparison.patch(from: old, to: new)
    if comparison.isOneStore, let patch {
      try comparison.refuseNamesake(before: old?.object, after: new?.object, patch)
    }
    nodes[index].patch = patch
  }

  /// Adds what the relationships of an object lead to and has not been come by.
  private mutating func reach(
    _ object: ObjectID, _ side: PatchSide, isOld: Bool, goes: Bool, from index: Int
  ) throws {
    for property in side.schema.properties(of: object.entity) where !property.isTransient {
      guard let relationship = property.relationship else { continue }
      let takesAlong = goes && relationship.description.deleteRule == .cascade
      for member in try side.context().destinationsShown(of: object, property) {
        guard let identity = try side.identity(of: member),
          let token = try isOld
            ? comparison.token(before: member) : comparison.token(after: member),
          !known.contains(token)
        else { continue }
        let other = try counterpart(of: member, identity, isOld: isOld)
        let (old, new) = isOld ? (member, other) : (other, member)
        let isRenamed = comparison.isOneStore && old != nil && new != nil && old != new
        if isRenamed, let old, let new { comparison.counterparts[old] = new }
        // What is too deep here may be come by on a shorter way, or be taken along.
        if let depth = comparison.options.depth, nodes[index].depth >= depth, !takesAlong {
          continue
        }
        known.insert(token)
        if isRenamed, let old, let new { known.formUnion([.object(old), .object(new)]) }
        nodes.append(
          Node(
            old: old, new: new, parent: index, key: property.name, kind: relationship.patchKind,
            depth: nodes[index].depth + 1))
      }
    }
  }

  /// The same object on the other side; nil where it is not there.
  private func counterpart(
    of object: ObjectID, _ identity: PatchIdentity, isOld: Bool
  ) throws -> ObjectID? {
    let side = isOld ? comparison.to : comparison.from
    if comparison.isOneStore, try side.row(of: object) != nil { return object }
    guard side.schema.entity(named: identity.entityName) != nil,
      let found = try side.lookup().object(identity, at: PatchPath())
    else { return nil }
    // In one store what comes under the identifier of what goes is that; what only gave the identifier up is not.
    let own = isOld ? comparison.from : comparison.to
    if comparison.isOneStore, try own.row(of: found) != nil { return nil }
    return found
  }

  /// The patches, each in that of its parent; what is too deep for that stands at the top.
  private mutating func assembled() throws -> [ObjectPatch] {
    var others: [ObjectPatch] = []
    for index in nodes.indices.reversed() {
      let node = nodes[index]
      // All that is nested in it has come, the last first.
      for key in node.patch?.relationships.keys.sorted() ?? [] {
        nodes[index].patch?.relationships[key]?.patches.reverse()
      }
      guard let parent = node.parent else { continue }
      guard let patch = nodes[index].patch, !patch.isNothing else { continue }
      guard node.depth <= PatchNesting.largestDepth else {
        others.append(patch)
        continue
      }
      if nodes[parent].patch == nil { nodes[parent].patch = try carrier(nodes[parent]) }
      nodes[parent].patch?.relationships[node.key, default: RelationshipPatch(node.kind)].patches
        .append(patch)
    }
    return [nodes[0].patch].compactMap(\.self) + others.reversed()
  }

  /// The patch of an object that has no changes itself.
  private func carrier(_ node: Node) throws -> ObjectPatch? {
    if let old = node.old, let identity = try comparison.from.identity(of: old) {
      return ObjectPatch(updating: identity)
    }
    return nil
  }
}

extension ObjectPatch {
  /// Whether it says nothing at all.
  fileprivate var isNothing: Bool {
    kind == .update && newValues.isEmpty && relationships.isEmpty
  }
}
