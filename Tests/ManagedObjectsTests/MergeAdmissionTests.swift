import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What policies and merge functions of a program's own make of values, and the model does not admit.
@Suite struct MergeAdmissionTests {
  private func stage(
    seed: UInt64 = 1, merge: @escaping MergeFunction = { _, ours, _ in ours }
  ) throws -> Stage {
    try Stage(
      ManagedObjectModel(
        entities: [
          EntityDescription(
            "Note",
            attributes: [
              AttributeDescription(
                "text", .string, isOptional: false, defaultValue: "empty", merging: .custom("merge")
              ),
              AttributeDescription("rank", .integer, validation: [.maximum(10)]),
              AttributeDescription("scratch", .string, isTransient: true),
            ],
            relationships: [RelationshipDescription("home", to: "Home", inverse: "notes")]),
          EntityDescription(
            "Home",
            relationships: [
              RelationshipDescription("notes", to: "Note", inverse: "home", isToMany: true)
            ]),
        ], classes: [], merges: ["merge": merge]), seed: seed)
  }

  /// Two contexts that have changed the same note; one of them has saved.
  private func withRivals(
    merge: @escaping MergeFunction = { _, ours, _ in ours },
    _ body: (Stage, ManagedObjectContext, ManagedObject) throws -> Void
  ) throws {
    let stage = try stage(merge: merge)
    let (context, other) = (stage.context(), stage.context())
    let note = other.insert("Note")
    try other.save()
    let same = try context.existingObject(with: note.objectID)
    for (object, text) in [(note, "theirs"), (same, "ours")] {
      object.setValue(.string(text), forKey: "text")
      object.setValue(.integer(text.count), forKey: "rank")
    }
    try other.save()
    try body(stage, context, same)
  }

  @Test(arguments: [
    ("text", Value.null, "text must have a value"), ("text", 3, "text cannot be 3"),
    ("rank", 11, "rank is 11"), ("rank", "high", "rank cannot be"),
    ("scratch", "s", "scratch is transient"), ("home", 3, "home cannot be 3"),
    ("mood", .set(["s"]), "no property list"),
  ])
  func
    `S63: what a policy makes and the model does not admit is not saved, and the conflict says why`(
      _ key: String, _ value: Value, _ reason: String
    ) throws
  {
    try withRivals { stage, context, note in
      context.mergePolicy = .custom { _ in .values([key: value]) }
      let error = try #require(throws: MergeConflicts.self) { try context.save() }
      #expect(error.objects.map { $0.refusal?.contains(reason) } == [true])
      #expect("\(error)".contains(reason))
      #expect(note.value(forKey: "text") == "ours" && note.hasChanges)
      context.mergePolicy = .custom { _ in .values(["text": "both", "rank": 10]) }
      try context.save()
      #expect(note.value(forKey: "text") == "both" && note.value(forKey: "rank") == 10)
    }
  }

  @Test func `S63: a policy leads a relationship only to what the model lets it lead to`() throws {
    try withRivals { stage, context, note in
      let id = note.objectID
      context.mergePolicy = .custom { _ in .values(["home": .reference(id)]) }
      let error = try #require(throws: MergeConflicts.self) { try context.save() }
      #expect(error.objects.first?.refusal?.contains("which is no Home") == true)
      let strange = try self.stage(seed: 2)
      let strangerID = strange.context().insert("Home").objectID
      context.mergePolicy = .custom { _ in .values(["home": .reference(strangerID)]) }
      #expect(throws: MergeConflicts.self) { try context.save() }
      let other = stage.context()
      let home = other.insert("Home")
      try other.save()
      let homeID = home.objectID
      context.mergePolicy = .custom { _ in .values(["home": .reference(homeID)]) }
      try context.save()
      #expect(note.value(forKey: "home") == home.reference)
      #expect(try stage.brokenEnds() == [])
    }
  }

  @Test func `S22, S63: a policy may use a key that the store has never had`() throws {
    try withRivals { stage, context, note in
      context.mergePolicy = .custom { _ in .values(["mood": "new"]) }
      try context.save()
      #expect(note["mood"] == "new")
      let reader = stage.context()
      #expect(try reader.existingObject(with: note.objectID)["mood"] == "new")
    }
  }

  @Test func `S63: a policy names nothing that is computed, and no new key on a full disk`() throws
  {
    let stage = try Stage(ManagedObjectModel(Blog.self, Post.self, Comment.self))
    let (context, other) = (stage.context(), stage.context())
    let post = other.insert("Post")
    try other.save()
    let same = try context.existingObject(with: post.objectID)
    post.setValue("theirs", forKey: "author")
    try other.save()
    same.setValue("ours", forKey: "author")
    context.mergePolicy = .custom { _ in .values(["headline": "news"]) }
    let computed = try #require(throws: MergeConflicts.self) { try context.save() }
    #expect(
      computed.objects.map(\.refusal) == [
        "headline is computed and not stored; name what it is computed of."
      ])
    context.mergePolicy = .custom { [disk = stage.disk] _ in
      disk.faults = [
        SimulatedFault(
          .failure(.noSpace), calls: [.write, .append, .allocate, .map], isLasting: true)
      ]
      return .values(["mood \(String(repeating: "long ", count: 400_000))": 1])
    }
    let full = try #require(throws: MergeConflicts.self) { try context.save() }
    #expect(full.objects.first?.refusal?.contains("has no number in the store") == true)
    stage.disk.faults = []
    context.mergePolicy = .custom { _ in .values(["author": "both"]) }
    try context.save()
    #expect(same.value(forKey: "author") == "both")
  }

  @Test(arguments: [Value?.none, .null, 3, .set(["s"])])
  func `S35: what a merge function makes and the model does not admit is left to a person`(
    _ made: Value?
  ) throws {
    try withRivals(merge: { _, _, _ in made }) { stage, context, note in
      #expect(throws: MergeConflicts.self) { try context.save() }
      context.refresh(note, mergeChanges: true)
      #expect(note.value(forKey: "text") == "ours")
      try context.save()
      let reader = stage.context()
      let stored = try reader.existingObject(with: note.objectID)
      #expect(stored.value(forKey: "text") == "ours")
    }
  }

  @Test func `S44, S63: a policy that deletes follows the delete rules`() throws {
    let stage = try Stage()
    let (context, other) = (stage.context(), stage.context())
    let (post, comment) = (other.insert("Post"), other.insert("Comment"))
    let (blog, person) = (other.insert("Blog"), other.insert("Person"))
    comment.setValue(post.reference, forKey: "post")
    blog.setValue(person.reference, forKey: "editor")
    try other.save()
    let changed = try [(post, "title"), (person, "name")].map { object, key in
      let same = try context.existingObject(with: object.objectID)
      same.setValue("ours", forKey: key)
      object.setValue("theirs", forKey: key)
      return same
    }
    try other.save()
    context.mergePolicy = .custom { $0.entityName == "Post" ? .deleted : .values([:]) }
    try context.save()
    #expect(changed[0].isDeleted && changed[1].value(forKey: "name") == "theirs")
    #expect(stage.objectIDs("Post") == [] && stage.objectIDs("Comment") == [])

    changed[1].setValue("ours again", forKey: "name")
    person.setValue("theirs again", forKey: "name")
    try other.save()
    context.mergePolicy = .custom { _ in .deleted }
    let denied = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(denied.failures.map(\.kind) == [.denied([blog.objectID])])
    #expect(stage.objectIDs("Person") == [person.objectID])
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  // MARK: What merges by itself

  private func things() throws -> Stage {
    func many(_ name: String, _ back: String?, isOptional: Bool = true, most: Int? = nil)
      -> RelationshipDescription
    {
      RelationshipDescription(
        name, to: "Thing", inverse: back, isToMany: true, isOptional: isOptional, maxCount: most)
    }
    return try Stage(
      ManagedObjectModel(entities: [
        EntityDescription(
          "Thing",
          attributes: [
            AttributeDescription("count", .counter, validation: [.maximum(.counter(5))]),
            AttributeDescription("tags", .set, validation: [.maxLength(2)]),
          ],
          relationships: [
            many("friends", "fans", isOptional: false), many("fans", "friends"),
            many("few", nil, most: 1),
            many("parts", "whole", most: 2),
            RelationshipDescription("whole", to: "Thing", inverse: "parts"),
          ])
      ]))
  }

  @Test func `S63: a policy makes of a relationship only what the model admits, and says why not`()
    throws
  {
    let stage = try things()
    let (a, b) = (stage.context(), stage.context())
    let thing = a.insert("Thing")
    thing.setValue(.set([thing.reference]), forKey: "friends")
    let other = a.insert("Thing")
    other.setValue(.set([thing.reference]), forKey: "friends")
    try a.save()
    let same = try b.existingObject(with: thing.objectID)
    thing.setValue(.counter(1), forKey: "count")
    thing.setValue(.set(["theirs"]), forKey: "tags")
    try a.save()
    same.setValue(.set(["ours", "too"]), forKey: "tags")
    let (one, two) = (thing.reference, other.reference)
    for (key, value, reason) in [
      ("parts", .set([one]), "parts is answered from its inverse"),
      ("friends", .set([]), "friends must have a value"),
      ("few", .set([one, two]), "few cannot lead to 2 objects"),
    ] as [(String, Value, String)] {
      b.mergePolicy = .custom { _ in .values([key: value]) }
      let error = try #require(throws: MergeConflicts.self) { try b.save() }
      #expect(error.objects.map { $0.refusal?.contains(reason) } == [true], "\(error)")
    }
    b.mergePolicy = .custom { _ in .values(["tags": .null, "few": .set([two])]) }
    try b.save()
    #expect(same.value(forKey: "tags") == nil)
    #expect(same.value(forKey: "count") == .counter(1))
    #expect(same.value(forKey: "few") == .set([two]))
  }

  @Test(arguments: ["count", "tags", "friends", "few"])
  func `S62, S63: what two do to a value that merges is saved only where the model admits both`(
    key: String
  ) throws {
    let stage = try things()
    let (a, b) = (stage.context(), stage.context())
    let objects = (0..<3).map { _ in a.insert("Thing") }
    for object in objects { object.setValue(.set([objects[1].reference]), forKey: "friends") }
    let (one, other) = (objects[1].reference, objects[2].reference)
    objects[0].setValue(.set([one, other]), forKey: "friends")
    objects[0].setValue(.set(["x"]), forKey: "tags")
    try a.save()
    let same = try b.existingObject(with: objects[0].objectID)
    let values: [String: (Value, Value)] = [
      "count": (.counter(4), .counter(3)), "tags": (.set(["x", "y"]), .set(["x", "z"])),
      "friends": (.set([one]), .set([other])), "few": (.set([one]), .set([other])),
    ]
    let (ours, theirs) = try #require(values[key])
    objects[0].setValue(theirs, forKey: key)
    try a.save()
    same.setValue(ours, forKey: key)
    for policy in [MergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
      b.mergePolicy = policy
      let told = try #require(throws: MergeConflicts.self) { try b.save() }
      #expect("\(told)".contains(key), "\(told)")
    }
    #expect(throws: ValidationErrors.self) { try b.save(retrying: 1) }
    let reading = stage.context()
    let stored = try reading.existingObject(with: objects[0].objectID)
    #expect(stored.value(forKey: key) == theirs)
    b.rollback()
    same["note"] = "one that nothing keeps from being saved"
    try b.save()
    withExtendedLifetime((a, reading)) {}
  }

  @Test func `S62: members that others have led to an owner count when one more is led there`()
    throws
  {
    let stage = try things()
    let (a, b) = (stage.context(), stage.context())
    let (owner, parts) = (a.insert("Thing"), (0..<3).map { _ in a.insert("Thing") })
    for object in parts + [owner] { object.setValue(.set([owner.reference]), forKey: "friends") }
    parts[0].setValue(owner.reference, forKey: "whole")
    try a.save()
    let theirs = try b.existingObject(with: parts[2].objectID)
    theirs.setValue(owner.reference, forKey: "whole")
    parts[1].setValue(owner.reference, forKey: "whole")
    try a.save()
    let errors = try #require(throws: ValidationErrors.self) { try b.save() }
    #expect(errors.failures.map(\.kind) == [.tooMany(3, maximum: 2)])
    #expect(errors.failures.map(\.objectID) == [owner.objectID])
    a.delete(parts[0])
    try a.save()
    try b.save()
    let reading = stage.context()
    let members = try reading.existingObject(with: owner.objectID).value(forKey: "parts")
    #expect(members.destinations.count == 2)
    #expect(try stage.store.verify(deep: true) == [])
  }
}
