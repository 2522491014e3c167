import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What the model demands of both ends of relationships, where they are left apart or with too few.
@Suite struct EndDemandTests {
  private func reference(_ object: ManagedObject) -> Value { object.reference }

  @Test(arguments: [1, 2])
  func `S62: what is left with too few when others and a deletion come together is not saved`(
    minimum: Int
  ) throws {
    let stage = try Stage(
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Tag",
          relationships: [
            RelationshipDescription("notes", to: "Note", inverse: "tags", isToMany: true)
          ]),
        EntityDescription(
          "Note", attributes: [AttributeDescription("title", .string)],
          relationships: [
            RelationshipDescription(
              "tags", to: "Tag", inverse: "notes", isToMany: true, isOptional: false,
              minCount: minimum)
          ]),
      ]))
    let (a, b) = (stage.context(), stage.context())
    let (tags, note) = ((0..<4).map { _ in a.insert("Tag") }, a.insert("Note"))
    note.setValue(.set(Set(tags[..<minimum].map(reference))), forKey: "tags")
    try a.save()
    a.mergePolicy = .mergeByPropertyObjectTrump
    a.delete(tags[3])
    note.setValue("mine", forKey: "title")
    // As many as there must be, with the one that goes.
    let others = Set(tags[(4 - minimum)...].map(reference))
    try b.existingObject(with: note.objectID).setValue(.set(others), forKey: "tags")
    try b.save()
    let errors = #expect(throws: ValidationErrors.self) { try a.save() }
    #expect(
      errors?.failures.map(\.kind) == [minimum == 1 ? .missing : .tooFew(1, minimum: minimum)])
    #expect(errors?.failures.map(\.objectID) == [note.objectID])
    #expect(errors?.failures.map(\.key) == ["tags"])
    #expect(try stage.destinations(note, "tags") == others.compactMap(\.reference).sorted())
    a.refresh(note, mergeChanges: true)
    note.setValue(.set(Set(tags[..<2].map(reference))), forKey: "tags")
    try a.save()
    #expect(try stage.destinations(note, "tags") == tags[..<2].map(\.objectID))
    #expect(try stage.brokenEnds() == [])
    #expect(try stage.store.verify(deep: true) == [])
  }

  @Test func `S43, S75: a deep verification tells what leads to an object that does not lead back`()
    throws
  {
    let stage = try Stage()
    let a = stage.context()
    let (posts, comment) = ((0..<3).map { _ in a.insert("Post") }, a.insert("Comment"))
    comment.setValue(reference(posts[0]), forKey: "post")
    let ann = a.insert("Person")
    ann.setValue(.set([reference(posts[0]), reference(posts[1])]), forKey: "reads")
    try a.save()
    #expect(try stage.store.verify(deep: true) == [])
    // As code does that keeps no ends.
    func put(_ object: ManagedObject, _ name: String, _ value: Value?) throws {
      let before = try #require(try stage.store.head.row(of: object.objectID))
      var row = before
      row[try stage.store.key(named: name)] = value
      let live = try stage.store.beginContext(name: "by hand", on: stage.store.lastCommit)
      let object = CommitRequest.Object(
        object.objectID, base: stage.store.lastCommit, before, to: row)
      _ = try stage.store.commit(CommitRequest([object]), by: live)
    }
    try put(comment, "post", reference(posts[2]))
    try put(posts[1], "readers", nil)
    let findings = try stage.store.verify(deep: true).map(\.description)
    let expected = [
      "post of \(comment.objectID) leads to \(posts[2].objectID), which does not lead back by comments",
      "comments of \(posts[0].objectID) leads to \(comment.objectID), which does not lead back by post",
      "reads of \(ann.objectID) leads to \(posts[1].objectID), which does not lead back by readers",
    ]
    #expect(findings.count == expected.count)
    for sentence in expected { #expect(findings.contains("\(sentence); set one of the two anew.")) }
    #expect(try stage.brokenEnds().count == expected.count)
    #expect(try stage.store.verify().isEmpty)
    // A few of many are told.
    let people = (0..<300).map { _ in a.insert("Person") }
    posts[2].setValue(.set(Set(people.map(reference))), forKey: "readers")
    try a.save()
    try put(posts[2], "readers", nil)
    let many = try stage.store.verify(deep: true)
    #expect(many.count < 120 && many.last?.description.hasPrefix("there are more") == true)
  }
}
