import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct NotificationTests {
  /// What a context has told, as words.
  private final class Heard {
    var lines: [String] = []
    var tokens: [ObservationToken] = []

    init(_ context: ManagedObjectContext) {
      tokens = [
        context.onChange { [unowned self] change in
          for (word, objects) in [
            ("inserted", change.inserted), ("updated", change.updated), ("deleted", change.deleted),
            ("refreshed", change.refreshed),
          ] where !objects.isEmpty {
            lines.append(
              "\(word) \(objects.map(\.objectID.description).sorted().joined(separator: " "))")
          }
        },
        context.onWillSave { [unowned self] in lines.append("will save") },
        context.onDidSave { [unowned self] commit in
          lines.append("did save \(commit.map { "\($0.number)" } ?? "nothing")")
        },
      ]
    }

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  @Test func `S42: a context tells which objects were inserted, updated, deleted and refreshed`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let heard = Heard(context)
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    post.setValue("a", forKey: "title")
    #expect(heard.take() == [])
    context.processPendingChanges()
    #expect(heard.take() == ["inserted \(post) \(other)".replacing("Post ", with: "")])
    context.processPendingChanges()
    #expect(heard.take() == [])
    post["mood"] = "sunny"
    context.delete(other)
    context.processPendingChanges()
    #expect(heard.take() == ["updated \(post.objectID)", "deleted \(other.objectID)"])
    context.undo()
    #expect(heard.take() == ["inserted \(other.objectID)", "updated \(post.objectID)"])
    try context.save()
    context.refresh(post, mergeChanges: true)
    context.processPendingChanges()
    #expect(heard.take() == ["will save", "did save 1", "refreshed \(post.objectID)"])
  }

  @Test func `S42: an object that came and went within one event is not told of, nor is a fetch`()
    throws
  {
    let stage = try Stage()
    let id = try saved(stage)
    let context = stage.context()
    let heard = Heard(context)
    context.delete(context.insert("Post"))
    context.processPendingChanges()
    let found = try context.existingObject(with: id)
    _ = found.value(forKey: "title")
    context.processPendingChanges()
    #expect(heard.take() == [])
  }

  @Test func `S42: an owner is told of as updated when something else leads to it`() throws {
    let stage = try Stage()
    let context = stage.context()
    let heard = Heard(context)
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    context.processPendingChanges()
    _ = heard.take()
    post.setValue(.reference(blog.objectID), forKey: "blog")
    context.processPendingChanges()
    #expect(
      heard.take() == [
        "updated \([blog.objectID, post.objectID].map(\.description).sorted().joined(separator: " "))"
      ])
  }

  @Test func `S42: to read an object is no change of its owner, unless that did not know of it`()
    throws
  {
    let stage = try Stage()
    let (first, context) = (stage.context(), stage.context())
    let (blog, post) = (first.insert("Blog"), first.insert("Post"))
    post.setValue(.reference(blog.objectID), forKey: "blog")
    try first.save()
    let heard = Heard(context)
    let owner = try context.existingObject(with: blog.objectID)
    #expect(owner.value(forKey: "posts") == .set([.reference(post.objectID)]))
    let known = try context.existingObject(with: post.objectID)
    context.processPendingChanges()
    #expect(heard.take() == [])
    let later = first.insert("Post")
    later.setValue(.reference(blog.objectID), forKey: "blog")
    try first.save()
    let unknown = try context.existingObject(with: later.objectID)
    context.processPendingChanges()
    #expect(heard.take() == ["updated \(blog.objectID)"])
    withExtendedLifetime([known, unknown]) {}
  }

  @Test(arguments: [false, true])
  func `S42: an owner is told of as updated when what others made leads to it, asked or not`(
    isChild: Bool
  ) throws {
    let stage = try Stage()
    let first = stage.context()
    let blog = first.insert("Blog")
    try first.save()
    let context = isChild ? ManagedObjectContext(parent: first) : stage.context()
    context.automaticallyMergesChanges = isChild
    let owner = try context.existingObject(with: blog.objectID)
    context.processPendingChanges()
    let heard = Heard(context)
    let new = first.insert("Post")
    new.setValue(blog.reference, forKey: "blog")
    try first.save()
    if !isChild {
      let commit = try #require(
        try stage.store.commits(since: stage.store.lastCommit.previous).last)
      context.merge(from: commit)
    }
    context.processPendingChanges()
    #expect(heard.take() == ["inserted \(new.objectID)", "updated \(owner.objectID)"])
  }

  @Test func `S42: rolling back tells of what had changes, and not of what can only be undone`()
    throws
  {
    let context = try Stage().context()
    let (one, two) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    one.setValue("a", forKey: "title")
    context.processPendingChanges()
    let heard = Heard(context)
    context.rollback()
    #expect(heard.take() == ["updated \(one.objectID)"] && !two.hasChanges)
  }

  @Test func `S42: what a save finds deleted elsewhere is told of as deleted`() throws {
    let stage = try Stage()
    let id = try saved(stage)
    let (context, other) = (stage.context(), stage.context())
    context.mergePolicy = .mergeByPropertyStoreTrump
    let post = try context.existingObject(with: id)
    post.setValue("ours", forKey: "title")
    other.delete(try other.existingObject(with: id))
    try other.save()
    context.processPendingChanges()
    let heard = Heard(context)
    try context.save()
    context.processPendingChanges()
    #expect(post.isDeleted)
    #expect(heard.take() == ["will save", "did save nothing", "deleted \(id)"])
  }

  @Test func `S42: a save that fails tells that it begins, and not that it was done`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    post.setValue("much too long a name", forKey: "author")
    context.processPendingChanges()
    let heard = Heard(context)
    #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(heard.take() == ["will save"])
    post.setValue("ann", forKey: "author")
    try context.save()
    #expect(heard.take() == ["will save", "updated \(post.objectID)", "did save 1"])
    try context.save()
    #expect(heard.take() == ["will save", "did save nothing"])
  }

  @Test
  func
    `S42: a listener that changes objects has this told with the next event, and none is called after its end`()
    throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    var events: [Int] = []
    var tokens: [ObservationToken] = []
    tokens.append(
      context.onChange { change in
        events.append(change.inserted.count)
        if events.count == 1 { post.setValue("b", forKey: "title") }
      })
    context.processPendingChanges()
    #expect(events == [1])
    context.processPendingChanges()
    #expect(events == [1, 0])
    tokens = []
    post.setValue("c", forKey: "title")
    context.processPendingChanges()
    #expect(events == [1, 0])
  }

  @Test func `S42: no listener is called after another has ended it in the same telling`() throws {
    let context = try Stage().context()
    var called: [String] = []
    var tokens: [String: ObservationToken] = [:]
    for name in ["first", "second", "third"] {
      func hear(_ what: String) {
        called.append("\(name) \(what)")
        if name == "first" { tokens["second \(what)"]?.cancel() }
      }
      tokens["\(name) change"] = context.onChange { _ in hear("change") }
      tokens["\(name) will"] = context.onWillSave { hear("will") }
      tokens["\(name) did"] = context.onDidSave { _ in hear("did") }
    }
    context.insert("Post")
    try context.save()
    #expect(
      called == [
        "first will", "third will", "first change", "third change", "first did", "third did",
      ])
  }

  @Test func `S42: notifications are a sequence for any task, which ends with the context`()
    async throws
  {
    let stage = try Stage()
    let id = try saved(stage)
    let (reader, number) = try told(stage, id)
    let heard = await reader.value
    var updated = ChangedNames(id)
    #expect(updated.names(heard) == ["will save", "updated", "did save"])
    #expect(number == 2)
  }

  private struct ChangedNames {
    let id: ObjectID
    init(_ id: ObjectID) { self.id = id }
    mutating func names(_ heard: [ContextNotification]) -> [String] {
      heard.map {
        switch $0 {
        case .willSave: "will save"
        case .didSave(let commit): commit == nil ? "did save nothing" : "did save"
        case .objectsDidChange(let changed): changed.updated == [id] ? "updated" : "other"
        }
      }
    }
  }

  /// A task that reads what a context tells, of which nothing is left when this returns.
  private func told(
    _ stage: Stage, _ id: ObjectID
  ) throws -> (Task<[ContextNotification], Never>, CommitNumber?) {
    let context = stage.context()
    let notifications = context.notifications
    let reader = Task {
      var heard: [ContextNotification] = []
      for await notification in notifications { heard.append(notification) }
      return heard
    }
    context.object(with: id).setValue("a", forKey: "title")
    return (reader, try context.save()?.number)
  }

  private func saved(_ stage: Stage) throws -> ObjectID {
    let context = stage.context()
    let id = context.insert("Post").objectID
    try context.save()
    return id
  }
}
