import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// JSON Patches of graphs in which something leads to what is gone, and documents that somebody keeps.
@Suite struct JSONDeadEndTests {
  private let stage: PatchStage
  private let model: ManagedObjectModel
  private let patches: [Patch]

  /// A shelf whose path leads over a, b and c; a is deleted, and then b leaves the path.
  init() throws {
    stage = try PatchStage()
    model = try PatchStage.model()
    let context = stage.context()
    let books = ["shelf", "a", "b", "c"].map { guid in
      let book = context.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      return book
    }
    let path = books.dropFirst().map { Value.reference($0.objectID) }
    books[0].setValue(.array(path), forKey: "path")
    books[0].setValue(path[0], forKey: "see")
    books[0].setValue(.set([path[0], path[1]]), forKey: "marks")
    try context.save()
    context.delete(books[1])
    try context.save()
    books[0].setValue(.array([path[2]]), forKey: "path")
    try context.save()
    let store = stage.store
    patches = try ([(1, 2), (2, 3)] as [(CommitNumber, CommitNumber)]).map {
      try Patch.difference(in: store, from: .commit($0), to: .commit($1))
    }
  }

  private func document(_ commit: CommitNumber) throws -> JSONValue {
    try JSONValue(parsing: stage.store.asOf(.commit(commit)).jsonGraph())
  }

  /// A document without the pointers that lead to no object of it.
  private func withoutDeadEnds(_ document: JSONValue) throws -> JSONValue {
    func leadsSomewhere(_ text: String) throws -> Bool {
      let tokens = try JSONPointer(text).tokens
      return document.object?[tokens[0]]?.object?[tokens[1]] != nil
    }
    var entities = JSONObject()
    for (name, objects) in try #require(document.object).members {
      let entity = try #require(model.entity(named: name))
      var cleared = JSONObject()
      for (key, object) in objects.object?.members.map({ ($0.key, $0.value) }) ?? [] {
        var members = try #require(object.object)
        for relationship in entity.relationships {
          switch members[relationship.name] {
          case .string(let text)?:
            if try !leadsSomewhere(text) { members.remove(relationship.name) }
          case .array(let elements)?:
            let left = try elements.filter { try leadsSomewhere($0.string ?? "") }
            members.set(relationship.name, .array(left))
          case .object(var marks)?:
            for (text, _) in marks.members.map({ ($0.key, $0.value) })
            where try !leadsSomewhere(text) {
              marks.remove(text)
            }
            members.set(relationship.name, .object(marks))
          default: break
          }
        }
        cleared.append(key, .object(members))
      }
      entities.append(name, .object(cleared))
    }
    return .object(entities)
  }

  private func apply(_ patch: Patch, to document: JSONValue) throws -> JSONValue {
    try JSONPatchDocument(JSONValue(parsing: patch.jsonPatch(model: model))).applied(to: document)
  }

  @Test func `JSON Patches follow each other on a document out of which dead ends are taken`()
    throws
  {
    let kept = try apply(patches[0], to: document(1))
    // The deletion does not say who else leads there, and the next patch does not count that.
    #expect(try kept != document(2))
    let error = #expect(throws: JSONError.self) { try apply(patches[1], to: kept) }
    #expect(error?.code == .testFailed)
    let cleared = try withoutDeadEnds(kept)
    #expect(try cleared == document(2), "\(cleared)")
    let last = try withoutDeadEnds(apply(patches[1], to: cleared))
    #expect(try last == document(3), "\(last)")
  }

  @Test func `patches that delete what an order leads to, and change it, are taken one by one`()
    throws
  {
    let context = stage.context()
    try context.revert(to: .commit(1))
    // As one the patch is applied, but what it tests of the order does not count what it deletes.
    let both = try patches[0].followed(by: patches[1], model: model)
    #expect(try both.conflicts(with: context).isEmpty)
    let error = #expect(throws: PatchError.self) {
      try Patch(jsonPatch: both.jsonPatch(model: model), against: context)
    }
    #expect(error?.code == .testFailed)
    // A context shows no dead ends, so that nothing is to be taken out of it.
    for patch in patches {
      try Patch(jsonPatch: patch.jsonPatch(model: model), against: context).apply(to: context)
    }
    let expected = try GraphPicture(stage.store.asOf(.commit(3)))
    #expect(try GraphPicture(context).difference(from: expected) == nil)
  }
}
