import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// What could not be read once is read when it is asked for again.
@Suite struct ReadAgainTests {
  private static let reads: Set<DiskError.Call> = [.read, .map, .openFile]

  /// A store after a blog with three posts was saved, whose state is kept in files.
  private static func image() throws -> (SimulatedDisk, posts: [ObjectID], blog: ObjectID) {
    let stage = try Stage(seed: 3)
    let context = stage.context()
    let (blog, posts) = (context.insert("Blog"), (0..<3).map { _ in context.insert("Post") })
    for post in posts { post.setValue(blog.reference, forKey: "blog") }
    try context.save()
    try stage.store.checkpoint()
    return (stage.disk.imageAfterProcessDeath(), posts.map(\.objectID), blog.objectID)
  }

  /// A store that keeps nothing of what it has read, and a context of it.
  private static func opened(
    _ image: SimulatedDisk
  ) throws -> (disk: SimulatedDisk, store: JournaledStore, context: ManagedObjectContext) {
    let disk = image.imageAfterProcessDeath()
    var options = StoreOptions.light
    options.cacheByteCount = 0
    let store = try JournaledStore(
      on: disk, at: "store", model: try Stage.model(), options: options)
    return (disk, store, ManagedObjectContext(store))
  }

  /// Runs work while the reading of call *n* fails, and all after it, for every *n*; then a closure when all can be read
  /// again and a save has told what could not.
  private static func forEachFailure(
    after prepare: (JournaledStore, ManagedObjectContext) throws -> Void = { _, _ in },
    of work: (ManagedObjectContext) throws -> Void,
    then look: (ManagedObjectContext, Int) throws -> Void
  ) throws {
    let (image, _, _) = try image()
    var failureCount = 0
    for number in 1...30 {
      let (disk, store, context) = try Self.opened(image)
      try prepare(store, context)
      disk.faults = [
        SimulatedFault(.failure(.inputOutput), calls: reads, number: number, isLasting: true)
      ]
      try work(context)
      disk.faults = []
      do { try context.save() } catch { failureCount += 1 }
      try look(context, number)
    }
    #expect(failureCount > 0)
  }

  @Test(arguments: [false, true])
  func `S25, S61: members that could not be read are looked for again`(isInChild: Bool) throws {
    let (_, posts, blog) = try Self.image()
    var (child, asked): (ManagedObjectContext?, ManagedObject?)
    try Self.forEachFailure { context in
      child = isInChild ? ManagedObjectContext(parent: context) : nil
      asked = (child ?? context).object(with: blog)
      _ = asked?.value(forKey: "posts")
    } then: { _, number in
      let asked = try #require(asked)
      // A child tells what its parent could not read, too.
      do { try child?.save() } catch { #expect(error is StoreError) }
      #expect(asked.value(forKey: "posts") == .set(Set(posts.map { .reference($0) })), "\(number)")
    }
  }

  @Test func `S15, S61: a deletion is whole, or has not been made`() throws {
    let (_, ids, blog) = try Self.image()
    var (objects, opened): ([ManagedObject], JournaledStore?) = ([], nil)
    try Self.forEachFailure { store, context in
      opened = store
      objects = try ([blog] + ids).map { try context.existingObject(with: $0) }
      objects[1].setValue(4, forKey: "score")
      context.processPendingChanges()
    } of: { context in
      context.delete(objects[0])
      context.processPendingChanges()
    } then: { context, number in
      try context.save()
      let other = ManagedObjectContext(try #require(opened))
      let isThere = try other.fetch(FetchRequest("Blog")).isEmpty == false
      #expect(isThere == !objects[0].isDeleted, "\(number)")
      for post in try other.fetch(FetchRequest("Post")) {
        #expect((post.value(forKey: "blog") == nil) == !isThere, "\(number)")
      }
      // What came before it can be undone still.
      context.undo()
      if isThere { #expect(objects[1].value(forKey: "score") == nil, "\(number)") }
    }
  }

  @Test func `S57, S61: what others have saved and cannot be read keeps no save back`() throws {
    let (image, ids, _) = try Self.image()
    for number in 1...12 {
      let (disk, store, context) = try Self.opened(image)
      context.automaticallyMergesChanges = true
      let posts = try ids.map { try context.existingObject(with: $0) }
      let other = ManagedObjectContext(store)
      try other.existingObject(with: ids[1]).setValue("theirs", forKey: "title")
      try other.save()
      try store.checkpoint()
      context.insert("Person").setValue("mine", forKey: "name")
      disk.faults = [
        SimulatedFault(
          .failure(.inputOutput), calls: Self.reads, number: number, isLasting: true)
      ]
      do { try context.save() } catch { #expect(error is StoreError) }
      try context.save()
      #expect(store.lastCommit == 3, "\(number)")
      withExtendedLifetime(posts) {}
    }
  }

  @Test func `S57, S61: what a parent has and cannot be read keeps no save of a child back`()
    throws
  {
    let (image, ids, _) = try Self.image()
    var refusedCount = 0
    for number in 1...12 {
      let (disk, store, context) = try Self.opened(image)
      context.automaticallyMergesChanges = true
      let child = ManagedObjectContext(parent: context)
      child.automaticallyMergesChanges = true
      let read = try child.existingObject(with: ids[0])
      let other = ManagedObjectContext(store)
      try other.existingObject(with: ids[1]).setValue("theirs", forKey: "title")
      try other.save()
      try store.checkpoint()
      context.processPendingChanges()
      child.insert("Person").setValue("mine", forKey: "name")
      disk.faults = [
        SimulatedFault(
          .failure(.inputOutput), calls: Self.reads, number: number, isLasting: true)
      ]
      do {
        try child.save()
      } catch {
        #expect(error is StoreError)
        refusedCount += 1
        try child.save()
      }
      disk.faults = []
      try context.save()
      // What could not be read comes when it can.
      child.processPendingChanges()
      #expect(try child.existingObject(with: ids[1]).value(forKey: "title") == "theirs")
      withExtendedLifetime(read) {}
    }
    #expect(refusedCount > 0)
  }

  @Test func `S57, S61: of a commit that can be read in part only that part is brought in`() throws
  {
    var options = StoreOptions.light
    options.run.blockRowCount = 1
    let stage = try Stage(seed: 3, options: options)
    let first = stage.context()
    let ids = try {
      let posts = (0..<4).map { _ in first.insert("Post") }
      try first.save()
      return posts.map(\.objectID)
    }()
    try stage.store.checkpoint()
    var partCount = 0
    for number in 1...20 {
      let disk = stage.disk.imageAfterProcessDeath()
      let store = try JournaledStore(
        on: disk, at: "store", model: try Stage.model(), options: options)
      let context = ManagedObjectContext(store)
      context.automaticallyMergesChanges = true
      let posts = try ids.map { try context.existingObject(with: $0) }
      for post in posts { _ = post.value(forKey: "title") }
      let other = ManagedObjectContext(store)
      for id in ids { try other.existingObject(with: id).setValue("theirs", forKey: "title") }
      try other.save()
      try store.checkpoint()
      disk.faults = [
        SimulatedFault(.failure(.inputOutput), calls: Self.reads, number: number, isLasting: true)
      ]
      for _ in 1...2 { context.processPendingChanges() }
      disk.faults = []
      let titles = Set(posts.map { $0.value(forKey: "title")?.string })
      #expect(titles.isSubset(of: ["theirs", "Untitled"]), "\(number)")
      if titles.count > 1 { partCount += 1 }
      do { try context.save() } catch { #expect(error is StoreError) }
      context.refreshAllObjects()
      for post in posts { #expect(post.value(forKey: "title") == "theirs", "\(number)") }
    }
    #expect(partCount > 0)
  }

  @Test func `S57, S61: what others have saved is brought in once it can be read`() throws {
    let (_, ids, _) = try Self.image()
    var posts: [ManagedObject] = []
    try Self.forEachFailure { store, context in
      context.automaticallyMergesChanges = true
      posts = try ids.map { try context.existingObject(with: $0) }
      for post in posts { _ = post.value(forKey: "title") }
      let other = ManagedObjectContext(store)
      try other.existingObject(with: ids[1]).setValue("theirs", forKey: "title")
      try other.save()
      other.close()
      try store.checkpoint()
    } of: { context in
      context.processPendingChanges()
    } then: { context, number in
      context.processPendingChanges()
      #expect(posts[1].value(forKey: "title") == "theirs", "\(number)")
    }
  }
}
