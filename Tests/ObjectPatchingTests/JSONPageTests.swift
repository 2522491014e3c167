internal import DiskSimulation
internal import Foundation
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore
import Testing

/// What docs/patching.md says by example.
@Suite struct JSONPageTests {
  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("name", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "blog", isToMany: true)
        ]),
      EntityDescription(
        "Post", allowsAnyKey: true,
        attributes: [
          AttributeDescription("guid", .uuid, isIdentifier: true),
          AttributeDescription("title", .string), AttributeDescription("postDate", .date),
        ],
        relationships: [
          RelationshipDescription("blog", to: "Blog", inverse: "posts"),
          RelationshipDescription("comments", to: "Comment", inverse: "post", isToMany: true),
          RelationshipDescription("readers", to: "Person", isToMany: true),
          RelationshipDescription("pages", to: "Page", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Comment", attributes: [AttributeDescription("text", .string)],
        relationships: [RelationshipDescription("post", to: "Post", inverse: "comments")]),
      EntityDescription(
        "Person", attributes: [AttributeDescription("name", .string, isIdentifier: true)]),
      EntityDescription(
        "Page", attributes: [AttributeDescription("number", .integer, isIdentifier: true)]),
    ])
  }

  /// The page's blocks of a language, in their order.
  private func blocks(_ language: String) throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = try String(contentsOfFile: "/\(root)/docs/patching.md", encoding: .utf8)
    return page.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  @Test func `the patch of the page is one, and the page shows how it comes back`() throws {
    let model = try model()
    let example = try #require(try blocks("json").first)
    #expect(try JSONSchema.ofPatches().findings(in: JSONValue(parsing: example.utf8)) == [])
    let patch = try Patch(json: Data(example.utf8), model: model)
    #expect(patch.objects[0].relationships["comments"]?.patches[0].kind == .creation)

    let json = try patch.json()
    let back = try Patch(json: json, model: model)
    #expect(back == patch)
    #expect(try json == Data(JSONValue(parsing: example.utf8).bytes()))

    // As a merge patch it says of what it makes where that belongs.
    let merge = try JSONValue(parsing: patch.mergePatch(model: model))
    let comment = merge.object?["Comment"]?.object?["xjournal://0123456789abcdef/0/2/17"]
    #expect(comment?.object?["text"] == "First!")
    #expect(comment?.object?["post"] == "/Post/0F8FAD5B-D9CB-469F-A165-70867728950E")
  }

  @Test func `the graph of the page is one, and patches are said of it`() throws {
    let model = try model()
    let document = Data(try #require(try blocks("json").last).utf8)
    let post = PatchIdentity(
      "Post", "guid",
      .uuid(try #require(UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-70867728950E"))))
    let patch = Patch(objects: [
      ObjectPatch(updating: post, old: ["title": "Hello"], new: ["title": "Bye"])
    ])

    let operations = try patch.jsonPatch(model: model)
    let merge = try patch.mergePatch(model: model)
    let fromOperations = try Patch(jsonPatch: operations, graph: document, model: model)
    let fromMerge = try Patch(mergePatch: merge, graph: document, model: model)
    #expect(fromOperations == patch && fromMerge == patch)

    let all = try Patch(mergePatch: document, graph: Data("{}".utf8), model: model)
    #expect(all.objects.count == 2 && all.objects.allSatisfy { $0.kind == .creation })
  }

  @Test func `the error of the page is what is said`() throws {
    let wrong = #"{"patch":1,"objects":[{"entity":"Post","id":{"name":"x"}}]}"#
    let model = try model()
    let error = #expect(throws: PatchError.self) {
      try Patch(json: Data(wrong.utf8), model: model)
    }
    #expect(try blocks("").contains(try #require(error?.description)))
  }

  @Test func `a store follows another by JSON, as the page says`() throws {
    let model = try followingModel()
    let (source, follower) = (
      try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model),
      try JournaledStore(on: SimulatedDisk(seed: 2), at: "store", model: model)
    )
    let writer = ManagedObjectContext(source, isolation: nil)
    let book = writer.insert("Book")
    book.setValue("g1", forKey: "guid")
    try writer.save()

    #expect(source.lastCommit > (try lastSeen(of: "source", in: follower.asOf(.head)).number))
    // Where the follower is:
    let seen = try lastSeen(of: "source", in: follower.asOf(.head))
    // Where the source is:
    guard let news = try news(of: source, since: seen, for: "follower") else { return }
    let messages = try news.steps.map { try $0.patch.json() }
    // Where the follower is, which gets the marks with the messages:
    var update = news
    update.steps = try zip(news.steps, messages).map { step, message in
      News.Step(known: step.known, patch: try Patch(json: message, model: model))
    }
    try take(update, from: "source", into: follower, policy: .merge)
    #expect(try lastSeen(of: "source", in: follower.asOf(.head)).number == source.lastCommit)

    let context = ManagedObjectContext(follower, isolation: nil)
    let document = try context.jsonGraph(entities: ["Book"])
    #expect(try JSONValue(parsing: document).object?["Book"]?.object?["g1"] != nil)
  }
}
