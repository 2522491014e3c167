internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// What attributes are set to, and whether what goes is as the patch has it.
extension PatchPlan {
  mutating func planValues(_ index: Int) throws {
    guard let effect = steps[index].effect else { return }
    let (entry, info) = (steps[index].entry, steps[index].info)
    var values = entry.patch.newValues
    if effect == .creation {
      if entry.patch.kind == .update {
        // What it had elsewhere goes with it, where it may have that here.
        let old = entry.patch.oldValues.filter { key, value in
          info.property(key)?.attribute?.type.admits(value) ?? true
        }
        values.merge(old) { new, _ in new }
      }
      // It comes to be under the name that the patch has it by, whatever that says it had.
      if case .attribute(let key, let value) = entry.patch.identity.identifier {
        values[key] = entry.patch.new?[key] ?? value
      }
      steps[index].values =
        steps[index].isByHand ? steps[index].identifierAlone(of: values) : values
      return
    }
    guard let object = steps[index].object, let row = try context.rowShown(of: object) else {
      return
    }
    var isAsSaid = true
    if steps[index].isByHand {
      values = steps[index].identifierAlone(of: values)
    } else {
      for each in whatDiffers(entry, info, row) {
        let isSet = note(.value, index, key: each.key, old: each.old, current: each.current)
        if !isSet { isAsSaid = false }
      }
    }
    if steps[index].keepsName, let name = lookup.identifier(of: info)?.name { values[name] = nil }
    let isCreation = entry.patch.kind == .creation
    var taken: [String: Value] = [:]
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      let (number, current) = self.current(key, info, row)
      // What comes to be over what is there was nothing before.
      let old = isCreation ? .null : entry.patch.old?[key]
      // Where both sides added the same, as to a counter, both are to count.
      let isMerged = policy == .merge && !isCreation && old != current
      if current == value, old == nil || (policy != .refuse && !isMerged) { continue }
      if let old, old != current {
        // That something comes to be which is there has been told of already.
        if isCreation, policy == .force {
          taken[key] = value
          continue
        }
        if policy == .merge, let number,
          case .merged(let merged) = merge(old, value, current, object, number, isNew: isCreation)
        {
          if merged ?? .null != current { taken[key] = merged ?? .null }
          continue
        }
        guard note(.value, index, key: key, old: old, new: value, current: current) else {
          continue
        }
      }
      taken[key] = value
    }
    // All that differs was told of; nothing is set where what it was said of is another.
    if isAsSaid { steps[index].values = taken }
  }

  /// What becomes of a value that is not what the patch says it was, where both sides are merged.
  ///
  /// - Parameter isNew: whether both sides have made the object: what its counters began with was added to nothing.
  func merge(
    _ old: Value, _ new: Value, _ current: Value, _ object: ObjectID, _ key: KeyNumber,
    isNew: Bool = false
  ) -> ValueMerge {
    let kind = context.mergeKindsOfObjects(object, key)
    return ValueMerge(
      base: old, ours: new, theirs: current, isNew ? kind.ofNewObject : kind)
  }

  /// What an object has otherwise than the patch says, of what the patch does not change: what it sets was said of that,
  /// as an amount is of its unit. Where there is any, nothing is set, unless the policy says so.
  func whatDiffers(
    _ entry: FlatPatch.Entry, _ info: EntityInfo, _ row: Row
  ) -> [(key: String, old: Value, current: Value)] {
    guard entry.patch.kind == .update else { return [] }
    var found: [(key: String, old: Value, current: Value)] = []
    for (key, old) in entry.patch.oldValues where entry.patch.new?[key] == nil {
      let current = self.current(key, info, row).value
      if current != old { found.append((key, old, current)) }
    }
    return found.sorted { $0.key < $1.key }
  }

  /// What an object has of a key; null where it has nothing.
  private func current(
    _ key: String, _ info: EntityInfo, _ row: Row
  ) -> (number: KeyNumber?, value: Value) {
    let number = info.property(key)?.key ?? context.store.existingKey(named: key)
    return (number, number.flatMap { row[$0] } ?? .null)
  }

  /// What goes is to be what the patch says, or what others have made of it would be lost.
  mutating func planDeletion(_ index: Int, _ object: ObjectID, _ row: Row) throws {
    let step = steps[index]
    if step.isByHand { return }
    var isKept = false
    let old = step.patch.oldValues
    for (key, value) in old.sorted(by: { $0.key < $1.key }) {
      let current = self.current(key, step.info, row).value
      if current == value { continue }
      if !note(.value, index, key: key, old: value, new: nil, current: current) { isKept = true }
    }
    let saysAll = step.saysAll
    for entry in row.entries where saysAll && step.info.property(entry.key) == nil {
      guard let name = context.store.name(of: entry.key), old[name] == nil else { continue }
      if !note(.value, index, key: name, old: nil, new: nil, current: entry.value) { isKept = true }
    }
    if isKept { steps[index].effect = nil }
  }
}
