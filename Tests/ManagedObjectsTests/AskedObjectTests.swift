import Foundation
import ManagedObjects
import ObjectModel
import ObjectQuery
import ObjectStore
import Testing
import XJournal

/// A value of the program's own, which no store knows.
private struct Mark: Equatable, Codable, Hashable { var number = 0 }

private final class Card: ManagedObject {
  @Attribute("name") var name: String = ""
  @Attribute("rank", .minimum(0), .maximum(9)) var rank: Int = 0
  @Attribute("due") var due: Date?
  @Attribute("price") var price: Decimal?
  @Attribute("number") var number: UUID?
  @Relationship("next", inverse: "previous") var next: Card?
  @Relationship("previous", inverse: "next") var previous: Card?

  var marks: [Mark] { (0..<rank).map { Mark(number: $0) } }
  var mark: Mark? { rank > 1 ? Mark(number: rank) : nil }
  var follower: Card? { next }
  var after: Card? { next?.next }
  var all: Set<ManagedObject> { next.map { [$0] } ?? [] }
  var label: String { "\(name) \(value(forKey: "rank")?.integer ?? -1)" }
}

/// What is asked of objects that are found, and what is said where they are asked for as what they are not.
@Suite struct AskedObjectTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let cards: [Card]

  init() throws {
    stage = try Stage(ManagedObjectModel(Card.self))
    let context = stage.context()
    self.context = context
    cards = (0..<4).map { number in
      let card = context.insert(Card.self)
      (card.name, card.rank) = ("card \(number)", number)
      card.due = Date(timeIntervalSinceReferenceDate: Double(10 - number))
      card.price = Decimal(number % 2)
      return card
    }
    for (one, other) in zip(cards, cards.dropFirst()) { one.next = other }
    try context.save()
  }

  @Test func `S68: a closure is asked of each object, in their order, up to as many as are wanted`()
    throws
  {
    func names(_ limit: Int?, _ offset: Int) throws -> [String] {
      try context.fetch(Card.self, sortedBy: ["-rank"], limit: limit, offset: offset) {
        $0.rank != 2
      }.map(\.name)
    }
    #expect(try names(nil, 0) == ["card 3", "card 1", "card 0"])
    #expect(try names(1, 1) == ["card 1"] && names(2, 0) == ["card 3", "card 1"])
    #expect(try names(0, 0) == [] && names(nil, 9) == [] && names(nil, -1).count == 3)
    struct Refused: Error {}
    #expect(throws: Refused.self) { try context.fetch(Card.self) { _ in throw Refused() } }
  }

  @Test func `S67: a query that was read is asked like a request`() throws {
    let query = try Query("Card where rank > 0 sort -rank limit 2 offset 1")
    #expect(
      try context.fetch(FetchRequest(query)).map(\.objectID)
        == [cards[2], cards[1]].map(\.objectID))
  }

  @Test func `S39: what a computed property gives is counted and compared, whatever it is`() throws
  {
    func names(_ predicate: Predicate<Card>) throws -> [String] {
      try context.fetch(Card.self, where: predicate, sortedBy: ["name"]).map(\.name)
    }
    #expect(try names(#Predicate { $0.marks.count > 1 }) == ["card 2", "card 3"])
    #expect(try names(#Predicate { $0.marks.isEmpty }) == ["card 0"])
    #expect(try names(#Predicate { $0.follower == nil }) == ["card 3"])
    #expect(try names(#Predicate { $0.follower?.name == "card 1" }) == ["card 0"])
    #expect(try names(#Predicate { $0.after?.follower?.name == "card 3" }) == ["card 0"])
    #expect(try names(#Predicate { $0.label == "card 2 2" }) == ["card 2"])
    #expect(try names(#Predicate { $0.all.isEmpty }) == ["card 3"])
    // A key of the program's own is no key of another model's class.
    #expect(context.key(of: \Card.rank) == "rank" && context.key(of: \Mark.number) == nil)
  }

  @Test func `S67: descriptors of whatever kind sort, with a predicate or without, up to a limit`()
    throws
  {
    let isLow = #Predicate<Card> { $0.rank < 3 }
    func names(
      _ descriptor: SortDescriptor<Card>, _ predicate: Predicate<Card>?, _ limit: Int? = nil
    ) throws -> [String] {
      try context.fetch(Card.self, where: predicate, sortedBy: [descriptor], limit: limit).map(
        \.name)
    }
    #expect(try names(SortDescriptor(\.rank, order: .reverse), isLow, 2) == ["card 2", "card 1"])
    #expect(try names(SortDescriptor(\.due), isLow) == ["card 2", "card 1", "card 0"])
    #expect(try names(SortDescriptor(\.due), nil, 1) == ["card 3"])
    #expect(
      try names(SortDescriptor(\.price, order: .reverse), nil).prefix(2) == ["card 1", "card 3"])
    #expect(try names(SortDescriptor(\.name, comparator: .lexical), isLow, 1) == ["card 0"])
    // Of these the objects themselves are asked.
    for (place, card) in cards.enumerated() {
      card.number = UUID(uuidString: "0000000\(9 - place)-0000-4000-8000-000000000000")
    }
    #expect(try names(SortDescriptor(\.number), isLow) == ["card 2", "card 1", "card 0"])
  }

  @Test func `S62: a value below the least is not saved`() throws {
    cards[0].rank = -1
    let errors = #expect(throws: ValidationErrors.self) { try context.save() }
    #expect(errors?.failures.map(\.kind) == [.breaksRule(-1, .minimum(0))])
  }

  @Test func `S7: an object that is asked for as what it is not is told of, with both classes`()
    throws
  {
    let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
    let context = stage.context()
    let blog = context.insert(Blog.self)
    let error = #expect(throws: ContextError.self) {
      try context.existingObject(with: blog.objectID, as: Post.self)
    }
    #expect(error == .objectOfAnotherClass(blog.objectID, "Blog", "Post"))
    #expect(
      error?.description == "\(blog.objectID) is of class Blog, not Post; ask for it as what it is."
    )
  }

  @Test func `what a context cannot do is told in a sentence that says what to do`() {
    let id = cards[0].objectID
    let sentences: [(ContextError, String)] = [
      (.isSaving, "asks for another save of the same context"), (.noModel, "open it with one"),
      (.stillLedTo([id]), "Whenever the delete rules of \(id) had been followed"),
      (.classNotInModel("Card"), "The class Card is not in the model"),
      (.storeMissing(id), "give a context of it"), (.nothingToUndo, "nothing that could be undone"),
      (.patchNotTakenBack(reason: "no", failure: "not"), "(no), and not all it had changed"),
      (.willSaveDoesNotEnd(id), "of \(id) last"), (.validationDoesNotEnd(id), "of \(id) each"),
    ]
    for (error, words) in sentences {
      #expect(error.description.contains(words) && error.description.hasSuffix("."), "\(error)")
    }
    let batch = BatchError.keyNotStored(entity: "Card", key: "label")
    #expect(
      "\(batch)" == "Card.label is transient or computed, so that no commit has it; leave it out.")
  }
}
