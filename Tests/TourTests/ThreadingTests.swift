import Foundation
import Testing
import XJournal

/// Contexts on many threads over one store, and what keeps them there.
@Suite struct ThreadingTests {
  final class Tally: ManagedObject {
    @Attribute("name") var name: String?
    @Counter("count") var count: Int
    @ValueSet("members") var members: Set<Int>
  }

  private func store() throws -> (JournaledStore, URL) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "threads-\(UUID())")
    return (try JournaledStore(at: folder, model: try ManagedObjectModel(Tally.self)), folder)
  }

  @Test func `S65: contexts on many threads change one object, and nothing of it is lost`()
    async throws
  {
    let (store, folder) = try store()
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = ManagedObjectContext(store)
    let tally = first.insert(Tally.self)
    try await first.save()
    let id = tally.objectID
    let (workers, rounds) = (4, 20)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<workers {
        group.addTask {
          let context = ManagedObjectContext(store)
          let own = context.insert(Tally.self)
          let shared = try context.existingObject(with: id, as: Tally.self)
          for round in 0..<rounds {
            shared.count += 1
            shared.members.insert(worker * rounds + round)
            own.name = "worker \(worker), round \(round)"
            if round % 3 == 0 {
              context.undo()
              context.redo()
            }
            try await context.save(retrying: 100)
            _ = try context.fetch(Tally.self, where: "count > 0").map(\.count)
          }
        }
      }
      try await group.waitForAll()
    }
    first.refresh(tally, mergeChanges: true)
    #expect(tally.count == workers * rounds && tally.members.count == workers * rounds)
    let total = try first.count(FetchRequest("Tally"))
    #expect(total == 1 + workers && store.lastCommit.rawValue == UInt64(1 + workers * rounds))
  }
}
