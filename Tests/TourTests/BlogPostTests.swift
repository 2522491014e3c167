import Foundation
import Testing
import XJournal

/// A post whose title says its day and its author. What it depends on is declared, as what it reads is read so that
/// nobody notices.
final class DeclaredTitle: ManagedObject {
  @Attribute("author") var author: String?
  @Attribute("postDate") var postDate: Date?

  var title: String {
    BlogTitle.title(
      primitiveValue(forKey: "author")?.string, primitiveValue(forKey: "postDate")?.date)
  }

  override class var virtualAttributes: [VirtualAttribute] {
    [
      VirtualAttribute(
        "title", dependsOn: ["author", "postDate"], get: { (post: DeclaredTitle) in post.title })
    ]
  }
}

/// The same; what the title depends on is found by watching.
final class WatchedTitle: ManagedObject {
  @Attribute("author") var author: String?
  @Attribute("postDate") var postDate: Date?

  var title: String { BlogTitle.title(author, postDate) }

  override class var virtualAttributes: [VirtualAttribute] {
    [VirtualAttribute("title") { (post: WatchedTitle) in post.title }]
  }
}

enum BlogTitle {
  static func title(_ author: String?, _ date: Date?) -> String {
    let day = date.map { "day \(Int($0.timeIntervalSinceReferenceDate / 86_400))" } ?? "some day"
    return "\(day) (\(author ?? "nobody"))"
  }
}

@Suite struct BlogPostTests {
  private func withStore(_ body: (JournaledStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "posts-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try ManagedObjectModel(DeclaredTitle.self, WatchedTitle.self)
    try body(try JournaledStore(at: folder, model: model))
  }

  private func day(_ number: Int) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: Double(number) * 86_400))
  }

  /// What an observer of the title hears in the course of a session.
  private func heard(_ entity: String, _ store: JournaledStore) throws -> [String?] {
    let (context, other) = (ManagedObjectContext(store), ManagedObjectContext(store))
    let post = context.insert(entity)
    try context.save()
    var heard: [String?] = []
    let token = post.observe("title", [.old, .new]) { heard.append($0.new?.string) }
    post.setValue("ann", forKey: "author")
    context.processPendingChanges()
    post.setValue(day(1), forKey: "postDate")
    context.undo()
    context.redo()
    try context.save()
    let same = try other.existingObject(with: post.objectID)
    same.setValue("bob", forKey: "author")
    try other.save()
    context.refresh(post, mergeChanges: true)
    same.setValue(day(2), forKey: "postDate")
    if let commit = try other.save() { context.merge(from: commit) }
    post.setValue("eve", forKey: "author")
    context.rollback()
    #expect(post.value(forKey: "title") == "day 2 (bob)")
    token.cancel()
    post.setValue("nobody hears it", forKey: "author")
    return heard
  }

  @Test
  func `S37: observers of a post's title hear of each change once, whether declared or watched`()
    throws
  {
    try withStore { store in
      for entity in ["DeclaredTitle", "WatchedTitle"] {
        let heard = try heard(entity, store)
        #expect(
          heard == [
            "some day (ann)", "day 1 (ann)", "some day (ann)", "day 1 (ann)", "day 1 (bob)",
            "day 2 (bob)", "day 2 (eve)", "day 2 (bob)",
          ], "\(entity)")
      }
    }
  }

  @Test func `S39: posts are fetched and sorted by their titles, which nobody stores`() throws {
    try withStore { store in
      let context = ManagedObjectContext(store)
      for entity in ["DeclaredTitle", "WatchedTitle"] {
        for number in [2, 1, 3] {
          let post = context.insert(entity)
          post.setValue(day(number), forKey: "postDate")
          post.setValue(number == 3 ? "bob" : "ann", forKey: "author")
        }
        try context.save()
        let found = try context.fetch(
          FetchRequest(entity, where: "title CONTAINS 'ann'", sortedBy: ["-title"]))
        let titles = found.map { $0.value(forKey: "title")?.string }
        #expect(titles == ["day 2 (ann)", "day 1 (ann)"], "\(entity)")
      }
    }
  }
}
