import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What objects hold of relationships to many.
@Suite struct HeldMemberTests {
  /// A post to which a hook gives comments when it is read.
  private final class GivenPost: ManagedObject {
    override class var entityName: String { "Post" }
    nonisolated(unsafe) static var given: Value?
    override func awakeFromFetch() { setValue(Self.given, forKey: "comments") }
  }

  @Test func `S18, S43: members that are answered from the inverse are held by nobody`() async {
    await #expect(processExitsWith: .failure) {
      let context = try Stage().context()
      let (blog, post) = (context.insert("Blog"), context.insert("Post"))
      blog.setPrimitiveValue(.set([post.reference]), forKey: "posts")
    }
  }

  @Test func `S18, S43: nothing is held that a relationship cannot lead to`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Stage().context()
      let comment = context.insert("Comment")
      comment.setPrimitiveValue(context.insert("Blog").reference, forKey: "post")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("Comment.post cannot lead to") && words.contains("objects of Post"))
  }

  @Test func `S18, S43: an object that is a member twice is told of as that`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let context = try Stage().context()
      let comment = context.insert("Comment")
      context.insert("Post").setValue(
        .array([comment.reference, comment.reference]), forKey: "comments")
    }
    let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(words.contains("each of them once"))
  }

  @Test func `S18, S43: ordered members keep their order, however they are set`() throws {
    let stage = try Stage()
    let context = stage.context()
    let post = context.insert("Post")
    let comments = [context.insert("Comment"), context.insert("Comment")].map(\.reference)
    post.setPrimitiveValue(.set(Set(comments)), forKey: "comments")
    #expect(post.value(forKey: "comments") == .array(comments))
    try context.save()
    let found = try stage.context().existingObject(with: post.objectID)
    #expect(found.value(forKey: "comments")?.array?.count == 2)
  }

  @Test func `S12, S43: members that a hook has given are stored in order with those that come`()
    throws
  {
    let model = try ManagedObjectModel(
      entities: Stage.model().descriptions, classes: [GivenPost.self])
    let stage = try Stage(model)
    let context = stage.context()
    let (post, one, two) = (
      context.insert("Post"), context.insert("Comment"), context.insert("Comment")
    )
    try context.save()
    GivenPost.given = .array([one.reference])
    defer { GivenPost.given = nil }
    let other = stage.context()
    let found = try other.existingObject(with: post.objectID)
    try other.existingObject(with: two.objectID).setValue(found.reference, forKey: "post")
    #expect(found.value(forKey: "comments") == .array([one.reference, two.reference]))
    try other.save()
    let held = try stage.store.row(of: post.objectID, at: stage.store.lastCommit)
    let key = try #require(stage.store.existingKey(named: "comments"))
    #expect(held?[key]?.array != nil)
  }
}
