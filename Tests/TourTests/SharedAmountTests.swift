import Foundation
import Testing
import XJournal

/// Counters and sets that two contexts change at the same time, by hand and built in.
@Suite struct SharedAmountTests {
  private func store(_ folder: URL, _ name: String) throws -> JournaledStore {
    try JournaledStore(
      at: folder.appending(path: name),
      model: try ManagedObjectModel(
        entities: [GaugeByHand.description, BasketByHand.description, Shelf.description],
        classes: [GaugeByHand.self, BasketByHand.self, Basket.self, Shelf.self, Book.self]))
  }

  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "amounts-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try body(folder)
  }

  /// Saves, and where others have saved the same object refreshes it and saves again.
  private func saveMerging(_ context: ManagedObjectContext) throws {
    while true {
      do {
        try context.save()
        return
      } catch let conflicts as MergeConflicts {
        for each in conflicts.objects { context.refresh(each.objectID, mergeChanges: true) }
      }
    }
  }

  /// Has two contexts change one object at once, save, and one of them undo.
  private func share<Object: ManagedObject>(
    _ type: Object.Type, in folder: URL, prepare: (Object) -> Void, mine: (Object) -> Void,
    theirs: (Object) -> Void, check: (_ step: String, Object) -> Void
  ) throws {
    let store = try store(folder, "\(type)")
    let (a, b) = (ManagedObjectContext(store), ManagedObjectContext(store))
    let inA = a.insert(type)
    prepare(inA)
    try a.save()
    let inB = try b.existingObject(with: inA.objectID, as: type)
    mine(inA)
    theirs(inB)
    check("mine", inA)
    check("theirs", inB)
    try a.save()
    b.refresh(inB, mergeChanges: true)
    check("both", inB)
    b.undo()
    check("mine", inB)
    b.redo()
    check("both", inB)
    try saveMerging(b)
    a.refresh(inA, mergeChanges: true)
    check("both", inA)
    check("both", inB)
  }

  @Test func `S32: what two contexts add to a counter adds up, and each takes back its own`() throws
  {
    let sums = ["mine": 13, "theirs": 14, "both": 17]
    try withFolder { folder in
      try share(
        GaugeByHand.self, in: folder, prepare: { $0.add(10) }, mine: { $0.add(3) },
        theirs: { $0.add(4) },
        check: { step, object in #expect(object.count == sums[step], "by hand, \(step)") })
      try share(
        Basket.self, in: folder, prepare: { $0.count += 10 }, mine: { $0.count += 3 },
        theirs: { $0.count += 4 },
        check: { step, object in #expect(object.count == sums[step], "built in, \(step)") })
    }
  }

  @Test func `S32: two contexts that add at once both succeed where the second saves again`() throws
  {
    try withFolder { folder in
      let store = try store(folder, "again")
      let contexts = (0..<3).map { _ in ManagedObjectContext(store) }
      let gauge = contexts[0].insert(GaugeByHand.self)
      try contexts[0].save()
      let copies = try contexts.map {
        try $0.existingObject(with: gauge.objectID, as: GaugeByHand.self)
      }
      for round in 1...3 {
        for copy in copies { copy.add(round) }
        for context in contexts { try saveMerging(context) }
      }
      contexts[0].refresh(gauge, mergeChanges: true)
      #expect(gauge.count == 18)
    }
  }

  @Test func `S33: what two contexts insert into a set and remove from it all comes together`()
    throws
  {
    let sets: [String: Set<String>] = [
      "mine": ["a", "c"], "theirs": ["a", "b", "d"], "both": ["a", "c", "d"],
    ]
    try withFolder { folder in
      try share(
        BasketByHand.self, in: folder,
        prepare: {
          $0.insert("a")
          $0.insert("b")
        },
        mine: {
          $0.insert("c")
          $0.remove("b")
        }, theirs: { $0.insert("d") },
        check: { step, object in #expect(object.items == sets[step], "by hand, \(step)") })
      try share(
        Basket.self, in: folder, prepare: { $0.items = ["a", "b"] },
        mine: {
          $0.items.insert("c")
          $0.items.remove("b")
        }, theirs: { $0.items.insert("d") },
        check: { step, object in #expect(object.items == sets[step], "built in, \(step)") })
    }
  }

  @Test func `S34: a set leads to objects of another store, by hand and built in, and merges`()
    throws
  {
    try withFolder { folder in
      let (home, library) = (try store(folder, "home"), try store(folder, "library"))
      let far = ManagedObjectContext(library)
      let books = ["one", "two", "three"].map { title in
        let book = far.insert(Book.self)
        book.title = title
        return book
      }
      try far.save()
      let (a, b) = (ManagedObjectContext(home), ManagedObjectContext(home))
      let (basket, shelf) = (a.insert(BasketByHand.self), a.insert(Shelf.self))
      basket.insert(books[0].objectID.uri)
      shelf.insert(books[0])
      try a.save()
      let basketInB = try b.existingObject(with: basket.objectID, as: BasketByHand.self)
      let shelfInB = try b.existingObject(with: shelf.objectID, as: Shelf.self)
      basket.insert(books[1].objectID.uri)
      shelf.insert(books[1])
      basketInB.insert(books[2].objectID.uri)
      shelfInB.insert(books[2])
      try a.save()
      try saveMerging(b)

      func titles(_ references: Set<ObjectID>) throws -> Set<String?> {
        Set(try b.resolve(references, in: [far]).map { ($0 as? Book)?.title })
      }
      let byHand = Set(try basketInB.items.map { try ObjectID(uri: $0) })
      #expect(try titles(byHand) == ["one", "two", "three"])
      #expect(try titles(shelfInB.books) == ["one", "two", "three"])

      #expect(throws: ContextError.storeMissing(books[0].objectID)) {
        try b.resolve(books[0].objectID, in: [])
      }
      let gone = books[1].objectID
      far.delete(books[1])
      try far.save()
      let later = ManagedObjectContext(library)
      #expect(throws: ContextError.objectMissing(gone)) { try b.resolve(byHand, in: [later]) }
    }
  }
}
