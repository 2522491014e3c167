internal import ObjectModel

extension JournaledStore {
  /// Refuses a newer model that gives an attribute or a relationship a name under which objects have dynamic values that
  /// it does not take: they would have no place any more.
  ///
  /// Costs: nothing where no key of the store has such a name; else reading the values of that key.
  func refuseDynamicValues(thatHaveNoPlaceIn newer: ManagedObjectModel) throws(StoreError) {
    guard let era = head.era, let change = try? ModelChange(from: era.model, to: newer) else {
      return
    }
    var differences: [ModelDifference] = []
    for entity in change.entities {
      guard let name = entity.newer, let number = era.number(of: entity.older) else { continue }
      for property in entity.properties where !entity.olderKeys.contains(property.newer) {
        guard let object = try objectWithoutPlace(for: property, number) else { continue }
        differences.append(
          .dynamicValuesInTheWay(
            as: object.uri, ofEntity: entity.older, to: name, property: property.newer))
      }
    }
    if let error = ModelChangeError(differences) { throw .modelDoesNotFit(error) }
  }

  /// The first object of an entity whose dynamic value of a property's name the property does not take.
  private func objectWithoutPlace(
    for property: PropertyChange, _ entity: EntityNumber
  ) throws(StoreError) -> ObjectID? {
    guard let key = existingKey(named: property.newer) else { return nil }
    let older = property.older.flatMap { existingKey(named: $0) }
    var found: ObjectID?
    try head.forEachBatch(of: entity) { (batch) throws(StoreError) in
      let column = try batch.column(key)
      for place in 0..<batch.count where batch.hasRow(place) {
        guard let dynamic = try column.value(place), !dynamic.isNull else { continue }
        var former: Value?
        if let older { former = try batch.column(older).value(place) }
        if property.value(from: former, dynamic: dynamic) == dynamic { continue }
        found = batch.object(place)
        return false
      }
      return true
    }
    return found
  }
}
