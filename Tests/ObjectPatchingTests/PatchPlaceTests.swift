import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Places in an order that patches say, or leave unsaid: joined, filtered, and taken back.
@Suite struct PatchPlaceTests {
  private typealias Member = RelationshipPatch.Member

  private static func identity(_ guid: String) -> PatchIdentity {
    PatchIdentity("Book", "guid", .string(guid))
  }

  private static func member(_ guid: String, _ position: Int? = nil) -> Member {
    Member(identity(guid), position: position)
  }

  private static func items(
    removed: [Member] = [], added: [Member] = [], patches: [ObjectPatch] = []
  ) -> Patch {
    let items = RelationshipPatch(.ordered, removed: removed, added: added, patches: patches)
    return Patch(objects: [
      ObjectPatch(updating: identity("shelf"), relationships: ["items": items])
    ])
  }

  /// A shelf whose items are a, b and c, and two books beside it.
  private func context() throws -> ManagedObjectContext {
    let context = try PatchStage().context()
    let books = ["shelf", "a", "b", "c", "d", "e"].map { guid in
      let book = context.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      return book
    }
    books[0].setValue(.array(books[1...3].map { .reference($0.objectID) }), forKey: "items")
    try context.save()
    return context
  }

  /// The items after some patches, which are applied without a conflict.
  private func items(after patches: Patch...) throws -> [String] {
    let context = try context()
    for patch in patches { try patch.apply(to: context) }
    let items = try GraphPicture(context).objects["Book shelf"]?.links["items"] ?? []
    return items.map { String($0.dropFirst("Book ".count)) }
  }

  // MARK: Joined

  private static let joinable: [(Patch, Patch, [String])] = [
    // No places.
    (items(added: [member("d")]), items(added: [member("e")]), ["a", "b", "c", "d", "e"]),
    (
      items(removed: [member("a")]), items(removed: [member("b")], added: [member("d")]),
      ["c", "d"]
    ),
    // The second only puts behind all others.
    (
      items(removed: [member("a", 0)], added: [member("d", 1)]), items(added: [member("e")]),
      ["b", "d", "c", "e"]
    ),
    // The first does, and the second takes out by place, or puts behind all others, too.
    (items(added: [member("d")]), items(removed: [member("b", 1)]), ["a", "c", "d"]),
    (items(added: [member("d")]), items(removed: [member("d", 3)]), ["a", "b", "c"]),
    (
      items(added: [member("d")]), items(removed: [member("b", 1)], added: [member("e")]),
      ["a", "c", "d", "e"]
    ),
    // Where what goes stood does not matter to what comes.
    (
      items(removed: [member("a")]), items(removed: [member("b")], added: [member("d", 0)]),
      ["d", "c"]
    ),
    (items(removed: [member("a", 0)]), items(removed: [member("b")]), ["c"]),
  ]

  @Test(arguments: joinable)
  func `S80: changes of an order are joined where no place depends on one that is not said`(
    first: Patch, second: Patch, expected: [String]
  ) throws {
    #expect(try items(after: first, second) == expected)
    let both = try first.followed(by: second, model: PatchStage.model())
    #expect(try items(after: both) == expected, "\(both)")
  }

  private static let unjoinable: [(Patch, Patch, [String])] = [
    (items(added: [member("d")]), items(added: [member("e", 4)]), ["a", "b", "c", "d", "e"]),
    // What comes to be under an order stands behind all others.
    (
      items(patches: [ObjectPatch(creating: identity("n"), new: [:])]),
      items(added: [member("e", 4)]), ["a", "b", "c", "n", "e"]
    ),
    (
      items(added: [member("d", 0)]), items(removed: [member("c", 3)], added: [member("e")]),
      ["d", "a", "b", "e"]
    ),
    (items(removed: [member("a")]), items(removed: [member("c", 1)]), ["b"]),
    (items(added: [member("d", 1)]), items(removed: [member("a")]), ["d", "b", "c"]),
  ]

  @Test(arguments: unjoinable)
  func `S80: changes of an order are not joined where a place depends on one that is not said`(
    first: Patch, second: Patch, expected: [String]
  ) throws {
    #expect(try items(after: first, second) == expected)
    let error = #expect(throws: PatchError.self) {
      try first.followed(by: second, model: PatchStage.model())
    }
    #expect(error?.code == .doesNotFollow && error?.path.description == "/0/items")
  }

  // MARK: Filtered

  @Test func `S77: a patch without some entities is applied where these are not`() throws {
    let stage = try PatchStage()
    let (context, follower) = (stage.context(), try PatchStage(seed: 2))
    let shelf = context.insert("Book")
    func order(_ things: [ManagedObject]) throws {
      shelf.setValue(.array(things.map { .reference($0.objectID) }), forKey: "items")
      try context.save()
    }
    func make(_ entity: String, _ guid: String) -> ManagedObject {
      let made = context.insert(entity)
      made.setValue(.string(guid), forKey: "guid")
      return made
    }
    shelf.setValue("shelf", forKey: "guid")
    let (film, b) = (make("Film", "f"), make("Book", "b"))
    try order([film, b])
    let (c, d) = (make("Book", "c"), make("Book", "d"))
    // Films stand before what comes, goes and moves, whether the patch speaks of them or not.
    for things in [
      [film, b, c, d], [film, c, d, b], [c, d], [b, film, c, make("Film", "g"), d],
    ] {
      try order(things)
    }
    for commit in try stage.store.commits(since: 0) {
      var patch = try Patch([commit], of: stage.store)
      patch.removeObjects(ofEntities: ["Film"], model: try PatchStage.model())
      try patch.apply(to: follower.store)
    }
    let picture = try GraphPicture(follower.context())
    let items = try #require(picture.objects["Book shelf"]?.links["items"])
    #expect(items.sorted() == ["Book b", "Book c", "Book d"])
    #expect(picture.objects.count == 4)
  }

  @Test func `a patch without some entities says the places of others where it can`() throws {
    let film = Member(PatchIdentity("Film", "guid", "f"), position: 1)
    for (added, kept) in [
      ([Self.member("d", 2), film, Self.member("e", 0)], [Self.member("e"), Self.member("d")]),
      ([Self.member("d", 2)], [Self.member("d", 2)]),
    ] {
      var patch = Self.items(added: added)
      patch.removeObjects(ofEntities: ["Film"])
      #expect(patch == Self.items(added: kept))
      try patch.apply(to: context())
    }
    // An order of books alone counts no films.
    var patch = Self.items(added: [Self.member("d", 2)])
    patch.removeObjects(ofEntities: ["Note"], model: try PatchStage.model())
    #expect(patch == Self.items(added: [Self.member("d", 2)]))
  }

  // MARK: Taken back

  @Test func `S80: what leaves an order without saying its place is not put back`() throws {
    let patch = Self.items(removed: [Self.member("a")])
    #expect(try items(after: patch) == ["b", "c"])
    let error = #expect(throws: PatchError.self) { try patch.inverted() }
    #expect(error?.code == .notInvertible && error?.path.description == "/0/items")
    // What has come without a place goes again, and what says its place comes again there.
    for patch in [
      Self.items(added: [Self.member("d")]), Self.items(removed: [Self.member("a", 0)]),
    ] {
      #expect(try items(after: patch, patch.inverted()) == ["a", "b", "c"])
    }
  }
}
