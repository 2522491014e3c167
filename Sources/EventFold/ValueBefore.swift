package import ObjectModel

/// What a value was before a step, as small as it can be said; and so, of a counter, a set, ordered members or
/// entries, that what others did stays when the step is taken back.
package enum ValueBefore: Hashable, Sendable {
  /// This.
  case value(Value?)
  /// A counter without an amount that it grew by. What it was says it where the amount cannot.
  case amount(Int, since: Int?)
  /// A set without some members that came, and with some that went.
  case members(Members)
  /// An array without these elements, which were put behind the others.
  case appended([Value])
  /// These ordered members, which became those.
  case order(before: [Value]?, after: [Value]?)
  /// A dictionary that merges by key, which had these entries and came to have those.
  case entries(before: [String: Value]?, after: [String: Value]?)

  /// Members that came and went; no member did both.
  package struct Members: Hashable, Sendable {
    package private(set) var gained: Set<Value> = []
    package private(set) var lost: Set<Value> = []
    /// Whether there was no value, and not a set without members.
    let wereNothing: Bool

    init(wereNothing: Bool = false) { self.wereNothing = wereNothing }

    mutating func gain(_ member: Value) {
      if lost.remove(member) == nil { gained.insert(member) }
    }

    mutating func lose(_ member: Value) {
      if gained.remove(member) == nil { lost.insert(member) }
    }

    /// Adds what came and went later.
    mutating func add(_ later: Members) {
      for member in later.lost { lose(member) }
      for member in later.gained { gain(member) }
    }
  }

  /// What a value was before it became another.
  ///
  /// - Parameter isByKey: whether its dictionaries merge by key.
  init(from before: Value?, to after: Value?, isByKey: Bool) {
    switch (after ?? before)?.kind {
    case .counter?, .set?, .array?: break
    case .dictionary? where isByKey && (before == nil || before?.dictionary != nil):
      self = .entries(before: before?.dictionary, after: after?.dictionary)
      return
    default:
      self = .value(before)
      return
    }
    switch MergeKind(toldBy: [before, after]) {
    case .counter?:
      let (amount, overflows) = (after?.counter ?? 0).subtractingReportingOverflow(
        before?.counter ?? 0)
      self = overflows ? .value(before) : .amount(amount, since: before?.counter)
    case .set?:
      let (old, new) = (before?.set ?? [], after?.set ?? [])
      var change = Members(wereNothing: before == nil)
      for member in old.subtracting(new) { change.lose(member) }
      for member in new.subtracting(old) { change.gain(member) }
      self = .members(change)
    case .orderedSet?: self = .order(before: before?.array, after: after?.array)
    default: self = .value(before)
    }
  }
}

extension ValueBefore {
  /// The value before, where this is the value after. A value of another kind stays; none is a counter of 0,
  /// no members or no entries.
  ///
  /// Costs: time in proportion to the value, where it is a set or an array.
  package func restored(from value: Value?) -> Value? {
    switch self {
    case .value(let before):
      return before
    case .amount(let amount, let since):
      guard value == nil || value?.counter != nil else { return value }
      let (before, overflows) = (value?.counter ?? 0).subtractingReportingOverflow(amount)
      if overflows || before == 0 && since == nil { return since.map { .counter($0) } }
      return .counter(before)
    case .members(let change):
      guard value == nil || value?.set != nil else { return value }
      let members = (value?.set ?? []).subtracting(change.gained).union(change.lost)
      if members.isEmpty, change.wereNothing { return nil }
      return .set(members)
    case .appended(let members):
      guard case .array(let elements)? = value else { return value }
      return .array(Self.elements(elements, withoutLast: members))
    case .order(let before, let after):
      guard value == nil || value?.array != nil else { return value }
      let merge = ValueMerge(
        base: after.map { .array($0) }, ours: before.map { .array($0) }, theirs: value, .orderedSet)
      if case .merged(let merged) = merge { return merged }
      return value
    case .entries(let before, let after):
      guard value == nil || value?.dictionary != nil else { return value }
      if value?.dictionary == after { return before.map { .dictionary($0) } }
      return Self.entries(value?.dictionary ?? [:], before: before, after: after ?? [:])
    }
  }

  /// The entries that were there before, and those that others have put in or changed since; none at all where there
  /// was no dictionary and nobody else has put anything in.
  private static func entries(
    _ now: [String: Value], before: [String: Value]?, after: [String: Value]
  ) -> Value? {
    var entries: [String: Value] = [:]
    for key in Set(now.keys).union(before?.keys ?? [:].keys) {
      let (value, old, new) = (now[key], before?[key], after[key])
      if old != new, case .dictionary(let inner)? = value, old == nil || old?.dictionary != nil,
        old != nil || new?.dictionary != nil
      {
        entries[key] = Self.entries(
          inner, before: old?.dictionary, after: new?.dictionary ?? [:])
      } else {
        entries[key] = ValueMerge.onto(value, from: new, old, as: .byKey)
      }
    }
    return before == nil && entries.isEmpty ? nil : .dictionary(entries)
  }

  /// Takes elements out where they are nearest to the end.
  private static func elements(_ elements: [Value], withoutLast members: [Value]) -> [Value] {
    if elements.suffix(members.count) == members[...] {
      return Array(elements.dropLast(members.count))
    }
    var counts = Dictionary(members.map { ($0, 1) }, uniquingKeysWith: +)
    let kept = elements.reversed().filter { element in
      guard let count = counts[element], count > 0 else { return true }
      counts[element] = count - 1
      return false
    }
    return kept.reversed()
  }

  /// Says what was before a later change as well, of which `later` says what was before.
  ///
  /// - Returns: whether the two can be said as one, which is sure where one of them is a value.
  mutating func add(_ later: ValueBefore) -> Bool {
    if case .value = self { return true }
    switch later {
    case .value(let value):
      self = .value(restored(from: value))
    case .amount(let amount, _):
      guard case .amount(let earlier, let since) = self else { return false }
      let (sum, overflows) = earlier.addingReportingOverflow(amount)
      self = overflows ? .value(since.map { .counter($0) }) : .amount(sum, since: since)
    case .members(let later):
      guard case .members(var change) = self else {
        return later.wereNothing && add(.value(nil))
      }
      // A set that two hold would be copied.
      self = .value(nil)
      change.add(later)
      self = .members(change)
    case .appended(let later):
      switch self {
      case .appended(var members):
        self = .value(nil)
        members += later
        self = .appended(members)
      case .order(let before, .some(var after)):
        self = .value(nil)
        after += later
        self = .order(before: before, after: after)
      default: return false
      }
    case .order(let before, let after):
      switch self {
      case .appended, .order:
        self = .order(before: restored(from: before.map { .array($0) })?.array, after: after)
      default: return false
      }
    case .entries(let before, let after):
      guard case .entries = self else { return false }
      let restored = restored(from: before.map { .dictionary($0) })
      self = .entries(before: restored?.dictionary, after: after)
    }
    return true
  }
}
