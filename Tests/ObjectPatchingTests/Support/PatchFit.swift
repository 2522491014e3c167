import ObjectModel
import ObjectPatching

// Whether a picture is what a patch says there is, found by another way than by applying it.
extension GraphPicture {
  /// What is not as a patch of things that have identifiers says; nil where all is.
  func misfit(of patch: Patch) -> String? {
    let patches = patch.objects.flatMap(\.flattened)
    let freed = Set(
      patches.filter { $0.kind == .deletion || $0.new?["guid"] != nil }.filter {
        $0.kind != .creation
      }
      .map { Self.name(of: $0.identity) })
    for patch in patches {
      let name = Self.name(of: patch.identity)
      guard let object = objects[name] else {
        if patch.kind == .creation { continue }
        return "there is no \(name)"
      }
      if patch.kind == .creation {
        if !freed.contains(name) { return "there is a \(name)" }
        continue
      }
      for (key, old) in patch.old ?? [:] where object.values[key] ?? .null != old {
        return "\(name).\(key) is \(object.values[key] ?? .null), not \(old)"
      }
      for (key, relationship) in patch.relationships {
        if let misfit = misfit(of: relationship, object.links[key] ?? []) {
          return "\(name).\(key) \(misfit)"
        }
      }
    }
    return nil
  }

  private func misfit(of patch: RelationshipPatch, _ members: [String]) -> String? {
    let (gone, come) = (
      patch.removed.map { Self.name(of: $0.identity) },
      Set(patch.added.map { Self.name(of: $0.identity) })
    )
    switch patch.kind {
    case .toOne:
      // A relationship to one that is said has led there, or nowhere.
      if !gone.isEmpty || !come.isEmpty, members != gone {
        return "leads to \(members), not \(gone)"
      }
    case .toMany:
      if !Set(gone).isSubset(of: members) { return "leads to \(members), without \(gone)" }
    case .ordered:
      for (member, name) in zip(patch.removed, gone) {
        guard let place = member.position else { continue }
        if place >= members.count || members[place] != name {
          return "leads to \(members), without \(name) at \(place)"
        }
      }
    }
    return nil
  }

  private static func name(of identity: PatchIdentity) -> String {
    guard case .attribute(_, let value) = identity.identifier else { return "\(identity)" }
    return "\(identity.entityName) \(value.string ?? "")"
  }
}

extension ObjectPatch {
  /// The patch and all that is nested in it.
  fileprivate var flattened: [ObjectPatch] {
    [self] + relationships.values.flatMap { $0.patches.flatMap(\.flattened) }
  }
}
