import ManagedObjects
import ObjectModel

// What is compared.
extension SessionPair {
  /// Everything that a context says of itself and of the objects it has.
  func compare(_ side: Side) {
    let (context, naive) = (side.context, side.naive)
    func check<Answer: Equatable>(
      _ what: @autoclosure () -> String, _ is: Answer, _ expected: Answer
    ) {
      if `is` != expected { differs("\(side.number): \(what()) is \(`is`) and not \(expected)") }
    }
    let told = side.naive.takeNotifications()
    check("what is told", side.heard.take(), told)
    note(told)
    check("hasChanges", context.hasChanges, naive.hasChanges)
    check("canUndo", context.canUndo, naive.history.canUndo)
    check("canRedo", context.canRedo, naive.history.canRedo)
    for object in naive.objects.values where object.isThere {
      if object.isShowingGiven { note("given") }
      if object.isCovering { note("covered") }
    }
    for id in naive.objects.keys.sorted() where difference == nil {
      let object = hold(side, id)
      let expected = naive.read(id)
      // An object that is gone says so once it was read.
      if !expected.isThere { _ = object[keys(id)[0]] }
      for key in keys(id) where expected.isThere {
        check("\(object).\(key)", object[key], naive.value(id, key))
      }
      check("\(object).isDeleted", object.isDeleted, !expected.isThere)
      check("\(object).isInserted", object.isInserted, expected.isInserted)
      check("\(object).isUpdated", object.isUpdated, expected.isUpdated)
      check("\(object).hasChanges", object.hasChanges, expected.isDirty)
      if expected.isThere {
        let changed = object.changedValues().map { ($0, world.key($0, of: id).held($1)) }
        let values = Dictionary(changed) { $1 }
        check("\(object).changedValues", values, naive.changedValues(id))
      }
    }
  }

  /// What a new context sees in the store.
  func compareStore() {
    let side = Side(9, stage, world)
    let rows = world.commits[world.head]
    for entity in NaiveKey.model.keys.sorted() {
      let expected = rows.keys.filter { world.entity($0) == entity }.sorted()
      let found = stage.objectIDs(entity).sorted()
      if found != expected { differs("the store has \(entity) \(found) and not \(expected)") }
    }
    for id in rows.keys { _ = side.naive.read(id) }
    compare(side)
  }

  private func keys(_ id: ObjectID) -> [String] {
    let keys = NaiveKey.model[world.entity(id)].map { $0.keys.sorted() } ?? []
    return world.entity(id) == "Post" ? keys + ["mood", "color"] : keys
  }

}
