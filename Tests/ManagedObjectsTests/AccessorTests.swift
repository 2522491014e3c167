import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

@Suite struct AccessorTests {
  /// As in the article: an accessor that sets a primitive value, and says so of what depends on it, too.
  private func setAuthor(_ author: Value?, of post: ManagedObject) {
    post.willChangeValue(forKey: "author")
    post.willChangeValue(forKey: "headline")
    post.setPrimitiveValue(author, forKey: "author")
    post.didChangeValue(forKey: "author")
    post.didChangeValue(forKey: "headline")
  }

  @Test
  func
    `S19: a primitive set between will and did change is a change, told once, and can be undone`()
    throws
  {
    let context = try Stage(Headlines.model()).context()
    let post = context.insert("Post")
    try context.save()
    let told = Told()
    let tokens = ["author", "headline"].map { key in
      post.observe(key, [.old, .new]) { told.changes.append($0) }
    }
    setAuthor("ann", of: post)
    #expect(told.lines == ["author - ann", "headline Untitled (anonymous) Untitled (ann)"])
    #expect(post.hasChanges && post.changedValues() == ["author": "ann"])
    context.undo()
    #expect(post.value(forKey: "author") == nil && !post.hasChanges)
    #expect(
      told.lines.suffix(2) == ["author ann -", "headline Untitled (ann) Untitled (anonymous)"])
    context.redo()
    #expect(post.value(forKey: "author") == "ann")
    post.setPrimitiveValue("bob", forKey: "author")
    #expect(told.changes.count == 6)
    withExtendedLifetime(tokens) {}
  }

  /// A figure that is kept in a variable, and stored when it is saved.
  private final class LateFigure: ManagedObject {
    @Attribute("shadow") var shadow: String?
    private var figure = ""
    var bounds: String {
      get { figure }
      set {
        willChangeValue(forKey: "bounds")
        figure = newValue
        didChangeValue(forKey: "bounds")
      }
    }
    override func willSave() {
      if shadow != figure { setPrimitiveValue(.string(figure), forKey: "shadow") }
    }
  }

  @Test func `S19, S27: what an accessor says it has changed is saved, and is no step`() throws {
    let stage = try Stage(ManagedObjectModel(LateFigure.self))
    let context = stage.context()
    let figure = context.insert(LateFigure.self)
    try context.save()
    let stepCount = context.undoSteps.count
    figure.bounds = "1 2 3 4"
    #expect(figure.hasChanges && figure.changedValues().isEmpty)
    #expect(context.undoSteps.count == stepCount)
    try context.save()
    #expect(!figure.hasChanges)
    let found = try stage.context().existingObject(with: figure.objectID, as: LateFigure.self)
    #expect(found.shadow == "1 2 3 4")
  }

  @Test func `S19: will and did change stand within each other, and the outermost tells`() throws {
    let context = try Stage().context()
    let post = context.insert("Post")
    let told = Told()
    let token = post.observe("title", [.old, .new, .prior]) { told.changes.append($0) }
    post.willChangeValue(forKey: "title")
    post.willChangeValue(forKey: "title")
    post.setValue("a", forKey: "title")
    post.didChangeValue(forKey: "title")
    post.setPrimitiveValue("b", forKey: "title")
    #expect(told.lines == ["will title Untitled -"])
    post.didChangeValue(forKey: "title")
    post.didChangeValue(forKey: "title")
    #expect(told.lines == ["will title Untitled -", "title Untitled b"])
    withExtendedLifetime(token) {}
  }

  @Test func `S19: reading by willAccessValue fires a fault, and is found by who watches`() throws {
    let stage = try Stage(Self.model())
    let context = stage.context()
    let id = context.insert("Post").objectID
    try context.save()
    let other = stage.context()
    let post = other.object(with: id)
    post.willAccessValue(forKey: "title")
    #expect(!post.isFault)
    post.didAccessValue(forKey: "title")
    var count = 0
    let token = post.observe("quiet") { _ in count += 1 }
    post.setValue("ann", forKey: "author")
    post.setValue("unheard", forKey: "title")
    #expect(count == 1 && post.value(forKey: "quiet") == "ann")
    withExtendedLifetime(token) {}
  }

  private static func model() throws -> ManagedObjectModel {
    var model = try Stage.model()
    var program = ModelProgram()
    program.virtualAttributes["Post"] = [
      VirtualAttribute("quiet") { (post: ManagedObject) in
        post.willAccessValue(forKey: "author")
        defer { post.didAccessValue(forKey: "author") }
        _ = post.primitiveValue(forKey: "title")
        return post.primitiveValue(forKey: "author")?.string ?? ""
      }
    ]
    model.program = program
    return model
  }
}
