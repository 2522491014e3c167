import DiskSimulation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing
import ToolSupport

/// What `patch` takes and tells, and what `diff` makes for it.
@Suite struct PatchToolTests {
  private let disk = SimulatedDisk(seed: 1)

  /// A blog with a post, whose title is changed, and changed back.
  init() throws {
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog", attributes: [AttributeDescription("name", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription(
            "posts", to: "Post", inverse: "blog", isToMany: true, deleteRule: .cascade)
        ]),
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription("guid", .string, isIdentifier: true),
          AttributeDescription("title", .string, isOptional: false),
        ], relationships: [RelationshipDescription("blog", to: "Blog", inverse: "posts")]),
    ])
    let store = try JournaledStore(on: disk, at: "Notes.xjournal", model: model)
    let context = ManagedObjectContext(store, isolation: nil)
    let (blog, post) = (context.insert("Blog"), context.insert("Post"))
    blog.setValue("b", forKey: "name")
    post.setValue("p", forKey: "guid")
    post.setValue(.reference(blog.objectID), forKey: "blog")
    for title in ["one", "two", "one"] {
      post.setValue(.string(title), forKey: "title")
      try context.save()
    }
    let twins = (0..<2).map { _ in context.insert("Post") }
    for twin in twins {
      twin.setValue("twin", forKey: "guid")
      twin.setValue("t", forKey: "title")
    }
    try context.save()
    for twin in twins { context.delete(twin) }
    try context.save()
    context.close()
    try store.close()
  }

  private func run(_ line: String, _ objects: String = "") -> ToolSupport.Run {
    Upkeep.run(
      "\(line) -s Notes.xjournal", on: disk, input: #"{"patch":1,"objects":[\#(objects)]}"#)
  }

  @Test
  func `an object is shown by the value of its identifier, and a tag of that name comes first`()
    throws
  {
    #expect(Upkeep.run("show p", on: disk).output == Upkeep.run("get Post/1", on: disk).output)
    let then = Upkeep.run("show p --at 2", on: disk)
    #expect(then.status == .fine && then.output.contains("\"two\""), "\(then)")
    #expect(Upkeep.run("show nobody", on: disk).errors.contains("there is no tag ‘nobody’"))
    #expect(Upkeep.run("tag p 1", on: disk).status == .fine)
    #expect(Upkeep.run("show p", on: disk).output.hasPrefix("commit 1 (p)"))
  }

  @Test func `who asks by an identifier that nobody has now is told how to ask for another time`() {
    let run = Upkeep.run("history twin", on: disk)
    #expect(run.status == .no && run.errors.contains("at another time is found by --at"), "\(run)")
  }

  @Test func `what is too large to be saved is refused before, too`() throws {
    let made = Upkeep.run("diff 1 2 --format patch", on: disk).output
    let large = String(repeating: "x", count: 31 << 20)
    try disk.setContents("large.json", Array(made.replacing("two", with: large).utf8))
    for line in ["patch large.json --dry-run", "patch large.json"] {
      let run = Upkeep.run(line, on: disk)
      #expect(run.status == .usage, "\(run.status) \(run.errors.prefix(400))")
      #expect(
        run.errors.contains("have more than 31457280 bytes in all"), "\(run.errors.prefix(400))")
    }
    #expect(Upkeep.run("export", on: disk).output.contains("\"title\":\"one\""))
  }

  @Test func `a key that the model does not have is refused, unless it is asked for`() throws {
    let patch = #"{"entity":"Post","id":{"guid":"p"},"old":{},"new":{"titel":"x"}}"#
    for options in ["", "--dry-run", "--policy force"] {
      let refused = run("patch - \(options)", patch)
      #expect(refused.status == .usage)
      #expect(refused.errors.contains("titel") && refused.errors.contains("--dynamic-keys"))
    }
    #expect(run("diff 5 head --exit-code").status == .fine)
    let taken = run("patch - --dynamic-keys", patch)
    #expect(taken.status == .fine && taken.output.contains("titel"), "\(taken.errors)")
  }

  @Test func `a dry run tells what would go along, and what could not be saved`() throws {
    let deletion = run("patch - --dry-run", #"{"entity":"Blog","id":{"name":"b"},"old":{}}"#)
    #expect(deletion.status == .fine && deletion.output.contains("Post/1"), "\(deletion)")
    let json = run("patch - --dry-run --json", #"{"entity":"Blog","id":{"name":"b"},"old":{}}"#)
    #expect(json.output.contains(#""deletedAlong":["Post/1"]"#), "\(json)")
    let empty = #"{"entity":"Post","id":{"guid":"p"},"old":{},"new":{"title":null}}"#
    let refused = run("patch - --dry-run", empty)
    #expect(refused.status == .no && (refused.output + refused.errors).contains("/0/title"))
    #expect(run("patch - --dry-run --json", empty).output.contains(#""findings":["/0/title"#))
    #expect(run("diff 5 head --exit-code").status == .fine)
  }

  @Test func `what a patch has is told by its beginning, and what to do by what there is here`() {
    let key = String(repeating: "k", count: 1000)
    let long = run(
      "patch - --dry-run", #"{"entity":"Blog","id":{},"old":{"\#(key)":1},"new":{"\#(key)":2}}"#)
    #expect(long.status == .usage || long.status == .no, "\(long)")
    #expect(!long.errors.contains(key.dropFirst(900)), "\(long)")
    let typed = run(
      "patch -", #"{"entity":"Post","id":{"guid":"p"},"old":{"title":"one"},"new":{"title":1}}"#)
    #expect(typed.status == .usage && typed.errors.contains("change it in the patch"), "\(typed)")
    #expect(!typed.errors.contains("delegate"), "\(typed)")
  }

  private func eventCount() throws -> Int {
    let store = try JournaledStore(on: disk, at: "Notes.xjournal", model: nil)
    defer { try? store.close() }
    return try store.events().count
  }

  @Test func `S81: what cannot be saved is refused with its path, and nothing is written`() throws {
    let before = try eventCount()
    let run = run(
      "patch -", #"{"entity":"Post","id":{"guid":"p"},"old":{},"new":{"title":null}}"#)
    #expect(run.status == .no && run.errors.contains("/0/title"), "\(run.errors)")
    #expect(try eventCount() == before)
  }

  @Test func `the exit code of a difference as a patch says whether there is anything in it`()
    throws
  {
    for (from, to, status): (Int, Int, JournalInspection.ExitStatus) in [
      (1, 3, .fine), (1, 2, .no), (3, 3, .fine),
    ] {
      let run = run("diff \(from) \(to) --format patch --exit-code")
      #expect(run.status == status && run.output.contains(#""objects""#), "\(from) \(to)")
    }
  }

  @Test func `a difference that no patch can say is refused, and no fault of the tool's`() throws {
    let run = run("diff 4 5 --format patch")
    #expect(run.status == .no && run.errors.contains("several objects"), "\(run)")
  }
}

/// How `patch` names what it decides, and what is not there yet.
@Suite struct PatchWordTests {
  private static let patch =
    #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"00000000-0000-0000-0000-000000000001"},"old":{"title":"Other"},"new":{"title":"Mine"}},{"entity":"Post","id":{"guid":"00000000-0000-0000-0000-000000000009"},"new":{"title":"New"}}]}"#

  @Test func `what a policy has decided is told, by words and in the document`() throws {
    let disk = try Journals.sound()
    let line = "patch - -s Notes.xjournal --policy force"
    let dry = Upkeep.run("\(line) --dry-run", on: disk, input: Self.patch)
    #expect(dry.status == .fine && dry.errors.contains("nothing was committed."), "\(dry)")
    #expect(dry.errors.contains("decided: ") && dry.errors.contains("title"), "\(dry)")
    // What is not there yet has no number that it could be named by.
    #expect(dry.output.contains("00000000-0000-0000-0000-000000000009"), "\(dry)")
    let json = Upkeep.run("\(line) --json", on: disk, input: Self.patch)
    let document = try JSONValue(parsing: Array(json.output.utf8)).object
    #expect(document?["commit"] == 6 && document?["conflicts"]?.array?.count == 1, "\(json)")
    #expect(Upkeep.run("get Post/1 title", on: disk).output.contains("Mine"))
  }
}
