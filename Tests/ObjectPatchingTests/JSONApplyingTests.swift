import FoundationEssentials
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// What arrives as JSON is converted where it has to be, and changes nothing where it cannot be applied.
@Suite struct JSONApplyingTests {
  private struct Converter: PatchDelegate {
    func value(
      for value: Value, of attribute: AttributeDescription, in entityName: String,
      at path: PatchPath
    ) throws -> Value? {
      switch (attribute.name, value) {
      case ("due", .string("new year")): .date(Date(timeIntervalSinceReferenceDate: 0))
      case ("still", .array(let bytes)):
        .data(Data(bytes.compactMap { $0.integer.map { UInt8(clamping: $0) } }))
      default: Value?.none
      }
    }
  }

  private let text = #"""
    {"patch":1,"objects":[
    {"entity":"Book","id":{"guid":"b"},"new":{"guid":"b","due":"new year"}},
    {"entity":"Film","id":{"guid":"f"},"new":{"guid":"f","still":[1,2,255],"likes":3,"tags":["x"]}}
    ]}
    """#

  @Test func `S79: what disagrees with the model is converted by a delegate`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    let patch = try Patch(json: Data(text.utf8), model: PatchStage.model())
    try patch.apply(to: context, delegate: Converter())
    let book = try #require(try context.fetch(FetchRequest("Book")).first)
    let film = try #require(try context.fetch(FetchRequest("Film")).first)
    #expect(book.value(forKey: "due") == .date(Date(timeIntervalSinceReferenceDate: 0)))
    #expect(film.value(forKey: "still") == .data(Data([1, 2, 255])))
    #expect(film.value(forKey: "likes") == .counter(3) && film.value(forKey: "tags") == .set(["x"]))
  }

  @Test func `S81: what cannot be converted names its place, and changes nothing`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    let patch = try Patch(json: Data(text.utf8), model: PatchStage.model())
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context) }
    #expect(error?.code == .wrongType && error?.path.description == "/0/due")
    #expect(!context.hasChanges)
    #expect(try stage.store.commits(since: 0).isEmpty)
  }

  @Test func `S81: cycles and objects that are told twice are refused when they are applied`()
    throws
  {
    let child = #"{"entity":"Book","id":{"guid":"b"},"old":{},"new":{"name":"x"}}"#
    let twice =
      #"{"patch":1,"objects":[{"entity":"Book","id":{"guid":"b"},"old":{},"new":{"name":"y"},"#
      + #""relationships":{"children":{"patches":[\#(child)]}}}]}"#
    let context = try PatchStage().context()
    let patch = try Patch(json: Data(twice.utf8), model: PatchStage.model())
    let error = #expect(throws: PatchError.self) { try patch.apply(to: context) }
    #expect(error?.code == .repeatedObject && !context.hasChanges)
    #expect(error?.path.description == "/0/children/0")
  }

  @Test func `a patch of a standard is made against what a context shows, unsaved changes and all`()
    throws
  {
    let context = try PatchStage().context()
    let book = context.insert("Book")
    book.setValue("b", forKey: "guid")
    book.setValue("old name", forKey: "name")
    let operations =
      #"[{"op":"test","path":"/Book/b/name","value":"old name"},"#
      + #"{"op":"replace","path":"/Book/b/name","value":"new name"},"#
      + #"{"op":"add","path":"/Film/f","value":{"parent":"/Book/b"}}]"#
    let patch = try Patch(jsonPatch: Data(operations.utf8), against: context)
    #expect(book.value(forKey: "name") == "old name")
    try patch.apply(to: context)
    let film = try #require(try context.fetch(FetchRequest("Film")).first)
    #expect(book.value(forKey: "name") == "new name")
    #expect(film.value(forKey: "parent") == .reference(book.objectID))

    let merge = #"{"Film":{"f":null},"Book":{"b":{"name":null}}}"#
    try Patch(mergePatch: Data(merge.utf8), against: context).apply(to: context)
    #expect(book.value(forKey: "name") == nil)
    #expect(try context.fetch(FetchRequest("Film")).isEmpty)
    let error = #expect(throws: PatchError.self) {
      try Patch(jsonPatch: Data(operations.utf8), against: context)
    }
    #expect(error?.path.description == "/0/path" || error?.path.description == "/0/value")
  }
}
