internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// Which objects a patch means, before and after it, and what becomes of them.
extension PatchPlan {
  mutating func findObjects() throws {
    for index in steps.indices where steps[index].patch.kind != .creation {
      if let object = try object(of: steps[index]) { try take(object, index) }
    }
  }

  /// Has a step mean an object, which no other does, whatever it is named by there; but for one that was to delete it,
  /// and leaves it, or to rename it, and does not.
  private mutating func take(_ object: ObjectID, _ index: Int) throws(PatchError) {
    if let other = taken.updateValue(index, forKey: object) {
      guard steps[other].patch.kind == .deletion || keepingNames.contains(object),
        steps[index].patch.kind == .creation
      else {
        throw PatchError(
          .repeatedObject, at: steps[index].path,
          "the changes of \(steps[index].patch.identity) stand in several places; put them in one.")
      }
    }
    steps[index].object = object
  }

  private mutating func object(of step: Step) throws -> ObjectID? {
    let (patch, path) = (step.patch, step.path)
    if let object = try object(patch.identity, at: path) { return object }
    guard case .attribute = patch.identity.identifier else {
      // In a store of another lineage it is known by the identifier that it is about to lose.
      guard let property = lookup.identifier(of: step.info), let value = patch.old?[property.name],
        !value.isNull
      else { return nil }
      return try object(PatchIdentity(patch.entityName, property.name, value), at: path)
    }
    // It may have its new name already.
    guard patch.kind == .update, let identity = patch.identityAfter, flat.before[identity] == nil
    else { return nil }
    return try object(identity, at: path)
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

  private mutating func object(_ identity: PatchIdentity, at path: PatchPath) throws -> ObjectID? {
    if let known = found[identity] { return known }
    let object = try lookup.object(identity, at: path)
    found[identity] = .some(object)
    return object
  }

  /// Whether an object is not named so any more after the patch. An ID goes only with its object.
  private func isFree(_ identity: PatchIdentity, of object: ObjectID) -> Bool {
    if going.contains(object) { return true }
    if case .objectID = identity.identifier { return false }
    return renamed.contains(object)
  }

  // MARK: What becomes of objects

  mutating func decideDeletions() throws {
    let deletions = steps.indices.filter { steps[$0].patch.kind == .deletion }
    going = Set(deletions.compactMap { withheld[$0] == nil ? steps[$0].object : nil })
    for index in deletions {
      guard let object = steps[index].object else {
        // What has gone on both sides is merged.
        if policy != .merge { _ = note(.objectMissing, index) }
        continue
      }
      if let losses = withheld[index] {
        noteLosses(losses, index)
        continue
      }
      steps[index].effect = .deletion
      if let row = try context.rowShown(of: object) { try planDeletion(index, object, row) }
      try checkLinksOfDeletion(index)
      if steps[index].effect != .deletion { going.remove(object) }
    }
  }

  /// Notes which names become free, and which are given to what is named by its ID.
  mutating func noteNames() throws {
    for index in steps.indices where steps[index].patch.kind != .deletion {
      let patch = steps[index].patch
      var isRenamed = false
      if case .objectID = patch.identity.identifier {
        guard let new = patch.new, !new.isEmpty,
          let property = lookup.identifier(of: steps[index].info), let value = new[property.name]
        else { continue }
        isRenamed = true
        if !value.isNull {
          steps[index].newName = PatchIdentity(patch.entityName, property.name, value)
          try noteNewName(index)
        }
      } else if let name = patch.identityAfter {
        isRenamed = name != patch.identity
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
      steps.indices.filter { steps[$0].patch.kind == .update && steps[$0].newName != nil }
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

  private mutating func noteNewName(_ index: Int) throws {
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
    return !step.isByHand && !whatDiffers(step, row).isEmpty
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

  mutating func decide(_ index: Int) throws {
    let (patch, path) = (steps[index].patch, steps[index].path)
    if patch.kind == .creation, let other = try objectInTheWay(of: steps[index]) {
      try take(other, index)
      // What was made on both sides is merged, and what the patch itself speaks of as another is not.
      let isMerged = policy == .merge && !keepingNames.contains(other)
      guard isMerged || note(.objectExists, index) else { return }
      steps[index].effect = .update
      if let name = steps[index].newName, try isTaken(name, index) {
        if policy == .force { throw nameTaken(index) }
        _ = note(.objectExists, index, identity: name)
      }
      return
    }
    if patch.kind == .creation {
      try refuseGoing(index)
      steps[index].effect = .creation
    } else if steps[index].object != nil {
      steps[index].effect = .update
    } else if note(.objectMissing, index) {
      steps[index].effect = .creation
      try noteNameElsewhere(index)
    }
    if steps[index].effect == .creation, let name = steps[index].newName, try isTaken(name, index) {
      throw nameTaken(index)
    }
    if steps[index].effect == .creation, case .objectID(let object) = patch.identity.identifier,
      object.store == context.store.tag
    {
      try decideID(object, at: path)
    }
  }

  /// Notes the name of what comes to be here as it is missing, is named by its ID, and has a name elsewhere.
  private mutating func noteNameElsewhere(_ index: Int) throws {
    let patch = steps[index].patch
    guard case .objectID = patch.identity.identifier,
      let key = lookup.identifier(of: steps[index].info)?.name, patch.new?[key] == nil,
      let value = patch.old?[key], !value.isNull
    else { return }
    steps[index].newName = PatchIdentity(patch.entityName, key, value)
    try noteNewName(index)
  }

  /// Whether an object can come to be under its ID, which others may have been given.
  private mutating func decideID(_ object: ObjectID, at path: PatchPath) throws {
    guard context.canInsert(object) else {
      throw PatchError(
        .wrongIdentifier, at: path,
        "\(object) is far beyond the IDs that were given here, as if no copy of the store had given it; name the "
          + "object by an identifier attribute.")
    }
    guard context.isGiven(object) else {
      idsTakenOver.insert(object)
      return
    }
    if try context.hasKnown(object) { return }
    let madeElsewhere = try self.madeElsewhere ?? context.objectsMadeElsewhere()
    self.madeElsewhere = madeElsewhere
    if madeElsewhere.contains(object) {
      throw PatchError(
        .ambiguousObject, at: path,
        "another context has given \(object) to what it has made and not saved; save that or roll it back before."
      )
    }
  }

  /// What goes under its identifier and comes again under its ID would be made under another ID, as what comes comes
  /// before what goes.
  private func refuseGoing(_ index: Int) throws(PatchError) {
    guard case .objectID(let object) = steps[index].patch.identity.identifier,
      going.contains(object)
    else { return }
    throw PatchError(
      .repeatedObject, at: steps[index].path,
      "\(steps[index].patch.identity) is deleted by the same patch, under another name, and comes again; apply the patches "
        + "that were joined one after the other.")
  }

  /// What is there as what is to come to be. What comes with an identifier, and is named by an ID that means nothing
  /// here, is known by that.
  private mutating func objectInTheWay(of step: Step) throws -> ObjectID? {
    for name in [step.patch.identity, step.newName] {
      guard let name, let object = try object(name, at: step.path) else { continue }
      return isFree(name, of: object) ? nil : object
    }
    return nil
  }

  /// Whether a name that an object is to have is that of another, which keeps it.
  private mutating func isTaken(_ name: PatchIdentity, _ index: Int) throws -> Bool {
    guard let other = try object(name, at: steps[index].path), other != steps[index].object else {
      return false
    }
    return !isFree(name, of: other)
  }

  /// No policy can give a name twice.
  private func nameTaken(_ index: Int) -> PatchError {
    let step = steps[index]
    return PatchError(
      .ambiguousObject, at: step.path,
      "\(step.patch.identity) cannot become \(step.newName ?? step.patch.identity), which is there already; change "
        + "that first.")
  }
}
