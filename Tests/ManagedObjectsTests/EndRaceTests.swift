import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Contexts and batches on many threads that lead the same objects elsewhere and delete them.
@Suite struct EndRaceTests {
  @Test
  func `S44: whatever threads relate and delete at once, both ends of all that is left agree`()
    async throws
  {
    let stage = try Stage()
    let store = stage.store
    let context = ManagedObjectContext(store)
    for _ in 0..<4 {
      for entity in ["Blog", "Post", "Comment", "Person"] { context.insert(entity) }
    }
    try await context.save()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask { try Self.work(on: store, Dice(seed: UInt64(worker))) }
      }
      try await group.waitForAll()
    }
    #expect(try stage.brokenEnds() == [])
    #expect(try store.verify(deep: true) == [])
  }

  private static func work(on store: JournaledStore, _ dice: Dice) throws {
    var dice = dice
    let context = ManagedObjectContext(store)
    let policies: [MergePolicy] = [
      .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]
    for round in 0..<60 {
      func any(_ entity: String) throws -> ManagedObject {
        let objects = try context.fetch(FetchRequest(entity))
        return objects.isEmpty ? context.insert(entity) : objects[dice.pick(objects.count)]
      }
      func relate(_ entity: String, _ key: String, _ destination: String) throws {
        try any(entity).setValue(.reference(try any(destination).objectID), forKey: key)
      }
      context.mergePolicy = policies[dice.pick(policies.count)]
      do {
        try relate("Post", "blog", "Blog")
        try relate("Comment", "post", "Post")
        try relate("Blog", "editor", "Person")
        try any("Post").setValue(
          .set([.reference(try any("Person").objectID)]), forKey: "readers")
        if round % 3 == 0 { context.delete(try any(["Post", "Blog", "Person"][dice.pick(3)])) }
        if round % 20 == 7 { try store.batchDelete(FetchRequest("Post", limit: 1)) }
        try context.save(retrying: 100)
      } catch is ValidationErrors {
        context.rollback()
      }
      if round % 7 == 0 { context.refreshAllObjects() }
    }
  }
}
