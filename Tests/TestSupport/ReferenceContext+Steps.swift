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
        let now = state(object).now
        let entries = keys.sorted().map {
          Restoration.Entry($0, valueBefore($0, values, from: now?[$0]))
        }
        return Restoration(object, .updated, entries)
      }
      guard var whole = first.before else { return Restoration(object, .deleted, []) }
      for key in keys { whole[key] = valueBefore(key, values, from: whole[key]) }
      return Restoration(object, .inserted, whole.entries.map { .init($0.key, $0.value) })
    }
  }

  private static func keys(_ extent: Change.Extent) -> [KeyNumber] {
    switch extent {
    case .all: []
    case .value(let key), .members(let key, _): [key]
    }
  }

  /// What a change did to a value, as far as just that can be taken back.
  private enum Deed { case counted, regrouped, reordered, rekeyed, replaced }

  /// A value before the changes of it: what they did is taken back from what it is now, up to one that
  /// replaced it, before which it is known.
  private func valueBefore(
    _ key: KeyNumber, _ changes: ArraySlice<Change>, from now: Value?
  ) -> Value? {
    let changes = changes.filter { Self.keys($0.extent) == [key] }
    guard let first = changes.first else { return now }
    let deed = deed(first, key)
    let end = changes.firstIndex { self.deed($0, key) != deed || deed == .replaced }
    let (old, value) = (first.before?[key], end.map { changes[$0].before?[key] } ?? now)
    let done = changes[..<(end ?? changes.count)]
    let new = done.last?.after?[key]
    switch (deed, value?.kind) {
    case (.replaced, _): return value
    case (.counted, let kind):
      var sum = Int128(0)
      for change in done {
        sum += Self.wide(change.after?[key]) - Self.wide(change.before?[key])
        if Int(exactly: sum) == nil { return old }
      }
      guard kind == nil || kind == .counter else { return value }
      guard let before = Int(exactly: Self.wide(value) - sum) else { return old }
      return old == nil && before == 0 ? old : .counter(before)
    case (.regrouped, nil), (.regrouped, .set?):
      let (was, became) = (old?.set ?? [], new?.set ?? [])
      let members = (value?.set ?? []).subtracting(became.subtracting(was))
        .union(was.subtracting(became))
      return old == nil && members.isEmpty ? old : .set(members)
    case (.reordered, .array?) where done.allSatisfy { Self.isAppending($0, key) }:
      var elements = value?.array ?? []
      for member in (new?.array ?? []).dropFirst(old?.array?.count ?? 0).reversed() {
        if let index = elements.lastIndex(of: member) { elements.remove(at: index) }
      }
      return .array(elements)
    case (.reordered, nil) where !done.allSatisfy { Self.isAppending($0, key) },
      (.reordered, .array?):
      return Self.order(old, new, value)
    case (.rekeyed, nil), (.rekeyed, .dictionary?):
      if value == new { return old }
      let entries = Self.byKey(old ?? [:], new ?? [:], value ?? [:], takesBack: true)
      return old == nil && entries == [:] ? old : entries
    default: return value
    }
  }

  private func deed(_ change: Change, _ key: KeyNumber) -> Deed {
    let (old, new) = (change.before?[key], change.after?[key])
    let kinds = Set([old, new].compactMap { $0?.kind })
    if old == nil, case .members = change.extent { return .regrouped }
    guard kinds.count == 1 else { return .replaced }
    switch kinds.first {
    case .counter?:
      return Int(exactly: Self.wide(new) - Self.wide(old)) == nil ? .replaced : .counted
    case .set?: return .regrouped
    case .array? where Self.isOfReferences(old) && Self.isOfReferences(new): return .reordered
    case .dictionary? where key == byKeyKey: return .rekeyed
    default: return Self.isAppending(change, key) ? .reordered : .replaced
    }
  }

  /// Whether a change put members behind those of an array, and took none out.
  private static func isAppending(_ change: Change, _ key: KeyNumber) -> Bool {
    guard case .members(_, let removed) = change.extent,
      case .array(let members)? = change.before?[key]
    else { return false }
    return !removed.contains { members.contains(.reference($0)) }
  }
}
