import ManagedObjects
import ObjectModel
import Synchronization
import Testing

private class Shape: ManagedObject {
  override class var isAbstract: Bool { self == Shape.self }
  @Attribute("name", .renamed(from: "title")) var name: String = "shape"
  @Relationship("drawing", inverse: "shapes") var drawing: Drawing?
  override class var virtualAttributes: [VirtualAttribute] {
    [VirtualAttribute("label") { (shape: Shape) in "a \(shape.name)" }]
  }
}

/// No entity of its own: what it declares, its heirs have.
private class Sized: Shape {
  @Attribute("scale") var scale: Double = 1
}

private final class Circle: Sized {
  @Attribute("radius") var radius: Double = 2
  @Relationship("inside") var inside: Circle?
}

private final class Square: Shape {
  @Attribute("side") var side: Double = 3
}

private final class Drawing: ManagedObject {
  override class var formerEntityName: String? { "Picture" }
  override class var allowsAnyKey: Bool { true }
  @Relationship("shapes", inverse: "drawing", isOptional: false, minCount: 1, maxCount: 3)
  var shapes: [Shape]
  @Attribute(
    "sum",
    .merging { base, ours, theirs in
      .integer((ours?.integer ?? 0) + (theirs?.integer ?? 0) - (base?.integer ?? 0))
    }) var sum: Int = 0
  @Attribute("parts", .merging(.byKey)) var parts: [String: Value] = [:]
}

private final class Twice: ManagedObject {
  @Attribute("name") var name: String?
  @Attribute("name") var other: String?
  @Attribute("colour", .transformed(by: ColorTransformer())) var colour: Color = Color(red: 1_000)
  @Attribute("note", .indexed, .transient) var note: String?
  @Counter("count", .merging { _, ours, _ in ours }) var count: Int
  @Relationship("blog", inverse: "twices") var blog: Blog?
}

@Suite struct ClassModelTests {
  private func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(Drawing.self, Circle.self, Square.self, Shape.self)
  }

  @Test func `a class inherits from the nearest class that is in the model`() throws {
    let byName = Dictionary(
      uniqueKeysWithValues: try model().descriptions.map { ($0.name, $0) })
    #expect(byName["Shape"]?.isAbstract == true && byName["Circle"]?.isAbstract == false)
    #expect(byName["Circle"]?.parent == "Shape" && byName["Square"]?.parent == "Shape")
    #expect(byName["Shape"]?.attributes.map(\.name) == ["name"])
    #expect(byName["Shape"]?.attributes.first?.renamingIdentifier == "title")
    #expect(byName["Circle"]?.attributes.map(\.name) == ["radius", "scale"])
    #expect(byName["Circle"]?.relationships.map(\.name) == ["inside"])
    #expect(byName["Drawing"]?.renamingIdentifier == "Picture")
    #expect(byName["Drawing"]?.allowsAnyKey == true && byName["Shape"]?.allowsAnyKey == false)
    let shapes = byName["Drawing"]?.relationships.first
    #expect(shapes?.isOrdered == true && shapes?.isToMany == true && shapes?.isOptional == false)
    #expect(shapes?.minCount == 1 && shapes?.maxCount == 3)
  }

  @Test func `properties of a class and of those it inherits from do not get mixed up`() throws {
    let stage = try Stage(model())
    let context = stage.context()
    let drawing = context.insert(Drawing.self)
    let (circle, square) = (context.insert(Circle.self), context.insert(Square.self))
    #expect(circle.radius == 2 && circle.scale == 1 && circle.name == "shape")
    circle.radius = 5
    circle.name = "circle"
    circle.inside = circle
    square.name = "square"
    drawing.shapes = [square, circle]
    #expect(square.side == 3 && square.drawing == drawing)
    #expect(square.value(forKey: "label") == "a square")
    drawing.setValue("bright", forKey: "light")
    try context.save()
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: drawing.objectID, as: Drawing.self)
    #expect(found.shapes.map(\.name) == ["square", "circle"])
    #expect((found.shapes.last as? Circle)?.radius == 5 && found["light"] == "bright")
    #expect((found.shapes.last as? Circle)?.inside === found.shapes.last)
  }

  @Test func `an object of an abstract class ends the program`() async {
    await #expect(processExitsWith: .failure) {
      let model = try ManagedObjectModel(Drawing.self, Circle.self, Square.self, Shape.self)
      _ = try Stage(model).context().insert(Shape.self)
    }
  }

  @Test func `S35: a declared function makes one value of what two contexts have set`() throws {
    let stage = try Stage(model())
    let first = stage.context()
    let drawing = first.insert(Drawing.self)
    drawing.shapes = [first.insert(Circle.self)]
    drawing.sum = 10
    try first.save()
    let (a, b) = (stage.context(), stage.context())
    defer { withExtendedLifetime((a, b)) {} }
    let inA = try a.existingObject(with: drawing.objectID, as: Drawing.self)
    let inB = try b.existingObject(with: drawing.objectID, as: Drawing.self)
    inA.sum = 13
    inB.sum = 14
    try a.save()
    try b.save()
    #expect(inB.sum == 17)
    let other = stage.context()
    defer { withExtendedLifetime(other) {} }
    let found = try other.existingObject(with: drawing.objectID, as: Drawing.self)
    #expect(found.sum == 17)
  }

  @Test func `S25: dictionaries that are declared so merge key by key`() throws {
    let stage = try Stage(model())
    let first = stage.context()
    let drawing = first.insert(Drawing.self)
    drawing.shapes = [first.insert(Circle.self)]
    try first.save()
    let (a, b) = (stage.context(), stage.context())
    defer { withExtendedLifetime((a, b)) {} }
    try a.existingObject(with: drawing.objectID, as: Drawing.self).parts = ["a": 1]
    let inB = try b.existingObject(with: drawing.objectID, as: Drawing.self)
    inB.parts = ["b": 2]
    b.mergePolicy = .mergeByPropertyObjectTrump
    try a.save()
    try b.save()
    #expect(inB.parts == ["a": 1, "b": 2])
  }

  @Test(arguments: [true, false])
  func `S25, S51: undoing what was put into a dictionary within leaves what others have put in`(
    isThereBefore: Bool
  ) throws {
    let stage = try Stage(model())
    let (a, b) = (stage.context(), stage.context())
    let drawing = a.insert(Drawing.self)
    drawing.shapes = [a.insert(Circle.self)]
    drawing.parts = isThereBefore ? ["k": ["z": 0]] : [:]
    try a.save()
    let same = try b.existingObject(with: drawing.objectID, as: Drawing.self)
    func entries(_ name: String, _ value: Value) -> [String: Value] {
      isThereBefore ? ["k": ["z": 0, name: value]] : ["k": [name: value]]
    }
    drawing.parts = entries("a", ["deep": 1])
    same.parts = entries("b", 2)
    a.mergePolicy = .mergeByPropertyObjectTrump
    try b.save()
    try a.save()
    #expect(drawing.parts["k"]?.dictionary?["b"] == 2)
    a.undo()
    #expect(drawing.parts == entries("b", 2))
    try a.save()
    a.redo()
    #expect(drawing.parts["k"]?.dictionary?["a"] == ["deep": 1])
    #expect(drawing.parts["k"]?.dictionary?["b"] == 2)
  }

  @Test func `a property that is used in an initialiser of the model's prototype ends the program`()
    async
  {
    await #expect(processExitsWith: .failure) {
      final class Hasty: ManagedObject {
        @Attribute("name") var name: String?
        required init(_ seed: ObjectSeed) {
          super.init(seed)
          name = "early"
        }
      }
      _ = try ManagedObjectModel(Hasty.self)
    }
  }

  @Test func `a class that declares other properties each time ends the program`() async {
    await #expect(processExitsWith: .failure) {
      final class Fickle: ManagedObject {
        static let isFirst = Mutex(true)
        @Attribute("name") var name: String?
        var more: [Attribute<PlainAttribute<String?>>] = {
          let declaresNoMore = isFirst.withLock { isFirst in
            defer { isFirst = false }
            return isFirst
          }
          return declaresNoMore ? [] : [Attribute("more")]
        }()
      }
      let context = try Stage(ManagedObjectModel(Fickle.self)).context()
      _ = context.insert(Fickle.self)
    }
  }

  @Test func `everything that is wrong with classes is told at once, with class and property`()
    throws
  {
    let error = try #require(throws: ModelError.self) { try ManagedObjectModel(Twice.self) }
    #expect(
      "\(error)" == """
        Twice.colour: its default cannot be stored: there is too much red in it.
        Twice.name: the name stands twice, here or in what is inherited; rename one of them.
        Twice.note: a transient attribute is not stored, and can be neither indexed nor an identifier.
        Twice.count: values of type counter cannot be merged that way.
        Twice.blog: there is no entity Blog to lead to.
        """)
  }
}
