// Patches that are applied to a small store: what is refused changes nothing, and what is done is done whole.

internal import DiskSimulation
internal import FoundationEssentials
internal import FuzzSupport
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

func checkApplying(_ bytes: [UInt8]) {
  // A store costs more than the reading: most inputs are no patch.
  guard let model = try? PatchModel.shared.get(),
    let patch = try? Patch(json: Data(bytes), model: model)
  else { return }
  withStore { store, context, model in
    for policy in PatchPolicy.allCases { try check(patch, policy, context, store) }
    checkWords(patch, model)
    // What goes out comes in again.
    if let operations = try? patch.jsonPatch(model: model) {
      try checkDoor(context, store) { try Patch(jsonPatch: operations, against: context) }
    }
    if let merge = try? patch.mergePatch(model: model) {
      try checkDoor(context, store) { try Patch(mergePatch: merge, against: context) }
    }
  }
}

/// A JSON Patch of what a store has.
func checkOperationsOfGraph(_ operations: Data) {
  guard let document = try? JSONValue(parsing: Array(operations)),
    (try? JSONPatchDocument(document)) != nil
  else { return }
  withStore { store, context, model in
    let graph = try context.jsonGraph()
    try checkDoor(context, store) { try Patch(jsonPatch: operations, against: context) }
    try checkDoor(context, store) {
      try Patch(jsonPatch: operations, graph: graph, model: model, allowsDynamicKeys: true)
    }
  }
}

/// A merge patch of what a store has.
func checkMergeOfGraph(_ merge: Data) {
  guard (try? JSONValue(parsing: Array(merge))) != nil else { return }
  withStore { store, context, model in
    let graph = try context.jsonGraph()
    try checkDoor(context, store) { try Patch(mergePatch: merge, against: context) }
    try checkDoor(context, store) {
      try Patch(mergePatch: merge, graph: graph, model: model, allowsDynamicKeys: true)
    }
  }
}

/// What comes in by a door of the standards is a patch as any other, or a typed error.
private func checkDoor(
  _ context: ManagedObjectContext, _ store: JournaledStore, _ read: () throws -> Patch
) throws {
  do {
    try check(try read(), .refuse, context, store)
  } catch let error as PatchError {
    expect(!error.description.isEmpty, "an error has words")
  }
}

private func withStore(
  _ body: (JournaledStore, ManagedObjectContext, ManagedObjectModel) throws -> Void
) {
  do {
    let model = try PatchModel.shared.get()
    let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    try fill(context)
    try body(store, context, model)
  } catch {
    expect(false, "a store in memory gives no failure: \(error)")
  }
}

/// What the patch of the seeds speaks of, and some objects beside it.
private func fill(_ context: ManagedObjectContext) throws {
  var people: [ManagedObject] = []
  for name in ["ann", "bob"] {
    let person = context.insert("Person")
    person.setValue(.string(name), forKey: "name")
    people.append(person)
  }
  var before: ManagedObject?
  for number in 0..<3 {
    let post = context.insert("Post")
    let guid = UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950\(["E", "F", "0"][number])")
    post.setValue(guid.map { .uuid($0) }, forKey: "guid")
    post.setValue(.counter(number), forKey: "likes")
    post.setValue(.reference(people[number % 2].objectID), forKey: "author")
    post.setValue(.set([.reference(people[0].objectID)]), forKey: "readers")
    if let before {
      before.setValue(.reference(post.objectID), forKey: "next")
      post.setValue(.array([.reference(before.objectID)]), forKey: "pages")
    }
    before = post
  }
  try context.save()
}

private func check(
  _ patch: Patch, _ policy: PatchPolicy, _ context: ManagedObjectContext, _ store: JournaledStore
) throws {
  let (before, count) = (try picture(context), try store.events().count)
  do {
    let report = try patch.apply(to: context, policy: policy)
    expect(
      policy == .force || policy == .keepOurs || report.conflicts.isEmpty,
      "conflicts are decided by the policies that decide them")
    expectBothEnds(try picture(context))
    if context.hasChanges { context.undo() }
  } catch let error as PatchError {
    expect(!error.description.isEmpty, "an error has words")
    expect(try store.events().count == count, "what is refused does not come into the journal")
  } catch let conflicts as PatchConflicts {
    expect(!conflicts.conflicts.isEmpty && !conflicts.description.isEmpty, "a conflict has words")
    expect(policy == .refuse || policy == .merge, "other policies decide conflicts")
    expect(try store.events().count == count, "what conflicts does not come into the journal")
  }
  expect(try picture(context) == before, "a patch does all or nothing, and can be undone")
  context.rollback()
}

/// What leads from a patch elsewhere: only typed errors come of it.
private func checkWords(_ patch: Patch, _ model: ManagedObjectModel) {
  expectWords { () throws(PatchError) in
    let inverse = try patch.inverted()
    expect(inverse.objects.count == patch.objects.count, "an inverse speaks of the same")
    _ = try patch.followed(by: inverse, model: model)
  }
  expectWords { () throws(PatchError) in _ = try patch.jsonPatch(model: model) }
  expectWords { () throws(PatchError) in _ = try patch.mergePatch(model: model) }
}

private func expectWords(_ body: () throws(PatchError) -> Void) {
  do throws(PatchError) {
    try body()
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}

// MARK: Pictures

private typealias Picture = [ObjectID: [String: Value]]

private let keys = [
  "Post": [
    "guid", "title", "count", "price", "size", "flag", "blob", "date", "link", "stats", "likes",
    "tags", "other", "any", "author", "pages", "readers", "next", "previous",
  ],
  "Person": ["name", "posts", "read"],
]

private func picture(_ context: ManagedObjectContext) throws -> Picture {
  var picture: Picture = [:]
  for (entity, keys) in keys {
    for object in try context.fetch(FetchRequest(entity)) {
      var values: [String: Value] = [:]
      for key in keys { values[key] = object.value(forKey: key) }
      picture[object.objectID] = values
    }
  }
  return picture
}

private func expectBothEnds(_ picture: Picture) {
  for (key, inverse) in [
    ("author", "posts"), ("posts", "author"), ("readers", "read"), ("read", "readers"),
    ("next", "previous"), ("previous", "next"),
  ] {
    for (object, values) in picture {
      for other in destinations(values[key]) {
        let back = destinations(picture[other]?[inverse])
        expect(back.contains(object), "what \(key) leads to leads back by \(inverse)")
      }
    }
  }
}

private func destinations(_ value: Value?) -> [ObjectID] {
  switch value {
  case .reference(let object)?: [object]
  case .set(let members)?: members.compactMap(\.reference)
  case .array(let members)?: members.compactMap(\.reference)
  default: []
  }
}
