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

  @Test func `S81: a key that the model does not have is refused, unless dynamic ones are allowed`()
    throws
  {
    let context = try PatchStage().context()
    let model = try PatchStage.model()
    let book = context.insert("Book")
    book.setValue("b", forKey: "guid")
    book["mood"] = "sunny"
    let json = Data(
      #"{"patch":1,"objects":[{"entity":"Book","id":{"guid":"b"},"old":{},"new":{"nane":"x"}}]}"#
        .utf8)
    let operations = Data(#"[{"op":"add","path":"/Book/b/nane","value":"x"}]"#.utf8)
    let merge = Data(#"{"Book":{"b":{"nane":"x"}}}"#.utf8)
    let graph = Data(#"{"Book":{"b":{"guid":"b"}}}"#.utf8)
    func check(_ path: String, _ read: (Bool) throws -> Patch) throws {
      let error = #expect(throws: PatchError.self) { try read(false) }
      #expect(error?.code == .unknownKey && error?.path.description == path)
      #expect(try read(true).objects.first?.new == ["nane": "x"])
    }
    try check("/objects/0/new/nane") { try Patch(json: json, model: model, allowsDynamicKeys: $0) }
    try check("/Book/b/nane") {
      try Patch(jsonPatch: operations, graph: graph, model: model, allowsDynamicKeys: $0)
    }
    try check("/Book/b/nane") {
      try Patch(mergePatch: merge, graph: graph, model: model, allowsDynamicKeys: $0)
    }
    try check("/Book/b/nane") {
      try Patch(jsonPatch: operations, against: context, allowsDynamicKeys: $0)
    }
    try check("/Book/b/nane") {
      try Patch(mergePatch: merge, against: context, allowsDynamicKeys: $0)
    }
    // What an object has is known.
    let known = Data(#"{"Book":{"b":{"mood":"grey"}}}"#.utf8)
    try Patch(mergePatch: known, against: context).apply(to: context)
    #expect(book["mood"] == "grey")
  }

  @Test func `objects in a relationship that look the same are told, and not made one`() throws {
    let context = try PatchStage().context()
    let film = context.insert("Film")
    film.setValue("f", forKey: "guid")
    let books = ["\u{e9}", "e\u{301}"].map { guid in
      let book = context.insert("Book")
      book.setValue(.string(guid), forKey: "guid")
      return Value.reference(book.objectID)
    }
    film.setValue(.set(Set(books)), forKey: "friends")
    let error = #expect(throws: PatchError.self) { try context.jsonGraph(entities: ["Film"]) }
    #expect(error?.code == .ambiguousObject)
  }

  @Test func `S79: a key that nobody would read is not written`() throws {
    let model = try PatchStage.model()
    func name(_ count: Int) -> String { "e" + String(repeating: "\u{301}", count: count) }
    let stage = try PatchStage()
    let context = stage.context()
    let film = context.insert("Film")
    film.setValue("f", forKey: "guid")
    film.setValue(.dictionary([name(64): 1]), forKey: "facts")
    try context.save()
    let short = try Patch(stage.store.commits(since: 0), of: stage.store)
    #expect(try Patch(json: short.json(), model: model) == short)
    film.setValue(.dictionary([name(65): 1]), forKey: "facts")
    try context.save()
    let long = try Patch(stage.store.commits(since: 0), of: stage.store)
    func expectRefused(_ body: () throws -> Data) {
      let error = #expect(throws: PatchError.self) { try body() }
      #expect(error?.code == .tooLarge && error?.description.contains("combining marks") == true)
    }
    expectRefused { try long.json() }
    expectRefused { try long.jsonPatch(model: model) }
    expectRefused { try long.mergePatch(model: model) }
    expectRefused { try context.jsonGraph() }
    // A name is a value in the one, and a part of pointers in the others.
    let friends = RelationshipPatch(
      .toMany, added: [.init(PatchIdentity("Book", "guid", .string(name(65))))])
    let named = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Film", "guid", "f"), relationships: ["friends": friends])
    ])
    #expect(try Patch(json: named.json(), model: model) == named)
    expectRefused { try named.jsonPatch(model: model) }
    expectRefused { try named.mergePatch(model: model) }
  }

  @Test func `values of the same amount that are two values come through the standards' doors`()
    throws
  {
    let stage = try PatchStage()
    let context = stage.context()
    let book = context.insert("Book")
    book.setValue("b", forKey: "guid")
    book.setValue(.real(0.0), forKey: "pages")
    book["mood"] = 3
    book["plan"] = ["a": [3, 4]]
    try context.save()
    book.setValue(.real(-0.0), forKey: "pages")
    book["mood"] = 3.0
    book["plan"] = ["a": [3, 4.0]]
    let patch = try Patch.difference(from: stage.store.asOf(.head), to: context)
    #expect(patch.objects.first?.new?.count == 3)
    let model = try PatchStage.model()
    let past = try stage.store.asOf(.head)
    #expect(try Patch(jsonPatch: patch.jsonPatch(model: model), against: past) == patch)
    #expect(try Patch(mergePatch: patch.mergePatch(model: model), against: past) == patch)
    // What is written in another way, and is the same to the attribute, is no difference.
    book.setValue(.real(2.0), forKey: "pages")
    let same = #"[{"op":"replace","path":"/Book/b/pages","value":2}]"#
    #expect(try Patch(jsonPatch: Data(same.utf8), against: context).isEmpty)
  }

  @Test func `a few bytes do not have a whole store written as a document`() throws {
    let stage = try PatchStage()
    let context = stage.context()
    for number in 0..<20 { context.insert("Book").setValue(.string("b\(number)"), forKey: "guid") }
    var limits = JSONLimits()
    limits.valueCount = 60
    func refusal(_ body: () throws -> Patch) -> PatchError? {
      #expect(throws: PatchError.self) { try body() }
    }
    for (merge, path) in [("7", ""), (#"{"Book":7}"#, "/Book"), ("null", "")] {
      let error = refusal {
        try Patch(mergePatch: Data(merge.utf8), against: context, limits: limits)
      }
      #expect(error?.code == .malformed && error?.path.description == path)
    }
    let whole = refusal {
      try Patch(mergePatch: Data(#"{"Book":null}"#.utf8), against: context, limits: limits)
    }
    #expect(whole?.code == .tooLarge)
    for place in ["", "/Book"] {
      let test = #"[{"op":"test","path":"\#(place)","value":0}]"#
      let error = refusal {
        try Patch(jsonPatch: Data(test.utf8), against: context, limits: limits)
      }
      #expect(error?.code == .tooLarge)
    }
    let one = #"{"Book":{"b3":{"name":"n"}}}"#
    let patch = try Patch(mergePatch: Data(one.utf8), against: context, limits: limits)
    #expect(patch.objects.map(\.new) == [["name": "n"]])
  }
}
