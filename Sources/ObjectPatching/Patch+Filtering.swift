extension Patch {
  /// Leaves out what the patch says of the objects of some entities, wherever it stands: what becomes of them, and that
  /// others come to lead to them, or do no more. What is nested in their patches stands at the top then.
  ///
  /// - Parameter names: the names of the objects' own entities.
  public mutating func removeObjects(ofEntities names: Set<String>) {
    var freed: [ObjectPatch] = []
    objects = Self.without(names, objects, &freed)
    objects += freed
  }

  private static func without(
    _ names: Set<String>, _ patches: [ObjectPatch], _ freed: inout [ObjectPatch]
  ) -> [ObjectPatch] {
    var kept: [ObjectPatch] = []
    for var patch in patches {
      let isLeftOut = names.contains(patch.entityName)
      for key in patch.relationships.keys.sorted() {
        guard var relationship = patch.relationships[key] else { continue }
        let nested = without(names, relationship.patches, &freed)
        if isLeftOut {
          freed += nested
          continue
        }
        relationship.patches = nested
        relationship.removed.removeAll { names.contains($0.identity.entityName) }
        relationship.added.removeAll { names.contains($0.identity.entityName) }
        if relationship != patch.relationships[key] {
          let isNothing =
            nested.isEmpty && relationship.removed.isEmpty && relationship.added.isEmpty
          patch.relationships[key] = isNothing ? nil : relationship
        }
      }
      if !isLeftOut { kept.append(patch) }
    }
    return kept
  }
}
