import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What a delegate makes along with an object, and where it has that lead.
@Suite struct PatchDelegateTests {
  private struct Making: PatchDelegate {
    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      context.insert(patch.entityName)
    }
  }

  @Test func `what a delegate makes takes time in proportion to how much that is`() throws {
    func time(_ count: Int) throws -> UInt64 {
      let context = try PatchStage().context()
      let patch = Patch(
        objects: (0..<count).map {
          ObjectPatch(creating: PatchIdentity("Book", "guid", .string("b\($0)")), new: [:])
        })
      let begin = threadTime()
      try patch.apply(to: context, delegate: Making())
      return threadTime() - begin
    }
    _ = try time(200)
    let (few, many) = (try time(200), try time(6_400))
    // 32 times, where not all that was made is looked through for each; then it is 1,024 times.
    #expect(many < few * 200, "\(many / max(few, 1)) times")
  }

  /// Makes people with their addresses, and addresses by themselves where it is told to.
  private struct Housing: PatchDelegate {
    var makesAddresses = false

    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      if patch.entityName == "Address", !makesAddresses { return nil }
      let object = context.insert(patch.entityName)
      guard patch.entityName == "Person" else { return object }
      object.setValue("p", forKey: "guid")
      let address = context.insert("Address")
      address.setValue("a", forKey: "guid")
      address.setValue("Main Street", forKey: "street")
      object.setValue(.reference(address.objectID), forKey: "address")
      return object
    }
  }

  @Test func `what is made along with an object is not made twice, wherever the patch creates it`()
    throws
  {
    let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: articleModel())
    let context = ManagedObjectContext(store, isolation: nil)
    let (person, address) = (
      PatchIdentity("Person", "guid", "p"), PatchIdentity("Address", "guid", "a")
    )
    let patch = Patch(objects: [
      ObjectPatch(creating: address, new: ["city": "Townsville"]),
      ObjectPatch(
        creating: person, new: ["name": "Ann"],
        relationships: ["address": RelationshipPatch(.toOne, added: [.init(address)])]),
    ])
    try patch.apply(to: context, delegate: Housing())
    let made = try context.fetch(FetchRequest("Address"))
    #expect(made.count == 1 && made.first?.value(forKey: "city") == "Townsville")
    #expect(made.first?.value(forKey: "street") == "Main Street")
    let ann = try #require(try context.fetch(FetchRequest("Person")).first)
    #expect(ann.value(forKey: "address") == made.first.map { .reference($0.objectID) })
    context.undo()
    // A delegate that makes it both ways is told so, and nothing is left of either.
    struct Both: PatchDelegate {
      func makeObject(
        for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
      ) throws -> ManagedObject? {
        let object = try Housing(makesAddresses: true).makeObject(for: patch, at: path, in: context)
        if patch.entityName == "Address" { object?.setValue("a", forKey: "guid") }
        return object
      }
    }
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context, delegate: Both()) }
    #expect(error?.code == .repeatedObject && error?.path.description == "/0")
    #expect(!context.hasChanges)
  }

  /// Makes films that lead to a book already.
  private struct Shelving: PatchDelegate {
    let book: ManagedObject

    func makeObject(
      for patch: ObjectPatch, at path: PatchPath, in context: ManagedObjectContext
    ) throws -> ManagedObject? {
      let film = context.insert("Film")
      film.setValue(.array([.reference(book.objectID)]), forKey: "items")
      film.setValue(.set([.reference(book.objectID)]), forKey: "friends")
      film.setValue(.array([.reference(book.objectID)]), forKey: "parts")
      return film
    }
  }

  @Test func `what a delegate has an object lead to stays beside what the patch says`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    let books = ["given", "said", "other"].map { guid in
      let book = context.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      return book
    }
    func references(_ places: Int...) -> [Value] { places.map { .reference(books[$0].objectID) } }
    func said(_ kind: RelationshipPatch.Kind) -> RelationshipPatch {
      RelationshipPatch(
        kind,
        added: [
          .init(PatchIdentity("Book", "guid", "said"), position: kind == .ordered ? 0 : nil)
        ])
    }
    let creation = ObjectPatch(
      creating: PatchIdentity("Film", "guid", "f"), new: [:],
      relationships: ["items": said(.ordered), "friends": said(.toMany), "parts": said(.ordered)])
    try Patch(objects: [creation]).apply(to: context, delegate: Shelving(book: books[0]))
    let film = try #require(try context.fetch(FetchRequest("Film")).first)
    #expect(film.value(forKey: "items") == .array(references(1, 0)))
    #expect(film.value(forKey: "friends") == .set(Set(references(1, 0))))
    #expect(film.value(forKey: "parts") == .array(references(1, 0)))
    #expect(books[0].value(forKey: "whole") == .reference(film.objectID))
    context.undo()
    // But for what the patch has lead elsewhere, at whichever end it says so.
    let moves = [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "given"),
        relationships: [
          "whole": RelationshipPatch(.toOne, added: [.init(PatchIdentity("Book", "guid", "other"))])
        ]),
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "other"),
        relationships: [
          "parts": RelationshipPatch(
            .ordered, added: [.init(PatchIdentity("Book", "guid", "given"), position: 0)])
        ]),
    ]
    for move in moves {
      try Patch(objects: [creation, move])
        .apply(to: context, delegate: Shelving(book: books[0]))
      let film = try #require(try context.fetch(FetchRequest("Film")).first)
      #expect(film.value(forKey: "parts") == .array(references(1)))
      #expect(books[0].value(forKey: "whole") == references(2)[0])
      #expect(books[2].value(forKey: "parts") == .array(references(0)))
      context.undo()
    }
  }
}
