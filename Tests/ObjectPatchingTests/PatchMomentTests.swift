import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Differences between two moments of one store, of which the commits do not say all.
@Suite struct PatchMomentTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext
  private let books: [ManagedObject]

  init() throws {
    stage = try PatchStage()
    let context = stage.context()
    self.context = context
    books = (0..<150).map { number in
      let book = context.insert("Book")
      if number.isMultiple(of: 2) { book.setValue(.string("g\(number)"), forKey: "guid") }
      return book
    }
    try context.save()
  }

  /// The commits say what the two states do, in either direction.
  private func expectSame(_ first: CommitNumber, _ last: CommitNumber) throws {
    for (from, to) in [(first, last), (last, first)] {
      let moments = try Patch.difference(in: stage.store, from: .commit(from), to: .commit(to))
      let states = try Patch.difference(
        from: stage.store.asOf(.commit(from)), to: stage.store.asOf(.commit(to)))
      #expect(moments == states)
      #expect(!moments.isEmpty)
    }
  }

  @Test(arguments: [0, 20, 300])
  func `S77: counters, long texts and names are told also where many commits came after`(
    later: Int
  ) throws {
    let long = String(repeating: "once upon a time, ", count: 40)
    for round in 0..<3 {
      for (number, book) in books.enumerated() {
        book.setValue(.counter(number + round), forKey: "likes")
        book.setValue(.string(long + "\(round)" + long), forKey: "name")
      }
      try context.save()
    }
    for round in 0..<later {
      books[round % 7].setValue(.integer(round), forKey: "score")
      try context.save()
    }
    try expectSame(2, 4)
    try expectSame(1, 3)
  }

  @Test func `S77: what comes, goes and comes again in between is told by what it was and is`()
    throws
  {
    for book in books { book.setValue(.counter(1), forKey: "likes") }
    try context.save()
    for (number, book) in books.enumerated() where number % 3 == 0 { context.delete(book) }
    try context.save()
    context.undo()
    for (number, book) in books.enumerated() where number % 6 == 0 {
      book.setValue("back", forKey: "name")
    }
    try context.save()
    for (number, book) in books.enumerated() where number % 5 == 0 { context.delete(book) }
    try context.save()
    let last = stage.store.lastCommit.rawValue
    for first in 1..<last {
      for other in first + 1...last where first > 1 || other != 4 {
        try expectSame(CommitNumber(rawValue: first), CommitNumber(rawValue: other))
      }
    }
  }
}
