import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What batches cost.
@Suite struct BatchCostTests {
  @Test(arguments: ["Comment", "Person"])
  func `S43: a batch changes the members of one object at a cost that grows with their number`(
    entity: String
  ) throws {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try Stage()
      let post = try stage.store.batchInsert("Post", [[:]]).objectIDs[0]
      let values: [String: Value] =
        entity == "Comment"
        ? ["post": .reference(post)] : ["reads": .set([.reference(post)])]
      let key = entity == "Comment" ? "comments" : "readers"
      let begin = threadTime()
      let members = try stage.store.batchInsert(entity, (0..<count).map { _ in values }).objectIDs
      var time = threadTime() - begin
      let context = stage.context()
      let found = try context.existingObject(with: post)
      #expect(found.value(forKey: key).destinations == members)
      let again = threadTime()
      try stage.store.batchDelete(FetchRequest(entity))
      time += threadTime() - again
      context.refreshAllObjects()
      #expect(found.value(forKey: key).destinations == [])
      return time
    }
    let growth = try growth(from: 250, to: 2_000, of: time)
    // 8 times, where each does not go over all; then it is 64 times.
    #expect(growth < 27)
  }
}
