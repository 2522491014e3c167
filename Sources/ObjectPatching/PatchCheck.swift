internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Checks an object's patch against the model that it is applied under.
struct PatchCheck {
  let context: ManagedObjectContext
  let lookup: PatchLookup
  let delegate: (any PatchDelegate)?

  /// The entity, and the patch with values of the types that it takes.
  func checked(_ entry: FlatPatch.Entry) throws -> (EntityInfo, FlatPatch.Entry) {
    let path = entry.path
    // Written only where another value is taken.
    var taken: ObjectPatch?
    let info = try lookup.entity(of: entry.patch.identity, at: path)
    if info.entity.description.isAbstract {
      throw PatchError(
        .unknownEntity, at: path,
        "\(info.name) is abstract and has no objects of its own; name the entity that inherits from it."
      )
    }
    try checkLineage(entry.patch, info, path)
    for (key, value) in entry.patch.oldValues {
      let other = try checked(value, key, info, path, isOld: true)
      if other == value { continue }
      if taken == nil { taken = entry.patch }
      taken?.old?[key] = other
    }
    for (key, value) in entry.patch.newValues {
      let other = try checked(value, key, info, path, isOld: false)
      if other == value { continue }
      if taken == nil { taken = entry.patch }
      taken?.new?[key] = other
    }
    if entry.patch.kind == .creation,
      case .attribute(let key, let value) = entry.patch.identity.identifier,
      let said = (taken ?? entry.patch).new?[key], said != value
    {
      throw PatchError(
        .wrongIdentifier, at: path.appending(key),
        "what comes to be as \(entry.patch.identity) cannot have \(said) as its identifier; name it by that."
      )
    }
    for (key, relationship) in entry.patch.relationships {
      try check(relationship, key, info, path.appending(key))
    }
    guard let taken else { return (info, entry) }
    return (info, FlatPatch.Entry(patch: taken, source: entry.source, path: path))
  }

  private func checkLineage(
    _ patch: ObjectPatch, _ info: EntityInfo, _ path: PatchPath
  ) throws(PatchError) {
    guard case .objectID(let object) = patch.identity.identifier else { return }
    guard object.store == context.store.tag else {
      // What is about to lose its identifier, or comes with one, is known by that.
      let values = patch.kind == .creation ? patch.new : patch.old
      if let name = lookup.identifier(of: info)?.name, let value = values?[name], !value.isNull {
        return
      }
      throw PatchError(
        .otherLineage, at: path,
        "\(object) is the ID of an object of another store; give \(info.name) an identifier attribute to patch across "
          + "stores.")
    }
    guard object.entity == info.number else {
      throw PatchError.ofAnotherEntity(object, info, at: path)
    }
  }

  private func checked(
    _ value: Value, _ key: String, _ info: EntityInfo, _ path: PatchPath,
    isOld: Bool
  ) throws -> Value {
    guard let property = info.property(key) else {
      guard info.virtualAttributes[key] == nil else {
        throw PatchError(
          .unknownKey, at: path.appending(key),
          "\(info.name).\(key) is computed and not kept; patch what it is computed of.")
      }
      guard value.isNull || value.isPropertyList else {
        throw PatchError(
          noPropertyList: value, at: path.appending(key), "a dynamic attribute holds property lists"
        )
      }
      return value
    }
    guard let attribute = property.attribute, !attribute.isTransient else {
      throw PatchError(
        .unknownKey, at: path.appending(key),
        property.attribute == nil
          ? "\(info.name).\(key) is a relationship; patch it as one."
          : "\(info.name).\(key) is never saved, and no patch changes it.")
    }
    if attribute.type.admits(value) { return value }
    switch (attribute.type, value) {
    case (.real, .integer(let number)) where Int(exactly: Double(number)) == number:
      return .real(Double(number))
    case (.counter, .integer(let number)): return .counter(number)
    case (.integer, .counter(let number)): return .integer(number)
    default: break
    }
    if let made = try delegate?.value(
      for: value, of: attribute, in: info.name, at: path.appending(key)),
      attribute.type.admits(made)
    {
      return made
    }
    // What an old value was elsewhere is only compared.
    if isOld { return value }
    if case (.dictionary, .dictionary) = (attribute.type, value) {
      throw PatchError(
        noPropertyList: value, at: path.appending(key),
        "\(info.name).\(key) holds dictionaries that are property lists")
    }
    throw PatchError(
      .wrongType, at: path.appending(key),
      "\(info.name).\(key) takes values of type \(attribute.type), and this is \(value.kind); convert it in the "
        + "delegate.")
  }

  private func check(
    _ patch: RelationshipPatch, _ key: String, _ info: EntityInfo, _ path: PatchPath
  ) throws {
    guard let relationship = info.property(key)?.relationship,
      !relationship.description.isTransient
    else {
      throw PatchError(
        .unknownKey, at: path, "\(info.name) has no relationship ‘\(key)’ that is saved.")
    }
    guard relationship.patchKind == patch.kind, patch.kind != .toOne || patch.added.count < 2,
      patch.kind != .toOne || patch.removed.count < 2
    else {
      throw PatchError(
        .wrongType, at: path,
        "\(info.name).\(key) is a relationship \(relationship.patchKind), not \(patch.kind).")
    }
    for members in [patch.removed, patch.added] {
      guard Set(members.map(\.identity)).count == members.count else {
        throw PatchError(.repeatedObject, at: path, "an object comes or goes twice; name it once.")
      }
      for member in members {
        let other = try lookup.entity(of: member.identity, at: path)
        guard context.schema.isKind(other.number, of: relationship.destination) else {
          throw PatchError(
            .wrongEntity, at: path,
            "\(info.name).\(key) leads to objects of \(relationship.description.destination), and "
              + "\(member.identity) is none.")
        }
        if case .objectID(let object) = member.identity.identifier,
          object.store == context.store.tag, object.entity != other.number
        {
          throw PatchError.ofAnotherEntity(object, other, at: path)
        }
      }
    }
  }
}

extension PatchError {
  fileprivate static func ofAnotherEntity(
    _ object: ObjectID, _ info: EntityInfo, at path: PatchPath
  ) -> PatchError {
    PatchError(
      .wrongIdentifier, at: path,
      "\(object) is not the ID of an object of \(info.name); name its own entity.")
  }
}

extension PatchError {
  /// Refuses a value that is no property list, at the part for which it is none.
  fileprivate init(noPropertyList value: Value, at path: PatchPath, _ rule: String) {
    guard let misfit = value.propertyListMisfit else {
      self.init(
        .wrongType, at: path,
        "the value is nested deeper than \(Value.largestDepth) levels; make several of it.")
      return
    }
    self.init(
      .wrongType, at: PatchPath(path.components + misfit.path),
      misfit.kind == .null
        ? "\(rule), which have no null within; leave it out."
        : "\(rule), and this is \(misfit.kind).")
  }
}
