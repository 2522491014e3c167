// Histories of a context by seed: edits that a context could make, each at once folded and followed by the
// reference.

import EventFold
import FoundationEssentials
import ObjectModel
import TestSupport

/// What a history may have in it besides changes, borders, undo and redo.
struct HistoryExtras: OptionSet {
  let rawValue: Int
  static let unnoticed = HistoryExtras(rawValue: 1)
  static let rivals = HistoryExtras(rawValue: 2)
  static let saves = HistoryExtras(rawValue: 4)
  static let givingUp = HistoryExtras(rawValue: 8)
  static let all: HistoryExtras = [.unnoticed, .rivals, .saves, .givingUp]
}

extension ReferenceContext {
  static let transientKey = key(7)
  static let counterKey = key(8)
  static let byKeyKey = key(9)
  static let traits = [
    EntityNumber(rawValue: 1): KeyTraits(transient: [transientKey], byKey: [byKeyKey])
  ]
}

struct ContextHistory {
  var dice: Dice
  let extras: HistoryExtras
  var reference: ReferenceContext
  var fold: ContextFold
  private(set) var edits: [Edit] = []
  private var nextNumber: UInt64 = 100

  init(seed: UInt64, _ extras: HistoryExtras = .all) {
    dice = Dice(seed: seed)
    self.extras = extras
    var state: [ObjectID: Row] = [:]
    for number in UInt64(1)...5 { state[object(number)] = dice.plainRow() }
    reference = ReferenceContext(
      ReferenceStore(states: [[:], state]), transientKey: ReferenceContext.transientKey,
      byKeyKey: ReferenceContext.byKeyKey)
    fold = Self.begin(reference.base)
  }

  static func begin(_ base: CommitNumber) -> ContextFold {
    ContextFold(
      ContextNumber(rawValue: 3), name: "reference", on: base,
      traits: ReferenceContext.traits)
  }

  var row: (ObjectID, CommitNumber) -> Row? {
    { [store = reference.store] in store.row($0, $1) }
  }

  mutating func apply(_ whole: Edit) throws {
    let edit = shortened(whole)
    if case .saved = edit {
      let dirty = reference.objects.filter(\.value.isDirty)
      reference.store.commit(dirty.mapValues { reference.saved($0) })
    }
    reference.apply(edit)
    try fold.apply(edit, row: row)
    edits.append(edit)
  }

  /// An edit as a context would write it, with the middles of long values.
  private func shortened(_ edit: Edit) -> Edit {
    switch edit {
    case .set(let object, let key, let value?) where value.isLong:
      let splice = fold.splice(of: key, of: object, to: value, row: row)
      return splice.map { .spliced(object, key, $0) } ?? edit
    case .undone(let restorations): return .undone(fold.shortened(restorations, row: row))
    case .redone(let restorations): return .redone(fold.shortened(restorations, row: row))
    default: return edit
    }
  }

  /// The edits of one move.
  mutating func move() throws {
    switch dice.pick(40) {
    case 0..<24: try change()
    case 24..<30: try apply(.stepEnded(name: dice.pick(2) == 0 ? nil : "step \(edits.count)"))
    case 30, 31: try undo()
    case 32: try redo()
    case 33 where extras.contains(.unnoticed): try apply(.undoSwitched(isOn: dice.pick(3) > 0))
    case 34 where extras.contains(.saves): try save()
    case 35 where extras.contains(.saves): try apply(.saveFailed("the disk is full"))
    case 36, 37:
      guard extras.contains(.rivals) else { return }
      rival()
      try meetRival()
    case 38 where extras.contains(.givingUp) && dice.pick(4) == 0:
      try apply([.rolledBack, .wasReset][dice.pick(2)])
    case 39: try apply(.renamed("reference \(edits.count)"))
    default: break
    }
  }

  mutating func save() throws { try apply(.saved(reference.store.head.next)) }

  mutating func undo() throws {
    if !reference.open.changes.isEmpty {
      try apply(.undone(reference.restorations(reference.open)))
    } else if let step = reference.undoSteps.last {
      try apply(.undone(reference.restorations(step)))
    }
  }

  mutating func redo() throws {
    guard let step = reference.redoSteps.last else { return }
    try apply(.redone(reference.restorations(step)))
  }

  /// A commit of somebody else.
  private mutating func rival() {
    var rows: [ObjectID: Row?] = [:]
    for (object, row) in reference.store.states[reference.store.states.count - 1]
      .sorted(by: { $0.key < $1.key }) where dice.pick(3) == 0
    {
      var other: Row? = row
      for _ in 0..<2 { other?[key(UInt32(1 + dice.pick(4)))] = dice.plainValue(depth: 0) }
      for _ in 0..<3 {
        let key = key([5, 6, 8, 9][dice.pick(4)])
        let value = dice.value(of: key, after: other?[key])
        other?[key] = value
      }
      rows[object] = dice.pick(8) == 0 ? .some(nil) : .some(other)
    }
    reference.store.commit(rows)
  }

  private mutating func meetRival() throws {
    try apply(.stepEnded(name: nil))
    let commit = CommitNumber(
      rawValue: UInt64(1 + dice.pick(Int(reference.store.head.rawValue))))
    switch dice.pick(3) {
    case 0: try apply(.merged(dice.pick(3) == 0 ? commit : reference.store.head))
    case 1:
      let some = known.filter { _ in dice.pick(2) == 0 }
      try apply(.refreshed(some, keepingChanges: dice.pick(2) == 0, at: commit))
    default:
      let object = known[dice.pick(known.count)]
      if reference.state(object).isUntouched { try apply(.based(object, on: commit)) }
    }
  }

  private var known: [ObjectID] {
    Set((1...5).map { object($0) }).union(reference.objects.keys).sorted()
  }
}

extension ContextHistory {
  private mutating func change() throws {
    let there = known.filter { reference.state($0).now != nil }
    guard !there.isEmpty, dice.pick(8) > 0 else {
      nextNumber += 1
      return try apply(.inserted(object(nextNumber)))
    }
    let object = there[dice.pick(there.count)]
    let now = reference.state(object).now
    // What is not registered leaves members alone, so that the reference need not follow them.
    let isNoticed = reference.registersUndo
    switch dice.pick(12) {
    case 0 where isNoticed || dice.pick(3) == 0: try apply(.deleted(object))
    case 1 where extras.contains(.unnoticed):
      let key = key([1, 2, 3, 4, 8][dice.pick(5)])
      let base = reference.state(object).baseRow
      try apply(.setPrimitive(object, key, [base?[key], dice.plainValue(depth: 0)][dice.pick(2)]))
    case 2..<6 where isNoticed:
      let key = key(UInt32(5 + dice.pick(2)))
      let kind = now?[key]?.kind
      guard kind == nil || kind == .set || kind == .array else { return }
      try apply(
        .membersChanged(object, key, inserted: dice.references(), removed: dice.references()))
    case 6 where isNoticed:
      let key = key(UInt32(5 + dice.pick(2)))
      try apply(.set(object, key, dice.value(of: key, after: now?[key])))
    case 7, 8:
      let key = isNoticed ? key(UInt32(8 + dice.pick(2))) : ReferenceContext.counterKey
      try apply(.set(object, key, dice.value(of: key, after: now?[key])))
    default:
      let key = key([1, 2, 3, 4, 7][dice.pick(5)])
      let (one, other) = (dice.plainValue(depth: 1), dice.plainValue(depth: 0))
      let long = dice.longValue(after: now?[key])
      try apply(.set(object, key, [now?[key], nil, .null, one, other, long, long][dice.pick(7)]))
    }
  }
}

extension Dice {
  mutating func references() -> [ObjectID] {
    // Each once: an array that has a member twice is made elsewhere.
    Set((0..<pick(3)).map { _ in object(UInt64(1 + pick(6))) }).sorted()
  }

  /// A value without members, of which not all that happens to it need be noted.
  mutating func plainValue(depth: Int) -> Value {
    let value = value(depth: depth)
    let isPlain =
      switch value {
      case .set: false
      case .array(let elements): elements.contains { $0.reference == nil }
      default: true
      }
    return isPlain ? value : .string("plain")
  }

  /// A long text or long data: often what was there with another middle.
  mutating func longValue(after old: Value?) -> Value {
    let words = ["a", "é", "e\u{301}", "👩‍👩‍👧", "", "zz"]
    switch old {
    case .string(let text)? where text.utf8.count >= 64 && pick(5) > 0:
      var scalars = Array(text.unicodeScalars)
      let at = pick(scalars.count)
      let end = min(scalars.count, at + pick(4))
      scalars.replaceSubrange(at..<end, with: Array(words[pick(words.count)].unicodeScalars))
      var changed = String.UnicodeScalarView()
      changed.append(contentsOf: scalars)
      return .string(String(changed))
    case .data(let bytes)? where bytes.count >= 64 && pick(5) > 0:
      let at = pick(bytes.count)
      return .data(bytes.prefix(at) + Data([UInt8(pick(256))]) + bytes.dropFirst(at + pick(3)))
    default:
      let text = String(repeating: words[pick(2)], count: 80 + pick(40))
      return pick(3) == 0 ? .data(Data(text.utf8)) : .string(text)
    }
  }

  /// What becomes of a value that has members, is a counter or is merged by key.
  mutating func value(of key: KeyNumber, after old: Value?) -> Value? {
    if pick(10) == 0 { return nil }
    switch key {
    case ReferenceContext.counterKey:
      return .counter(pick(20) == 0 ? .max : (old?.counter ?? 0) &+ (pick(9) - 3))
    case ReferenceContext.byKeyKey:
      if pick(10) == 0 { return "none" }
      var values = old?.dictionary ?? [:]
      values[["a", "b", "c"][pick(3)]] = pick(5) == 0 ? nil : .integer(pick(5))
      var inner = values["d"]?.dictionary ?? [:]
      inner[["x", "y"][pick(2)]] = .integer(pick(5))
      values["d"] = pick(9) == 0 ? nil : .dictionary(inner)
      return .dictionary(values)
    default:
      switch old {
      case .set(let members)? where pick(3) > 0:
        return .set(members.symmetricDifference(references().map(Value.reference)))
      case .array(let members)? where pick(3) > 0:
        let others = references().map(Value.reference)
        return .array(others + members.filter { !others.contains($0) })
      default: return memberValue()
      }
    }
  }

  mutating func memberValue() -> Value? {
    switch pick(3) {
    case 0: nil
    case 1: .array(references().map(Value.reference))
    default: .set(Set(references().map(Value.reference)))
    }
  }

  /// A row with values of any kind, a set and an array of references.
  mutating func plainRow() -> Row {
    var row = Row()
    for number in UInt32(1)...4 where pick(3) > 0 { row[key(number)] = plainValue(depth: 1) }
    for number in UInt32(5)...6 { row[key(number)] = memberValue() }
    for number in UInt32(8)...9 { row[key(number)] = value(of: key(number), after: nil) }
    return row
  }
}
