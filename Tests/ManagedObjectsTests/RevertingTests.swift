import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct RevertingTests {
  @Test func `S52: reverting where nothing is left to take back gives the next step no name`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    context.insert("Blog")
    try context.save()
    try context.revert(.commit(1), isForced: true)
    #expect(context.undoActionName == "Revert commit 1")
    try context.revert(.commit(1), isForced: true)
    context.insert("Post")
    context.processPendingChanges()
    #expect(context.undoActionName == nil && context.undoSteps.count == 3)
  }

  @Test func `S52: reverting a commit takes back just what it did, in a commit of its own`() throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    post.setValue("Second", forKey: "title")
    post.setValue(.counter(3), forKey: "likes")
    post.setValue(.set(["a", "b"]), forKey: "tags")
    post["mood"] = "sunny"
    context.delete(other)
    let new = context.insert("Post")
    try context.save()
    // What comes later to other keys, and to the same counters and sets, stays.
    post.setValue("ann", forKey: "author")
    post.setValue(.counter(10), forKey: "likes")
    post.setValue(.set(["a", "c"]), forKey: "tags")
    try context.save()
    let ids = [post, other, new].map(\.objectID)
    let before = Picture(ids, in: context)

    let reverting = stage.context()
    try reverting.revert(.commit(2))
    #expect(reverting.undoActionName == "Revert commit 2")
    var picture = Picture(ids, in: reverting)
    #expect(picture[ids[0], "title"] == "Untitled" && picture[ids[0], "mood"] == nil)
    #expect(picture[ids[0], "author"] == "ann" && picture[ids[0], "likes"] == .counter(7))
    #expect(picture[ids[0], "tags"] == .set(["c"]))
    #expect(picture[ids[1], "title"] == "Untitled" && !picture.has(ids[2]))
    reverting.undo()
    #expect(Picture(ids, in: reverting) == before && !reverting.canUndo)
    reverting.redo()
    let commit = try #require(try reverting.save())
    #expect(commit.number == 4 && commit.changes.count == 3)
    picture = Picture(ids, in: stage.context())
    #expect(picture == Picture(ids, in: reverting) && picture != before)
    // The past is as it was, and the reverting can be reverted.
    #expect(Picture(ids, in: try stage.store.asOf(.commit(3))) == before)
    try context.revert(.commit(4))
    try context.save()
    #expect(Picture(ids, in: stage.context()) == before)
    #expect(Picture(ids, in: context) == before)
  }

  @Test
  func `S52: where later commits changed the same keys nothing is reverted, and the keys are told`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    try context.save()
    post.setValue("Second", forKey: "title")
    post.setValue("ann", forKey: "author")
    try context.save()
    post.setValue("Third", forKey: "title")
    try context.save()
    let error = try #require(throws: ContextError.self) { try context.revert(.commit(2)) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.objectID) == [post.objectID] && keys.map(\.key) == ["title"])
    #expect(!context.hasChanges && post.value(forKey: "author") == "ann")
    try context.revert(.commit(2), isForced: true)
    #expect(post.value(forKey: "title") == "Untitled" && post.value(forKey: "author") == nil)
    context.undo()
    #expect(post.value(forKey: "title") == "Third")
    // What is not saved counts as later, too.
    post.setValue("bob", forKey: "author")
    post.setValue("Second", forKey: "title")
    let unsaved = try #require(throws: ContextError.self) { try context.revert(.commit(2)) }
    guard case .laterChanges(let unsavedKeys) = unsaved else { throw unsaved }
    #expect(unsavedKeys.map(\.key) == ["author"])
  }

  @Test func `S52: reverting an insert is refused where others lead to the object now`() throws {
    let stage = try Stage()
    let context = stage.context()
    let blog = context.insert("Blog")
    try context.save()
    let post = context.insert("Post")
    post.setValue(blog.reference, forKey: "blog")
    try context.save()
    let error = try #require(throws: ContextError.self) { try context.revert(.commit(1)) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.objectID) == [post.objectID] && keys.map(\.key) == ["blog"])
    try context.revert(.commit(1), isForced: true)
    #expect(blog.isDeleted && post.value(forKey: "blog") == nil)
  }

  @Test(arguments: [false, true])
  func
    `S52: what others have done to an object is taken back also where something of it is unsaved`(
      isForced: Bool
    ) throws
  {
    let stage = try Stage()
    let (context, rival) = (stage.context(), stage.context())
    let (post, blog) = (context.insert("Post"), context.insert("Blog"))
    post.setValue("First", forKey: "title")
    try context.save()
    let same = try rival.existingObject(with: post.objectID)
    same.setValue("Oops", forKey: "title")
    same.setValue(.counter(4), forKey: "likes")
    same.setValue(.reference(blog.objectID), forKey: "blog")
    post["note"] = "typing"
    let mistake = try #require(try rival.save())
    try context.revert(.commit(mistake.number), isForced: isForced)
    #expect(post.value(forKey: "title") == "First" && post.value(forKey: "likes") == .counter(0))
    #expect(post.value(forKey: "blog") == nil && post["note"] == "typing")
    try context.save()
    let reader = stage.context()
    defer { withExtendedLifetime(reader) {} }
    let saved = try reader.existingObject(with: post.objectID)
    #expect(saved.value(forKey: "title") == "First" && saved.value(forKey: "likes") == .counter(0))
    #expect(saved.value(forKey: "blog") == nil && saved["note"] == "typing")
  }

  @Test func `S52: what is unsaved and others have changed too is no reverting's to decide`() throws
  {
    let stage = try Stage()
    let (context, rival) = (stage.context(), stage.context())
    let post = context.insert("Post")
    try context.save()
    let same = try rival.existingObject(with: post.objectID)
    same.setValue("Oops", forKey: "title")
    same.setValue(1, forKey: "score")
    post.setValue(2, forKey: "score")
    let mistake = try #require(try rival.save())
    let error = #expect(throws: ContextError.self) { try context.revert(.commit(mistake.number)) }
    let keys =
      if case .laterChanges(let keys)? = error { keys } else { [] as [ContextError.ChangedKey] }
    #expect(keys.map(\.key) == ["score"] && keys.map(\.objectID) == [post.objectID])
    #expect(try context.conflicts.map(\.objectID) == [post.objectID])
    #expect(post.value(forKey: "score") == 2 && post.value(forKey: "title") == "Untitled")
    try context.revert(.commit(mistake.number), isForced: true)
    #expect(post.value(forKey: "score") == nil && post.value(forKey: "title") == "Untitled")
    try context.save()
    let reader = stage.context()
    defer { withExtendedLifetime(reader) {} }
    let saved = try reader.existingObject(with: post.objectID)
    #expect(saved.value(forKey: "score") == nil && saved.value(forKey: "title") == "Untitled")
  }

  @Test(arguments: ["edited", "deleted"])
  func `S52: everything is as it was at a moment, also where others have saved meanwhile`(
    _ own: String
  ) throws {
    let stage = try Stage()
    let (context, rival) = (stage.context(), stage.context())
    let post = context.insert("Post")
    try context.save()
    let same = try rival.existingObject(with: post.objectID)
    for title in ["Oops", "Later"] {
      same.setValue(.string(title), forKey: "title")
      if title == "Oops" { post["note"] = "typing" }
      try rival.save()
    }
    if own == "deleted" { context.delete(post) }
    try context.revert(to: .commit(2))
    #expect(post.value(forKey: "title") == "Oops" && post["note"] == nil && !post.isDeleted)
    try context.save()
    let reader = stage.context()
    defer { withExtendedLifetime(reader) {} }
    let saved = try reader.existingObject(with: post.objectID)
    #expect(saved.value(forKey: "title") == "Oops" && saved["note"] == nil)
  }

  @Test func `S52: reverting brings relationships back on both sides`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post, person) = (
      context.insert("Blog"), context.insert("Post"), context.insert("Person")
    )
    let comments = (0..<3).map { _ in context.insert("Comment") }
    post.setValue(blog.reference, forKey: "blog")
    post.setValue(.array(comments.map(\.reference)), forKey: "comments")
    post.setValue(.set([person.reference]), forKey: "readers")
    blog.setValue(person.reference, forKey: "editor")
    try context.save()
    let ids = ([blog, post, person] + comments).map(\.objectID)
    let before = Picture(ids, in: context)
    context.delete(post)
    blog.setValue(nil, forKey: "editor")
    try context.save()
    let reverting = stage.context()
    try reverting.revert(.commit(2))
    #expect(Picture(ids, in: reverting) == before)
    let commit = try #require(try reverting.save())
    #expect(Picture(ids, in: stage.context()) == before)
    context.merge(from: commit)
    #expect(Picture(ids, in: context) == before)
  }

  @Test func `S52: reverting to a moment brings everything back as it was, also what is not saved`()
    throws
  {
    let stage = try Stage()
    let (context, ids) = try RecoveringTests.work(in: stage)
    let before = Picture(ids, in: try stage.store.asOf(.commit(2)))
    try context.revert(to: .commit(2))
    #expect(context.undoActionName == "Revert to commit 2")
    #expect(Picture(ids, in: context)[ids[0], "title"] == before[ids[0], "title"])
    try context.save()
    let after = Picture(ids, in: stage.context())
    #expect(after == before)
    #expect(try stage.store.commits(since: 0).count == 4)
    try stage.store.tag("back")
    try context.revert(to: .commit(0))
    try context.save()
    #expect(Picture(ids, in: stage.context()) == Picture([], in: context))
    try context.revert(to: .tag("back"))
    try context.save()
    #expect(Picture(ids, in: stage.context()) == before)
    #expect(throws: StoreError.self) { try context.revert(to: .commit(99)) }
  }

  @Test func `S52: what was reverted and not saved is a draft, which undoes it`() throws {
    let stage = try Stage()
    let context = stage.context()
    let (post, other) = (context.insert("Post"), context.insert("Post"))
    try context.save()
    post.setValue("Second", forKey: "title")
    context.delete(other)
    try context.save()
    let ids = [post.objectID, other.objectID]
    let reverting = stage.context()
    try reverting.revert(.commit(2))
    let again = try stage.killed()
    let recovered = try RecoveringTests.recovered(again)
    #expect(Picture(ids, in: recovered) == Picture(ids, in: reverting))
    recovered.undo()
    #expect(Picture(ids, in: recovered) == Picture(ids, in: context))
    recovered.redo()
    try recovered.save()
    #expect(Picture(ids, in: again.context()) == Picture(ids, in: reverting))
  }

  // MARK: Delete rules

  private static func owners() throws -> Stage {
    try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "Owner", attributes: [AttributeDescription("name", .string)],
          relationships: [
            RelationshipDescription("part", to: "Part", deleteRule: .cascade),
            RelationshipDescription("parts", to: "Part", isToMany: true, deleteRule: .cascade),
            RelationshipDescription("keeps", to: "Part", isToMany: true, deleteRule: .deny),
            RelationshipDescription(
              "rows", to: "Line", inverse: "owner", isToMany: true, isOrdered: true,
              deleteRule: .cascade),
          ]),
        EntityDescription("Part", attributes: [AttributeDescription("name", .string)]),
        EntityDescription(
          "Line", attributes: [AttributeDescription("name", .string)],
          relationships: [RelationshipDescription("owner", to: "Owner", inverse: "rows")]),
      ]))
  }

  private enum Way: CaseIterable {
    case commit, moment, object, step
  }

  @Test(arguments: Way.allCases)
  private func
    `S52, S51: taking back that an object came to be takes nothing along that was there before`(
      way: Way
    ) throws
  {
    let stage = try Self.owners()
    let context = stage.context()
    let parts = (0..<3).map { _ in context.insert("Part") }
    let line = context.insert("Line")
    try context.save()
    let owner = context.insert("Owner")
    owner.setValue(parts[0].reference, forKey: "part")
    owner.setValue(.set([parts[0].reference, parts[1].reference]), forKey: "parts")
    if way != .object { owner.setValue(.array([line.reference]), forKey: "rows") }
    try context.save()
    let before = Picture((parts + [line, owner]).map(\.objectID), in: context)
    switch way {
    case .commit: try context.revert(.commit(2))
    case .moment: try context.revert(to: .commit(1))
    case .object: try context.undo(owner)
    case .step: try context.undo(step: context.undoSteps.count - 1)
    }
    context.processPendingChanges()
    #expect(owner.isDeleted && parts.allSatisfy { !$0.isDeleted } && !line.isDeleted)
    context.undo()
    #expect(Picture((parts + [line, owner]).map(\.objectID), in: context) == before)
    context.redo()
    try context.save()
    let found = stage.context()
    for object in parts + [line] { _ = try found.existingObject(with: object.objectID) }
    #expect(throws: ContextError.objectMissing(owner.objectID)) {
      try found.existingObject(with: owner.objectID)
    }
  }

  @Test func `S52: what keeps an object from being deleted does not keep it from not having been`()
    throws
  {
    let stage = try Self.owners()
    let context = stage.context()
    let part = context.insert("Part")
    try context.save()
    let owner = context.insert("Owner")
    owner.setValue(.set([part.reference]), forKey: "keeps")
    try context.save()
    try context.revert(.commit(2))
    try context.save()
    #expect(owner.isDeleted && !part.isDeleted)
  }

  @Test func `S51: undoing an object names the ordered members that would go along with it`() throws
  {
    let stage = try Self.owners()
    let context = stage.context()
    let line = context.insert("Line")
    try context.save()
    let owner = context.insert("Owner")
    owner.setValue(.array([line.reference]), forKey: "rows")
    try context.save()
    let error = try #require(throws: ContextError.self) { try context.undo(owner) }
    guard case .laterChanges(let keys) = error else { throw error }
    #expect(keys.map(\.objectID) == [line.objectID] && keys.map(\.key) == ["owner"])
    #expect(!owner.isDeleted && !context.hasChanges)
  }
}
