internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// What becomes of the objects that a patch means.
extension PatchPlan {
  mutating func decideDeletions() throws {
    let deletions = steps.indices.filter { steps[$0].kind == .deletion }
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

  mutating func decide(_ index: Int) throws {
    let entry = steps[index].entry
    if entry.patch.kind == .creation, let other = try objectInTheWay(of: steps[index]) {
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
    if entry.patch.kind == .creation {
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
    if steps[index].effect == .creation,
      case .objectID(let object) = entry.patch.identity.identifier,
      object.store == context.store.tag
    {
      try decideID(object, at: entry.path)
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
}
