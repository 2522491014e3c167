package import ObjectModel

/// How what objects hold is read after the model has changed.
package protocol RowConverting {
  /// A row as the newer model has it; nil where the object's entity is no more.
  func convert(_ row: Row, of object: ObjectID) -> Row?
  /// The keys that have, in the newer model, what a key had in the older.
  func newerKeys(of key: KeyNumber, of object: ObjectID) -> [KeyNumber]
}

extension ContextFold {
  /// Goes on under a newer model. Everything stands on the commits it stood on, as the newer model reads them;
  /// what has no place in the newer model is forgotten, also in the steps that can be undone.
  ///
  /// - Parameter traits: what the newer model says of the keys of each entity.
  package mutating func convert(
    by conversion: some RowConverting, traits: [EntityNumber: KeyTraits]
  ) {
    self.traits = traits
    // Before the drafts: what is forgotten of these is noted there, by the newer keys.
    recorder.convert(by: conversion)
    for (object, draft) in objects {
      let defaults = traits[object.entity]?.defaults ?? Row()
      objects[object] = draft.converted(object, by: conversion, defaults: defaults)
      tidy(object)
    }
    undoSteps = undoSteps.compactMap { $0.converted(by: conversion) }
    redoSteps = redoSteps.compactMap { $0.converted(by: conversion) }
  }
}

extension ObjectDraft {
  /// The draft under a newer model; nil where the object's entity is no more.
  fileprivate func converted(
    _ object: ObjectID, by conversion: some RowConverting, defaults: Row
  ) -> ObjectDraft? {
    guard conversion.convert(Row(), of: object) != nil else { return nil }
    let newerBase = baseRow.flatMap { conversion.convert($0, of: object) }
    var converted = ObjectDraft(base: base, baseRow: newerBase, defaults: defaults)
    converted.isThere = isThere
    if let current = row.flatMap({ conversion.convert($0, of: object) }) {
      // What was set stays set, also to what it was; what the newer model alone makes different is a change.
      var keys = Set(delta.keys.flatMap { conversion.newerKeys(of: $0, of: object) })
      for entry in current.entries where newerBase?[entry.key] != entry.value {
        keys.insert(entry.key)
      }
      for entry in newerBase?.entries ?? [] where current[entry.key] == nil {
        keys.insert(entry.key)
      }
      for key in keys { converted.delta.updateValue(current[key], forKey: key) }
      converted.quietKeys = keys.intersection(
        quietKeys.flatMap { conversion.newerKeys(of: $0, of: object) })
    }
    // Where nothing else was changed than what has no place any more, nothing is left to save.
    converted.isDirty = isDirty && (isAsInBase || !converted.isAsInBase)
    return converted
  }
}

extension UndoStep {
  /// The step under a newer model; nil where nothing of it has a place there.
  fileprivate func converted(by conversion: some RowConverting) -> UndoStep? {
    let objects = objects.compactMap { $0.converted(by: conversion) }
    return objects.isEmpty ? nil : UndoStep(name: name, objects: objects)
  }
}

extension UndoStep.Object {
  fileprivate func converted(by conversion: some RowConverting) -> UndoStep.Object? {
    guard conversion.convert(Row(), of: object) != nil else { return nil }
    let before = Dictionary(firstOf: entries.map { ($0.key, $0.before) })
    let values = before.converted(object, kind, by: conversion)
    if kind == .updated, values.isEmpty { return nil }
    let left = conversion.convert(
      left: Dictionary(firstOf: entries.compactMap { entry in entry.left.map { (entry.key, $0) } }),
      of: object)
    return UndoStep.Object(
      object: object, kind: kind,
      entries: values.map { key, value in
        UndoStep.Entry(key: key, before: value, left: left[key])
      }
      .sorted { $0.key < $1.key })
  }

}

extension RowConverting {
  /// What a step has left of an object, as the newer model has it.
  func convert(left: [KeyNumber: Value?], of object: ObjectID) -> [KeyNumber: Value?] {
    var converted: [KeyNumber: Value?] = [:]
    for (key, value) in left {
      var row = Row()
      row[key] = value
      for newer in newerKeys(of: key, of: object) {
        converted.updateValue(convert(row, of: object)?[newer], forKey: newer)
      }
    }
    return converted
  }
}

extension [KeyNumber: ValueBefore] {
  /// What the values of an object were before a step, under a newer model.
  func converted(
    _ object: ObjectID, _ kind: Restoration.Kind, by conversion: some RowConverting
  ) -> [KeyNumber: ValueBefore] {
    var converted: [KeyNumber: ValueBefore] = [:]
    guard kind == .updated else {
      // All that the object had: its values tell each other what they become.
      var row = Row()
      for case (let key, .value(let value)) in self { row[key] = value }
      // What a step has inserted has nothing before it.
      if kind == .deleted { return converted }
      for entry in conversion.convert(row, of: object)?.entries ?? [] {
        converted[entry.key] = .value(entry.value)
      }
      return converted
    }
    for (key, before) in self {
      for newer in conversion.newerKeys(of: key, of: object) {
        converted[newer] = before.converted { value in
          var row = Row()
          row[key] = value
          return conversion.convert(row, of: object)?[newer]
        }
      }
    }
    return converted
  }
}

extension ValueBefore {
  /// The value before under a newer model; nil where a set has become ordered members, or the other way
  /// round, and so cannot be told from those there are.
  fileprivate func converted(by convert: (Value?) -> Value?) -> ValueBefore? {
    switch self {
    case .value(let value): return .value(convert(value))
    case .amount(_, let since):
      if case .counter? = convert(.counter(since ?? 0)) { return self }
      return .value(since.flatMap { convert(.counter($0)) })
    case .members(let members):
      guard case .set? = convert(.set([])) else { return nil }
      func kept(_ members: Set<Value>) -> Set<Value> { convert(.set(members))?.set ?? [] }
      var converted = Members(wereNothing: members.wereNothing)
      for member in kept(members.gained) { converted.gain(member) }
      for member in kept(members.lost) { converted.lose(member) }
      return .members(converted)
    case .appended(let members):
      return convert(.array(members))?.array.map { .appended($0) }
    case .order(let before, let after):
      guard case .array? = convert(.array([])) else { return nil }
      func kept(_ members: [Value]?) -> [Value]? { members.flatMap { convert(.array($0))?.array } }
      return .order(before: kept(before), after: kept(after))
    case .entries:
      return self
    }
  }
}
