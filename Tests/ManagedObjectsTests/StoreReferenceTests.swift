import ManagedObjects
import ObjectModel
import Testing

@Suite struct StoreReferenceTests {
  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Shelf",
        attributes: [
          AttributeDescription("books", .set, isOptional: false),
          AttributeDescription("favourite", .reference),
        ]),
      EntityDescription("Book", attributes: [AttributeDescription("title", .string)]),
    ])
  }

  @Test func `S34: references into another store merge as members, and resolve through their URIs`()
    throws
  {
    let (library, home) = (try Stage(try model(), seed: 1), try Stage(try model(), seed: 2))
    let far = library.context()
    let books = (0..<3).map { number in
      let book = far.insert("Book")
      book.setValue(.string("book \(number)"), forKey: "title")
      return book
    }
    try far.save()
    let (a, b) = (home.context(), home.context())
    let shelf = a.insert("Shelf")
    shelf.setValue(.set([.reference(books[0].objectID)]), forKey: "books")
    shelf.setValue(.reference(books[0].objectID), forKey: "favourite")
    try a.save()
    let inB = try b.existingObject(with: shelf.objectID)
    func insert(_ book: ManagedObject, into shelf: ManagedObject) {
      let books = shelf.value(forKey: "books")?.set ?? []
      shelf.setValue(.set(books.union([.reference(book.objectID)])), forKey: "books")
    }
    insert(books[1], into: shelf)
    insert(books[2], into: inB)
    try a.save()
    try b.save()
    let references = Set(inB.value(forKey: "books")?.set?.compactMap(\.reference) ?? [])
    let titles = try b.resolve(references, in: [far]).map { $0.value(forKey: "title")?.string }
    #expect(titles == ["book 0", "book 1", "book 2"])
    let parsed = try ObjectID(uri: books[1].objectID.uri)
    #expect(try b.resolve(parsed, in: [far]) === books[1])
  }

  @Test(arguments: [false, true])
  func `S34: a set of references from which both sides take the last members is empty, and there`(
    isRefreshed: Bool
  ) throws {
    let (library, home) = (try Stage(try model(), seed: 1), try Stage(try model(), seed: 2))
    let far = library.context()
    let books = (0..<2).map { _ in Value.reference(far.insert("Book").objectID) }
    let (a, b) = (home.context(), home.context())
    let shelf = a.insert("Shelf")
    shelf.setValue(.set(Set(books)), forKey: "books")
    try a.save()
    let inB = try b.existingObject(with: shelf.objectID)
    #expect(inB.value(forKey: "books")?.set?.count == 2)
    shelf.setValue(.set([books[0]]), forKey: "books")
    inB.setValue(.set([books[1]]), forKey: "books")
    try a.save()
    if isRefreshed {
      b.refresh(inB, mergeChanges: true)
      #expect(inB.value(forKey: "books") == .set([]))
    }
    try b.save()
    let found = try home.context().existingObject(with: shelf.objectID)
    #expect(found.value(forKey: "books") == .set([]))
  }

  @Test func `S34: a missing store or object is a typed error`() throws {
    let (library, home) = (try Stage(try model(), seed: 1), try Stage(try model(), seed: 2))
    let (far, near) = (library.context(), home.context())
    let book = far.insert("Book")
    try far.save()
    #expect(throws: ContextError.storeMissing(book.objectID)) {
      try near.resolve(book.objectID, in: [])
    }
    far.delete(book)
    try far.save()
    let other = library.context()
    #expect(throws: ContextError.objectMissing(book.objectID)) {
      try near.resolve(book.objectID, in: [other])
    }
  }
}
