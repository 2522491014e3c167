import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct ComputedKeyTests {
  private func post() throws -> (ManagedObjectContext, ManagedObject) {
    let context = try Stage(Headlines.model()).context()
    let post = context.insert("Post")
    post.setValue("Hello", forKey: "title")
    try context.save()
    return (context, post)
  }

  @Test func `S36: a computed key is read by value, and set where it can be`() throws {
    let (context, post) = try post()
    defer { withExtendedLifetime(context) {} }
    #expect(post.value(forKey: "headline") == "Hello (anonymous)")
    post.setValue("by ann", forKey: "byline")
    #expect(post.value(forKey: "author") == "ann" && post["headline"] == "Hello (ann)")
  }

  @Test func `S37: declared dependencies are followed across relationships to one and to many`()
    throws
  {
    let (context, post) = try post()
    let (blog, comment) = (context.insert("Blog"), context.insert("Comment"))
    let told = Told()
    let token = post.observe("summary", [.old, .new]) { told.changes.append($0) }
    post.setValue(.reference(blog.objectID), forKey: "blog")
    blog.setValue("Here", forKey: "name")
    #expect(told.changes.count == 2)
    comment.setValue("nobody hears", forKey: "text")
    #expect(told.changes.count == 2)
    post.setValue(.array([.reference(comment.objectID)]), forKey: "comments")
    comment.setValue("well", forKey: "text")
    #expect(told.lines.suffix(2) == ["summary  nobody hears", "summary nobody hears well"])
    post.setValue(.array([]), forKey: "comments")
    told.changes = []
    comment.setValue("nobody hears", forKey: "text")
    #expect(told.changes.isEmpty)
    withExtendedLifetime(token) {}
  }

  @Test func `S37: dependencies that nobody has declared are found by watching what is read`()
    throws
  {
    let (context, post) = try post()
    let (one, two) = (context.insert("Blog"), context.insert("Blog"))
    let told = Told()
    let token = post.observe("place", [.old, .new]) { told.changes.append($0) }
    post.setValue(.reference(one.objectID), forKey: "blog")
    one.setValue("Here", forKey: "name")
    post.setValue(.reference(two.objectID), forKey: "blog")
    one.setValue("nobody hears", forKey: "name")
    two.setValue("There", forKey: "name")
    #expect(
      told.lines == [
        "place nowhere nameless", "place nameless Here", "place Here nameless",
        "place nameless There",
      ])
    withExtendedLifetime(token) {}
  }

  @Test func `S37: a dynamic attribute that nobody had set is found by watching as well`() throws {
    let (context, post) = try post()
    defer { withExtendedLifetime(context) {} }
    let told = Told()
    let token = post.observe("temper", [.old, .new]) { told.changes.append($0) }
    post["mood"] = "cross"
    post["weather"] = "rain"
    post["mood"] = nil
    #expect(told.lines == ["temper calm! cross!", "temper cross! calm!"])
    withExtendedLifetime(token) {}
  }

  @Test
  func `S38: observers of a computed key hear of it on set, undo, redo and rollback, once each`()
    throws
  {
    let (context, post) = try post()
    let told = Told()
    let token = post.observe("headline", [.old, .new]) { told.changes.append($0) }
    post.setValue("Bye", forKey: "title")
    post.setValue("ann", forKey: "author")
    post.setValue(3, forKey: "score")
    context.processPendingChanges()
    context.undo()
    context.redo()
    context.rollback()
    #expect(
      told.lines == [
        "headline Hello (anonymous) Bye (anonymous)", "headline Bye (anonymous) Bye (ann)",
        "headline Bye (ann) Hello (anonymous)", "headline Hello (anonymous) Bye (ann)",
        "headline Bye (ann) Hello (anonymous)",
      ])
    withExtendedLifetime(token) {}
  }

  @Test func `S38: observers of a computed key hear of a refresh and of a merge, once each`() throws
  {
    let stage = try Stage(Headlines.model())
    let (context, other) = (stage.context(), stage.context())
    let post = context.insert("Post")
    let blog = context.insert("Blog")
    post.setValue(.reference(blog.objectID), forKey: "blog")
    try context.save()
    let told = Told()
    let tokens = ["headline", "place"].map {
      post.observe($0, [.old, .new]) { told.changes.append($0) }
    }
    let elsewhere = try other.existingObject(with: post.objectID)
    let blogElsewhere = try other.existingObject(with: blog.objectID)
    elsewhere.setValue("Bye", forKey: "title")
    elsewhere.setValue("ann", forKey: "author")
    try other.save()
    context.refresh(post, mergeChanges: true)
    #expect(
      told.lines.sorted() == ["headline Untitled (anonymous) Bye (ann)", "place nameless nameless"])
    told.changes = []
    elsewhere.setValue("Again", forKey: "title")
    blogElsewhere.setValue("Here", forKey: "name")
    let commit = try #require(try other.save())
    context.merge(from: commit)
    #expect(told.lines.sorted() == ["headline Bye (ann) Again (ann)", "place nameless Here"])
    withExtendedLifetime(tokens) {}
  }
}
