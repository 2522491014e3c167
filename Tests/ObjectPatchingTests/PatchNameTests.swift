import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Objects that get an identifier, lose it, or take that of another.
@Suite struct PatchNameTests {
  private let stage: PatchStage
  private let context: ManagedObjectContext

  init() throws {
    stage = try PatchStage()
    context = stage.context()
  }

  @discardableResult private func make(_ guid: Value? = nil) -> ManagedObject {
    let object = context.insert("Book")
    object.setValue(guid, forKey: "guid")
    return object
  }

  private func reference(_ object: ManagedObject) -> Value { .reference(object.objectID) }

  private func followed(_ one: Patch, _ other: Patch) throws -> Patch {
    try one.followed(by: other, model: PatchStage.model())
  }

  private func picture(_ commit: Int) throws -> GraphPicture {
    try GraphPicture(stage.store.asOf(.commit(CommitNumber(rawValue: UInt64(commit)))))
  }

  /// Applies what lies between commits, its inverses, and what is joined of it, to a context at the first commit.
  private func checkLaws(commits: Int = 2) throws {
    var patches: [Patch] = []
    for commit in 1..<commits {
      patches.append(
        try .difference(
          in: stage.store, from: .commit(CommitNumber(rawValue: UInt64(commit))),
          to: .commit(CommitNumber(rawValue: UInt64(commit + 1)))))
    }
    let other = stage.context()
    try other.revert(to: .commit(1))
    for (index, patch) in patches.enumerated() {
      try patch.apply(to: other)
      #expect(try GraphPicture(other).difference(from: picture(index + 2)) == nil)
    }
    for (index, patch) in patches.enumerated().reversed() {
      try patch.inverted().apply(to: other)
      #expect(try GraphPicture(other).difference(from: picture(index + 1)) == nil)
    }
    guard var joined = patches.first else { return }
    for patch in patches.dropFirst() { joined = try followed(joined, patch) }
    try joined.apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(commits)) == nil)
    try joined.inverted().apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(1)) == nil)
  }

  @Test func `an object that gets an identifier is meant by that in the same patch`() throws {
    let (one, other) = (make(), make("o"))
    try context.save()
    one.setValue("a", forKey: "guid")
    other.setValue(reference(one), forKey: "parent")
    try context.save()
    try checkLaws()
    one.setValue("n", forKey: "name")
    one.setValue(reference(other), forKey: "boss")
    try context.save()
    one.setValue("b", forKey: "guid")
    try context.save()
    try checkLaws(commits: 4)
    context.delete(one)
    try context.save()
    let all = try (1...4).map { number in
      try Patch([stage.store.commit(CommitNumber(rawValue: number + 1))], of: stage.store)
    }
    let joined = try all.dropFirst().reduce(all[0], followed)
    let again = stage.context()
    try again.revert(to: .commit(1))
    try joined.apply(to: again)
    #expect(try GraphPicture(again).difference(from: picture(5)) == nil)
    try joined.inverted().apply(to: again)
    #expect(try GraphPicture(again).difference(from: picture(1)) == nil)
  }

  @Test func `an object that loses its identifier is named by its ID, and its name is free`() throws
  {
    let (one, other) = (make("a"), make("o"))
    one.setValue(reference(other), forKey: "boss")
    other.setValue(reference(one), forKey: "parent")
    try context.save()
    one.setValue(nil, forKey: "guid")
    other.setValue("a", forKey: "guid")
    other.setValue(nil, forKey: "parent")
    try context.save()
    let patch = try Patch.difference(in: stage.store, from: .commit(1))
    #expect(Set(patch.objects.map(\.identity)).contains(PatchIdentity("Book", one.objectID)))
    try checkLaws()
    other.setValue(reference(one), forKey: "parent")
    one.setValue("n", forKey: "name")
    try context.save()
    one.setValue("z", forKey: "guid")
    try context.save()
    try checkLaws(commits: 4)
    // By hand it can be said otherwise, and then nothing names it afterwards.
    let handmade = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "z"), old: ["guid": "z"], new: ["guid": nil])
    ])
    let error = #expect(throws: PatchError.self) { try handmade.inverted() }
    #expect(error?.code == .notInvertible)
    try handmade.apply(to: context)
    #expect(one.value(forKey: "guid") == nil)
  }

  @Test func `what goes by its identifier and comes again by its ID is not made as another`() throws
  {
    let film = context.insert("Film")
    try context.save()
    film.setValue("r5", forKey: "guid")
    try context.save()
    let model = try PatchStage.model()
    let gone = try Patch.difference(in: stage.store, from: .commit(2), to: .commit(0))
    let back = try Patch.difference(in: stage.store, from: .commit(0), to: .commit(1))
    let both = try gone.followed(by: back, model: model)
    for policy in PatchPolicy.allCases {
      let error = #expect(throws: PatchError.self) { try both.apply(to: context, policy: policy) }
      #expect(error?.code == .repeatedObject)
      #expect(film.value(forKey: "guid") == "r5" && !context.hasChanges)
    }
    // One after the other they lead where they should.
    try gone.apply(to: context)
    try back.apply(to: context)
    #expect(!film.isDeleted && film.value(forKey: "guid") == nil)
  }

  @Test func `a store of another lineage knows by its identifier what is about to lose it`() throws
  {
    let one = make("a")
    try context.save()
    one.setValue(nil, forKey: "guid")
    try context.save()
    let other = try PatchStage(seed: 2)
    try Patch.difference(in: stage.store, from: .commit(0), to: .commit(1)).apply(to: other.store)
    let patch = try Patch.difference(in: stage.store, from: .commit(1))
    try patch.apply(to: other.store)
    let left = try GraphPicture(other.context()).objects.values.map { $0.values["guid"] }
    #expect(left == [nil])
    let error = #expect(throws: PatchError.self) { try patch.inverted().apply(to: other.store) }
    #expect(error?.code == .otherLineage)
  }

  @Test func `no identifier is given to two objects, whatever names them`() throws {
    let (one, two) = (make(), make("b"))
    func named(_ object: ManagedObject) -> ObjectPatch {
      ObjectPatch(updating: PatchIdentity("Book", object.objectID), new: ["guid": "b"])
    }
    let conflicts = #expect(throws: PatchConflicts.self) {
      try Patch(objects: [named(one)]).apply(to: context)
    }
    #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    for patches in [
      [named(one), ObjectPatch(creating: PatchIdentity("Book", "guid", "b"), new: [:])],
      [named(one), named(make())],
    ] {
      let error = #expect(throws: PatchError.self) {
        try Patch(objects: patches).apply(to: context)
      }
      #expect(error?.code == .ambiguousObject)
    }
    let freed = ObjectPatch(
      updating: PatchIdentity("Book", "guid", "b"), old: ["guid": "b"], new: ["guid": "c"])
    try Patch(objects: [named(one), freed]).apply(to: context)
    #expect(one.value(forKey: "guid") == "b" && two.value(forKey: "guid") == "c")
  }

  /// Who follows would take the one for the other, and lose both when one goes.
  @Test(arguments: [0, 3])
  func `S77: what comes, goes or is renamed is told by no name that another object has`(
    later: Int
  ) throws {
    func expectRefused(_ number: CommitNumber) throws {
      let before = CommitNumber(rawValue: number.rawValue - 1)
      for (from, to) in [(before, number), (number, before)] {
        // What loses its identifier is named by its ID, and by no name of another.
        if (from, to) == (3, 2) { continue }
        let moments = #expect(throws: PatchError.self) {
          try Patch.difference(in: stage.store, from: .commit(from), to: .commit(to))
        }
        #expect(moments?.code == .ambiguousObject)
        let states = #expect(throws: PatchError.self) {
          try Patch.difference(
            from: stage.store.asOf(.commit(from)), to: stage.store.asOf(.commit(to)))
        }
        #expect(states?.code == .ambiguousObject)
      }
    }
    make("a")
    let (nameless, other) = (make(), make("c"))
    try context.save()
    let second = make("a")
    try context.save()
    nameless.setValue("a", forKey: "guid")
    try context.save()
    other.setValue("a", forKey: "guid")
    try context.save()
    context.delete(second)
    try context.save()
    for number in 0..<later {
      make("later \(number)")
      try context.save()
    }
    for number in [2, 3, 4, 5] as [CommitNumber] { try expectRefused(number) }
    // Once each has a name of its own, what was between is one patch.
    nameless.setValue("b", forKey: "guid")
    other.setValue("c", forKey: "guid")
    try context.save()
    let patch = try Patch.difference(in: stage.store, from: .commit(1), to: .head)
    #expect(patch.objects.count == 1 + later)
    let identity = PatchIdentity("Book", nameless.objectID)
    #expect(patch.objects.contains { $0.identity == identity && $0.new == ["guid": "b"] })
  }

  @Test func `S77: of commits a name is refused that another still has, and of states any`() throws
  {
    let first = make("x")
    try context.save()
    let second = make("x")
    try context.save()
    context.delete(second)
    try context.save()
    func moments(_ from: CommitNumber, _ to: CommitNumber) throws -> Patch {
      try Patch.difference(in: stage.store, from: .commit(from), to: .commit(to))
    }
    func expectRefused(_ body: () throws -> Patch) {
      let error = #expect(throws: PatchError.self) { try body() }
      #expect(error?.code == .ambiguousObject)
    }
    let changes: [(CommitNumber, CommitNumber, ObjectPatch.Kind)] = [
      (1, 2, .creation), (2, 3, .deletion),
    ]
    for (from, to, _) in changes {
      expectRefused { try moments(from, to) }
      expectRefused { try Patch([stage.store.commit(to)], of: stage.store) }
    }
    first.setValue("y", forKey: "guid")
    try context.save()
    for (from, to, kind) in changes {
      expectRefused {
        try Patch.difference(
          from: stage.store.asOf(.commit(from)), to: stage.store.asOf(.commit(to)))
      }
      // Who has the name now is asked for, and not who had it then.
      #expect(try moments(from, to).objects.map(\.kind) == [kind])
      let commit = try Patch([stage.store.commit(to)], of: stage.store)
      #expect(commit.objects.map(\.kind) == [kind])
    }
  }

  @Test func `S77: a name that another has is refused where two objects are compared`() throws {
    let (shelf, first, second) = (make("shelf"), make("x"), make("x"))
    shelf.setValue(.array([reference(first), reference(second)]), forKey: "items")
    let begun = try #require(try context.save()).number
    context.delete(second)
    try context.save()
    let (past, now) = (try stage.store.asOf(.commit(begun)), stage.context())
    let error = #expect(throws: PatchError.self) {
      try Patch.difference(
        from: past.object(with: shelf.objectID), to: now.object(with: shelf.objectID))
    }
    #expect(error?.code == .ambiguousObject)
    withExtendedLifetime((past, now)) {}
  }

  @Test func `what is there as what comes to be does not get the identifier of another`() throws {
    let (one, two) = (make(), make("b"))
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Book", one.objectID), new: ["guid": "b"])
    ])
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context, policy: .force) }
    #expect(error?.code == .ambiguousObject)
    let conflicts = #expect(throws: PatchConflicts.self) {
      try patch.apply(to: context, policy: .merge)
    }
    #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    try patch.apply(to: context, policy: .keepOurs)
    #expect(one.value(forKey: "guid") == nil && !context.hasChanges)
    two.setValue("c", forKey: "guid")
    try patch.apply(to: context, policy: .merge)
    #expect(one.value(forKey: "guid") == "b")
  }

  @Test func `what is missing comes to be under its own name, whatever it is said to have had`()
    throws
  {
    let two = make("b")
    try context.save()
    let named = ObjectPatch(
      updating: PatchIdentity("Book", "guid", "a"), old: ["guid": "b"], new: ["score": 5])
    try Patch(objects: [named]).apply(to: context, policy: .force)
    let names = try context.fetch(FetchRequest("Book")).map { $0.value(forKey: "guid")?.string }
    #expect(Set(names) == ["a", "b"] && two.value(forKey: "score") == nil)
    context.rollback()
    let gone = make("c")
    try context.save()
    let identity = PatchIdentity("Book", gone.objectID)
    context.delete(gone)
    try context.save()
    let unnamed = ObjectPatch(updating: identity, old: ["guid": "c"], new: ["score": 5])
    let other = ObjectPatch(creating: PatchIdentity("Book", "guid", "c"), new: [:])
    let error = #expect(throws: PatchError.self) {
      try Patch(objects: [unnamed, other]).apply(to: context, policy: .force)
    }
    #expect(error?.code == .ambiguousObject)
  }

  @Test(arguments: PatchPolicy.allCases)
  func `one object is not named in two ways, whatever the policy`(policy: PatchPolicy) throws {
    let one = make("b")
    try context.save()
    let patch = Patch(objects: [
      ObjectPatch(updating: PatchIdentity("Book", one.objectID), new: ["name": "x"]),
      ObjectPatch(creating: PatchIdentity("Book", "guid", "b"), new: ["score": 7]),
    ])
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context, policy: policy) }
    #expect(error?.code == .repeatedObject && error?.path.description == "/1")
    #expect(one.value(forKey: "name") == "new" && !context.hasChanges)
  }

  @Test func `names that are swapped and passed on lead where they should, also joined`() throws {
    let (one, two, three) = (make("a"), make("b"), make("c"))
    one.setValue(reference(two), forKey: "boss")
    three.setValue(.set([reference(one)]), forKey: "friends")
    try context.save()
    one.setValue("b", forKey: "guid")
    two.setValue("a", forKey: "guid")
    three.setValue(.set([reference(two)]), forKey: "friends")
    try context.save()
    one.setValue("c", forKey: "guid")
    three.setValue("b", forKey: "guid")
    try context.save()
    try checkLaws(commits: 3)
  }

  @Test func `what takes the identifier of one that went is linked, also where patches are joined`()
    throws
  {
    let (x, y, o) = (make("a"), make("b"), make("o"))
    o.setValue(reference(x), forKey: "parent")
    try context.save()
    context.delete(x)
    try context.save()
    y.setValue("a", forKey: "guid")
    o.setValue(reference(y), forKey: "parent")
    try context.save()
    try checkLaws(commits: 3)
  }

  @Test func `what goes while another of its name is renamed does not come back by joining`() throws
  {
    let (x, y, o) = (make("a"), make("b"), make("o"))
    o.setValue(reference(x), forKey: "parent")
    try context.save()
    context.delete(x)
    y.setValue("a", forKey: "guid")
    try context.save()
    y.setValue("d", forKey: "guid")
    o.setValue(reference(y), forKey: "parent")
    try context.save()
    try checkLaws(commits: 3)
  }

  @Test(arguments: ["parent", "children", "both"], ["parent", "children", "both"])
  func `what goes and comes again is led to by itself and by another, which has its name meanwhile`(
    going: String, coming: String
  ) throws {
    let (x, y) = (make("a"), make("b"))
    x.setValue(reference(x), forKey: "parent")
    y.setValue(reference(x), forKey: "parent")
    try context.save()
    context.delete(x)
    y.setValue("a", forKey: "guid")
    try context.save()
    y.setValue("b", forKey: "guid")
    let again = make("a")
    again.setValue(reference(again), forKey: "parent")
    y.setValue(reference(again), forKey: "parent")
    try context.save()
    let first = try Patch.difference(in: stage.store, from: .commit(1), to: .commit(2))
      .saying("parent", at: going, as: "children")
    let second = try Patch.difference(in: stage.store, from: .commit(2), to: .commit(3))
      .saying("parent", at: coming, as: "children")
    let other = stage.context()
    try other.revert(to: .commit(1))
    try first.apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(2)) == nil)
    try second.apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(3)) == nil)
    try other.revert(to: .commit(1))
    let joined = try followed(first, second)
    try joined.apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(3)) == nil)
    try joined.inverted().apply(to: other)
    #expect(try GraphPicture(other).difference(from: picture(1)) == nil)
  }

  @Test
  func `what the first patch leaves there is not made by the second, unless that frees its name`()
    throws
  {
    let (name, film) = (PatchIdentity("Book", "guid", "a"), PatchIdentity("Film", "guid", "w"))
    let made = ObjectPatch(creating: name, new: ["guid": "a", "score": 2])
    for first in [
      ObjectPatch(updating: name, new: ["score": 1]),
      ObjectPatch(creating: name, new: ["score": 1]),
    ] {
      // What would go along unsaid is there to who joins.
      let unsaid = Patch(objects: [ObjectPatch(deleting: film, old: ["guid": "w"]), made])
      let error = #expect(throws: PatchError.self) {
        try followed(Patch(objects: [first]), unsaid)
      }
      #expect(error?.code == .doesNotFollow && error?.path.description == "/1")
      let said = Patch(objects: [ObjectPatch(deleting: name, old: ["guid": "a"]), made])
      let joined = try followed(Patch(objects: [first]), said)
      let kinds = joined.objects.map(\.kind)
      #expect(kinds == (first.kind == .update ? [.deletion, .creation] : [.creation]))
    }
  }

  @Test func `a name that a function makes of two is given to one object`() throws {
    let model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Book",
          attributes: [
            AttributeDescription("guid", .string, isIdentifier: true, merging: .custom("both"))
          ])
      ], classes: [],
      merges: [
        "both": { _, ours, theirs in .string((ours?.string ?? "") + (theirs?.string ?? "")) }
      ]
    )
    let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    let (one, two) = (context.insert("Book"), context.insert("Book"))
    one.setValue("x", forKey: "guid")
    two.setValue("bx", forKey: "guid")
    try context.save()
    let renaming = ObjectPatch(
      updating: PatchIdentity("Book", "guid", "x"), old: ["guid": "a"], new: ["guid": "b"])
    let conflicts = #expect(throws: PatchConflicts.self) {
      try Patch(objects: [renaming]).apply(to: context, policy: .merge)
    }
    #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
    two.setValue("c", forKey: "guid")
    let creation = ObjectPatch(creating: PatchIdentity("Book", "guid", "bx"), new: [:])
    let error = #expect(throws: PatchError.self) {
      try Patch(objects: [renaming, creation]).apply(to: context, policy: .merge)
    }
    #expect(error?.code == .ambiguousObject)
    try Patch(objects: [renaming]).apply(to: context, policy: .merge)
    #expect(one.value(forKey: "guid") == "bx")
  }

  @Test func `a name that only others have given stays under merge, and nobody else gets it`()
    throws
  {
    let (one, two) = (make("a"), make("b"))
    two.setValue(reference(one), forKey: "boss")
    try context.save()
    let unnamed = ObjectPatch(
      updating: PatchIdentity("Book", "guid", "a"), old: ["guid": "c", "score": nil],
      new: ["guid": "c", "score": 5])
    let conflicting = [
      ObjectPatch(
        updating: PatchIdentity("Book", "guid", "b"), old: ["guid": "b"], new: ["guid": "a"]),
      ObjectPatch(creating: PatchIdentity("Book", "guid", "a"), new: [:]),
    ]
    for other in conflicting {
      let conflicts = #expect(throws: PatchConflicts.self) {
        try Patch(objects: [unnamed, other]).apply(to: context, policy: .merge)
      }
      #expect(conflicts?.conflicts.map(\.kind) == [.objectExists])
      #expect(!context.hasChanges)
    }
    try Patch(objects: [unnamed]).apply(to: context, policy: .merge)
    #expect(one.value(forKey: "guid") == "a" && one.value(forKey: "score") == 5)
    #expect(two.value(forKey: "guid") == "b" && two.value(forKey: "boss") == reference(one))
  }
}

extension Patch {
  /// The patch without nesting, that says what objects of it come to lead to, and lead to no more, here, at the other
  /// end, or at both.
  fileprivate func saying(_ key: String, at place: String, as inverse: String) -> Patch {
    var said = objects.flatMap(\.flat)
    if place == key { return Patch(objects: said) }
    for index in said.indices {
      guard let own = said[index].relationships[key] else { continue }
      for (others, isAdded) in [(own.removed, false), (own.added, true)] {
        for other in others {
          let owner = said.firstIndex {
            $0.identity == other.identity && $0.kind == (isAdded ? .creation : .deletion)
          }
          guard let owner else { continue }
          var patch = said[owner].relationships[inverse] ?? RelationshipPatch(.toMany)
          if isAdded {
            patch.added.append(.init(said[index].nameAfter))
          } else {
            patch.removed.append(.init(said[index].identity))
          }
          said[owner].relationships[inverse] = patch
        }
      }
      if place == inverse { said[index].relationships[key] = nil }
    }
    return Patch(objects: said)
  }
}

extension ObjectPatch {
  fileprivate var nameAfter: PatchIdentity {
    guard kind == .update, let name = new?["guid"] else { return identity }
    return PatchIdentity(entityName, "guid", name)
  }

  fileprivate var flat: [ObjectPatch] {
    var own = self
    let nested = relationships.sorted { $0.key < $1.key }.flatMap { $1.patches.flatMap(\.flat) }
    for key in relationships.keys { own.relationships[key]?.patches = [] }
    own.relationships = own.relationships.filter { !$1.removed.isEmpty || !$1.added.isEmpty }
    return [own] + nested
  }
}
