import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

private final class FirstNote: ManagedObject {
  override class var entityName: String { "Note" }
  @Attribute("title") var title: String?
  @Attribute("text") var text: String = "empty"
  @Relationship("notebook", inverse: "notes") var notebook: FirstNotebook?
}

private final class FirstNotebook: ManagedObject {
  override class var entityName: String { "Notebook" }
  @Relationship("notes", inverse: "notebook") var notes: Set<FirstNote>
}

private final class SecondNote: ManagedObject {
  override class var entityName: String { "Note" }
  @Attribute("headline", .renamed(from: "title")) var headline: String?
  @Attribute("text") var text: String = "empty"
  @Relationship("book", inverse: "notes", renamedFrom: "notebook") var book: SecondNotebook?
}

private final class SecondNotebook: ManagedObject {
  override class var entityName: String { "Notebook" }
  @Relationship("notes", inverse: "book") var notes: Set<SecondNote>
}

private final class ThirdNote: ManagedObject {
  override class var entityName: String { "Note" }
  @Attribute("caption", .renamed(from: "headline")) var caption: String?
  /// Another thing than what was called so at first.
  @Attribute("title") var title: String?
  @Attribute("text") var text: String = "empty"
  @Relationship("book", inverse: "notes") var book: ThirdNotebook?
}

private final class ThirdNotebook: ManagedObject {
  override class var entityName: String { "Notebook" }
  @Relationship("notes", inverse: "book") var notes: Set<ThirdNote>
}

@Suite struct RenamedTests {
  @Test func `S71: a class finds in the past what its properties were called then`() throws {
    let first = try Stage(ManagedObjectModel(FirstNote.self, FirstNotebook.self))
    let context = first.context()
    let (note, book) = (context.insert(FirstNote.self), context.insert(FirstNotebook.self))
    note.title = "First"
    note.notebook = book
    try context.save()
    let second = try first.killed(ManagedObjectModel(SecondNote.self, SecondNotebook.self))
    let renamed = second.context()
    let same = try renamed.existingObject(with: note.objectID, as: SecondNote.self)
    #expect(same.headline == "First" && same.book?.objectID == book.objectID)
    same.headline = "Second"
    try renamed.save()
    let past = try second.store.asOf(.commit(1))
    let was = try past.existingObject(with: note.objectID, as: SecondNote.self)
    #expect(was.headline == "First" && was.text == "empty")
    #expect(was.book?.objectID == book.objectID && was.value(forKey: "title") == "First")

    let third = try second.killed(ManagedObjectModel(ThirdNote.self, ThirdNotebook.self))
    let last = third.context()
    let now = try last.existingObject(with: note.objectID, as: ThirdNote.self)
    now.title = "New"
    try last.save()
    for (number, caption) in [(1, "First"), (2, "Second")] {
      let past = try third.store.asOf(.commit(CommitNumber(rawValue: UInt64(number))))
      let was = try past.existingObject(with: note.objectID, as: ThirdNote.self)
      #expect(was.caption == caption && was.title == nil && was.text == "empty")
      #expect(was.book?.objectID == book.objectID && was.book?.notes.count == 1)
    }
    #expect(now.caption == "Second" && now.title == "New")
  }
}
