public import ObjectModel

extension Patch {
  /// The patch that takes this one back: what comes to be by the one goes by the other.
  ///
  /// - Parameter model: says which attributes an object has, so that a deletion is refused which does not say all that it
  ///   had. The deletions of differences do; of one made by hand it is known without a model only where it does not even
  ///   say the identifier. And it says which relationships lead back, so that all that an object was created under is
  ///   said to be left when it goes; without a model that is not said of relationships to many without an order, which it
  ///   leaves anyway.
  /// - Throws: `PatchError` where the patch does not say what there was before, or where in an order it stood.
  public func inverted(model: ManagedObjectModel? = nil) throws(PatchError) -> Patch {
    var objects: [ObjectPatch] = []
    for (index, object) in self.objects.enumerated() {
      objects.append(try object.inverted(model, at: PatchPath().appending(index)))
    }
    return Patch(objects: objects)
  }
}

extension ObjectPatch {
  fileprivate func inverted(
    _ model: ManagedObjectModel?, at path: PatchPath
  ) throws(PatchError) -> ObjectPatch {
    if kind == .deletion { try refuseUnsaid(model, path) }
    var inverted = self
    if let identity = identityAfter {
      inverted.identity = identity
    } else if kind == .update {
      throw PatchError(
        .notInvertible, at: path,
        "\(identity) has no identifier after the patch, so that nothing names it; name it by its ID."
      )
    }
    (inverted.old, inverted.new) = (new, old)
    if kind == .update {
      var (old, new) = (self.oldValues, [String: Value]())
      for (key, value) in self.newValues {
        guard let before = old[key] else {
          throw PatchError(
            .notInvertible, at: path.appending(key),
            "the patch does not say what ‘\(key)’ was before, so that it cannot be taken back; make it with old values."
          )
        }
        old[key] = value
        new[key] = before
      }
      (inverted.old, inverted.new) = (old, new)
    }
    for (key, relationship) in relationships {
      if relationship.kind == .ordered, relationship.removed.contains(where: { $0.position == nil })
      {
        throw PatchError(
          .notInvertible, at: path.appending(key),
          "the patch does not say where in the order of ‘\(key)’ stood what it takes out, so that it cannot be put back; "
            + "make it with positions.")
      }
      var patch = RelationshipPatch(
        relationship.kind, removed: relationship.added, added: relationship.removed)
      if model != nil || relationship.kind != .toMany {
        patch.removed += unsaidMembers(of: key, model)
      }
      for (index, child) in relationship.patches.enumerated() {
        let place = path.appending(key)
        patch.patches.append(
          try child.inverted(
            model,
            at: relationship.kind == .toOne ? place : place.appending(index)))
      }
      inverted.relationships[key] = patch
    }
    return inverted
  }

  /// What is gone comes again with all it had, or not at all.
  private func refuseUnsaid(
    _ model: ManagedObjectModel?, _ path: PatchPath
  ) throws(PatchError) {
    var unsaid: String?
    if case .attribute(let key, _) = identity.identifier, old?[key] == nil { unsaid = key }
    let attributes = model?.entity(named: entityName)?.attributes ?? []
    guard let key = unsaid ?? attributes.first(where: { !saysAll(of: [$0]) })?.name else { return }
    throw PatchError(
      .notInvertible, at: path.appending(key),
      "the deletion of \(identity) does not say what ‘\(key)’ was, so that it would come again without; make it with "
        + "all old values.")
  }
}
