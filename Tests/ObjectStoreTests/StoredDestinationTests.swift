// What was stored of a relationship under one model does not come back under a later one.

import DiskSimulation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct StoredDestinationTests {
  private let disk = SimulatedDisk(seed: 31)

  /// Books and their chapters: a book's chapters are stored in an order, or found from the chapters without one, or
  /// the chapters are of one, or of many.
  private enum Shape { case ordered, answered, toOne, toMany }

  private func books(_ shape: Shape) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Book",
        relationships: [
          RelationshipDescription(
            "chapters", to: "Chapter", inverse: "book", isToMany: shape != .toOne,
            isOrdered: shape == .ordered)
        ]),
      EntityDescription(
        "Chapter",
        relationships: [
          RelationshipDescription(
            "book", to: "Book", inverse: "chapters", isToMany: shape == .toMany)
        ]),
    ])
  }

  @Test(arguments: [true, false], [true, false])
  func `S43: what was stored before a model that found the destinations does not come back`(
    wasOrdered: Bool, isMoved: Bool
  ) throws {
    func open(_ shape: Shape) throws -> JournaledStore {
      try JournaledStore(on: disk, at: "Books.xjournal", model: self.books(shape), options: .small)
    }
    var store = try open(wasOrdered ? .ordered : .toOne)
    let (chapters, book) = (try store.key(named: "chapters"), try store.key(named: "book"))
    let books = try (0..<2).map { _ in try store.newObject(of: EntityNumber(rawValue: 0)) }
    let parts = try (0..<(wasOrdered ? 2 : 1)).map { _ in
      try store.newObject(of: EntityNumber(rawValue: 1))
    }
    let members = parts.map(Value.reference)
    let linked = Row([book: .reference(books[0])])
    func commit(_ objects: [CommitRequest.Object]) throws {
      let context = try store.beginContext(name: "", on: store.lastCommit)
      _ = try store.commit(CommitRequest(objects), by: context)
      try store.endContext(context)
    }
    let owned = Row([chapters: wasOrdered ? .array(members) : members[0]])
    try commit(
      [
        .init(books[0], base: .none, nil, to: owned), .init(books[1], base: .none, nil, to: Row()),
      ] + parts.map { .init($0, base: .none, nil, to: linked) })
    try store.close()
    store = try open(.answered)
    #expect(try store.head.row(of: books[0]) == Row())
    let moved = isMoved ? Row([book: .reference(books[1])]) : Row?.none
    try commit(parts.map { .init($0, base: store.lastCommit, linked, to: moved) })
    try store.close()
    store = try open(wasOrdered ? .ordered : .toMany)
    #expect(try store.head.row(of: books[0]) == Row())
    let gathered = Row([chapters: wasOrdered ? .array(members) : .set(Set(members))])
    #expect(try store.head.row(of: books[1]) == (isMoved ? gathered : Row()))
    #expect(try store.snapshot(at: 1).row(of: books[0]) == owned)
    #expect(try store.history(of: books[0], key: "chapters").first?.new == owned[chapters])
    #expect(try store.verify(deep: true) == [])
    try store.close()
  }
}
