internal import ObjectModel

extension Patch {
  /// The patch that takes this one back: what comes to be by the one goes by the other.
  ///
  /// - Throws: `PatchError` where the patch does not say what there was before.
  public func inverted() throws(PatchError) -> Patch {
    var objects: [ObjectPatch] = []
    for (index, object) in self.objects.enumerated() {
      objects.append(try object.inverted(at: PatchPath().appending(index)))
    }
    return Patch(objects: objects)
  }
}

extension ObjectPatch {
  fileprivate func inverted(at path: PatchPath) throws(PatchError) -> ObjectPatch {
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
      var (old, new) = (self.old ?? [:], [String: Value]())
      for (key, value) in self.new ?? [:] {
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
      var patch = RelationshipPatch(
        relationship.kind, removed: relationship.added, added: relationship.removed)
      for (index, child) in relationship.patches.enumerated() {
        let place = path.appending(key)
        patch.patches.append(
          try child.inverted(
            at: relationship.kind == .toOne ? place : place.appending(index)))
      }
      inverted.relationships[key] = patch
    }
    return inverted
  }
}
