import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Names and numbers that seldom are, and documents that say of relationships what none can have.
@Suite struct JSONOddityTests {
  private static let guid = "0F8FAD5B-D9CB-469F-A165-70867728950E"

  // MARK: Numbers

  @Test(arguments: [Double.nan.bitPattern, 0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000])
  func `a real that is no number comes back as it was`(bits: UInt64) throws {
    let model = try JSONPatches.model()
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Post", "guid", .uuid(try #require(UUID(uuidString: Self.guid)))),
        old: ["real": 1.0], new: ["real": .real(Double(bitPattern: bits))])
    ])
    let back = try Patch(json: patch.json(), model: model)
    #expect(back.objects[0].new?["real"]?.real?.bitPattern == bits)
    #expect(back == patch)
  }

  @Test func `a number is what it is, with a sign and with more digits than a decimal has`() throws
  {
    let model = try JSONPatches.model()
    func value(_ key: String, _ text: String) throws -> Value? {
      let json =
        #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"\#(Self.guid)"},"old":{},"#
        + #""new":{"\#(key)":\#(text)}}]}"#
      let patch = try Patch(json: Data(json.utf8), model: model)
      if key != "decimal" { #expect(try Patch(json: patch.json(), model: model) == patch) }
      return patch.objects[0].new?[key]
    }
    #expect(try value("integer", "-3.0") == -3)
    #expect(try value("integer", "-2e2") == -200)
    #expect(try value("counter", "-4.0") == .counter(-4))
    let digits = String(repeating: "123456789", count: 5)
    // It is none that a decimal could be, and is kept as what comes nearest.
    #expect(try value("decimal", digits + ".5") == .real(try #require(Double(digits))))
  }

  // MARK: Names

  private static func model(_ type: AttributeType) throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Flag",
        attributes: [
          AttributeDescription("id", type, isIdentifier: true),
          AttributeDescription("text", .string),
        ])
    ])
  }

  private static func creation(_ id: Value) -> Patch {
    Patch(objects: [ObjectPatch(creating: PatchIdentity("Flag", "id", id), new: ["text": "t"])])
  }

  @Test(arguments: [true, false])
  func `an object that is named by a truth stands under its word`(id: Bool) throws {
    let model = try Self.model(.boolean)
    let patch = Self.creation(.boolean(id))
    let operations = String(decoding: try patch.jsonPatch(model: model), as: UTF8.self)
    #expect(operations.contains("/Flag/\(id)\""), "\(operations)")
    let merge = String(decoding: try patch.mergePatch(model: model), as: UTF8.self)
    #expect(merge.contains("\"\(id)\":{"), "\(merge)")
  }

  @Test func `what looks like an object's own name names none`() throws {
    let names: [(AttributeType, Value, String)] = [
      (.string, "xjournal://0000000000000001/Flag/1", "an object's URI")
    ]
    for (type, id, words) in names {
      let model = try Self.model(type)
      for write in [
        { _ = try Self.creation(id).jsonPatch(model: model) },
        { _ = try Self.creation(id).mergePatch(model: model) },
      ] {
        let error = #expect(throws: PatchError.self) { try write() }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
      }
    }
  }

  // MARK: Relationships

  /// A stage with two books, of which the first has the second as its parent.
  private static func books() throws -> (context: ManagedObjectContext, stage: PatchStage) {
    let stage = try PatchStage()
    let context = stage.context()
    let made = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Book", "guid", "b"), new: ["name": "b"]),
      ObjectPatch(
        creating: PatchIdentity("Book", "guid", "a"), new: ["name": "a"],
        relationships: [
          "parent": RelationshipPatch(.toOne, added: [.init(PatchIdentity("Book", "guid", "b"))])
        ]),
    ])
    try made.apply(to: context)
    return (context, stage)
  }

  @Test(arguments: [
    (#"{"path":["/Book/b","/Book/b"]}"#, "an object twice"),
    (#"{"path":[5]}"#, "where a string is wanted"), (#"{"see":"/Book"}"#, "no pointer"),
    (#"{"see":"/Book/b/name"}"#, "no pointer"),
    (#"{"friends":{"/Book/b":false}}"#, "where true is wanted"),
  ])
  func `a document whose relationships lead nowhere, or twice to the same, is refused`(
    members: String, words: String
  ) throws {
    let (context, _) = try Self.books()
    let merge = Data(#"{"Book":{"a":\#(members)}}"#.utf8)
    let error = #expect(throws: PatchError.self) { try Patch(mergePatch: merge, against: context) }
    #expect(error?.description.contains(words) == true, "\(String(describing: error))")
  }

  @Test func `a relationship to one that is set to null leads to nothing`() throws {
    let (context, stage) = try Self.books()
    let operations = Data(#"[{"op":"replace","path":"/Book/a/parent","value":null}]"#.utf8)
    let patch = try Patch(
      jsonPatch: operations, graph: context.jsonGraph(), model: PatchStage.model())
    let removed = patch.objects.flatMap { $0.relationships["parent"]?.removed ?? [] }
    #expect(removed.map(\.identity) == [PatchIdentity("Book", "guid", "b")])
    try patch.apply(to: context)
    let book = try #require(
      try context.fetch(FetchRequest("Book")).first { $0.value(forKey: "guid") == "a" })
    #expect(book.value(forKey: "parent")?.reference == nil)
    withExtendedLifetime(stage) {}
  }
}
