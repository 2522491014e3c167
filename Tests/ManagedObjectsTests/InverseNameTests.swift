import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// An owner with several relationships to many, whose inverses are called alike.
@Suite struct InverseNameTests {
  private func stage() throws -> Stage {
    try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "Post", attributes: [AttributeDescription("title", .string)],
          relationships: [
            RelationshipDescription(
              "comments", to: "Comment", inverse: "post", isToMany: true, deleteRule: .cascade),
            RelationshipDescription("files", to: "File", inverse: "post", isToMany: true),
          ]),
        EntityDescription(
          "Comment",
          relationships: [RelationshipDescription("post", to: "Post", inverse: "comments")]),
        EntityDescription(
          "File", attributes: [AttributeDescription("name", .string)],
          relationships: [RelationshipDescription("post", to: "Post", inverse: "files")]),
      ]))
  }

  @Test func `S43: each relationship leads to the objects of its own destination`() throws {
    let stage = try stage()
    let context = stage.context()
    let (post, file) = (context.insert("Post"), context.insert("File"))
    file.setValue(.reference(post.objectID), forKey: "post")
    #expect(post.value(forKey: "comments") == .set([]))
    #expect(post.value(forKey: "files") == .set([.reference(file.objectID)]))
    post.setValue(.set([]), forKey: "comments")
    #expect(file.value(forKey: "post") == .reference(post.objectID))
    try context.save()
    let other = stage.context()
    let same = try other.existingObject(with: post.objectID)
    #expect(same.value(forKey: "comments") == .set([]))
    #expect(same.value(forKey: "files") == .set([.reference(file.objectID)]))
  }

  @Test func `S44: a cascade deletes the objects of its own relationship and no others`() throws {
    let stage = try stage()
    let context = stage.context()
    let (post, file, comment) = (
      context.insert("Post"), context.insert("File"), context.insert("Comment")
    )
    try context.save()
    file.setValue(.reference(post.objectID), forKey: "post")
    comment.setValue(.reference(post.objectID), forKey: "post")
    context.delete(post)
    context.processPendingChanges()
    #expect(comment.isDeleted && !file.isDeleted && file.value(forKey: "post") == nil)
  }

  @Test func `S44, S72: a batch cascades within its own relationship`() throws {
    let stage = try stage()
    let context = stage.context()
    let post = context.insert("Post")
    let other = context.insert("Post")
    other.setValue("other", forKey: "title")
    let file = context.insert("File")
    file.setValue(.reference(other.objectID), forKey: "post")
    try context.save()
    try stage.store.batchUpdate(
      FetchRequest("File", where: "name == nil"), setting: ["post": post.reference])
    try stage.store.batchDelete(FetchRequest("Post", where: "title == nil"))
    let left = try stage.context().existingObject(with: file.objectID)
    #expect(left.value(forKey: "post") == nil)
  }
}
