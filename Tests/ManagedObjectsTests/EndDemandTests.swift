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
}
