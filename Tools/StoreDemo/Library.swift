import XJournal

/// What the demo keeps.
final class Book: ManagedObject {
  @Attribute("title") var title: String = "Untitled"
  @Attribute("text") var text: String = ""
  @Counter("copies") var copies: Int
  @ValueSet("tags") var tags: Set<String>
  @Relationship("shelf", inverse: "books") var shelf: Shelf?
}

final class Shelf: ManagedObject {
  @Attribute("name") var name: String = ""
  @Relationship("books", inverse: "shelf", deleteRule: .cascade) var books: Set<Book>
}

enum Library {
  static func open(_ path: String) throws -> JournaledStore {
    try JournaledStore(at: path, model: try ManagedObjectModel(Book.self, Shelf.self))
  }
}
