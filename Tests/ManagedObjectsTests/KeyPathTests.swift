import Foundation
import ManagedObjects
import ObjectModel
import Testing
import XJournal

/// Computed properties in predicates, sort descriptors and batches: they are asked of objects, and not taken for the key
/// that they read.
@Suite struct KeyPathTests {
  private let stage: Stage
  private let context: ManagedObjectContext

  init() throws {
    stage = try Stage(ManagedObjectModel(Shelf.self, Volume.self, Atlas.self))
    context = stage.context()
    let shelf = context.insert(Shelf.self)
    shelf.name = "North"
    for (number, title) in ["Alpha", "beta", "GAMMA"].enumerated() {
      let volume = context.insert(Volume.self)
      volume.title = title
      volume.author = number == 0 ? nil : "ann"
      volume.yearText = "\(2000 + number)"
      volume.rating = number * 60
      volume.isLent = number == 1
      volume.shelf = number == 2 ? nil : shelf
    }
    context.insert(Shelf.self).name = "South"
    try context.save()
  }

  private func titles(_ predicate: Predicate<Volume>) throws -> [String] {
    try context.fetch(Volume.self, where: predicate, sortedBy: ["title"]).map(\.title)
  }

  @Test func `S68: a property that only reads is not the key that it reads`() throws {
    #expect(try titles(#Predicate { $0.shout == "alpha" }) == ["Alpha"])
    #expect(try titles(#Predicate { $0.shout == "Alpha" }) == [])
    #expect(try titles(#Predicate { $0.writer == "nobody" }) == ["Alpha"])
    #expect(try titles(#Predicate { $0.writer == "ann" }) == ["GAMMA", "beta"])
    #expect(try titles(#Predicate { $0.shelfName == "North" }) == ["Alpha", "beta"])
    #expect(context.key(of: \Volume.shout) == nil && context.key(of: \Volume.writer) == nil)
  }

  @Test func `S68: a computed property that can be set is not the key that it reads`() throws {
    #expect(try titles(#Predicate { $0.lowered == "gamma" }) == ["GAMMA"])
    #expect(try titles(#Predicate { $0.trimmed == "Alpha" }) == ["Alpha"])
    #expect(try titles(#Predicate { $0.capped == 100 }) == ["GAMMA"])
    #expect(try titles(#Predicate { $0.shownAuthor == "nobody" }) == ["Alpha"])
    #expect(try titles(#Predicate { $0.labelled == "Alpha" }) == ["Alpha"])
    for path: AnyKeyPath in [
      \Volume.lowered, \Volume.trimmed, \Volume.capped, \Volume.shownAuthor, \Volume.labelled,
      \Volume.composed, \Volume.place, \Shelf.lentVolumes, \Shelf.lastVolumes,
    ] {
      #expect(context.key(of: path) == nil)
    }
  }

  @Test func `S68: what a wrapper declares, and what is the same, is found as the key`() throws {
    let paths: [(AnyKeyPath, String)] = [
      (\Volume.title, "title"), (\Volume.author, "author"), (\Volume.rating, "rating"),
      (\Volume.isLent, "isLent"), (\Volume.weight, "weight"), (\Volume.bought, "bought"),
      (\Volume.number, "number"), (\Volume.site, "site"), (\Volume.cover, "cover"),
      (\Volume.price, "price"), (\Volume.pages, "pages"), (\Volume.lent, "lent"),
      (\Volume.words, "words"), (\Volume.extra, "extra"), (\Volume.shelf, "shelf"),
      (\Volume.parts, "parts"), (\Shelf.volumes, "volumes"), (\Volume.alias, "title"),
      (\Atlas.title, "title"), (\Atlas.scale, "scale"), (\Volume.objectID, "objectID"),
      (\Atlas.objectID, "objectID"),
    ]
    for (path, name) in paths { #expect(context.key(of: path) == name, "\(name)") }
    #expect(context.key(of: \Volume.shelf?.objectID) == nil)
  }

  @Test func `S68: an heir's override is asked of its objects`() throws {
    let atlas = context.insert(Atlas.self)
    atlas.title = "World"
    atlas.rating = 7
    #expect(context.key(of: \Volume.rating) == "rating")
    #expect(context.key(of: \Atlas.maker) == nil && context.key(of: \Volume.maker) == nil)
    atlas.maker = "Ann"
    #expect(try titles(#Predicate { $0.maker == "ANN" }) == ["World"])
    #expect(try titles(#Predicate { $0.rating == 7 }) == ["World"])
  }

  @Test func `S68: a getter that relies on what objects have is not asked of one without`() throws {
    #expect(try titles(#Predicate { $0.year > 2000 }) == ["GAMMA", "beta"])
    let years = try context.fetch(Volume.self, sortedBy: [SortDescriptor(\.year, order: .reverse)])
    #expect(years.map(\.title) == ["GAMMA", "beta", "Alpha"])
    // Where there is no object nothing is asked at all.
    let empty = try Stage(ManagedObjectModel(Shelf.self, Volume.self, Atlas.self)).context()
    #expect(try empty.fetch(Volume.self, where: #Predicate { $0.year > 2000 }).isEmpty)
    #expect(try empty.fetch(Volume.self, sortedBy: [SortDescriptor(\.year)]).isEmpty)
    // Nor is a relationship empty that a getter relies on.
    let kept = try context.fetch(
      Volume.self, where: #Predicate { $0.shelf != nil && $0.kept == "North" })
    #expect(kept.count == 2)
  }

  @Test func `S68: a predicate over destinations finds nothing where there are no objects`() throws
  {
    let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
    let context = stage.context()
    let areLiked = #Predicate<Blog> { $0.posts.contains { $0.likes > 3 } }
    #expect(try context.fetch(Blog.self, where: areLiked).isEmpty)
    try stage.store.batchDelete(Blog.self, where: areLiked)
    let past = try stage.store.asOf(.commit(.none))
    #expect(try past.fetch(Blog.self, where: areLiked).isEmpty)
    let blog = context.insert(Blog.self)
    let areCommented = #Predicate<Blog> {
      $0.posts.contains { $0.comments.contains { $0.text == "x" } }
    }
    #expect(try context.count(Blog.self, where: areCommented) == 0)
    let areAllFine = #Predicate<Blog> {
      $0.posts.allSatisfy { $0.comments.allSatisfy { $0.text == "x" } }
    }
    #expect(try context.fetch(Blog.self, where: areAllFine) == [blog])
    let isAnswer = #Predicate<Comment> { ($0.post?.comments.contains { $0.text == "x" }) ?? false }
    #expect(try context.count(Comment.self, where: isAnswer) == 0)
    let comment = context.insert(Comment.self)
    comment.text = "x"
    #expect(try context.count(Comment.self, where: isAnswer) == 0)
    let post = context.insert(Post.self)
    (post.blog, comment.post) = (blog, post)
    #expect(try context.count(Comment.self, where: isAnswer) == 1)
    #expect(try context.fetch(Blog.self, where: areCommented) == [blog])
  }

  @Test func `S68, S70: a predicate counts, finds IDs and values, and is explained`() throws {
    let isFirst = #Predicate<Volume> { $0.title == "Alpha" }
    let found = try context.fetch(Volume.self, where: isFirst).map(\.objectID)
    #expect(try context.count(Volume.self, where: isFirst) == 1 && found.count == 1)
    #expect(try context.objectIDs(Volume.self, where: isFirst) == found)
    let rows = try context.values(of: ["title"], Volume.self, where: isFirst)
    #expect(rows.map { $0["title"] } == ["Alpha"])
    let request = FetchRequest("Volume", where: "title == 'Alpha'")
    #expect(try context.explain(Volume.self, where: isFirst) == context.explain(request))
    // What is computed is asked of objects.
    let isLoud = #Predicate<Volume> { $0.lowered == "beta" }
    #expect(try context.count(Volume.self, where: isLoud) == 1)
    #expect(
      try context.values(of: ["title"], Volume.self, where: isLoud).map { $0["title"] } == ["beta"])
    #expect(
      try context.objectIDs(
        Volume.self, where: #Predicate { _ in true }, sortedBy: ["title"], limit: 1)
        == found)
  }

  @Test func `S68: looking for the key of a path changes nothing and leaves nothing behind`() throws
  {
    let registered = context.registeredObjects.count
    #expect(try titles(#Predicate { $0.counted == "Alpha" }) == ["Alpha"])
    #expect(context.key(of: \Volume.counted) == "title")
    #expect(!context.hasChanges && context.registeredObjects.count == registered)
    #expect(try context.save() == nil)
  }

  @Test func `S39: a computed property sorts by what it gives, and not as the key that it reads`()
    throws
  {
    let order = [SortDescriptor<Volume>(\.lowered, comparator: .lexical)]
    let sorted = try context.fetch(Volume.self, sortedBy: order).map(\.title)
    #expect(sorted == ["Alpha", "beta", "GAMMA"])
    let byKey = [SortDescriptor<Volume>(\.title, comparator: .lexical)]
    #expect(
      try context.fetch(Volume.self, sortedBy: byKey).map(\.title) == ["Alpha", "GAMMA", "beta"])
  }

  @Test
  func `S39: a relationship that a property filters is counted, emptied and followed as it is`()
    throws
  {
    func names(_ predicate: Predicate<Shelf>) throws -> [String] {
      try context.fetch(Shelf.self, where: predicate, sortedBy: ["name"]).map(\.name)
    }
    #expect(try names(#Predicate { $0.keptVolumes.isEmpty }) == ["South"])
    #expect(try names(#Predicate { !$0.keptVolumes.isEmpty }) == ["North"])
    #expect(try names(#Predicate { $0.keptVolumes.count == 1 }) == ["North"])
    #expect(try names(#Predicate { $0.lentVolumes.count == 1 }) == ["North"])
    #expect(try names(#Predicate { $0.lentVolumes.isEmpty }) == ["South"])
    #expect(try names(#Predicate { $0.hasNoneLent }) == ["South"])
    #expect(try names(#Predicate { $0.first?.title == "Alpha" }) == ["North"])
    #expect(try names(#Predicate { $0.first?.shout == "alpha" }) == ["North"])
    #expect(try names(#Predicate { $0.initials.contains("A") }) == ["North"])
    #expect(try names(#Predicate { $0.initials.isEmpty }) == ["South"])
    #expect(try titles(#Predicate { $0.shout.isEmpty }) == [])
    #expect(try titles(#Predicate { !$0.title.isEmpty }).count == 3)
    // What no row leads to is refused, and not taken for nothing.
    #expect(throws: QueryError.self) {
      try names(#Predicate { $0.keptVolumes.contains { $0.rating > 10 } })
    }
    #expect(throws: QueryError.self) { try titles(#Predicate { $0.shout.count > 2 }) }
  }

  @Test func `S39: a batch deletes and changes what a computed property says, and no more`() throws
  {
    try stage.store.batchUpdate(
      Volume.self, where: #Predicate { $0.lowered == "beta" }, setting: ["rating": 5])
    try stage.store.batchDelete(Volume.self, where: #Predicate { $0.lowered == "Alpha" })
    try stage.store.batchDelete(Volume.self, where: #Predicate { $0.writer == "nobody" })
    let reader = stage.context()
    defer { withExtendedLifetime(reader) {} }
    let left = try reader.fetch(Volume.self, sortedBy: ["title"])
    #expect(left.map(\.title) == ["GAMMA", "beta"] && left.map(\.rating) == [120, 5])
  }
}

private final class Shelf: ManagedObject {
  @Attribute("name") var name: String = ""
  @Relationship("volumes", inverse: "shelf") var volumes: Set<Volume>

  var keptVolumes: Set<Volume> { volumes.filter { !$0.isLent } }
  var lentVolumes: Set<Volume> {
    get { volumes.filter(\.isLent) }
    set { volumes = keptVolumes.union(newValue) }
  }
  var lastVolumes: Set<Volume> {
    get { Set(volumes.dropFirst()) }
    set { volumes = newValue }
  }
  var hasNoneLent: Bool { volumes.filter(\.isLent).isEmpty }
  var first: Volume? { volumes.min { $0.title < $1.title } }
  var initials: Set<String> { Set(volumes.compactMap { $0.title.first.map(String.init) }) }
}

private class Volume: ManagedObject {
  @Attribute("title") var title: String = "Untitled"
  @Attribute("author") var author: String?
  @Attribute("maker") var maker: String?
  @Attribute("yearText") var yearText: String = ""
  @Attribute("rating") var rating: Int = 0
  @Attribute("pages") var pages: Int16?
  @Attribute("isLent") var isLent: Bool = false
  @Attribute("weight") var weight: Double?
  @Attribute("bought") var bought: Date?
  @Attribute("number") var number: UUID?
  @Attribute("site") var site: URL?
  @Attribute("cover") var cover: Data?
  @Attribute("price") var price: Decimal = 0
  @Attribute("extra") var extra: [String: Value] = [:]
  @Counter("lent") var lent: Int
  @ValueSet("words") var words: Set<String>
  @Relationship("shelf", inverse: "volumes") var shelf: Shelf?
  @Relationship("parts") var parts: [Volume]

  var shout: String { title.lowercased() }
  var writer: String { author ?? "nobody" }
  var shelfName: String? { shelf?.name }
  var kept: String {
    guard let shelf else { preconditionFailure("\(title) is asked for its shelf, and has none.") }
    return shelf.name
  }
  /// What another property is, under another name.
  var alias: String {
    get { title }
    set { title = newValue }
  }
  var lowered: String {
    get { title.lowercased() }
    set { title = newValue }
  }
  var trimmed: String {
    get { title.trimmingCharacters(in: .whitespacesAndNewlines) }
    set { title = newValue }
  }
  var composed: String {
    get { title.precomposedStringWithCanonicalMapping }
    set { title = newValue }
  }
  var capped: Int {
    get { min(rating, 100) }
    set { rating = newValue }
  }
  var shownAuthor: String? {
    get { author ?? "nobody" }
    set { author = newValue }
  }
  /// With a dynamic attribute, which no object has yet.
  var labelled: String {
    get { (self["label"]?.string ?? "") + title }
    set { title = newValue }
  }
  var place: Shelf? {
    get { shelf ?? parts.first?.shelf }
    set { shelf = newValue }
  }
  /// Of a type that others have, and with a text that is a number.
  var year: Int {
    get {
      guard let year = Int(yearText) else { preconditionFailure("‘\(yearText)’ is no year.") }
      return year
    }
    set { yearText = "\(newValue)" }
  }
  /// What is set here when it is read is set nowhere while it is only found out what it reads.
  var counted: String {
    get {
      rating = 3
      lent = 1
      shelf = nil
      self["reads"] = 1
      setPrimitiveValue(3, forKey: "rating")
      return title
    }
    set { title = newValue }
  }
}

private final class Atlas: Volume {
  @Attribute("scale") var scale: Int = 1

  override var maker: String? {
    get { super.maker?.uppercased() }
    set { super.maker = newValue }
  }
}
