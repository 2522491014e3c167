// What the reference would bring back by undoing a step.

package import ObjectModel

extension ReferenceContext {
  /// What undoing a step next would bring back, from the whole rows that its changes know.
  package func restorations(_ step: Step) -> [Restoration] {
    let objects = Set(step.changes.map(\.object)).sorted()
    return objects.map { object in
      let changes = step.changes.filter { $0.object == object }
      let values = changes.prefix { $0.extent != .all }
      var keys: Set<KeyNumber> = []
      for change in values { keys.formUnion(Self.keys(change.extent)) }
      guard let first = changes.first(where: { $0.extent == .all }) else {
        let entries = keys.sorted().map { Restoration.Entry($0, valueBefore($0, object, values)) }
        return Restoration(object, .updated, entries)
      }
      guard var whole = first.before else { return Restoration(object, .deleted, []) }
      for key in keys { whole[key] = Self.first(key, values)?.before?[key] }
      return Restoration(object, .inserted, whole.entries.map { .init($0.key, $0.value) })
    }
  }

  private static func keys(_ extent: Change.Extent) -> [KeyNumber] {
    switch extent {
    case .all: []
    case .value(let key), .members(let key, _): [key]
    }
  }

  private static func first(_ key: KeyNumber, _ changes: ArraySlice<Change>) -> Change? {
    changes.first { Self.keys($0.extent) == [key] }
  }

  /// The first old value; of members that came and went, what is there now without them and with them.
  private func valueBefore(
    _ key: KeyNumber, _ object: ObjectID, _ changes: ArraySlice<Change>
  ) -> Value? {
    let changes = changes.filter { Self.keys($0.extent) == [key] }
    let (old, new) = (changes.first?.before?[key], changes.last?.after?[key])
    let now = state(object).now?[key]
    for change in changes {
      guard case .members(_, let removed) = change.extent else { return old }
      // Nothing tells where in an array a member was that went.
      let members = change.before?[key]?.array ?? []
      if removed.contains(where: { members.contains(.reference($0)) }) { return old }
    }
    switch (old, new, now) {
    case (.set(let old)?, .set(let new)?, .set(let now)?):
      return .set(now.subtracting(new.subtracting(old)).union(old.subtracting(new)))
    case (.set?, _, _): return now
    case (.array(let old)?, _, _):
      guard case .array(let now)? = now else { return now }
      return .array(Array(now.prefix(old.count)))
    default: return old
    }
  }
}
