import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore

/// A note as a program declares it.
final class StoredNote: ManagedObject {
  @Attribute("title") var title: String?
  @Attribute("text") var text: String?
  @Attribute("rank") var rank: Int?
  @Attribute("created") var created: Date?
  @Attribute("score") var score: Double?
  @Attribute("isDone") var isDone: Bool?
}

/// Notes as a program has them: objects in a context, with undo, tracking and the journal.
struct NoteContext {
  let context: ManagedObjectContext
  private let notes: NoteStore

  init(_ notes: NoteStore) {
    self.notes = notes
    context = ManagedObjectContext(notes.store)
  }

  /// The note of a number, which may be a fault.
  func note(_ number: Int) throws -> StoredNote {
    guard let note = context.object(with: notes.object(number)) as? StoredNote else {
      throw BenchError.wrongResult("note \(number) is none")
    }
    return note
  }

  func insert(_ inserted: [Note]) throws {
    for note in inserted {
      let object = context.insert(StoredNote.self)
      object.title = note.title
      object.text = note.text
      object.rank = note.rank
      object.created = Date(timeIntervalSinceReferenceDate: note.created)
      object.score = note.score
      object.isDone = note.isDone
    }
    try context.save()
  }

  func update(_ changes: [NoteChange]) throws {
    for change in changes {
      let object = try note(change.number)
      switch change.attribute {
      case .title(let title): object.title = title
      case .rank(let rank): object.rank = rank
      case .score(let score): object.score = score
      }
    }
    try context.save()
  }

  /// How many notes have ranks below one.
  func count(ofRanksBelow bound: Int) throws -> Int {
    try context.count(FetchRequest("StoredNote", where: "rank < \(bound)"))
  }

  /// The first hundred titles of notes that have ranks below one, of objects that are fetched.
  func firstTitles(ofRanksBelow bound: Int) throws -> [String] {
    let request = FetchRequest(
      "StoredNote", where: "rank < \(bound)", sortedBy: ["title"], limit: 100)
    return try context.fetch(request).compactMap { ($0 as? StoredNote)?.title }
  }
}
