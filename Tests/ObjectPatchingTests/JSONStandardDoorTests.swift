internal import FoundationEssentials
internal import ObjectModel
internal import ObjectPatching
internal import TestSupport
import Testing

/// Patches for those who speak JSON Patch and JSON Merge Patch, and from them.
@Suite struct JSONStandardDoorTests {
  let model: ManagedObjectModel

  init() throws { model = try JSONPatches.model() }

  private let graph = #"""
    {"Post":{"0F8FAD5B-D9CB-469F-A165-70867728950E":{"guid":"0F8FAD5B-D9CB-469F-A165-70867728950E",
    "string":"Hello","date":"2026-11-21T10:30:00Z","dictionary":{"a":1,"b":2},
    "author":"/Person/ann","readers":{"/Person/ann":true},
    "pages":["/Page/xjournal:~1~10123456789abcdef~10~13~11","/Page/xjournal:~1~10123456789abcdef~10~13~12"]}},
    "Person":{"ann":{"name":"ann","read":{"/Post/0F8FAD5B-D9CB-469F-A165-70867728950E":true}}},
    "Editor":{},"Page":{"xjournal://0123456789abcdef/0/3/1":{"text":"one"},
    "xjournal://0123456789abcdef/0/3/2":{"text":"two"}}}
    """#

  private let guid = "0F8FAD5B-D9CB-469F-A165-70867728950E"

  private func identity() throws -> PatchIdentity {
    PatchIdentity("Post", "guid", .uuid(try #require(UUID(uuidString: guid))))
  }

  private func page(_ number: UInt64) throws -> PatchIdentity {
    PatchIdentity("Page", try ObjectID(uri: "xjournal://0123456789abcdef/0/3/\(number)"))
  }

  /// A patch that changes everything a patch can change, but for what a merge patch cannot say.
  private func patch(ordered: Bool) throws -> Patch {
    let bob = PatchIdentity("Editor", "name", "bob")
    let post = try identity()
    var patch = ObjectPatch(
      updating: post,
      old: [
        "string": "Hello", "date": .date(Date(timeIntervalSinceReferenceDate: 816_949_800)),
        "integer": nil, "dictionary": ["a": 1, "b": 2],
      ],
      new: ["string": "Bye", "date": nil, "integer": 7, "dictionary": ["b": 3]],
      relationships: [
        "author": RelationshipPatch(
          .toOne, removed: [.init(PatchIdentity("Person", "name", "ann"))], added: [.init(bob)]),
        "readers": RelationshipPatch(
          .toMany, removed: [.init(PatchIdentity("Person", "name", "ann"))], added: [.init(bob)]),
      ])
    if ordered {
      patch.relationships["pages"] = RelationshipPatch(
        .ordered, removed: [.init(try page(1), position: 0)],
        added: [.init(try page(3), position: 1)])
    }
    return Patch(objects: [
      patch,
      ObjectPatch(
        creating: bob, new: ["name": "bob", "mood": .data(Data([1]))],
        relationships: ["read": RelationshipPatch(.toMany, added: [.init(post)])]),
      ObjectPatch(creating: try page(3), new: ["text": "three"]),
      ObjectPatch(
        updating: PatchIdentity("Person", "name", "ann"),
        relationships: ["read": RelationshipPatch(.toMany, removed: [.init(post)])]),
      ObjectPatch(deleting: try page(1), old: ["text": "one"]),
    ])
  }

  /// What there is to compare of a patch, without the order of its objects.
  private func changes(_ patch: Patch) -> Set<ObjectPatch> { Set(patch.objects) }

  @Test func `a patch as JSON Patch does to the document what it does to the graph`() throws {
    let patch = try patch(ordered: true)
    let operations = try patch.jsonPatch(model: model)
    let back = try Patch(jsonPatch: operations, graph: Data(graph.utf8), model: model)
    #expect(changes(back) == changes(patch), "\(String(decoding: operations, as: UTF8.self))")
    // The old values are tested.
    let other = graph.replacing("Hello", with: "Hallo")
    let error = #expect(throws: PatchError.self) {
      try Patch(jsonPatch: operations, graph: Data(other.utf8), model: model)
    }
    #expect(error?.path.description == "/2/value", "\(String(describing: error))")
  }

  @Test func `a patch as JSON Merge Patch does to the document what it does to the graph`() throws {
    let patch = try patch(ordered: false)
    let merge = try patch.mergePatch(model: model)
    let back = try Patch(mergePatch: merge, graph: Data(graph.utf8), model: model)
    var expected = patch
    // A merge patch cannot take a page out of an order, so nothing is told of the order here.
    expected.objects[0].relationships["pages"] = nil
    #expect(changes(back) == changes(expected), "\(String(decoding: merge, as: UTF8.self))")
  }

  @Test func `a relationship that is held at the other end is said there`() throws {
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "name", "ann"),
        relationships: [
          "posts": RelationshipPatch(.toMany, removed: [.init(try identity())])
        ])
    ])
    let operations = String(decoding: try patch.jsonPatch(model: model), as: UTF8.self)
    #expect(
      operations == #"[{"op":"test","path":"/Post/\#(guid)/author","value":"/Person/ann"},"#
        + #"{"op":"remove","path":"/Post/\#(guid)/author"}]"#)
    let merge = String(decoding: try patch.mergePatch(model: model), as: UTF8.self)
    #expect(merge == #"{"Post":{"\#(guid)":{"author":null}}}"#)
  }

  private func author(from: PatchIdentity? = nil, to: PatchIdentity? = nil) throws -> ObjectPatch {
    ObjectPatch(
      updating: try identity(),
      relationships: [
        "author": RelationshipPatch(
          .toOne, removed: from.map { [.init($0)] } ?? [], added: to.map { [.init($0)] } ?? [])
      ])
  }

  private func posts(
    of person: PatchIdentity, isAdded: Bool
  ) throws -> ObjectPatch {
    let post = [RelationshipPatch.Member(try identity())]
    return ObjectPatch(
      updating: person,
      relationships: [
        "posts": RelationshipPatch(
          .toMany, removed: isAdded ? [] : post, added: isAdded ? post : [])
      ])
  }

  @Test func `what a connection becomes does not hang on the order of the patches that say it`()
    throws
  {
    let (ann, eve) = (
      PatchIdentity("Person", "name", "ann"), PatchIdentity("Person", "name", "eve")
    )
    let gone = ObjectPatch(deleting: try identity(), old: [:])
    let cases: [([ObjectPatch], String)] = [
      ([gone, try posts(of: ann, isAdded: false)], "null"),
      (
        [try posts(of: eve, isAdded: true), try posts(of: ann, isAdded: false)],
        #"{"author":"/Person/eve"}"#
      ),
      (
        [try author(from: ann, to: eve), try posts(of: ann, isAdded: false)],
        #"{"author":"/Person/eve"}"#
      ),
      (
        [try author(from: ann, to: eve), try posts(of: ann, isAdded: true)],
        #"{"author":"/Person/eve"}"#
      ),
      ([try author(from: ann), try posts(of: ann, isAdded: false)], #"{"author":null}"#),
    ]
    for (objects, post) in cases {
      for objects in [objects, objects.reversed()] {
        let merge = String(
          decoding: try Patch(objects: objects).mergePatch(model: model), as: UTF8.self)
        #expect(merge == #"{"Post":{"\#(guid)":\#(post)}}"#)
        // What is said at both ends is tested and removed once.
        let operations = try Patch(objects: objects).jsonPatch(model: model)
        let patch = try Patch(jsonPatch: operations, graph: Data(graph.utf8), model: model)
        let left = patch.objects.first { $0.entityName == "Post" }
        #expect((left?.kind == .deletion) == (post == "null"))
        #expect(
          left?.relationships["author"]?.added.first?.identity
            == (post.contains("eve") ? eve : PatchIdentity?.none))
      }
    }
  }

  @Test func `what is deleted is tested with where it leads`() throws {
    let ann = PatchIdentity("Person", "name", "ann")
    let patch = Patch(objects: [
      ObjectPatch(
        deleting: try identity(), old: ["string": "Hello"],
        relationships: [
          "author": RelationshipPatch(.toOne, removed: [.init(ann)]),
          "readers": RelationshipPatch(.toMany, removed: [.init(ann)]),
          "pages": RelationshipPatch(
            .ordered,
            removed: [.init(try page(1), position: 0), .init(try page(2), position: 1)]),
        ])
    ])
    let operations = try patch.jsonPatch(model: model)
    let back = try Patch(jsonPatch: operations, graph: Data(graph.utf8), model: model)
    // Who has read it reads it no more.
    #expect(back.objects.map(\.kind) == [.deletion, .update])
    let (readers, pages) = (#""readers":{"/Person/ann":true}"#, #"10~13~12"]"#)
    #expect(graph.contains(readers) && graph.contains(pages))
    for other in [
      graph.replacing(#""author":"/Person/ann""#, with: #""author":"/Person/eve""#),
      graph.replacing(readers, with: #""readers":{"/Person/eve":true}"#),
      graph.replacing(pages, with: #"10~13~13"]"#),
    ] {
      #expect(other != graph)
      #expect(throws: PatchError.self) {
        try Patch(jsonPatch: operations, graph: Data(other.utf8), model: model)
      }
    }
  }

  @Test func `what goes while another comes under its name is replaced, or refused`() throws {
    let ann = PatchIdentity("Person", "name", "ann")
    let patch = Patch(objects: [
      ObjectPatch(creating: ann, new: ["name": "ann", "integer": 1]),
      ObjectPatch(deleting: ann, old: ["name": "ann"]),
    ])
    let operations = try patch.jsonPatch(model: model)
    let back = try Patch(jsonPatch: operations, graph: Data(graph.utf8), model: model)
    #expect(back.objects.map(\.new) == [["integer": 1]])
    #expect(throws: PatchError.self) { try patch.mergePatch(model: model) }
  }

  @Test func `what a standard cannot say is refused, and not said by halves`() throws {
    let moved = Patch(objects: [
      ObjectPatch(
        updating: try identity(),
        relationships: [
          "pages": RelationshipPatch(.ordered, added: [.init(try page(2), position: 0)])
        ])
    ])
    #expect(throws: PatchError.self) { try moved.mergePatch(model: model) }
    let renamed = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Person", "name", "ann"), old: ["name": "ann"],
        new: ["name": "anna"])
    ])
    #expect(throws: PatchError.self) { try renamed.jsonPatch(model: model) }
    #expect(throws: PatchError.self) { try renamed.mergePatch(model: model) }
    let unknown = Patch(objects: [
      ObjectPatch(updating: try identity(), new: ["dictionary": ["a": 1]])
    ])
    #expect(throws: PatchError.self) { try unknown.mergePatch(model: model) }
  }

  private static let refusals: [(String, PatchError.Code, String)] = [
    (#"[{"op":"add","path":"/Dog","value":{}}]"#, .unknownEntity, "/Dog"),
    (#"[{"op":"add","path":"/Post/x","value":{}}]"#, .wrongIdentifier, "/Post/x"),
    (#"[{"op":"add","path":"/Page/x","value":{}}]"#, .wrongIdentifier, "/Page/x"),
    (#"[{"op":"add","path":"/Person/ann/posts","value":{}}]"#, .unknownKey, "/Person/ann/posts"),
    (
      #"[{"op":"replace","path":"/Person/ann/name","value":"eve"}]"#, .wrongIdentifier,
      "/Person/ann/name"
    ),
    (
      #"[{"op":"add","path":"/Person/ann/read/~1Person~1ann","value":true}]"#, .wrongEntity,
      "/Person/ann/read/~1Person~1ann"
    ),
    (#"[{"op":"add","path":"/Person/ann/read","value":[]}]"#, .malformed, "/Person/ann/read"),
    (#"[{"op":"replace","path":"/Person/ann","value":3}]"#, .malformed, "/Person/ann"),
    (#"[{"op":"replace","path":"","value":3}]"#, .malformed, ""),
    (#"[{"op":"remove","path":"/Person/eve"}]"#, .missingObject, "/0/path"),
    (#"[{"op":"test","path":"/Person/ann","value":7}]"#, .testFailed, "/0/value"),
  ]

  @Test(arguments: refusals)
  func `S81: what makes no graph of the model is refused with its path`(
    operations: String, code: PatchError.Code, path: String
  ) {
    let error = #expect(throws: PatchError.self) {
      try Patch(jsonPatch: Data(operations.utf8), graph: Data(graph.utf8), model: model)
    }
    #expect(error?.code == code && error?.path.description == path, "\(String(describing: error))")
  }

  /// A post's attribute `any` holds each case's document, and its patch is applied there. Left out are those cases whose
  /// document becomes what an attribute cannot hold: one of them removes nothing of the whole, and a null as the whole
  /// is no value. There are none of these in the suite, so that all of its cases are gone through.
  @Test func `S79: the cases of the public suite pass through the door`() throws {
    for (index, each) in try JSONPatchSuite.cases().enumerated() {
      var operations: [JSONValue] = []
      for operation in each.patch.array ?? [] {
        var members = JSONObject()
        for (key, value) in operation.object?.members.map({ ($0.key, $0.value) }) ?? [] {
          let isPointer = ["path", "from"].contains(key)
          let text = isPointer ? value.string : nil
          // What is no pointer stays what it is, and is refused for that.
          members.append(
            key,
            text.map { $0.isEmpty || $0.hasPrefix("/") ? .string("/Post/\(guid)/any" + $0) : value }
              ?? value)
        }
        operations.append(.object(members))
      }
      let post = JSONObject([("guid", .string(guid)), ("any", each.document)])
      let graph = JSONObject([("Post", .object(JSONObject([(guid, .object(post))])))])
      let json = Data(JSONValue.array(operations).bytes())
      do {
        let patch = try Patch(
          jsonPatch: json, graph: Data(JSONValue.object(graph).bytes()), model: model)
        let expected = try #require(each.expected, "case \(index): \(each.patch)")
        if expected == each.document {
          #expect(patch.isEmpty, "case \(index)")
        } else {
          let new = try JSONValue(parsing: patch.json()).object?["objects"]?.array?.first?
            .object?["new"]?.object?["any"]
          #expect(new == expected, "case \(index): \(each.patch)")
        }
      } catch let error as PatchError {
        #expect(each.expected == nil, "case \(index): \(each.patch): \(error)")
      }
    }
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 0.5, -0.0, 1e300])
  func `a real that names an object is written as it is read`(mass: Double) throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Star", attributes: [AttributeDescription("mass", .real, isIdentifier: true)])
    ])
    let patch = Patch(objects: [
      ObjectPatch(
        creating: PatchIdentity("Star", "mass", .real(mass)), new: ["mass": .real(mass)])
    ])
    let graph = Data(#"{"Star":{}}"#.utf8)
    let data = try patch.jsonPatch(model: model)
    #expect(try Patch(jsonPatch: data, graph: graph, model: model) == patch)
    let merge = try patch.mergePatch(model: model)
    #expect(try Patch(mergePatch: merge, graph: graph, model: model) == patch)
  }
}
