package import ObjectModel

/// How the changes of two sides to one value become one.
package enum MergeKind: Sendable {
  /// As a whole: where both changed it differently, they conflict.
  case asWhole
  /// By the amounts that both added.
  case counter
  /// By the members that both inserted and removed.
  case set
  /// As a set of what a relationship leads to, of which none is no value.
  case destinations
  /// As a set whose members have an order.
  case orderedSet
  /// Key by key, and so on within.
  case byKey
  /// By a function of base, ours and theirs; nil from it is a conflict.
  case custom(@Sendable (_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Merged?)

  /// What a function makes of three values, which may be no value.
  package struct Merged: Sendable {
    package let value: Value?

    package init(_ value: Value?) { self.value = value }
  }

  /// The kind that values of one property tell by themselves; nil where they do not. Of ordered members all
  /// are references.
  init?(toldBy values: [Value?]) {
    let values = values.compactMap(\.self)
    switch values.first {
    case .counter? where values.allSatisfy { $0.counter != nil }: self = .counter
    case .set? where values.allSatisfy { $0.set != nil }: self = .set
    case .array?:
      let areMembers = values.allSatisfy { $0.array?.allSatisfy { $0.reference != nil } ?? false }
      guard areMembers else { return nil }
      self = .orderedSet
    default: return nil
    }
  }

  /// How values merge of an object that was not there where two sides began. What a counter has then neither has
  /// added to anything: both may have had it come back with the object.
  package var ofNewObject: MergeKind {
    if case .counter = self { .asWhole } else { self }
  }

  /// Whether a rival's change to the same object does not by itself make ours a conflict.
  package var mergesByItself: Bool {
    switch self {
    case .asWhole, .byKey: false
    case .counter, .set, .destinations, .orderedSet, .custom: true
    }
  }
}

/// What becomes of one value that two sides may have changed.
package enum ValueMerge: Hashable, Sendable {
  /// One value, which has what both did.
  case merged(Value?)
  /// Both changed it in ways that do not go together. The two are what becomes of it if one side wins where
  /// they do not, and only there.
  case conflict(ours: Value?, theirs: Value?)

  /// Merges three values; nil and null stand for no value.
  package init(base: Value?, ours: Value?, theirs: Value?, _ kind: MergeKind) {
    let (base, ours, theirs) = (base.stored, ours.stored, theirs.stored)
    if ours == base {
      self = .merged(theirs)
    } else if theirs == base {
      self = .merged(ours)
    } else {
      self = Self.both(base, ours, theirs, kind)
    }
  }

  /// What becomes of ours, made from base, where theirs is in the place of base: what was set as a whole, and
  /// where the two do not go together, ours.
  ///
  /// - Parameter kind: how they merge, where they do not tell it by themselves.
  static func onto(
    _ theirs: Value?, from base: Value?, _ ours: Value?, as kind: MergeKind?
  ) -> Value? {
    guard let kind = kind ?? MergeKind(toldBy: [base, ours, theirs]) else { return ours }
    switch ValueMerge(base: base, ours: ours, theirs: theirs, kind) {
    case .merged(let value): return value
    case .conflict(let ours, _): return ours
    }
  }

  /// Merges what both have changed.
  private static func both(
    _ base: Value?, _ ours: Value?, _ theirs: Value?, _ kind: MergeKind
  ) -> ValueMerge {
    // No members are no value again where one side has taken the value away.
    let eitherIsNothing = ours == nil || theirs == nil
    switch kind {
    case .asWhole: break
    case .counter:
      if let sum = counter(base, ours, theirs) { return .merged(sum) }
    case .set:
      if let (base, ours, theirs) = sets(base, ours, theirs) {
        let members = members(base, ours, theirs)
        return .merged(members.isEmpty && eitherIsNothing ? Value?.none : .set(members))
      }
    case .destinations:
      if let (base, ours, theirs) = sets(base, ours, theirs) {
        let members = members(base, ours, theirs)
        return .merged(members.isEmpty ? Value?.none : .set(members))
      }
    case .orderedSet:
      if let array = orderedSet(base, ours, theirs) {
        return .merged(array == .array([]) && eitherIsNothing ? Value?.none : array)
      }
    case .byKey:
      if case .dictionary(let ours)? = ours, case .dictionary(let theirs)? = theirs {
        return dictionary(base?.dictionary ?? [:], ours, theirs)
      }
    case .custom(let merge):
      if let merged = merge(base, ours, theirs) { return .merged(merged.value.stored) }
      return .conflict(ours: ours, theirs: theirs)
    }
    return ours == theirs ? .merged(ours) : .conflict(ours: ours, theirs: theirs)
  }

  /// Theirs and the amount we added; nil where it is no counter or too large.
  private static func counter(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
    func amount(_ value: Value?) -> Int? { value == nil ? 0 : value?.counter }
    guard let base = amount(base), let ours = amount(ours), let theirs = amount(theirs) else {
      return nil
    }
    let (added, overflows) = ours.subtractingReportingOverflow(base)
    let (sum, overflowsToo) = theirs.addingReportingOverflow(added)
    return overflows || overflowsToo ? nil : .counter(sum)
  }

  private static func sets(
    _ base: Value?, _ ours: Value?, _ theirs: Value?
  ) -> (Set<Value>, Set<Value>, Set<Value>)? {
    func set(_ value: Value?) -> Set<Value>? { value == nil ? [] : value?.set }
    guard let base = set(base), let ours = set(ours), let theirs = set(theirs) else { return nil }
    return (base, ours, theirs)
  }

  /// What both have stays, what one has inserted is in, and what one has removed is out.
  private static func members(
    _ base: Set<Value>, _ ours: Set<Value>, _ theirs: Set<Value>
  ) -> Set<Value> {
    ours.intersection(theirs).union(ours.symmetricDifference(theirs).subtracting(base))
  }

  /// The members as of sets. Their order is theirs where they have moved what was there, and else ours; what the
  /// other side inserted stands behind what it stood behind there.
  private static func orderedSet(_ base: Value?, _ ours: Value?, _ theirs: Value?) -> Value? {
    func array(_ value: Value?) -> [Value]? { value == nil ? [] : value?.array }
    guard let base = array(base), let ours = array(ours), let theirs = array(theirs) else {
      return nil
    }
    let members = members(Set(base), Set(ours), Set(theirs))
    let lasting = Set(base).intersection(theirs)
    let theyMoved = base.filter(lasting.contains) != theirs.filter(lasting.contains)
    let (spine, other) = theyMoved ? (theirs, ours) : (ours, theirs)
    var order = MemberChain(spine.filter(members.contains))
    var previous: Value?
    for member in other where members.contains(member) {
      order.insert(member, behind: previous)
      previous = member
    }
    return .array(order.members)
  }

  /// Members in an order, into which others are put without moving those behind them.
  private struct MemberChain {
    private var all: [Value] = []
    private var places: [Value: Int] = [:]
    private var first: Int
    /// Which member follows another, by place.
    private var next: [Int] = []
    private static let end = -1

    /// - Parameter members: of which each is there once.
    init(_ members: [Value]) {
      first = members.isEmpty ? Self.end : 0
      for member in members {
        places[member] = all.count
        all.append(member)
        next.append(all.count < members.count ? all.count : Self.end)
      }
    }

    var members: [Value] {
      var members: [Value] = []
      members.reserveCapacity(all.count)
      var place = first
      while place != Self.end {
        members.append(all[place])
        place = next[place]
      }
      return members
    }

    /// Puts a member behind another, or to the front; nothing where it is there already.
    mutating func insert(_ member: Value, behind previous: Value?) {
      if places[member] != nil { return }
      places[member] = all.count
      all.append(member)
      if let previous = previous.flatMap({ places[$0] }) {
        next.append(next[previous])
        next[previous] = all.count - 1
      } else {
        next.append(first)
        first = all.count - 1
      }
    }
  }

  private static func dictionary(
    _ base: [String: Value], _ ours: [String: Value], _ theirs: [String: Value]
  ) -> ValueMerge {
    var (ifOurs, ifTheirs): ([String: Value], [String: Value]) = ([:], [:])
    var isConflict = false
    for key in Set(ours.keys).union(theirs.keys) {
      switch ValueMerge(base: base[key], ours: ours[key], theirs: theirs[key], .byKey) {
      case .merged(let value):
        ifOurs[key] = value
        ifTheirs[key] = value
      case .conflict(let ours, let theirs):
        isConflict = true
        ifOurs[key] = ours
        ifTheirs[key] = theirs
      }
    }
    let (one, other) = (Value.dictionary(ifOurs), Value.dictionary(ifTheirs))
    return isConflict ? .conflict(ours: one, theirs: other) : .merged(one)
  }
}
