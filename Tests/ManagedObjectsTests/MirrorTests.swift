import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// Whoever only listens to observers knows what the objects have, whatever is done to them.
@Suite struct MirrorTests {
  static let keys = [
    "title", "author", "score", "blog", "comments", "readers", "mood", "headline", "place",
  ]

  @Test func `S38: who only hears what observers are told knows every value, after any history`()
    throws
  {
    for seed in UInt64(1)...40 {
      let differences = try Self.differences(seed)
      #expect(differences == [], "seed \(seed)")
    }
  }

  /// What was not told, after which operation.
  private static func differences(_ seed: UInt64) throws -> [String] {
    let stage = try Stage(Headlines.model())
    let (context, other) = (stage.context(), stage.context())
    let blogs = (0..<2).map { _ in context.insert("Blog") }
    let posts = (0..<3).map { _ in context.insert("Post") }
    let comments = (0..<3).map { _ in context.insert("Comment") }
    let people = (0..<2).map { _ in context.insert("Person") }
    try context.save()
    var known: [ObjectID: [String: Value?]] = [:]
    var tokens: [ObservationToken] = []
    for (objects, keys) in [(posts, Self.keys), (blogs, ["name", "posts"]), (comments, ["post"])] {
      for object in objects {
        for key in keys {
          tokens.append(
            object.observe(key, [.new, .initial]) { change in
              known[object.objectID, default: [:]].updateValue(change.new, forKey: key)
            })
        }
      }
    }
    var random = Dice(seed: seed)
    var differences: [String] = []
    for step in 0..<60 {
      let name = try Self.change(
        Int.random(in: 0..<17, using: &random), context, other, blogs, posts, comments, people,
        &random)
      for object in posts + blogs + comments where !object.isDeleted {
        for (key, value) in known[object.objectID] ?? [:] where object[key] != value {
          differences.append("\(step) \(name): \(key) of \(object)")
        }
      }
      if !differences.isEmpty { break }
    }
    withExtendedLifetime(tokens) {}
    return differences
  }

  private static func change(
    _ kind: Int, _ context: ManagedObjectContext, _ other: ManagedObjectContext,
    _ blogs: [ManagedObject], _ posts: [ManagedObject], _ comments: [ManagedObject],
    _ people: [ManagedObject], _ random: inout Dice
  ) throws -> String {
    let post = posts[Int.random(in: 0..<posts.count, using: &random)]
    let blog = blogs[Int.random(in: 0..<blogs.count, using: &random)]
    let comment = comments[Int.random(in: 0..<comments.count, using: &random)]
    let person = people[Int.random(in: 0..<people.count, using: &random)]
    let text = Value.string("t\(Int.random(in: 0..<4, using: &random))")
    switch kind {
    case 0:
      post.setValue(text, forKey: Int.random(in: 0..<2, using: &random) == 0 ? "title" : "author")
    case 1: post["mood"] = Int.random(in: 0..<2, using: &random) == 0 ? text : nil
    case 2:
      post.setValue(
        Int.random(in: 0..<3, using: &random) == 0 ? nil : .reference(blog.objectID), forKey: "blog"
      )
    case 3: blog.setValue(text, forKey: "name")
    case 4: comment.setValue(.reference(post.objectID), forKey: "post")
    case 5: person.setValue(.set([.reference(post.objectID)]), forKey: "reads")
    case 6: blog.setValue(.set([.reference(post.objectID)]), forKey: "posts")
    case 7: context.processPendingChanges()
    case 8: context.undo()
    case 9: context.redo()
    case 10: if Int.random(in: 0..<3, using: &random) == 0 { context.rollback() }
    case 11:
      context.mergePolicy = .mergeByPropertyObjectTrump
      try context.save()
    case 12:
      let elsewhere = other.object(with: post.objectID)
      other.refreshAllObjects()
      elsewhere.setValue(text, forKey: "title")
      elsewhere.setValue(.reference(blog.objectID), forKey: "blog")
      other.mergePolicy = .mergeByPropertyObjectTrump
      let commit = try other.save()
      if let commit, Int.random(in: 0..<2, using: &random) == 0 { context.merge(from: commit) }
    case 13: if !comment.isDeleted { context.delete(comment) }
    case 14: if !blog.isDeleted, Int.random(in: 0..<3, using: &random) == 0 { context.delete(blog) }
    case 15: context.automaticallyMergesChanges.toggle()
    default: context.refresh(post, mergeChanges: Int.random(in: 0..<2, using: &random) == 0)
    }
    return "\(kind)"
  }
}
