import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Both ends of relationships stay in step in the store, whatever several contexts have seen when they save.
@Suite struct EndKeepingTests {
  private let stage: Stage
  private let (a, b): (ManagedObjectContext, ManagedObjectContext)

  init() throws {
    stage = try Stage()
    (a, b) = (stage.context(), stage.context())
  }

  private func reference(_ object: ManagedObject) -> Value { .reference(object.objectID) }

  /// Three posts, of which the first has the comment.
  private func comment() throws -> (posts: [ManagedObject], comment: ManagedObject) {
    let posts = (0..<3).map { _ in a.insert("Post") }
    let comment = a.insert("Comment")
    comment.setValue(reference(posts[0]), forKey: "post")
    try a.save()
    return (posts, comment)
  }

  private func expectWhole(_ location: SourceLocation = #_sourceLocation) throws {
    #expect(try stage.brokenEnds() == [], sourceLocation: location)
    #expect(try stage.store.verify(deep: true) == [], sourceLocation: location)
  }

  @Test func `S43: what a save moves leaves the owner that a rival had moved it to`() throws {
    let (posts, comment) = try comment()
    let same = try b.existingObject(with: comment.objectID)
    for post in posts { _ = try b.existingObject(with: post.objectID) }
    same.setValue(reference(posts[2]), forKey: "post")
    comment.setValue(reference(posts[1]), forKey: "post")
    try a.save()
    try b.save(retrying: 5)
    #expect(try stage.destinations(comment, "post") == [posts[2].objectID])
    #expect(try stage.destinations(posts[2], "comments") == [comment.objectID])
    #expect(try stage.destinations(posts[1], "comments") == [])
    try expectWhole()
  }

  @Test func `S43: what is moved after a refresh leaves an owner that was read before`() throws {
    let (posts, comment) = try comment()
    let same = try b.existingObject(with: comment.objectID)
    let owners = try posts.map { try b.existingObject(with: $0.objectID) }
    for owner in owners { _ = owner.value(forKey: "comments") }
    comment.setValue(reference(posts[1]), forKey: "post")
    try a.save()
    b.refresh(same, mergeChanges: true)
    same.setValue(reference(posts[2]), forKey: "post")
    var updated: Set<ObjectID> = []
    let token = b.onChange { updated.formUnion($0.updated.map(\.objectID)) }
    let commit = try #require(try b.save())
    b.processPendingChanges()
    token.cancel()
    try expectWhole()
    // The commit says so, and the context shows it and tells of it, though the owner was not saved here.
    #expect(commit.changes.map(\.objectID).contains(posts[1].objectID))
    #expect(updated.contains(posts[1].objectID))
    #expect(owners[1].value(forKey: "comments") == .array([]) && !owners[1].hasChanges)
  }

  @Test func `S43: of two to one, who is led to anew is led to by nobody else`() throws {
    let (blogs, ann) = ([a.insert("Blog"), a.insert("Blog")], a.insert("Person"))
    try a.save()
    let (other, same) = (
      try b.existingObject(with: blogs[1].objectID), try b.existingObject(with: ann.objectID)
    )
    _ = (other.value(forKey: "editor"), same.value(forKey: "edits"))
    blogs[0].setValue(reference(ann), forKey: "editor")
    try a.save()
    other.setValue(reference(ann), forKey: "editor")
    try b.save(retrying: 5)
    #expect(try stage.destinations(blogs[0], "editor") == [])
    #expect(try stage.destinations(ann, "edits") == [blogs[1].objectID])
    try expectWhole()
  }

  @Test func `S63: what a policy decides of one end the other end follows`() throws {
    for policy in [
      MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .rollback,
      .overwrite,
    ] {
      let (posts, comment) = try comment()
      let (ann, blogs) = (a.insert("Person"), [a.insert("Blog"), a.insert("Blog")])
      try a.save()
      b.reset()
      b.mergePolicy = policy
      let seen = try (posts + blogs + [ann, comment]).map {
        try b.existingObject(with: $0.objectID)
      }
      comment.setValue(reference(posts[1]), forKey: "post")
      blogs[0].setValue(reference(ann), forKey: "editor")
      posts[0].setValue("a", forKey: "title")
      try a.save()
      b.object(with: comment.objectID).setValue(reference(posts[2]), forKey: "post")
      b.object(with: blogs[1].objectID).setValue(reference(ann), forKey: "editor")
      b.object(with: posts[0].objectID).setValue("b", forKey: "title")
      b.object(with: posts[0].objectID).setValue(.set([reference(ann)]), forKey: "readers")
      try b.save()
      try expectWhole()
      withExtendedLifetime(seen) {}
    }
  }

  @Test func `S63: a save that is rolled back leaves no end behind`() throws {
    let (post, ann) = (a.insert("Post"), a.insert("Person"))
    try a.save()
    let (same, reader) = (
      try b.existingObject(with: post.objectID), try b.existingObject(with: ann.objectID)
    )
    same.setValue("b", forKey: "title")
    same.setValue(.set([reference(ann)]), forKey: "readers")
    post.setValue("a", forKey: "title")
    try a.save()
    b.mergePolicy = .rollback
    try b.save()
    #expect(try stage.destinations(post, "readers") == [])
    #expect(reader.value(forKey: "reads") == .set([]) && !reader.hasChanges)
    try expectWhole()
  }

  @Test func `S63: an object that a policy brings back leads to nothing that is gone or elsewhere`()
    throws
  {
    let (posts, comment) = try comment()
    let moved = a.insert("Comment")
    moved.setValue(reference(posts[0]), forKey: "post")
    let ann = a.insert("Person")
    ann.setValue(.set([reference(posts[0])]), forKey: "reads")
    try a.save()
    let same = try b.existingObject(with: posts[0].objectID)
    same.setValue("b", forKey: "title")
    moved.setValue(reference(posts[1]), forKey: "post")
    a.delete(posts[0])
    try a.save()
    #expect(comment.isDeleted)
    b.mergePolicy = .mergeByPropertyObjectTrump
    try b.save()
    #expect(try stage.destinations(posts[0], "comments") == [])
    #expect(try stage.destinations(moved, "post") == [posts[1].objectID])
    try expectWhole()
  }

  @Test func `S49: what is undone after a merge leaves the owner that the merge has brought`()
    throws
  {
    let (posts, comment) = try comment()
    comment.setValue(reference(posts[1]), forKey: "post")
    try a.save()
    let same = try b.existingObject(with: comment.objectID)
    same.setValue(reference(posts[2]), forKey: "post")
    a.merge(from: try #require(try b.save()))
    a.undo()
    try a.save()
    #expect(try stage.destinations(comment, "post") == [posts[0].objectID])
    #expect(try stage.destinations(posts[2], "comments") == [])
    try expectWhole()
  }

  @Test func `S18: where one end was set by itself, the commit sets the other`() throws {
    let (posts, comment) = try comment()
    posts[1].setPrimitiveValue(.array([reference(comment)]), forKey: "comments")
    posts[1].setValue("moved", forKey: "title")
    try a.save()
    #expect(try stage.destinations(comment, "post") == [posts[1].objectID])
    #expect(posts[0].value(forKey: "comments") == .array([]))
    #expect(comment.value(forKey: "post") == reference(posts[1]))
    try expectWhole()
  }

  @Test(arguments: [true, false])
  func `S62: what has to lead to one keeps it from being deleted, also where it is changed besides`(
    isChanged: Bool
  ) throws {
    let stage = try Stage(
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Folder",
          relationships: [
            RelationshipDescription("notes", to: "Note", inverse: "folder", isToMany: true)
          ]),
        EntityDescription(
          "Note", attributes: [AttributeDescription("title", .string)],
          relationships: [
            RelationshipDescription("folder", to: "Folder", inverse: "notes", isOptional: false)
          ]),
      ]))
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
      let (a, b) = (stage.context(), stage.context())
      let (folders, note) = ([a.insert("Folder"), a.insert("Folder")], a.insert("Note"))
      note.setValue(reference(folders[0]), forKey: "folder")
      try a.save()
      a.mergePolicy = policy
      a.delete(folders[1])
      if isChanged { note.setValue("mine", forKey: "title") }
      try b.existingObject(with: note.objectID).setValue(reference(folders[1]), forKey: "folder")
      try b.save()
      let errors = #expect(throws: ValidationErrors.self) { try a.save() }
      #expect(errors?.failures.map(\.kind) == [.missing])
      #expect(errors?.failures.map(\.objectID) == [note.objectID])
      #expect(try stage.destinations(note, "folder") == [folders[1].objectID])
      #expect(try stage.brokenEnds() == [])
    }
  }

  /// Which ends say in a commit that new objects and one of the store lead to each other.
  enum Saying: CaseIterable { case members, owner, both }

  @Test(arguments: ["comments", "readers"], Saying.allCases)
  func `S43: a commit asks and sets the ends of one object at a cost that grows with their number`(
    key: String, saying: Saying
  ) throws {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try Stage()
      let (store, context) = (stage.store, stage.context())
      let post = context.insert("Post")
      let member = context.insert(key == "comments" ? "Comment" : "Person")
      try context.save()
      let forth = try store.key(named: key)
      let back = try store.key(named: key == "comments" ? "post" : "reads")
      let leadsBack = key == "comments" ? reference(post) : .set([reference(post)])
      let members = try (0..<count).map { _ in
        try store.newObject(of: member.objectID.entity)
      }
      var objects = members.map {
        CommitRequest.Object(
          $0, base: .none, nil, to: saying == .owner ? Row() : Row([back: leadsBack]))
      }
      if saying != .members {
        let references = members.map { Value.reference($0) }
        let before = try #require(try store.head.row(of: post.objectID))
        var row = before
        row[forth] = key == "comments" ? .array(references) : .set(Set(references))
        objects.append(.init(post.objectID, base: store.lastCommit, before, to: row))
      }
      var request = CommitRequest(objects)
      request.keepsEnds = true
      let live = try store.beginContext(name: "import", on: store.lastCommit)
      let begin = threadTime()
      _ = try store.commit(request, by: live)
      let time = threadTime() - begin
      #expect(try store.head.row(of: post.objectID)?[forth].destinations == members)
      for member in members {
        #expect(try store.head.row(of: member)?[back] == leadsBack)
      }
      return time
    }
    let growth = try growth(from: 250, to: 2_000, of: time)
    // 8 times, where each does not go over all; then it is 64 times.
    #expect(growth < 27)
  }
}
