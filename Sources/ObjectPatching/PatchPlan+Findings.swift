internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// What can be told of a patch before any of it is done: whether it can be saved.
extension PatchPlan {
  /// What cannot be saved as it would be: attributes of the objects that the patch changes, then relationships, and
  /// deletions that are denied.
  ///
  /// What a delegate patches by hand is not looked at, nor what the patch does not say and the delegate, or a hook of the
  /// object's class, may give. What the program's own hooks say is found by the save.
  ///
  /// - Throws: where an object would have more values than there is room for.
  func findings() throws -> [PatchFinding] {
    try refuseTooLarge()
    return try valueFindings() + relationshipFindings()
  }

  private func refuseTooLarge() throws(StoreError) {
    for (index, step) in steps.enumerated() {
      guard let effect = step.effect, effect != .deletion, !step.values.isEmpty,
        changes(ofStep: index)
      else { continue }
      var kept: Row?
      if effect == .update, let object = step.object { kept = try context.rowShown(of: object) }
      let replaced = Set(step.values.keys.compactMap { step.info.property($0)?.key })
      let known = Set(step.info.properties.map(\.key)).subtracting(replaced)
      let values =
        (kept?.entries ?? []).filter { known.contains($0.key) }.map(\.value)
        + step.values.values
      guard Row.roughByteCount(of: values) <= Row.largestByteCount else {
        throw .rowTooLarge(step.object?.description ?? step.patch.identity.description)
      }
    }
  }

  /// The attributes that must have a value and have none, or break a rule.
  private func valueFindings() throws(StoreError) -> [PatchFinding] {
    var demanding: [EntityNumber: [Property]] = [:]
    var findings: [PatchFinding] = []
    for (index, step) in steps.enumerated() {
      guard let effect = step.effect, effect != .deletion, !step.isByHand,
        changes(ofStep: index)
      else { continue }
      let known = demanding[step.info.number]
      let properties = known ?? step.info.properties.filter(\.isDemandingValue)
      if known == nil { demanding[step.info.number] = properties }
      if properties.isEmpty { continue }
      var row: Row?
      if effect == .update, let object = step.object { row = try context.rowShown(of: object) }
      for property in properties {
        guard let kind = failure(of: property, step, row) else { continue }
        findings.append(
          PatchFinding(
            path: step.path.appending(property.name), identity: step.patch.identity,
            objectID: step.object, key: property.name, kind: kind))
      }
    }
    return findings
  }

  /// What is wrong with an attribute as it would be; nil where nothing is, or nobody can tell yet.
  private func failure(
    of property: Property, _ step: Step, _ row: Row?
  ) -> ValidationFailure.Kind? {
    guard let attribute = property.attribute else { return nil }
    let said = step.values[property.name]
    if said == nil, mayBeGiven(step) { return nil }
    let value = said ?? row?[property.key] ?? (step.effect == .creation ? attribute.filling : nil)
    guard let value, !value.isNull else { return attribute.isOptional ? nil : .missing }
    for rule in attribute.validation where !rule.admits(value) {
      return .breaksRule(value, rule)
    }
    return nil
  }

  /// Whether what the patch does not say may be given an object otherwise: by a hook of its class, by the delegate that
  /// makes it, or by what it was before where it comes again.
  func mayBeGiven(_ step: Step) -> Bool {
    if step.info.objectClass != ManagedObject.self { return true }
    guard step.effect == .creation else { return false }
    if case .objectID = step.patch.identity.identifier { return true }
    return hasDelegate
  }
}

extension Property {
  /// Whether something is demanded of the value that an attribute has in the store.
  fileprivate var isDemandingValue: Bool {
    guard let attribute, !attribute.isTransient, !attribute.type.isTransformed else { return false }
    return !attribute.isOptional || !attribute.validation.isEmpty
  }
}
