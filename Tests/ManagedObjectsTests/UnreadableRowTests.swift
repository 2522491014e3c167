import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Whatever cannot be read while a context works: who asked is told, or the next save is, and nothing of it is taken for
/// what the store has.
@Suite struct UnreadableRowTests {
  /// What a context does that must read.
  enum Work: CaseIterable {
    case value, members, refresh, refreshMerging, merge, undo, redo, revert, revertOne, delete
    case child, fetch, resume, undoOne, bringBack, following, followingChild
  }

  /// A context whose store has nothing in memory, and what it is to work with.
  private final class Worker {
    let stage: Stage
    let context: ManagedObjectContext
    var child: ManagedObjectContext?
    private let posts: [ObjectID]
    private let blog: ObjectID
    private var commit: Commit?

    init(_ image: SimulatedDisk, _ work: Work, posts: [ObjectID], blog: ObjectID) throws {
      stage = Stage(image, try Stage.model())
      (self.posts, self.blog) = (posts, blog)
      if work == .resume {
        let session = try #require(try stage.store.sessions.last { $0.contextName == "first" })
        context = try ManagedObjectContext(resuming: session, in: stage.store)
        return
      }
      context = stage.context()
      context.mergePolicy = .mergeByPropertyObjectTrump
      let other = stage.context()
      switch work {
      case .refresh, .refreshMerging, .merge, .following:
        context.automaticallyMergesChanges = work == .following
        try post(0).setValue("mine", forKey: "author")
        _ = try post(1).value(forKey: "title")
        context.processPendingChanges()
        let theirs = try other.existingObject(with: posts[0])
        theirs.setValue("theirs", forKey: "title")
        try other.existingObject(with: posts[1]).setValue(7, forKey: "score")
        commit = try other.save()
      case .undo, .redo, .undoOne:
        try post(0).setValue("typed", forKey: "title")
        context.delete(try post(2))
        context.processPendingChanges()
        try context.save()
        if work == .redo { context.undo() }
        context.refreshAllObjects()
      case .bringBack:
        context.delete(try post(0))
        try context.save()
      default: break
      }
      other.close()
    }

    func post(_ place: Int) throws -> ManagedObject {
      try context.existingObject(with: posts[place])
    }

    func act(_ work: Work) throws {
      switch work {
      case .value: context.object(with: posts[0]).setValue("new", forKey: "title")
      case .members:
        _ = context.object(with: blog).value(forKey: "posts")
        context.object(with: posts[1]).setValue(nil, forKey: "blog")
      case .refresh: context.refresh(context.object(with: posts[1]), mergeChanges: false)
      case .refreshMerging: context.refresh(context.object(with: posts[0]), mergeChanges: true)
      case .merge: if let commit { context.merge(from: commit) }
      case .undo, .resume: context.undo()
      case .redo: context.redo()
      case .undoOne: try context.undo(context.object(with: posts[0]))
      case .revert: try context.revert(to: .commit(1))
      case .revertOne: try context.revert(.commit(2))
      case .bringBack: try context.revert(to: .commit(2))
      case .delete: context.delete(context.object(with: blog))
      case .following: context.processPendingChanges()
      case .followingChild:
        let child = ManagedObjectContext(parent: context)
        self.child = child
        child.automaticallyMergesChanges = true
        child.object(with: posts[1]).setValue("of a child", forKey: "author")
        context.object(with: posts[0]).setValue("of the parent", forKey: "title")
        context.object(with: posts[1]).setValue("of the parent", forKey: "title")
        child.processPendingChanges()
        try child.save()
      case .fetch:
        for post in try context.fetch(FetchRequest("Post", where: "title CONTAINS 'o'")) {
          post.setValue(9, forKey: "score")
        }
      case .child:
        let child = ManagedObjectContext(parent: context)
        self.child = child
        child.object(with: posts[0]).setValue("of a child", forKey: "title")
        child.delete(child.object(with: posts[1]))
        try child.save()
      }
    }
  }

  /// A store after two commits, of a process that was killed, whose state is kept in files.
  private static func image() throws -> (SimulatedDisk, posts: [ObjectID], blog: ObjectID) {
    let stage = try Stage(seed: 3)
    let context = stage.context()
    context.name = "first"
    let (blog, posts) = (context.insert("Blog"), (0..<3).map { _ in context.insert("Post") })
    for (number, post) in posts.enumerated() {
      post.setValue(.string(String(repeating: "post \(number) ", count: 200)), forKey: "title")
      post.setValue(blog.reference, forKey: "blog")
      let comment = context.insert("Comment")
      comment.setValue(post.reference, forKey: "post")
    }
    try context.save()
    for post in posts { post.setValue(.string("saved \(post.objectID.number)"), forKey: "author") }
    try context.save()
    try stage.store.checkpoint()
    return (stage.disk.imageAfterProcessDeath(), posts.map(\.objectID), blog.objectID)
  }

  private static let reads: Set<DiskError.Call> = [.read, .map, .openFile]

  @Test(arguments: Work.allCases)
  func
    `S57, S61: what cannot be read is told, at once or by the next save, and nothing is made of it`(
      work: Work
    ) throws
  {
    let (image, posts, blog) = try Self.image()
    func worker() throws -> Worker {
      try Worker(image.imageAfterProcessDeath(), work, posts: posts, blog: blog)
    }
    let whole = try worker()
    whole.stage.disk.isTracing = true
    try whole.act(work)
    let count = whole.stage.disk.trace.count { line in
      Self.reads.contains { line.contains(" \($0.rawValue) ") }
    }
    try whole.context.save()
    let expected = Picture(posts + [blog], in: whole.stage.context(), isStored: true)
    for number in 1...max(1, count) {
      let each = try worker()
      each.stage.disk.faults = [
        SimulatedFault(
          .failure(.inputOutput), calls: Self.reads, number: number, isLasting: true)
      ]
      var told: (any Error)?
      do { try each.act(work) } catch { told = error }
      each.stage.disk.faults = []
      do { try each.context.save() } catch { told = told ?? error }
      if let told {
        #expect(told is StoreError, "\(work) \(number): \(told)")
        // Now that all can be read, the work can be done.
        each.child?.close()
        each.context.rollback()
        try each.context.save()
      } else if work != .refresh {
        let found = Picture(posts + [blog], in: each.stage.context(), isStored: true)
        #expect(expected.difference(found) == nil, "\(work) \(number)")
      }
      #expect(try each.stage.brokenEnds() == [], "\(work) \(number)")
      #expect(try each.stage.store.verify(deep: true) == [], "\(work) \(number)")
    }
  }
}
