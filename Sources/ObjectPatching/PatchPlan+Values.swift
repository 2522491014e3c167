internal import EventFold
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

// What attributes are set to, and whether what goes is as the patch has it.
extension PatchPlan {
  mutating func planValues(_ index: Int) throws {
    let step = steps[index]
    guard let effect = step.effect else { return }
    var values = step.patch.new ?? [:]
    if effect == .creation {
      if step.patch.kind == .update {
        // What it had elsewhere goes with it, where it may have that here.
        let old = (step.patch.old ?? [:]).filter { key, value in
          step.info.property(key)?.attribute?.type.admits(value) ?? true
        }
        values.merge(old) { new, _ in new }
      }
      // It comes to be under the name that the patch has it by, whatever that says it had.
      if case .attribute(let key, let value) = step.patch.identity.identifier {
        values[key] = step.patch.new?[key] ?? value
      }
      steps[index].values = step.isByHand ? step.identifierAlone(of: values) : values
      return
    }
    guard let object = step.object, let row = try context.rowShown(of: object) else { return }
    var isAsSaid = true
    if step.isByHand {
      values = step.identifierAlone(of: values)
    } else {
      for each in whatDiffers(step, row) {
        let isSet = note(.value, index, key: each.key, old: each.old, current: each.current)
        if !isSet { isAsSaid = false }
      }
    }
    if step.keepsName, let name = lookup.identifier(of: step.info)?.name { values[name] = nil }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      let (number, current) = self.current(key, step, row)
      // What comes to be over what is there was nothing before.
      let old = step.patch.kind == .creation ? .null : step.patch.old?[key]
      // Where both sides added the same, as to a counter, both are to count.
      let isMerged = policy == .merge && step.patch.kind != .creation && old != current
      if current == value, old == nil || (policy != .refuse && !isMerged) { continue }
      if let old, old != current {
        // That something comes to be which is there has been told of already.
        if step.patch.kind == .creation, policy == .force {
          steps[index].values[key] = value
          continue
        }
        if policy == .merge, let number,
          case .merged(let merged) = merge(
            old, value, current, object, number, isNew: step.patch.kind == .creation)
        {
          if merged ?? .null != current { steps[index].values[key] = merged ?? .null }
          continue
        }
        guard note(.value, index, key: key, old: old, new: value, current: current) else {
          continue
        }
      }
      steps[index].values[key] = value
    }
    // All that differs was told of; nothing is set where what it was said of is another.
    if !isAsSaid { steps[index].values = [:] }
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
  func whatDiffers(_ step: Step, _ row: Row) -> [(key: String, old: Value, current: Value)] {
    guard step.patch.kind == .update else { return [] }
    return (step.patch.old ?? [:]).sorted { $0.key < $1.key }.compactMap { key, old in
      if step.patch.new?[key] != nil { return nil }
      let current = self.current(key, step, row).value
      return current == old ? nil : (key, old, current)
    }
  }

  /// What an object has of a key; null where it has nothing.
  private func current(
    _ key: String, _ step: Step, _ row: Row
  ) -> (number: KeyNumber?, value: Value) {
    let number = step.info.property(key)?.key ?? context.store.existingKey(named: key)
    return (number, number.flatMap { row[$0] } ?? .null)
  }

  /// What goes is to be what the patch says, or what others have made of it would be lost.
  mutating func planDeletion(_ index: Int, _ object: ObjectID, _ row: Row) throws {
    let step = steps[index]
    if step.isByHand { return }
    var isKept = false
    let old = step.patch.old ?? [:]
    for (key, value) in old.sorted(by: { $0.key < $1.key }) {
      let current = self.current(key, step, row).value
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
