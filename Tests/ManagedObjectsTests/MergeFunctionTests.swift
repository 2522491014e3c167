import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct MergeFunctionTests {
  private struct NobodyKnows: Error {}

  /// A store with notes whose texts are put together; where one of them is empty only a person can say.
  private func stage() throws -> Stage {
    try Stage(
      ManagedObjectModel(
        entities: [
          EntityDescription(
            "Note",
            attributes: [
              AttributeDescription("text", .string, merging: .custom("join")),
              AttributeDescription("name", .string),
            ])
        ], classes: [],
        merges: [
          "join": { base, ours, theirs in
            guard let ours = ours?.string, let theirs = theirs?.string, ours != "", theirs != ""
            else { throw NobodyKnows() }
            return .string("\(base?.string ?? "")|\(ours)|\(theirs)")
          }
        ]))
  }

  private func withTwo(
    _ body: (ManagedObjectContext, ManagedObject, ManagedObjectContext, ManagedObject) throws ->
      Void
  ) throws {
    let stage = try stage()
    let (context, other) = (stage.context(), stage.context())
    let note = context.insert("Note")
    note.setValue("base", forKey: "text")
    try context.save()
    try body(context, note, other, try other.existingObject(with: note.objectID))
  }

  @Test func `S35: a refresh that keeps changes merges by the function as a save does`() throws {
    try withTwo { context, note, other, same in
      note.setValue("ours", forKey: "text")
      note.setValue("mine", forKey: "name")
      context.processPendingChanges()
      same.setValue("theirs", forKey: "text")
      try other.save()
      context.refresh(note, mergeChanges: true)
      #expect(note.value(forKey: "text") == "base|ours|theirs")
      #expect(note.changedValues() == ["text": "base|ours|theirs", "name": "mine"])
      context.refresh(note, mergeChanges: true)
      #expect(note.value(forKey: "text") == "base|ours|theirs")
      try context.save()
      other.refresh(same, mergeChanges: true)
      #expect(same.value(forKey: "text") == "base|ours|theirs")
    }
  }

  @Test
  func `S35: what was not changed here is theirs, and what only a person can merge stays ours`()
    throws
  {
    try withTwo { context, note, other, same in
      note.setValue("mine", forKey: "name")
      same.setValue("theirs", forKey: "text")
      let commit = try other.save()
      if let commit { context.merge(from: commit) }
      #expect(note.value(forKey: "text") == "theirs")
      note.setValue("", forKey: "text")
      same.setValue("again", forKey: "text")
      try other.save()
      context.refresh(note, mergeChanges: true)
      #expect(note.value(forKey: "text") == "" && note.value(forKey: "name") == "mine")
    }
  }

  @Test func `S76: what a function has merged comes back after a crash without the function`()
    throws
  {
    let stage = try stage()
    let (context, other) = (stage.context(), stage.context())
    let note = context.insert("Note")
    note.setValue("base", forKey: "text")
    try context.save()
    note.setValue("ours", forKey: "text")
    let same = try other.existingObject(with: note.objectID)
    same.setValue("theirs", forKey: "text")
    try other.save()
    context.refresh(note, mergeChanges: true)
    let again = try stage.killed(
      ManagedObjectModel(entities: stage.store.head.era?.model.descriptions ?? []))
    let draft = try #require(again.store.unsavedDrafts.first)
    let recovered = try ManagedObjectContext(recovering: draft, in: again.store)
    let found = try recovered.existingObject(with: note.objectID)
    #expect(found.value(forKey: "text") == "base|ours|theirs")
    withExtendedLifetime(context) {}
  }

  @Test func `S63: what is left to another policy merges as under that policy`() throws {
    for policy in [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .error] {
      let stage = try Stage()
      let (context, other) = (stage.context(), stage.context())
      let post = context.insert("Post")
      try context.save()
      let same = try other.existingObject(with: post.objectID)
      other.mergePolicy = .custom { _ in .asUnder(policy) }
      same.setValue(.counter(3), forKey: "likes")
      same.setValue(.set(["ours"]), forKey: "tags")
      post.setValue(.counter(4), forKey: "likes")
      post.setValue(.set(["theirs"]), forKey: "tags")
      try context.save()
      try other.save()
      #expect(same.value(forKey: "likes") == .counter(7))
      #expect(same.value(forKey: "tags") == .set(["ours", "theirs"]))
    }
  }

  @Test func `S35, S63: a function of the program's merges also where a policy is left to another`()
    throws
  {
    try withTwo { context, note, other, same in
      other.mergePolicy = .custom { _ in .asUnder(.mergeByPropertyObjectTrump) }
      note.setValue("theirs", forKey: "text")
      try context.save()
      same.setValue("ours", forKey: "text")
      try other.save()
      #expect(same.value(forKey: "text") == "base|ours|theirs")
    }
  }
}
