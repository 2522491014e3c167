import ManagedObjects
import ObjectModel
import ObjectStore

extension Stage {
  /// What is wrong with the relationships of the store, looked at object by object: what leads to what is not there,
  /// and what is not led back to. Relationships whose deletion follows no rule are left out.
  func brokenEnds() throws(StoreError) -> [String] {
    let head = store.head
    guard let era = head.era else { return [] }
    var rows: [ObjectID: Row] = [:]
    for entity in era.entities {
      try head.forEach(entity.number) { (object, row) throws(StoreError) in
        rows[object] = row
        return true
      }
    }
    var broken: [String] = []
    for (object, row) in rows.sorted(by: { $0.key < $1.key }) {
      for relationship in era.entity(of: object)?.relationships ?? [] {
        guard let key = store.existingKey(named: relationship.name) else { continue }
        for other in row[key].destinations {
          let sentence = "\(object).\(relationship.name) leads to \(other)"
          guard let back = rows[other] else {
            broken.append("\(sentence), which is not there")
            continue
          }
          guard let name = relationship.inverse, let inverse = store.existingKey(named: name),
            let description = era.entity(of: other)?.relationship(name),
            !era.model.isAnsweredFromInverse(description)
          else { continue }
          if !back[inverse].destinations.contains(object) {
            broken.append("\(sentence), whose \(name) does not lead back")
          }
        }
      }
    }
    return broken
  }

  /// What a new context finds that an object leads to.
  func destinations(_ object: ManagedObject, _ key: String) throws -> [ObjectID] {
    let context = context()
    return try context.existingObject(with: object.objectID).value(forKey: key).destinations
  }
}
