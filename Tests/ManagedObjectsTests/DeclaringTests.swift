import Foundation
import ManagedObjects
import ObjectModel
import Testing
import XJournal

@Suite struct DeclaringTests {
  private func stage() throws -> Stage {
    try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
  }

  @Test func `the tour's classes describe their entities`() throws {
    let model = try ManagedObjectModel(Blog.self, Post.self, Comment.self)
    let described = try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("title", .string)],
        relationships: [
          RelationshipDescription(
            "posts", to: "Post", inverse: "blog", isToMany: true, deleteRule: .cascade)
        ]),
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription(
            "title", .string, isOptional: false, defaultValue: "Untitled", isIndexed: true),
          AttributeDescription("author", .string),
          AttributeDescription("postDate", .date),
          AttributeDescription("guid", .uuid, isIdentifier: true),
          AttributeDescription("scratch", .string, isTransient: true),
          AttributeDescription("cover", .transformed(by: "ColorTransformer")),
          AttributeDescription("bounds", .transformed(by: "Rectangle")),
          AttributeDescription("likes", .counter, isOptional: false, defaultValue: .counter(0)),
          AttributeDescription("tags", .set, isOptional: false, defaultValue: .set([])),
        ],
        relationships: [
          RelationshipDescription("blog", to: "Blog", inverse: "posts"),
          RelationshipDescription(
            "comments", to: "Comment", inverse: "post", isToMany: true, deleteRule: .cascade),
        ]),
      EntityDescription(
        "Comment", attributes: [AttributeDescription("text", .string)],
        relationships: [RelationshipDescription("post", to: "Post", inverse: "comments")]),
    ])
    #expect(model.descriptions == described.descriptions)
  }

  @Test func `what properties are set to is there after the process was killed`() throws {
    let stage = try stage()
    let context = stage.context()
    defer { withExtendedLifetime(context) {} }
    let blog = context.insert(Blog.self)
    let post = context.insert(Post.self)
    #expect(post.title == "Untitled" && post.author == nil && post.likes == 0 && post.tags.isEmpty)
    let (date, guid) = (Date(timeIntervalSince1970: 1_000), UUID())
    post.title = "Hello"
    post.author = "ann"
    post.postDate = date
    post.guid = guid
    post.cover = Color(red: 1, green: 2, blue: 3)
    post.bounds = CGRect(x: 1, y: 2, width: 3, height: 4)
    post.likes += 3
    post.tags.insert("a")
    post.tags.formUnion(["b", "c"])
    post.tags.remove("b")
    post.blog = blog
    let comment = context.insert(Comment.self)
    post.comments = [comment]
    #expect(blog.posts == [post] && comment.post == post)
    #expect(post.value(forKey: "headline") == "Hello (ann)")
    try context.save()
    let again = try Stage(killing: stage, ManagedObjectModel(Blog.self, Post.self, Comment.self))
    let other = again.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: post.objectID, as: Post.self)
    #expect(found.title == "Hello" && found.author == "ann")
    #expect(found.postDate == date && found.guid == guid)
    #expect(found.cover == Color(red: 1, green: 2, blue: 3))
    #expect(found.bounds == CGRect(x: 1, y: 2, width: 3, height: 4))
    #expect(found.likes == 3 && found.tags == ["a", "c"])
    #expect(found.blog?.posts == [found] && found.comments.first?.post === found)
  }

  @Test func `S17: keys and properties are two ways to one value`() throws {
    let context = try stage().context()
    defer { withExtendedLifetime(context) {} }
    let post = context.insert(Post.self)
    post["title"] = "by key"
    #expect(post.title == "by key")
    post.setValue(4, forKey: "likes")
    #expect(post.likes == 4 && post["likes"] == .counter(4))
    post.title = "by property"
    #expect(post.value(forKey: "title") == "by property")
    post.cover = Color(red: 7)
    #expect(post.value(forKey: "cover") == "7 0 0")
    post.setValue("8 0 0", forKey: "cover")
    #expect(post.cover == Color(red: 8))
  }

  @Test func `S22: any property list goes under any key of an object with a class`() throws {
    let stage = try stage()
    let context = stage.context()
    defer { withExtendedLifetime(context) {} }
    let post = context.insert(Post.self)
    post["mood"] = "sunny"
    post["stats"] = ["words": 120, "drafts": [1, 2, 3], "isDone": true, "part": 0.5]
    try context.save()
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: post.objectID, as: Post.self)
    #expect(found["mood"] == "sunny")
    #expect(found["stats"] == ["words": 120, "drafts": [1, 2, 3], "isDone": true, "part": 0.5])
    #expect(found["unheard of"] == nil)
  }

  @Test func `S22: what is no property list is refused at the set`() async {
    await #expect(processExitsWith: .failure) {
      let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
      let context = stage.context()
      let post = context.insert(Post.self)
      post["token"] = .uuid(UUID())
    }
  }

  @Test func `S2: a transient property is undone and redone, makes dirty, and is never saved`()
    throws
  {
    let stage = try stage()
    let context = stage.context()
    defer { withExtendedLifetime(context) {} }
    let post = context.insert(Post.self)
    try context.save()
    post.scratch = "note"
    #expect(post.hasChanges && !post.hasPersistentChangedValues)
    #expect(post.changedValues() == ["scratch": "note"])
    context.processPendingChanges()
    context.undo()
    #expect(post.scratch == nil && !post.hasChanges)
    context.redo()
    #expect(post.scratch == "note" && post.hasChanges)
    #expect(try context.save() == nil)
    #expect(post.scratch == "note" && !post.hasChanges)
    #expect(try stage.context().existingObject(with: post.objectID, as: Post.self).scratch == nil)
  }

  @Test func `S43: setting one side of a typed relationship sets the other`() throws {
    let context = try stage().context()
    defer { withExtendedLifetime(context) {} }
    let (one, other) = (context.insert(Blog.self), context.insert(Blog.self))
    let post = context.insert(Post.self)
    one.posts.insert(post)
    #expect(post.blog == one)
    post.blog = other
    #expect(one.posts.isEmpty && other.posts == [post])
    other.posts = []
    #expect(post.blog == nil)
  }

  @Test func `a property outside of an object ends the program`() async {
    await #expect(processExitsWith: .failure) {
      struct Stray { @Attribute("name") var name: String? }
      _ = Stray().name
    }
  }

  @Test func `an object of another context ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
      let (one, other) = (stage.context(), stage.context())
      one.insert(Post.self).blog = other.insert(Blog.self)
    }
  }
}
