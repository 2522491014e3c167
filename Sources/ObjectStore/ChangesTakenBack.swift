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
    let object = change.object
    switch layer.changes[object] {
    case .whole?: return
    case .partial(let partial)?:
      guard partial.base == change.previous, change.kind != .inserted else {
        throw .chainBroken(object, in: commit)
      }
      let values = try pin(change).merged(with: partial.values)
      if change.kind == .deleted {
        set(object, try row(values, object, commit), partial.changed)
      } else {
        layer.set(
          object, .partial(PartialRow(values: values, changed: partial.changed, base: commit)))
        wait(change, unlessIn: partial.values)
      }
    case nil:
      switch change.kind {
      case .inserted: set(object, nil, change.previous)
      case .deleted: set(object, try row(change.values, object, commit), change.previous)
      case .updated:
        let partial = PartialRow(
          values: change.values, changed: change.previous, base: commit)
        layer.set(object, .partial(partial))
        wait(change, unlessIn: [])
      }
    }
  }

  private mutating func set(_ object: ObjectID, _ row: Row?, _ changed: CommitNumber) {
    layer.set(object, .whole(StoredRow(row, changed: changed)))
  }

  private func row(
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
