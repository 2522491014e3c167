internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Which objects a patch means, before and after it.
extension PatchPlan {
  mutating func findObjects() throws {
    for index in steps.indices where steps[index].kind != .creation {
      if let object = try object(of: steps[index].entry, steps[index].info) {
        try take(object, index)
      }
    }
  }

  /// Has a step mean an object, which no other does, whatever it is named by there; but for one that was to delete it,
  /// and leaves it, or to rename it, and does not.
  mutating func take(_ object: ObjectID, _ index: Int) throws(PatchError) {
    if let other = taken.updateValue(index, forKey: object) {
      guard steps[other].kind == .deletion || keepingNames.contains(object),
        steps[index].kind == .creation
      else {
        throw PatchError(
          .repeatedObject, at: steps[index].path,
          "the changes of \(steps[index].patch.identity) stand in several places; put them in one.")
      }
    }
    steps[index].object = object
  }

  private mutating func object(
    of entry: FlatPatch.Entry, _ info: EntityInfo
  ) throws -> ObjectID? {
    if let object = try object(entry.patch.identity, at: entry.path) { return object }
    guard entry.patch.identity.isByAttribute else {
      // In a store of another lineage it is known by the identifier that it is about to lose.
      guard let property = lookup.identifier(of: info), let value = entry.patch.old?[property.name],
        !value.isNull
      else { return nil }
      return try object(PatchIdentity(info.name, property.name, value), at: entry.path)
    }
    // It may have its new name already.
    guard entry.patch.kind == .update, let identity = entry.patch.identityAfter,
      flat.before[identity] == nil
    else { return nil }
    return try object(identity, at: entry.path)
  }

  /// The object of an identity as it is before the patch.
  func objectBefore(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    if let index = flat.before[identity] { return steps[index].object }
    return try lookup.object(identity, at: path)
  }

  /// What an identity means after the patch; nil for nothing.
  mutating func target(_ identity: PatchIdentity, at path: PatchPath) throws -> Target? {
    if let index = flat.after[identity] ?? newlyNamed[identity] {
      if steps[index].effect == .creation { return .made(index) }
      if let object = steps[index].object { return .existing(object) }
    }
    guard let object = try object(identity, at: path), !isFree(identity, of: object) else {
      return nil
    }
    return .existing(object)
  }

  mutating func object(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    if let known = found[identity] { return known }
    let object = try lookup.object(identity, at: path)
    found[identity] = .some(object)
    return object
  }

  /// Whether an object is not named so any more after the patch. An ID goes only with its object.
  func isFree(_ identity: PatchIdentity, of object: ObjectID) -> Bool {
    if going.contains(object) { return true }
    if case .objectID = identity.identifier { return false }
    return renamed.contains(object)
  }

  /// Notes which names become free, and which are given to what is named by its ID.
  mutating func noteNames() throws {
    for index in steps.indices where steps[index].kind != .deletion {
      let entry = steps[index].entry
      var isRenamed = false
      if !entry.patch.identity.isByAttribute {
        guard let property = lookup.identifier(of: steps[index].info),
          let value = entry.patch.new?[property.name]
        else { continue }
        isRenamed = true
        if !value.isNull {
          steps[index].newName = PatchIdentity(entry.patch.entityName, property.name, value)
          try noteNewName(index)
        }
      } else if let name = entry.patch.identityAfter {
        isRenamed = name != entry.patch.identity
        if isRenamed { steps[index].newName = name }
      } else {
        isRenamed = true
      }
      guard isRenamed, let object = steps[index].object else { continue }
      let isKept = try keepsName(steps[index], object) || mergesToSameName(index, object)
      if isKept {
        keepingNames.insert(object)
      } else {
        renamed.insert(object)
      }
    }
    try checkNewNames()
  }

  /// Notes that objects are given names which others have. Under a policy that leaves names where they are, those that
  /// were to be given away are not free, either.
  private mutating func checkNewNames() throws {
    var waiting = Array(
      steps.indices.filter { steps[$0].kind == .update && steps[$0].newName != nil }
        .reversed())
    var wanting: [PatchIdentity: Int] = [:]
    for index in waiting { wanting[steps[index].newName ?? steps[index].patch.identity] = index }
    while let index = waiting.popLast() {
      let step = steps[index]
      guard let object = step.object, renamed.contains(object), let name = step.newName,
        try isTaken(name, index)
      else { continue }
      if policy == .force { throw nameTaken(index) }
      let (key, row) = (lookup.identifier(of: step.info), try context.rowShown(of: object))
      let current = key.flatMap { row?[$0.key] }
      _ = note(
        .objectExists, index, key: key?.name, identity: name, old: current,
        new: key.flatMap { step.patch.new?[$0.name] }, current: current)
      guard policy == .keepOurs else { continue }
      steps[index].keepsName = true
      renamed.remove(object)
      keepingNames.insert(object)
      if let row, let next = wanting[step.info.identity(of: object, row, key)] {
        waiting.append(next)
      }
    }
  }

  mutating func noteNewName(_ index: Int) throws {
    guard let name = steps[index].newName else { return }
    guard flat.after[name] == nil, newlyNamed.updateValue(index, forKey: name) == nil else {
      throw PatchError(
        .ambiguousObject, at: steps[index].path,
        "\(name) comes to be the name of two objects; give each an identifier of its own.")
    }
  }

  /// Whether the policy leaves an object the name that the patch takes from it.
  private func keepsName(_ step: Step, _ object: ObjectID) throws -> Bool {
    guard policy == .keepOurs, let property = lookup.identifier(of: step.info),
      let row = try context.rowShown(of: object)
    else { return false }
    if let old = step.patch.old?[property.name], let current = row[property.key], current != old {
      return true
    }
    return !step.isByHand && !whatDiffers(step.entry, step.info, row).isEmpty
  }

  /// Whether an object stays what it is named by, as only others have renamed it. Where both did, it may get a name of
  /// which neither knows.
  private mutating func mergesToSameName(_ index: Int, _ object: ObjectID) throws -> Bool {
    let step = steps[index]
    guard policy == .merge, let property = lookup.identifier(of: step.info),
      let old = step.patch.old?[property.name], let new = step.patch.new?[property.name],
      let row = try context.rowShown(of: object)
    else { return false }
    let current = row[property.key] ?? .null
    guard old != current, case .merged(let value) = merge(old, new, current, object, property.key)
    else { return false }
    let merged = value ?? .null
    if merged != current, merged != new {
      let name = PatchIdentity(step.info.name, property.name, merged)
      steps[index].newName = merged.isNull ? nil : name
      try noteNewName(index)
    }
    return merged == current
  }

  /// Whether a name that an object is to have is that of another, which keeps it.
  mutating func isTaken(_ name: PatchIdentity, _ index: Int) throws -> Bool {
    guard let other = try object(name, at: steps[index].path), other != steps[index].object else {
      return false
    }
    return !isFree(name, of: other)
  }

  /// No policy can give a name twice.
  func nameTaken(_ index: Int) -> PatchError {
    let step = steps[index]
    return PatchError(
      .ambiguousObject, at: step.path,
      "\(step.patch.identity) cannot become \(step.newName ?? step.patch.identity), which is there already; change "
        + "that first.")
  }
}
