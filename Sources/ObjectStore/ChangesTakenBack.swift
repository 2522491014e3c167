internal import EventCoding
internal import EventFold
internal import ObjectModel

/// What objects were before some commits, put together while these are read in their order. What it does not
/// say, the state after them says.
struct ChangesTakenBack {
  private var layer: Layer
  /// Changes that tell only a difference, the first first, by object and key: of values that no later change has
  /// told whole.
  private var differences: [ObjectID: [KeyNumber: [ValueChange]]] = [:]

  init(era: Int) { layer = Layer(era: era) }

  /// Takes the next commit.
  mutating func take(_ side: CommitSide) throws(StoreError) {
    for change in side.objects { try take(change, side.head.number) }
  }

  private mutating func take(
    _ change: CommitSide.Object, _ commit: CommitNumber
  ) throws(StoreError) {
    let values = try pin(change)
    var told: [Row.Entry]?
    var failure: StoreError?
    // The object's place is looked for once: that is most of what this costs.
    layer.update(change.object) { later in
      do throws(StoreError) {
        let overlay = try Self.overlay(before: change, values, commit, later: later)
        if case .partial = overlay, !change.differences.isEmpty {
          told = later?.partialValues ?? []
        }
        return overlay
      } catch {
        failure = error
        return later ?? .whole(StoredRow(nil, changed: .none))
      }
    }
    if let failure { throw failure }
    if let told { wait(change, unlessIn: told) }
  }

  /// What an object was before a change, and before later ones that have been taken.
  private static func overlay(
    before change: CommitSide.Object, _ values: [Row.Entry], _ commit: CommitNumber,
    later: Overlay?
  ) throws(StoreError) -> Overlay {
    switch (later, change.kind) {
    case (.whole(let stored)?, _): return .whole(stored)
    case (.partial(let partial)?, let kind):
      guard partial.base == change.previous, kind != .inserted else {
        throw .chainBroken(change.object, in: commit)
      }
      let values = values.merged(with: partial.values)
      guard kind == .updated else {
        return .whole(
          StoredRow(try row(values, change.object, commit), changed: partial.changed))
      }
      return .partial(PartialRow(values: values, changed: partial.changed, base: commit))
    case (nil, .inserted): return .whole(StoredRow(nil, changed: change.previous))
    case (nil, .deleted):
      return .whole(StoredRow(try row(values, change.object, commit), changed: change.previous))
    case (nil, .updated):
      return .partial(PartialRow(values: values, changed: change.previous, base: commit))
    }
  }

  private static func row(
    _ values: [Row.Entry], _ object: ObjectID, _ commit: CommitNumber
  ) throws(StoreError) -> Row {
    // A value that there was not before is null.
    guard let row = Row(sorted: values.filter { !$0.value.isNull }) else {
      throw .chainBroken(object, in: commit)
    }
    return row
  }

  /// Notes differences of values that nothing earlier has told.
  private mutating func wait(_ change: CommitSide.Object, unlessIn told: [Row.Entry]) {
    for entry in change.differences where !told.contains(where: { $0.key == entry.key }) {
      differences[change.object, default: [:]][entry.key, default: []].append(entry.change)
    }
  }

  /// The values before a change, with those in the place of which a difference waits taken further back.
  private mutating func pin(_ change: CommitSide.Object) throws(StoreError) -> [Row.Entry] {
    guard var waiting = differences[change.object] else { return change.values }
    var values: [Row.Entry] = []
    for entry in change.values {
      guard let changes = waiting.removeValue(forKey: entry.key) else {
        values.append(entry)
        continue
      }
      values.append(
        Row.Entry(entry.key, try Self.before(changes, entry.value, change.object, entry.key)))
    }
    differences[change.object] = waiting.isEmpty ? nil : waiting
    return values
  }

  /// A value before some changes of it, null where there was none.
  private static func before(
    _ changes: [ValueChange], _ value: Value?, _ object: ObjectID, _ key: KeyNumber
  ) throws(StoreError) -> Value {
    var value = value
    for change in changes.reversed() {
      guard let applied = change.inverse.applied(to: value) else {
        throw .valueMisfit(object, key)
      }
      value = applied.value
    }
    return value ?? .null
  }

  /// All that was different before the commits, where the state after them is known.
  mutating func finished(over latest: Snapshot) throws(StoreError) -> Layer {
    for (object, keys) in differences.sorted(by: { $0.key < $1.key }) {
      guard case .partial(var partial)? = layer.changes[object] else { continue }
      let row = try latest.row(of: object)
      var values: [Row.Entry] = []
      for (key, changes) in keys.sorted(by: { $0.key < $1.key }) {
        values.append(Row.Entry(key, try Self.before(changes, row?[key], object, key)))
      }
      partial.values = partial.values.merged(with: values)
      layer.set(object, .partial(partial))
    }
    differences = [:]
    return layer
  }
}

extension StoreError {
  fileprivate static func valueMisfit(_ object: ObjectID, _ key: KeyNumber) -> StoreError {
    StoreError(
      .damaged,
      "the changes of key \(key.rawValue) of \(object) cannot be taken back: they were made of another "
        + "value than there is; run a deep verification to see what else is wrong.")
  }
}
