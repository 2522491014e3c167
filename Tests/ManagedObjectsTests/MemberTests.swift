import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

private final class Folder: ManagedObject {
  @Relationship("pages", inverse: "folder") var pages: Set<Page>
  @Relationship("pinned") var pinned: [Page]
  var readPages: Set<Page> { pages }
}

private final class Page: ManagedObject {
  @Relationship("folder", inverse: "pages") var folder: Folder?
}

/// Members that are put into relationships to many and taken out one by one.
@Suite struct MemberTests {
  struct Many: CustomTestStringConvertible, Sendable {
    let owner: String
    let key: String
    let member: String
    let inverse: String

    var testDescription: String { "\(owner).\(key)" }

    static let all = [
      Many(owner: "Blog", key: "posts", member: "Post", inverse: "blog"),
      Many(owner: "Post", key: "readers", member: "Person", inverse: "reads"),
      Many(owner: "Person", key: "reads", member: "Post", inverse: "readers"),
      Many(owner: "Post", key: "comments", member: "Comment", inverse: "post"),
    ]
  }

  @Test(arguments: Many.all)
  func `S43: a member is put in and taken out, and leads back, also undone, saved and recovered`(
    many: Many
  ) throws {
    let stage = try Stage()
    let context = stage.context()
    func members(_ object: ManagedObject) -> [ObjectID] {
      object.value(forKey: many.key).destinations
    }
    func back(_ object: ManagedObject) -> [ObjectID] {
      object.value(forKey: many.inverse).destinations
    }
    let (owner, other) = (context.insert(many.owner), context.insert(many.owner))
    let (one, two) = (context.insert(many.member), context.insert(many.member))
    try context.save()
    owner.insert(one, into: many.key)
    owner.insert(two, into: many.key)
    owner.insert(one, into: many.key)
    #expect(Set(members(owner)) == [one.objectID, two.objectID])
    if many.key == "comments" { #expect(members(owner) == [one.objectID, two.objectID]) }
    #expect(back(one) == [owner.objectID] && back(two) == [owner.objectID])
    context.processPendingChanges()
    other.remove(one, from: many.key)
    context.processPendingChanges()
    #expect(context.undoSteps.count == 2, "what was not there is no change")
    owner.remove(one, from: many.key)
    #expect(members(owner) == [two.objectID] && back(one) == [])
    context.undo()
    #expect(Set(members(owner)) == [one.objectID, two.objectID])
    #expect(back(one) == [owner.objectID])
    context.redo()
    try context.save()
    owner.insert(one, into: many.key)
    owner.remove(two, from: many.key)
    let killed = try stage.killed()
    let draft = try #require(killed.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: killed.store)
    let found = try recovered.existingObject(with: owner.objectID)
    #expect(found.value(forKey: many.key).destinations == [one.objectID])
    try context.save()
    let fresh = stage.context()
    let read = try fresh.existingObject(with: owner.objectID)
    #expect(read.value(forKey: many.key).destinations == [one.objectID])
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S43: one that leads to another owner moves, and both owners are told once`() throws {
    let context = try Stage().context()
    let (owner, other) = (context.insert("Blog"), context.insert("Blog"))
    let post = context.insert("Post")
    try context.save()
    var told: [String] = []
    let tokens = [
      owner.observe("posts") { _ in told.append("owner") },
      other.observe("posts") { _ in told.append("other") },
      post.observe("blog") { _ in told.append("post") },
    ]
    owner.insert(post, into: "posts")
    #expect(told.sorted() == ["owner", "post"])
    told = []
    owner.insert(post, into: "posts")
    other.remove(post, from: "posts")
    #expect(told == [])
    other.insert(post, into: "posts")
    #expect(told.sorted() == ["other", "owner", "post"])
    #expect(owner.value(forKey: "posts") == .set([]))
    #expect(!owner.hasChanges && !other.hasChanges && post.hasChanges)
    withExtendedLifetime(tokens) {}
  }

  /// `context.delete(post); blog.removeFromPosts(post)` is what many programs write.
  @Test func `S40, S42, S43: taking out what is deleted already changes nothing and tells nobody`()
    throws
  {
    let stage = try Stage()
    let context = stage.context()
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    blog.insert(post, into: "posts")
    try context.save()
    context.delete(post)
    context.processPendingChanges()
    #expect(blog.value(forKey: "posts") == .set([]))
    var (told, updated) = (0, 0)
    let tokens = [
      blog.observe("posts") { _ in told += 1 }, context.onChange { updated += $0.updated.count },
    ]
    // As the setter does it, which tells nobody.
    blog.setValue(.set([]), forKey: "posts")
    context.processPendingChanges()
    #expect(told == 0 && updated == 0)
    blog.remove(post, from: "posts")
    context.processPendingChanges()
    #expect(told == 0)
    #expect(updated == 0)
    withExtendedLifetime(tokens) {}
  }

  @Test func `S43: deleted owners take nobody, and deleted members go nowhere`() throws {
    let context = try Stage().context()
    let (owner, post) = (context.insert("Blog"), context.insert("Post"))
    try context.save()
    context.delete(post)
    owner.insert(post, into: "posts")
    #expect(owner.value(forKey: "posts") == .set([]))
    context.undo()
    context.delete(owner)
    owner.insert(post, into: "posts")
    #expect(post.value(forKey: "blog") == nil)
  }

  @Test
  func `S12, S43: members that a hook gives are set as other values are, and nothing is changed`()
    throws
  {
    let stage = try Stage(Probe.model())
    let first = stage.context()
    let ids = ["Post", "Person", "Comment", "Comment", "Blog"].map { first.insert($0).objectID }
    try first.save()
    let context = stage.context()
    let others = try ids.dropFirst().map(context.existingObject(with:))
    let actions = Probe.Actions()
    actions.onCall["awakeFromFetch"] = { post in
      for comment in others[1...2] { post.insert(comment, into: "comments") }
      for _ in 0..<2 { post.insert(others[0], into: "readers") }
      post.remove(others[1], from: "comments")
      post.remove(others[1], from: "comments")
    }
    try Probe.$actions.withValue(actions) {
      let post = try context.existingObject(with: ids[0])
      #expect(post.value(forKey: "readers") == .set([others[0].reference]))
      #expect(post.value(forKey: "comments") == .array([others[2].reference]))
    }
    #expect(!context.hasChanges && others[0].value(forKey: "reads") == .set([]))
  }

  @Test func `S43: members are named by key paths of the class, of sets and of arrays`() throws {
    let context = try Stage(ManagedObjectModel(Folder.self, Page.self)).context()
    let (folder, page) = (context.insert(Folder.self), context.insert(Page.self))
    folder.insert(page, into: \.pages)
    folder.insert(page, into: \.pinned)
    #expect(folder.pages == [page] && page.folder === folder && folder.pinned == [page])
    folder.remove(page, from: \.pinned)
    folder.remove(page, from: \.pages)
    #expect(folder.pages.isEmpty && page.folder == nil && folder.pinned.isEmpty)
  }

  @Test(arguments: ["posts", "readers"])
  func `S43: putting a member in and taking it out costs the same with few and with many`(
    key: String
  ) throws {
    let many = try #require(Many.all.first { $0.key == key })
    let growth = try growth(from: 250, to: 4_000) { count in
      let stage = try Stage()
      let first = stage.context()
      let owner = first.insert(many.owner)
      for _ in 0..<count { owner.insert(first.insert(many.member), into: key) }
      let new = (0..<100).map { _ in first.insert(many.member).objectID }
      try first.save()
      let context = stage.context()
      let found = try context.existingObject(with: owner.objectID)
      let members = try new.map(context.existingObject(with:))
      // One that holds its members reads them with its first change.
      if key != "posts" { found.insert(members[0], into: key) }
      let time = threadTime {
        for member in members { found.insert(member, into: key) }
        for member in members.reversed() { found.remove(member, from: key) }
      }
      #expect(found.value(forKey: key).destinations.count == count)
      return time
    }
    #expect(growth < 3)
  }

  @Test
  func `S43: a key path whose setter is out of reach is refused, and told to be named by its key`()
    async
  {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Stage(ManagedObjectModel(Folder.self, Page.self)).context()
      context.insert(Folder.self).insert(context.insert(Page.self), into: \.readPages)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("name it by its key"), "\(said)")
  }

  @Test(arguments: ["title", "nothing", "blog", "stranger"])
  func `S43: what has no members, and who is none, is refused by name`(key: String) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      [key] in
      let stage = try Stage()
      let (context, other) = (stage.context(), stage.context())
      let post = context.insert("Post")
      if key == "stranger" {
        post.insert(other.insert("Person"), into: "readers")
      } else {
        post.insert(context.insert("Person"), into: key)
      }
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains(key == "stranger" ? "another context" : "Post"), "\(said)")
  }
}
