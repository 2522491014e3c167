import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ContextChangesTests {
  @Test func `S41: changes tells any task what the values were and are, and ends with the context`()
    async throws
  {
    let stage = try Stage()
    let (reader, id) = try changed(stage)
    let changes = await reader.value
    #expect(changes.map(\.number) == Array(1...changes.count))
    #expect(
      changes.map { $0.objects.map(\.kind) } == [[.inserted], [.updated], [.updated], [.deleted]])
    #expect(
      changes.allSatisfy { $0.objects.allSatisfy { $0.objectID == id && $0.entityName == "Post" } })
    let values = changes.map { $0.objects[0].values }
    #expect(values[0]["title"]?.old == nil && values[0]["title"]?.new == "a")
    #expect(values[1].keys.sorted() == ["mood", "title"])
    #expect(values[1]["title"]?.old == "a" && values[1]["title"]?.new == "c")
    #expect(values[1]["mood"]?.old == nil && values[1]["mood"]?.new == "sunny")
    #expect(values[2]["title"]?.old == "c" && values[2]["title"]?.new == "a")
    #expect(values[3]["title"]?.old == "a" && values[3]["title"]?.new == nil)
  }

  private func changed(_ stage: Stage) throws -> (Task<[ContextChange], Never>, ObjectID) {
    let context = stage.context()
    let changes = context.changes
    let reader = Task {
      var seen: [ContextChange] = []
      for await change in changes { seen.append(change) }
      return seen
    }
    let post = context.insert("Post")
    post.setValue("a", forKey: "title")
    context.processPendingChanges()
    post.setValue("b", forKey: "title")
    post.setValue("c", forKey: "title")
    post["mood"] = "sunny"
    context.processPendingChanges()
    context.undo()
    context.delete(post)
    context.processPendingChanges()
    return (reader, post.objectID)
  }

  @Test func `S41: a refresh and a merge are told with what was here and what is in the store`()
    async throws
  {
    let stage = try Stage()
    let first = stage.context()
    let post = first.insert("Post")
    try await first.save()
    let reader = try merged(stage, post)
    let objects = await reader.value.flatMap(\.objects)
    #expect(objects.map(\.kind) == [.refreshed, .inserted, .deleted])
    #expect(
      objects[0].values["title"]?.old == "Untitled" && objects[0].values["title"]?.new == "theirs")
    #expect(objects[1].values["title"]?.new == "new")
    #expect(objects[2].values["title"]?.old == "theirs" && objects[2].values["title"]?.new == nil)
  }

  private func merged(
    _ stage: Stage, _ post: ManagedObject
  ) throws -> Task<[ContextChange], Never> {
    let context = stage.context()
    _ = try context.existingObject(with: post.objectID).value(forKey: "title")
    let mine = try context.existingObject(with: post.objectID)
    let changes = context.changes
    let reader = Task {
      var seen: [ContextChange] = []
      for await change in changes { seen.append(change) }
      return seen
    }
    let first = try #require(post.context)
    post.setValue("theirs", forKey: "title")
    context.merge(from: try #require(try first.save()))
    first.insert("Post").setValue("new", forKey: "title")
    context.merge(from: try #require(try first.save()))
    first.delete(post)
    context.merge(from: try #require(try first.save()))
    #expect(mine.isDeleted)
    return reader
  }

  @Test func `S41: a reader that is slow misses the oldest, and finds so by their numbers`()
    async throws
  {
    let stage = try Stage()
    let changes = try many(stage, 300)
    var numbers: [Int] = []
    for await change in changes { numbers.append(change.number) }
    #expect(numbers == Array(45...300))
  }

  private func many(_ stage: Stage, _ count: Int) throws -> AsyncStream<ContextChange> {
    let context = stage.context()
    let post = context.insert("Post")
    context.processPendingChanges()
    let changes = context.changes
    for each in 0..<count {
      post.setValue(.integer(each), forKey: "score")
      context.processPendingChanges()
    }
    return changes
  }
}
