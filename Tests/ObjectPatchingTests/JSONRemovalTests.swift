import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Objects that are taken out of a document by JSON Patch or merge patch, and what led to them.
@Suite struct JSONRemovalTests {
  private let context: ManagedObjectContext
  private let books: [String: ManagedObject]

  /// A book to which others lead in every way.
  init() throws {
    context = try PatchStage().context()
    let context = context
    let books = Dictionary(
      uniqueKeysWithValues: ["one", "a", "b", "c"].map { guid in
        let book = context.insert("Book")
        book.setValue(.string(guid), forKey: "guid")
        return (guid, book)
      })
    let ids = books.mapValues { Value.reference($0.objectID) }
    func references(_ guids: String...) -> [Value] { guids.compactMap { ids[$0] } }
    for (guid, key) in [("a", "parent"), ("b", "parent"), ("c", "deputy"), ("c", "see")] {
      books[guid]?.setValue(ids["one"], forKey: key)
    }
    books["a"]?.setValue(.set(Set(references("one", "b"))), forKey: "friends")
    books["b"]?.setValue(.array(references("a", "one", "c")), forKey: "items")
    self.books = books
    try context.save()
  }

  private enum Door: CaseIterable {
    case jsonPatch, mergePatch
    case jsonPatchOfDocument, mergePatchOfDocument
  }

  private func patch(
    _ door: Door, removing path: String = "/Book/one", and operations: String = ""
  ) throws -> Patch {
    let tokens = path.split(separator: "/")
    let operations = Data(#"[\#(operations){"op":"remove","path":"\#(path)"}]"#.utf8)
    let merge = Data(#"{"\#(tokens[0])":{"\#(tokens[1])":null}}"#.utf8)
    let model = try PatchStage.model()
    return switch door {
    case .jsonPatch: try Patch(jsonPatch: operations, against: context)
    case .mergePatch: try Patch(mergePatch: merge, against: context)
    case .jsonPatchOfDocument:
      try Patch(jsonPatch: operations, graph: context.jsonGraph(), model: model)
    case .mergePatchOfDocument:
      try Patch(mergePatch: merge, graph: context.jsonGraph(), model: model)
    }
  }

  @Test(arguments: Door.allCases)
  private func `S80: a removal says what led to the object, and its inverse leads there again`(
    door: Door
  ) throws {
    let before = try GraphPicture(context)
    let patch = try patch(door)
    let report = try patch.apply(to: context)
    let changed = Dictionary(
      uniqueKeysWithValues: report.objects.map { ("\($0.identity)", $0.keys) })
    #expect(changed[#"Book (guid "a")"#] == ["friends", "parent"])
    #expect(changed[#"Book (guid "b")"#] == ["items", "parent"])
    #expect(changed[#"Book (guid "c")"#] == ["deputy"])
    #expect(books["b"]?.value(forKey: "parent") == nil)
    try patch.inverted(model: PatchStage.model()).apply(to: context)
    // But for what nobody clears.
    #expect(
      try GraphPicture(context).withoutDeadEnds.difference(from: before.withoutDeadEnds) == nil)
  }

  @Test(arguments: Door.allCases)
  private func `S80: what leads elsewhere since is a conflict of a removal`(door: Door) throws {
    let patch = try patch(door)
    books["a"]?.setValue(books["c"].map { .reference($0.objectID) }, forKey: "parent")
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    #expect(error?.conflicts.map(\.key) == ["parent"])
    #expect(error?.conflicts.map(\.objectID) == [books["a"]?.objectID])
  }

  @Test func `what the operations say themselves of what led there stands`() throws {
    let patch = try patch(
      .jsonPatch,
      and: #"""
        {"op":"replace","path":"/Book/a/parent","value":"/Book/c"},
        {"op":"add","path":"/Book/c/parent","value":"/Book/one"},{"op":"remove","path":"/Book/b"},
        """#)
    let objects = Dictionary(
      uniqueKeysWithValues: patch.objects.map { ("\($0.identity)", $0) })
    let parent = objects[#"Book (guid "a")"#]?.relationships["parent"]
    #expect(parent?.added.map(\.identity) == [PatchIdentity("Book", "guid", "c")])
    #expect(objects[#"Book (guid "b")"#]?.kind == .deletion)
    // What comes to lead to what goes is refused.
    let conflicts = try patch.conflicts(with: context)
    #expect(conflicts.map(\.kind) == [.objectMissing] && conflicts.map(\.key) == ["parent"])
  }

  @Test(arguments: Door.allCases)
  private func `what would go along is told by the removal, and is not there to come again`(
    door: Door
  ) throws {
    books["a"]?.setValue(books["b"].map { .reference($0.objectID) }, forKey: "owner")
    // It goes along, and what it goes with has led there, too.
    books["c"]?.setValue(books["a"].map { .reference($0.objectID) }, forKey: "owner")
    books["c"]?.setValue(books["b"].map { .reference($0.objectID) }, forKey: "parent")
    try context.save()
    let patch = try patch(door, removing: "/Book/b")
    let owned = patch.objects.first { $0.kind == .deletion }?.relationships["owned"]
    #expect(owned?.removed.map(\.identity) == [PatchIdentity("Book", "guid", "a")])
    let error = #expect(throws: PatchConflicts.self) { try patch.apply(to: context) }
    #expect(error?.conflicts.map(\.key) == ["owned"])
    let report = try patch.apply(to: context, policy: .force)
    #expect(report.deletedAlong.count == 2)
    for guid in ["a", "b", "c"] { #expect(books[guid]?.isDeleted ?? false) }
    let inverse = try patch.inverted(model: PatchStage.model())
    #expect(try inverse.conflicts(with: context).contains { $0.kind == .objectMissing })
  }
}
