import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

@Suite struct PatchTests {
  @Test func `a path is written as RFC 6901 writes one`() {
    let path = PatchPath().appending(3).appending("blog").appending("a/b~c")
    #expect(path.description == "/3/blog/a~1b~0c")
  }

  @Test func `many new members at one place take time in proportion to their number`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    context.insert("Book").setValue("shelf", forKey: "guid")
    func time(_ count: Int) throws -> UInt64 {
      var items = RelationshipPatch(.ordered)
      for number in 0..<count {
        let identity = PatchIdentity("Book", "guid", .string("b\(number)"))
        items.added.append(.init(identity, position: 0))
        items.patches.append(ObjectPatch(creating: identity, new: [:]))
      }
      let patch = Patch(objects: [
        ObjectPatch(
          updating: PatchIdentity("Book", "guid", "shelf"), relationships: ["items": items])
      ])
      let begin = threadTime()
      // That all are the first is one conflict.
      #expect(try patch.conflicts(with: context).map(\.key) == ["items"])
      return threadTime() - begin
    }
    _ = try time(1_000)
    let (few, many) = (try time(1_000), try time(32_000))
    // 32 times, where each is not compared with each; then it is 1,024 times.
    #expect(many < few * 200)
  }

  @Test func `many dynamic attributes of one object take time in proportion to their number`()
    throws
  {
    func time(_ count: Int) throws -> UInt64 {
      let context = try PatchStage().context()
      var new: [String: Value] = [:]
      for number in 0..<count { new["key \(number)"] = .integer(number) }
      let patch = Patch(objects: [
        ObjectPatch(creating: PatchIdentity("Book", "guid", "b"), new: new)
      ])
      let begin = threadTime()
      try patch.apply(to: context)
      try context.save()
      return threadTime() - begin
    }
    _ = try time(500)
    let (few, many) = (try time(500), try time(16_000))
    // 32 times, where the keys are not looked through for each; then it was 500 times and more.
    #expect(many < few * 160, "\(many / max(few, 1)) times")
  }

  @Test func `members that are to have places which they cannot have are a conflict`() throws {
    let context = try PatchStage().context()
    for guid in ["shelf", "a", "b"] {
      context.insert("Book").setValue(.string(guid), forKey: "guid")
    }
    func patch(_ places: Int?...) -> Patch {
      let members = zip(["a", "b"], places).map {
        RelationshipPatch.Member(PatchIdentity("Book", "guid", .string($0)), position: $1)
      }
      return Patch(objects: [
        ObjectPatch(
          updating: PatchIdentity("Book", "guid", "shelf"),
          relationships: ["items": RelationshipPatch(.ordered, added: members)])
      ])
    }
    for (one, other) in [(0, 0), (0, 2), (1, 1), (3, 0)] {
      #expect(try patch(one, other).conflicts(with: context).map(\.key) == ["items"])
    }
    for (one, other) in [(0, 1), (1, 0), (nil, 0), (nil, nil)] {
      #expect(try patch(one, other).conflicts(with: context).isEmpty)
    }
  }

  @Test func `the difference of two objects of one context says nothing of what leads to either`()
    throws
  {
    let context = try PatchStage().context()
    let things = ["a", "b", "c", "d"].map { guid in
      let thing = context.insert("Book")
      thing.setValue(.string(guid), forKey: "guid")
      return thing
    }
    func references(_ places: Int...) -> Value {
      .set(Set(places.map { .reference(things[$0].objectID) }))
    }
    things[0].setValue(references(2, 3), forKey: "friends")
    things[1].setValue(references(3), forKey: "friends")
    things[2].setValue(.reference(things[0].objectID), forKey: "parent")
    things[3].setValue(.reference(things[1].objectID), forKey: "parent")
    things[2].setValue(.reference(things[1].objectID), forKey: "see")
    let patch = try Patch.difference(from: things[0], to: things[1])
    let removed = RelationshipPatch(.toMany, removed: [.init(PatchIdentity("Book", "guid", "c"))])
    #expect(
      patch.objects == [
        ObjectPatch(
          updating: PatchIdentity("Book", "guid", "a"), old: ["guid": "a"], new: ["guid": "b"],
          relationships: ["friends": removed])
      ])
  }

  @Test func `objects are compared as many relationships away as is asked for`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    let notes = (1...4).map { _ in context.insert("Note") }
    for (note, next) in zip(notes, notes.dropFirst()) {
      note.setValue(.reference(next.objectID), forKey: "next")
    }
    let before = try #require(try context.save()).number
    for note in notes { note.setValue("changed", forKey: "text") }
    try context.save()
    let (past, now) = (try stage.store.asOf(.commit(before)), stage.context())
    func count(_ depth: Int?) throws -> Int {
      let patch = try Patch.difference(
        from: past.object(with: notes[0].objectID), to: now.object(with: notes[0].objectID),
        options: PatchOptions(depth: depth))
      return patch.objects.reduce(0) { $0 + $1.updateCount }
    }
    #expect(try count(0) == 1)
    #expect(try count(1) == 2)
    #expect(try count(2) == 3)
    #expect(try count(nil) == 4)
  }

  @Test func `what a deletion takes along is compared, also where it was seen too far away before`()
    throws
  {
    let stage = try PatchStage()
    let context = stage.context()
    let books = ["root", "a", "b", "c"].map { guid in
      let book = context.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      return book
    }
    let references = books.map { Value.reference($0.objectID) }
    books[0].setValue(.array([references[1], references[2]]), forKey: "items")
    // c is two relationships away by a, which is visited first, and goes with b, which is one away.
    books[1].setValue(.set([references[3]]), forKey: "friends")
    books[3].setValue(references[2], forKey: "owner")
    let begun = try #require(try context.save()).number
    let follower = ManagedObjectContext(try stage.copy(), isolation: nil)
    context.delete(books[2])
    try context.save()

    let (past, now) = (try stage.store.asOf(.commit(begun)), stage.context())
    let patch = try Patch.difference(
      from: past.object(with: books[0].objectID), to: now.object(with: books[0].objectID),
      options: PatchOptions(depth: 1))
    #expect(patch.objects.reduce(0) { $0 + $1.deletionCount } == 2)
    // Or that c goes were a conflict, as the deletion of b says all that it had.
    try patch.apply(to: follower)
    #expect(try GraphPicture(follower).difference(from: GraphPicture(now)) == nil)
    withExtendedLifetime((past, now)) {}
  }
}

extension ObjectPatch {
  /// How many objects are deleted by it and by what is nested in it.
  fileprivate var deletionCount: Int {
    relationships.values.flatMap(\.patches).reduce(kind == .deletion ? 1 : 0) {
      $0 + $1.deletionCount
    }
  }

  /// How many objects are changed by it and by what is nested in it.
  fileprivate var updateCount: Int {
    relationships.values.flatMap(\.patches).reduce(new?.isEmpty == false ? 1 : 0) {
      $0 + $1.updateCount
    }
  }
}
