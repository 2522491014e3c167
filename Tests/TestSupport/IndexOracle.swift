// What indexes must answer, found by looking at every row.

package import ObjectModel
package import ObjectStore

/// Asks a snapshot's indexes, and compares what they say with the rows.
package struct IndexOracle {
  private let snapshot: Snapshot
  private let number: (String) -> KeyNumber?
  private let thoroughness: Int

  /// - Parameters:
  ///   - number: the number of a key.
  ///   - thoroughness: how many ranges of each form are asked for.
  package init(
    _ snapshot: Snapshot, _ number: @escaping (String) -> KeyNumber?, thoroughness: Int = 1
  ) {
    self.snapshot = snapshot
    self.number = number
    self.thoroughness = thoroughness
  }

  /// A value that an object has, or an index says it has.
  private typealias Found = (object: ObjectID, value: Value)
  private typealias Rows = [EntityNumber: [(object: ObjectID, row: Row)]]

  /// What an index says that the rows do not, or the other way round; nil where they agree.
  ///
  /// - Parameter dice: chooses the ranges that are asked for.
  package func fault(_ dice: inout Dice) throws -> String? {
    guard let era = snapshot.era else { return nil }
    let model = era.model
    var rows: Rows = [:]
    for entity in era.entities {
      try snapshot.forEach(entity.number) { object, row in
        rows[entity.number, default: []].append((object, row))
        return true
      }
    }
    for entity in model.entities {
      for attribute in entity.attributes where attribute.isIndexed || attribute.isIdentifier {
        if let fault = try fault(entity, attribute.name, rows, &dice) { return fault }
      }
      for relationship in entity.relationships where !relationship.isToMany {
        guard let name = relationship.inverse,
          let inverse = model.entity(named: relationship.destination)?.relationship(name),
          model.isAnsweredFromInverse(inverse)
        else { continue }
        if let fault = try fault(entity, relationship.name, rows, &dice) { return fault }
        if let fault = try faultOfReferences(entity, relationship.name, rows) { return fault }
      }
    }
    return nil
  }

  private func fault(
    _ entity: ModelEntity, _ name: String, _ all: Rows, _ dice: inout Dice
  ) throws -> String? {
    let entities = ([entity.name] + entity.heirs).compactMap { snapshot.era?.number(of: $0) }
    guard let key = number(name) else { return "\(name) has no number" }
    guard entities.allSatisfy({ snapshot.hasIndex(of: key, $0) }) else {
      return "\(entity.name).\(name) has no index"
    }
    var rows: [Found] = []
    for (object, row) in entities.flatMap({ all[$0] ?? [] }) {
      if let value = row[key] { rows.append((object, value)) }
    }
    let values = Dictionary(rows.map { ($0.object, $0.value) }) { first, _ in first }
    for range in ranges(rows.map(\.value), &dice) {
      let expected = Set(rows.lazy.filter { range.holds($0.value) }.map(\.object))
      for descending in [false, true] {
        func place() -> String {
          "\(entity.name).\(name), \(range)\(descending ? ", descending" : "")"
        }
        let found = try objects(entities, key, range, descending)
        let meant = found.lazy.filter { $0.isCertain || expected.contains($0.object) }.map(\.object)
        if meant.count != Set(meant).count { return "\(place()): an object is found twice" }
        if Set(meant) != expected {
          return "\(place()): \(Set(meant).symmetricDifference(expected).sorted()) of \(rows)"
        }
        if let fault = orderFault(descending ? found.reversed() : found, values) {
          return "\(place()): \(fault)"
        }
      }
    }
    return nil
  }

  private func objects(
    _ entities: [EntityNumber], _ key: KeyNumber, _ range: IndexRange, _ descending: Bool
  ) throws -> [IndexedObject] {
    var found: [IndexedObject] = []
    try snapshot.forEachObject(of: entities, indexedBy: key, range, descending: descending) {
      found.append($0)
      return true
    }
    return found
  }

  /// All, one value, and what lies between two, with bounds and without.
  private func ranges(_ values: [Value], _ dice: inout Dice) -> [IndexRange] {
    guard !values.isEmpty else { return [.all] }
    var ranges = [IndexRange.all]
    for _ in 0..<thoroughness {
      let (one, other) = (values[dice.pick(values.count)], values[dice.pick(values.count)])
      ranges.append(.equal(to: one))
      let bounds = Value.precedes(other, one) ? (other, one) : (one, other)
      ranges.append(
        IndexRange(
          from: dice.pick(2) == 0 ? .including(bounds.0) : .excluding(bounds.0),
          to: dice.pick(2) == 0 ? .including(bounds.1) : .excluding(bounds.1)))
      ranges.append(IndexRange(from: .excluding(one)))
      ranges.append(IndexRange(to: .excluding(other)))
    }
    return ranges
  }

  /// Whether values that are told stand in order, and those of one value in that of the objects.
  private func orderFault(
    _ found: [IndexedObject], _ values: [ObjectID: Value]
  ) -> String? {
    for (one, next) in zip(found, found.dropFirst()) {
      for each in [one, next] where each.value != nil && each.value != values[each.object] {
        return "\(each.object) is said to have \(String(describing: each.value))"
      }
      guard let value = one.value, let nextValue = next.value else { continue }
      let isInOrder =
        value == nextValue ? one.object < next.object : Value.precedes(value, nextValue)
      if !isInOrder { return "\(nextValue) of \(next.object) comes after \(value)" }
    }
    return nil
  }

  /// What is referred to, as relationships to many are answered.
  private func faultOfReferences(
    _ entity: ModelEntity, _ name: String, _ all: Rows
  ) throws -> String? {
    guard let key = number(name), let number = snapshot.era?.number(of: entity.name) else {
      return nil
    }
    var expected: [ObjectID: Set<ObjectID>] = [:]
    for name in [entity.name] + entity.heirs {
      guard let number = snapshot.era?.number(of: name) else { continue }
      for (object, row) in all[number] ?? [] {
        if let target = row[key]?.reference { expected[target, default: []].insert(object) }
      }
    }
    for (target, objects) in expected {
      var found: [ObjectID] = []
      try snapshot.forEachObject(referringTo: target, by: key, of: number) {
        found.append($0)
        return true
      }
      let count = try snapshot.countOfObjects(referringTo: target, by: key, of: number)
      // The index is that of the entity that declares the relationship: others may be found as well.
      let meant = found.filter(objects.contains)
      if meant != objects.sorted() || count != found.count {
        return "\(name) to \(target): \(found), and not \(objects.sorted())"
      }
    }
    return nil
  }
}

extension IndexRange {
  fileprivate func holds(_ value: Value) -> Bool {
    for bound in [lower, upper].compactMap({ $0 }) where bound.value.kind != value.kind {
      return false
    }
    if let lower, Value.precedes(value, lower.value) || value == lower.value && !lower.isIncluded {
      return false
    }
    if let upper, Value.precedes(upper.value, value) || value == upper.value && !upper.isIncluded {
      return false
    }
    return true
  }
}
