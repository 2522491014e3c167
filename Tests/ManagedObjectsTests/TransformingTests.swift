import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// What every strategy of reading and writing is tried with.
private final class Sketch: ManagedObject {
  static let atOnce = ColorTransformer()
  static let later = ColorTransformer()
  static let fetched = ColorTransformer()
  static let needed = ColorTransformer()

  @Attribute("atOnce", .transformed(by: atOnce)) var atOnce: Color?
  @Attribute("later", .transformed(by: later, writing: .beforeSave)) var later: Color?
  @Attribute("fetched", .transformed(by: fetched, reading: .atFetch)) var fetched: Color?
  @Attribute("needed", .transformed(by: needed, writing: .beforeSave), .required) var needed: Color?
  @Attribute("ground", .transformed(by: ColorTransformer())) var ground: Color = Color(blue: 9)
  @Attribute("note") var note: String?
}

/// Each test counts for itself: one at a time.
@Suite(.serialized) final class TransformingTests {
  private let stage: Stage
  private let context: ManagedObjectContext
  private let sketch: Sketch
  /// Another context, as long as its object is looked at.
  private var other: ManagedObjectContext

  init() throws {
    stage = try Stage(ManagedObjectModel(Sketch.self))
    context = stage.context()
    other = stage.context()
    sketch = context.insert(Sketch.self)
    sketch.needed = Color()
    try context.save()
  }

  private func elsewhere(_ id: ObjectID? = nil) throws -> Sketch {
    other = stage.context()
    return try other.existingObject(with: id ?? sketch.objectID, as: Sketch.self)
  }

  /// How often something stores, or reads, by a transformer.
  private func counts(
    _ transformer: ColorTransformer, _ body: () throws -> Void
  ) rethrows -> [Int] {
    let before = (transformer.count.encoded, transformer.count.decoded)
    try body()
    return [transformer.count.encoded - before.0, transformer.count.decoded - before.1]
  }

  @Test func `S27, S52: an object that comes back without a value has not the one from before`()
    throws
  {
    let first = try #require(try stage.store.commits(since: 0).last)
    (sketch.atOnce, sketch.fetched) = (Color(red: 1), Color(red: 2))
    sketch.later = Color(red: 3)
    try context.save()
    #expect(sketch.atOnce == Color(red: 1) && sketch.later == Color(red: 3))
    context.delete(sketch)
    try context.save()
    #expect(sketch.atOnce == nil && sketch.fetched == nil && sketch.later == nil)
    try context.revert(to: .commit(first.number))
    #expect(!sketch.isDeleted && sketch.value(forKey: "atOnce") == nil)
    #expect(sketch.atOnce == nil && sketch.fetched == nil && sketch.later == nil)
    try context.save()
    #expect(sketch.atOnce == nil && sketch.later == nil)
    #expect(try elsewhere().later == nil)
  }

  @Test func `S27: what is read on demand is read once, and again when another value is stored`()
    throws
  {
    sketch.atOnce = Color(red: 1)
    try context.save()
    let found = try elsewhere()
    #expect(counts(Sketch.atOnce) { _ = found.note } == [0, 0])
    #expect(counts(Sketch.atOnce) { for _ in 1...3 { _ = found.atOnce } } == [0, 1])
    #expect(found.atOnce == Color(red: 1))
    found.setValue("2 0 0", forKey: "atOnce")
    #expect(counts(Sketch.atOnce) { for _ in 1...3 { _ = found.atOnce } } == [0, 1])
    #expect(found.atOnce == Color(red: 2))
  }

  @Test func `S27: what is read at fetch is there when the object has been read`() throws {
    sketch.fetched = Color(red: 1)
    try context.save()
    let found = try elsewhere()
    _ = found.note
    #expect(counts(Sketch.fetched) { _ = found.fetched } == [0, 0])
    #expect(found.fetched == Color(red: 1))
    sketch.fetched = Color(red: 2)
    try context.save()
    #expect(counts(Sketch.fetched) { other.refresh(found, mergeChanges: true) } == [0, 1])
    #expect(counts(Sketch.fetched) { _ = found.fetched } == [0, 0])
    #expect(found.fetched == Color(red: 2))
  }

  @Test func `S27: what is written at once is stored by each set`() {
    let set = counts(Sketch.atOnce) { for red in 1...3 { sketch.atOnce = Color(red: red) } }
    #expect(set == [3, 0])
    #expect(sketch.primitiveValue(forKey: "atOnce") == "3 0 0")
    #expect(counts(Sketch.atOnce) { _ = sketch.atOnce } == [0, 0])
    #expect(sketch.atOnce == Color(red: 3))
  }

  @Test
  func `S28: what is written before a save is stored once, and not at all where it did not change`()
    throws
  {
    #expect(counts(Sketch.later) { for red in 1...5 { sketch.later = Color(red: red) } } == [0, 0])
    #expect(sketch.later == Color(red: 5) && sketch.hasChanges && context.hasChanges)
    try #expect(counts(Sketch.later) { try context.save() } == [1, 0])
    #expect(try elsewhere().later == Color(red: 5))
    sketch.note = "else"
    try #expect(counts(Sketch.later) { try context.save() } == [0, 0])
  }

  @Test func `S28: a value that was not stored yet is when somebody asks for what is stored`()
    throws
  {
    sketch.later = Color(red: 5)
    #expect(sketch.value(forKey: "later") == "5 0 0")
    sketch.later = Color(red: 6)
    #expect(sketch.changedValues() == ["later": "6 0 0"])
    sketch.later = nil
    #expect(sketch.value(forKey: "later") == nil)
  }

  @Test func `S28: reading another value of an object has none stored that is stored later`() throws
  {
    let encoded = try counts(Sketch.later) {
      for red in 1...5 {
        sketch.later = Color(red: red)
        sketch.needed = Color(red: red)
        sketch.note = "\(sketch.note ?? "")\(sketch.value(forKey: "needed") ?? .null)"
      }
      try context.save()
    }
    #expect(encoded == [1, 0])
  }

  @Test func `S3: of values that are stored later those that equal what was saved can be dropped`()
    throws
  {
    sketch.later = Color(red: 5)
    try context.save()
    sketch.later = Color(red: 5)
    sketch.reconcileChanges()
    #expect(!sketch.hasChanges && sketch.later == Color(red: 5))
    context.reconcilesChangesAtOnce = true
    sketch.later = Color(red: 6)
    #expect(sketch.hasChanges)
    try context.save()
    #expect(try elsewhere().later == Color(red: 6))
  }

  @Test
  func
    `S66: a child sees what its parent has not stored yet, and the other way round after its save`()
    throws
  {
    sketch.later = Color(red: 5)
    let child = ManagedObjectContext(parent: context)
    let inChild = try child.existingObject(with: sketch.objectID, as: Sketch.self)
    #expect(inChild.later == Color(red: 5))
    inChild.later = Color(red: 6)
    try child.save()
    #expect(sketch.later == Color(red: 6))
    withExtendedLifetime(child) {}
  }

  @Test func `S48: a deletion that is undone brings back what was not stored yet`() throws {
    sketch.later = Color(red: 5)
    context.processPendingChanges()
    sketch.later = Color(red: 6)
    context.delete(sketch)
    context.undo()
    #expect(sketch.later == Color(red: 5))
    context.redo()
    context.rollback()
    #expect(sketch.later == nil && !sketch.isDeleted)
  }

  @Test func `S48: steps of values that are stored later are undone one by one`() throws {
    for red in 1...3 {
      sketch.later = Color(red: red)
      context.processPendingChanges()
    }
    context.undo()
    #expect(sketch.later == Color(red: 2))
    context.undo()
    context.undo()
    #expect(sketch.later == nil && !sketch.hasChanges)
    context.redo()
    #expect(sketch.later == Color(red: 1))
    context.rollback()
    #expect(sketch.later == nil)
  }

  @Test(arguments: ["atOnce", "later"])
  func `S29: a failing transformer aborts the save with the key named, and nothing is lost`(
    key: String
  ) throws {
    let (good, bad) = (Color(red: 1), Color(red: 1_000))
    if key == "later" { sketch.later = bad } else { sketch.atOnce = bad }
    sketch.note = "kept"
    let error = try #require(throws: ContextError.self) { try context.save() }
    #expect(
      error
        == .transformFailed(sketch.objectID, key: key, reason: "there is too much red in it."))
    #expect((key == "later" ? sketch.later : sketch.atOnce) == bad)
    #expect(sketch.note == "kept" && sketch.hasChanges)
    if key == "later" { sketch.later = good } else { sketch.atOnce = good }
    try context.save()
    let found = try elsewhere()
    #expect((key == "later" ? found.later : found.atOnce) == good && found.note == "kept")
  }

  @Test
  func
    `S29: what cannot be stored stays over a refresh that keeps changes, and fails the next save`()
    throws
  {
    sketch.later = Color(red: 1_000)
    context.refresh(sketch, mergeChanges: true)
    #expect(sketch.later == Color(red: 1_000))
    #expect(throws: ContextError.self) { try context.save() }
    context.refresh(sketch, mergeChanges: false)
    #expect(sketch.later == nil)
    #expect(try context.save() == nil)
  }

  @Test(arguments: ["atOnce", "later"])
  func `S29: what cannot be stored is a change over a refresh, and where it is reconciled`(
    key: String
  ) throws {
    sketch.setColor(Color(red: 1_000), key)
    #expect(throws: ContextError.self) { try context.save() }
    context.refresh(sketch, mergeChanges: true)
    sketch.reconcileChanges()
    #expect(sketch.hasChanges && context.updatedObjects == [sketch] && context.hasChanges)
    #expect(Array(sketch.changedValues().keys) == [key])
    #expect(throws: ContextError.self) { try context.save() }
    sketch.setColor(Color(red: 3), key)
    try context.save()
    #expect(try elsewhere().color(key) == Color(red: 3))
  }

  @Test(arguments: ["atOnce", "later"], [nil, Color(red: 3)])
  func `S29: what cannot be stored is a change again when its object's deletion is undone`(
    key: String, before: Color?
  ) throws {
    let bad = Color(red: 1_000)
    sketch.setColor(before, key)
    try context.save()
    sketch.setColor(bad, key)
    context.processPendingChanges()
    context.delete(sketch)
    context.processPendingChanges()
    for _ in 1...2 {
      context.undo()
      #expect(sketch.color(key) == bad && sketch.hasChanges && context.updatedObjects == [sketch])
      #expect(context.canRedo)
      context.redo()
      #expect(sketch.isDeleted)
    }
    context.undo()
    #expect(throws: ContextError.self) { try context.save() }
    #expect(sketch.color(key) == bad)
    context.undo()
    #expect(sketch.color(key) == before)
    #expect(try context.save() == nil)
  }

  @Test func `S29: what was set in the step of a deletion is undone with it`() throws {
    sketch.later = Color(red: 1_000)
    context.delete(sketch)
    context.undo()
    #expect(sketch.later == nil && !sketch.isDeleted && !sketch.hasChanges)
    #expect(try context.save() == nil)
  }

  @Test
  func `S29: a stored value that cannot be read is nil, or the default, and the key says why`()
    throws
  {
    sketch.setValue("no colour", forKey: "atOnce")
    sketch.setValue("no colour", forKey: "ground")
    #expect(sketch.atOnce == nil && sketch.ground == Color(blue: 9))
    #expect(throws: ColorTransformer.TooRed.self) {
      try sketch.transformedValue(forKey: "atOnce", as: Color.self)
    }
  }

  @Test func `S30: a required attribute validates by what is stored before the save`() throws {
    let second = context.insert(Sketch.self)
    let errors = try #require(throws: ValidationErrors.self) { try context.save() }
    #expect(errors.failures.map(\.key) == ["needed"])
    #expect(errors.failures.first?.kind == .missing)
    second.needed = Color(green: 3)
    try context.save()
    #expect(try elsewhere(second.objectID).needed == Color(green: 3))
  }

  @Test(arguments: ["atOnce", "later", "fetched"])
  func
    `S31: after a refresh by merge what was not touched is fresh, and what was touched is one's own`(
      key: String
    ) throws
  {
    let mine = try elsewhere()
    mine.setValue("1 1 1", forKey: key)
    #expect(mine.color(key) == Color(red: 1, green: 1, blue: 1))
    try other.save()
    context.refresh(sketch, mergeChanges: true)
    #expect(sketch.color(key)?.red == 1)
    mine.setValue("2 2 2", forKey: key)
    try other.save()
    sketch.setColor(Color(red: 7), key)
    context.refresh(sketch, mergeChanges: true)
    #expect(sketch.color(key) == Color(red: 7))
    context.refresh(sketch, mergeChanges: false)
    #expect(sketch.color(key)?.red == 2)
  }

  @Test(arguments: ["atOnce", "later", "fetched"])
  func `S31: set, undo, refresh shows the fresh value, and the attribute is not changed`(
    key: String
  ) throws {
    let mine = try elsewhere()
    sketch.setColor(Color(red: 7), key)
    context.undo()
    mine.setColor(Color(red: 2), key)
    try other.save()
    context.refresh(sketch, mergeChanges: true)
    #expect(sketch.color(key) == Color(red: 2) && sketch.changedValues().isEmpty)
  }

  @Test func `an entity without a class has transformers, too`() throws {
    let model = try ManagedObjectModel(
      entities: [
        EntityDescription(
          "Wall", attributes: [AttributeDescription("paint", .transformed(by: "ColorTransformer"))])
      ], classes: [], transformers: [ColorTransformer()])
    let stage = try Stage(model)
    let context = stage.context()
    let wall = context.insert("Wall")
    wall.setTransformedValue(Color(green: 8), forKey: "paint")
    #expect(wall.value(forKey: "paint") == "0 8 0")
    #expect(try wall.transformedValue(forKey: "paint", as: Color.self) == Color(green: 8))
    withExtendedLifetime(context) {}
  }
}

extension Sketch {
  fileprivate func color(_ key: String) -> Color? {
    switch key {
    case "later": later
    case "fetched": fetched
    default: atOnce
    }
  }

  fileprivate func setColor(_ color: Color?, _ key: String) {
    switch key {
    case "later": later = color
    case "fetched": fetched = color
    default: atOnce = color
    }
  }
}
