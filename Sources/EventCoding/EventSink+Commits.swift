internal import ObjectModel

// Commits: a head, the changes by entity and object, and fields of newer code.
extension EventSink {
  mutating func put(
    _ commit: CommitContent, fields: [CommitField], lookup: EditLookup?
  ) throws(Refusal) {
    put(byte: CommitForm.format)
    try put(commit.number)
    put(fixed: UInt64(bitPattern: commit.time.rawValue))
    try put(commit.context)
    put(optionalText: commit.contextName)
    guard commit.precedingEditCount >= 0 else { throw refusal(.negativeCount) }
    put(count: commit.precedingEditCount)
    put(optionalText: commit.author)
    put(optionalText: commit.message)
    try put(entries: commit.userInfo, depth: Value.largestDepth)
    try put(sorted(commit.changes), of: commit.number, lookup)
    try put(fields)
  }

  private mutating func put(_ fields: [CommitField]) throws(Refusal) {
    put(count: fields.count)
    var last: UInt8 = 0
    for field in fields {
      guard field.kind > last else { throw refusal(.fieldsNotInOrder) }
      guard CommitField.mayBePassedOver(field.kind) else {
        throw refusal(.fieldUnknown(kind: field.kind))
      }
      last = field.kind
      put(byte: field.kind)
      put(count: field.bytes.count)
      put(raw: field.bytes)
    }
  }

  /// The changes in the order of their objects; nothing is said by another order.
  private func sorted(_ changes: [ObjectChange]) throws(Refusal) -> [ObjectChange] {
    guard changes.allSatisfy({ $0.object.store == store }) else {
      throw refusal(.objectOfAnotherStore)
    }
    let areInOrder = zip(changes, changes.dropFirst()).allSatisfy { $0.object < $1.object }
    if areInOrder { return changes }
    let sorted = changes.sorted { $0.object < $1.object }
    guard zip(sorted, sorted.dropFirst()).allSatisfy({ $0.object != $1.object }) else {
      throw refusal(.objectTwice)
    }
    return sorted
  }

  /// Groups of changes, each of an origin and an entity.
  private mutating func put(
    _ changes: [ObjectChange], of commit: CommitNumber, _ lookup: EditLookup?
  ) throws(Refusal) {
    let borders = changes.indices.filter {
      $0 == 0 || changes[$0 - 1].object.group != changes[$0].object.group
    }
    var edits = EditSteps()
    put(count: borders.count)
    for (index, start) in borders.enumerated() {
      let end = index + 1 < borders.count ? borders[index + 1] : changes.count
      put(varint: changes[start].object.group)
      put(count: end - start)
      var next: UInt64 = 0
      for change in changes[start..<end] {
        put(varint: change.object.number - next)
        next = change.object.number + 1
        if change.previous == .none {
          put(varint: 0)
        } else {
          guard change.previous < commit else { throw refusal(.previousNotBefore) }
          put(varint: commit.rawValue - change.previous.rawValue)
        }
        try put(change, &edits, lookup)
      }
    }
  }

  private mutating func put(
    _ change: ObjectChange, _ edits: inout EditSteps, _ lookup: EditLookup?
  ) throws(Refusal) {
    let kind = UInt64(change.kind.rawValue)
    let entries: [ObjectChange.Entry]
    switch change.content {
    case .row(let row):
      put(varint: UInt64(row.entries.count) << CommitForm.kindBitCount | kind)
      return try put(row, change, &edits, lookup)
    case .entries(let all):
      put(varint: UInt64(all.count) << CommitForm.kindBitCount | kind)
      entries = all
    }
    var next: UInt64 = 0
    for entry in entries {
      let key = UInt64(entry.key.rawValue)
      guard key >= next else { throw refusal(.keysNotInOrder) }
      let step = key - next
      next = key + 1
      // A change is taken to pieces once: each time costs as much as writing it.
      switch entry.change {
      case .replaced(let old, let new):
        if let problem = ValueChange.problem(replacing: old, by: new, in: change.kind) {
          throw refusal(problem)
        }
        guard let new else {
          put(step, CommitForm.removed)
          try put(old)
          continue
        }
        let position = lookup?(change.object, entry.key, new)
        put(step, CommitForm.form(hasOld: old != nil, isNamed: position != nil))
        if let old { try put(old) }
        try put(new, at: position, &edits)
      case let other:
        if let problem = other.problem(in: change.kind) { throw refusal(problem) }
        try put(step, other)
      }
    }
  }

  /// All that an object has when it comes to be, or had when it is gone.
  private mutating func put(
    _ row: Row, _ change: ObjectChange, _ edits: inout EditSteps, _ lookup: EditLookup?
  ) throws(Refusal) {
    var next: UInt64 = 0
    for entry in row.entries {
      let step = UInt64(entry.key.rawValue) - next
      next = UInt64(entry.key.rawValue) + 1
      if change.kind == .deleted {
        put(step, CommitForm.removed)
        try put(entry.value)
      } else {
        let position = lookup?(change.object, entry.key, entry.value)
        put(step, CommitForm.form(hasOld: false, isNamed: position != nil))
        try put(entry.value, at: position, &edits)
      }
    }
  }

  /// A new value, or where the batch has it.
  private mutating func put(
    _ value: Value, at position: Int?, _ edits: inout EditSteps
  ) throws(Refusal) {
    guard let position else { return try put(value) }
    guard let distance = edits.distance(to: position) else { throw refusal(.negativeCount) }
    put(signed: distance)
  }

  /// A change that is no replacement.
  private mutating func put(_ step: UInt64, _ change: ValueChange) throws(Refusal) {
    switch change {
    case .replaced: preconditionFailure("replacements are written elsewhere")
    case .spliced(let splice):
      put(step, CommitForm.spliced)
      try put(splice)
    case .counted(let amount):
      put(step, CommitForm.counted)
      put(signed: Int64(amount))
    case .regrouped(let inserted, let removed):
      put(step, CommitForm.regrouped)
      try put(members: inserted, depth: Value.largestDepth)
      try put(members: removed, depth: Value.largestDepth)
    }
  }

  private mutating func put(_ step: UInt64, _ form: UInt8) {
    put(varint: step << CommitForm.formBitCount | UInt64(form))
  }
}

extension CommitForm {
  fileprivate static func form(hasOld: Bool, isNamed: Bool) -> UInt8 {
    switch (hasOld, isNamed) {
    case (false, false): added
    case (false, true): addedByEdit
    case (true, false): replaced
    case (true, true): replacedByEdit
    }
  }
}

/// Positions in a batch, each told by its distance from the one after the last: objects are mostly set one
/// after another.
struct EditSteps {
  private var next = 0

  /// How far a position is from the expected one; nil where it is negative.
  mutating func distance(to position: Int) -> Int64? {
    guard position >= 0, position < Int.max else { return nil }
    defer { next = position + 1 }
    return Int64(position - next)
  }

  /// The position at a distance from the expected one; nil where there is none.
  mutating func position(at distance: Int64) -> Int? {
    let (position, overflows) = next.addingReportingOverflow(Int(distance))
    guard !overflows, position >= 0, position < Int.max else { return nil }
    next = position + 1
    return position
  }
}
