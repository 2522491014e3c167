import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What policies and merge functions of a program's own make of values, and the model does not admit.
@Suite struct MergeAdmissionTests {
  private func stage(merge: @escaping MergeFunction = { _, ours, _ in ours }) throws -> Stage {
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
        ], classes: [], merges: ["merge": merge]))
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
}
