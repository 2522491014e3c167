internal import ObjectModel

/// Gathers what objects were before the changes of one step: of each object and key what came first.
struct StepRecorder: Hashable, Sendable {
  fileprivate struct Object: Hashable, Sendable {
    var kind = Restoration.Kind.updated
    var values: [KeyNumber: ValueBefore] = [:]
    /// What keys were left with whose objects were forgotten meanwhile.
    var left: [KeyNumber: Value?] = [:]
  }

  private var objects: [ObjectID: Object] = [:]

  /// Whether nothing was changed.
  var isEmpty: Bool { objects.isEmpty }

  /// An object is there, and one of its values is about to change, or just did.
  mutating func note(_ object: ObjectID, _ key: KeyNumber, _ before: ValueBefore) {
    objects[object, default: Object()].note(key, before)
  }

  /// An object is there, and one of its values is about to become another.
  mutating func note(
    _ object: ObjectID, _ key: KeyNumber, from before: Value?, to after: Value?, isByKey: Bool
  ) {
    objects[object, default: Object()].note(key, from: before, to: after, isByKey: isByKey)
  }

  /// Ordered members are about to change whose order before the step is noted. What is noted that they have become is
  /// given up, as it would be copied when they change; `putOrder` notes it anew.
  ///
  /// - Returns: whether that is what they are; otherwise nothing is done.
  mutating func takeOrder(of object: ObjectID, _ key: KeyNumber, is value: Value?) -> Bool {
    guard case .array(let members)? = value, let index = objects.index(forKey: object),
      case .order(let before, .some(let after))? = objects.values[index].values[key],
      Self.areOne(members, after)
    else { return false }
    objects.values[index].values[key] = .order(before: before, after: [])
    return true
  }

  mutating func putOrder(of object: ObjectID, _ key: KeyNumber, _ value: Value?) {
    guard let index = objects.index(forKey: object),
      case .order(let before, _)? = objects.values[index].values[key]
    else { return }
    objects.values[index].values[key] = .order(before: before, after: value?.array)
  }

  /// Whether two arrays lie in one place. That two in different places are alike nobody looks for.
  private static func areOne(_ one: [Value], _ other: [Value]) -> Bool {
    one.count == other.count
      && one.withUnsafeBufferPointer { one in
        other.withUnsafeBufferPointer { one.baseAddress == $0.baseAddress }
      }
  }

  /// An object is about to come to be.
  mutating func noteAbsence(_ object: ObjectID) {
    if objects[object] == nil { objects[object] = Object(kind: .deleted) }
  }

  /// An object with these values is about to go, or to be another.
  mutating func noteAll(_ object: ObjectID, _ row: Row) {
    objects[object, default: Object()].noteAll(row)
  }

  /// Notes what the step leaves of objects that it has changed, before they are forgotten.
  mutating func noteLeft(_ drafts: Drafts) {
    for object in objects.keys { if let draft = drafts[object] { noteLeft(object, draft) } }
  }

  /// Notes what the step leaves of an object, if it has changed it, before it is forgotten.
  mutating func noteLeft(_ object: ObjectID, _ draft: ObjectDraft) {
    guard let index = objects.index(forKey: object) else { return }
    for key in objects.values[index].values.keys {
      guard let left = objects.values[index].left(of: key, draft) else { continue }
      objects.values[index].left.updateValue(left, forKey: key)
    }
  }

  /// The keys of an object that were changed.
  func keys(of object: ObjectID) -> Set<KeyNumber> {
    objects[object].map { Set($0.values.keys) } ?? []
  }

  /// Says what objects were as a newer model has it.
  mutating func convert(by conversion: some RowConverting) {
    for (object, before) in objects {
      objects[object] = nil
      guard conversion.convert(Row(), of: object) != nil else { continue }
      let values = before.values.converted(object, before.kind, by: conversion)
      if before.kind == .updated, values.isEmpty { continue }
      objects[object] = Object(
        kind: before.kind, values: values, left: conversion.convert(left: before.left, of: object))
    }
  }

  /// All of it as a step.
  ///
  /// - Parameter drafts: what it leaves.
  func step(named name: String?, leaving drafts: Drafts) -> UndoStep {
    let noted = objects.keys.sorted()
    return UndoStep(name: name, objects: noted.compactMap { ofStep($0, leaving: drafts[$0]) })
  }

  /// What a step has of an object; nil where it has not changed it.
  ///
  /// - Parameter draft: what it leaves of it.
  func ofStep(_ object: ObjectID, leaving draft: ObjectDraft?) -> UndoStep.Object? {
    objects[object]?.ofStep(object, leaving: draft)
  }
}

extension StepRecorder.Object {
  fileprivate func ofStep(_ object: ObjectID, leaving draft: ObjectDraft?) -> UndoStep.Object {
    let draft = kind == .updated ? draft : nil
    return UndoStep.Object(
      object: object, kind: kind,
      entries: values.map { key, value in
        UndoStep.Entry(key: key, before: value, left: left(of: key, draft))
      }
      .sorted { $0.key < $1.key })
  }

  /// What a key is left with whose value before does not tell; nil where that is not known.
  fileprivate func left(of key: KeyNumber, _ draft: ObjectDraft?) -> Value?? {
    guard kind == .updated, case .value? = values[key] else { return nil }
    // What is not set any more was saved or given up, and may since have become what others have made of it.
    guard let draft, left[key] == nil || draft.delta[key] != nil else { return left[key] }
    return .some(draft.value(of: key))
  }

  mutating func note(_ key: KeyNumber, _ before: ValueBefore) {
    // Of one that was not there, or of which all is known, no value says more.
    guard kind == .updated else { return }
    guard let index = values.index(forKey: key) else {
      values[key] = before
      return
    }
    // What was not to be undone came between where the two do not go together.
    if !values.values[index].add(before) { values.values[index] = before }
  }

  mutating func note(
    _ key: KeyNumber, from before: Value?, to after: Value?, isByKey: Bool
  ) {
    guard kind == .updated else { return }
    let index = values.index(forKey: key)
    // What came first is known already.
    if let index, case .value = values.values[index] { return }
    let change = ValueBefore(from: before, to: after, isByKey: isByKey)
    guard let index else {
      values[key] = change
      return
    }
    if !values.values[index].add(change) { _ = values.values[index].add(.value(before)) }
  }

  mutating func noteAll(_ row: Row) {
    guard kind == .updated else { return }
    kind = .inserted
    left = [:]
    let changed = values
    values = [:]
    for entry in row.entries { values[entry.key] = .value(entry.value) }
    for (key, before) in changed {
      let value = before.restored(from: row[key])
      values[key] = value.map { .value($0) }
    }
  }
}
