import FoundationEssentials
import ObjectModel
import ObjectPatching
import Testing

/// Signs that are followed by what makes one character with them, and names that look the same.
@Suite struct JSONLookalikeTests {
  private let model: ManagedObjectModel

  init() throws { model = try JSONPatches.model() }

  /// Keys that begin, or seem to begin, with the sign of a mark.
  private static let keys = [
    "$", "$real", "$\u{301}", "$\u{301}real", "$\u{338}dictionary", "$real\u{301}", "$\u{FE0F}set",
    "$$", "$\u{200D}date", "\u{301}$real", "a$",
  ]

  @Test(arguments: keys)
  func `S79: a key that begins with a sign comes back, whatever makes one character with it`(
    key: String
  ) throws {
    for value: Value in [1.5, "x", .array(["y"]), .dictionary([key: 2.5])] {
      for dictionary: [String: Value] in [[key: value], [key: value, "other": 1]] {
        for attribute in ["dictionary", "any", "mood"] {
          let patch = Patch(objects: [
            ObjectPatch(
              creating: PatchIdentity("Editor", "name", "ann"),
              new: [attribute: .dictionary(dictionary), key: value])
          ])
          let json = try patch.json()
          #expect(try Patch(json: json, model: model) == patch, "\(key) in \(attribute)")
          let findings = try JSONSchema.ofPatches().findings(in: JSONValue(parsing: json))
          #expect(findings == [], "\(key) in \(attribute)")
        }
      }
    }
  }

  @Test func `S81: what only looks like a mark is none, for the reader and for the schema`() throws
  {
    for key in Self.keys where key.utf8.first == 0x24 && key != "$real" {
      let json =
        #"{"patch":1,"objects":[{"entity":"Editor","id":{"name":"ann"},"new":{"any":{"\#(key)":1.5}}}]}"#
      let error = #expect(throws: PatchError.self, "\(key)") {
        try Patch(json: Data(json.utf8), model: model)
      }
      #expect(error?.code == .wrongType && error?.path.components.last == key, "\(key)")
      let findings = try JSONSchema.ofPatches().findings(in: JSONValue(parsing: json.utf8))
      #expect(findings != [], "\(key)")
    }
  }

  @Test func `a path is written so that it reads back, whatever makes one character with a slash`()
    throws
  {
    for component in ["/\u{301}", "~\u{301}", "a/\u{338}b", "~1\u{301}", "~", "/", "é"] {
      let path = PatchPath(["0", component, "x"])
      #expect(
        try JSONPointer(path.description).tokens.map { Array($0.utf8) }
          == path.components.map { Array($0.utf8) })
    }
  }

  @Test func `names that look the same are refused where they would be keys of one document`()
    throws
  {
    func person(_ name: String, _ entity: String = "Person") -> PatchIdentity {
      PatchIdentity(entity, "name", .string(name))
    }
    let (one, two) = (person("\u{E9}"), person("e\u{301}"))
    let post = PatchIdentity("Post", "guid", .uuid(UUID()))
    func update(_ identity: PatchIdentity) -> ObjectPatch {
      ObjectPatch(updating: identity, old: ["mood": "dull"], new: ["mood": "sunny"])
    }
    let patches: [(Patch, String)] = [
      (Patch(objects: [update(one), update(two)]), "/1"),
      (
        Patch(objects: [ObjectPatch(deleting: one, old: [:]), ObjectPatch(creating: two, new: [:])]
        ),
        "/1"
      ),
      (
        Patch(objects: [
          ObjectPatch(
            updating: post,
            relationships: [
              "readers": RelationshipPatch(.toMany, removed: [.init(one)], added: [.init(two)])
            ])
        ]), "/0/readers"
      ),
      (
        Patch(objects: [
          update(two),
          ObjectPatch(
            updating: post,
            relationships: ["author": RelationshipPatch(.toOne, added: [.init(one)])]),
        ]), "/1/author"
      ),
    ]
    for (patch, path) in patches {
      for write in [patch.jsonPatch, patch.mergePatch] {
        let error = #expect(throws: PatchError.self) { try write(model, false) }
        #expect(error?.code == .repeatedName && error?.path.description == path, "\(path)")
      }
      // In a document of its own shape they are values, and stay apart.
      #expect(try Patch(json: patch.json(), model: model) == patch)
    }
    // They may be told apart by their entity, and be named as often as need be.
    let apart = Patch(objects: [
      update(one), update(person("e\u{301}", "Editor")),
      ObjectPatch(
        updating: post, relationships: ["author": RelationshipPatch(.toOne, added: [.init(one)])]),
    ])
    let merge = try apart.mergePatch(model: model)
    #expect(try JSONValue(parsing: merge).object?["Person"]?.object?.count == 1)
    #expect(try !apart.jsonPatch(model: model).isEmpty)
  }
}
