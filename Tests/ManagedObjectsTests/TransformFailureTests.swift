import Foundation
import ManagedObjects
import ObjectModel
import ObjectStore
import Testing
import XJournal

/// Stores texts as what a test asks for.
private struct Shaping: ValueTransformer {
  func encode(_ text: String) throws -> Value {
    switch text {
    case "deep": (0...Value.largestDepth).reduce(1) { value, _ in .array([value]) }
    case "no number": .decimal(.nan)
    case "nothing": .null
    default: .string(text)
    }
  }

  func decode(_ value: Value) throws -> String { value.string ?? "" }
}

private final class Flag: ManagedObject {
  @Attribute("tint", .transformed(by: ColorTransformer())) var tint: Color? = Color(green: 5)
}

/// Sets, when it is fetched, what it was told to.
private final class Woken: ManagedObject {
  @Attribute("wish") var wish: String?
  @Attribute("shape", .transformed(by: Shaping())) var shape: String?

  override func awakeFromFetch() { shape = wish }
}

/// What transformers make that cannot be stored: the save says of which key and why, and nothing is lost.
@Suite struct TransformFailureTests {
  private func wall() throws -> (Stage, ManagedObjectContext, ManagedObject) {
    let shape = AttributeDescription("shape", .transformed(by: "Shaping"))
    let stage = try Stage(
      ManagedObjectModel(
        entities: [EntityDescription("Wall", attributes: [shape])], classes: [],
        transformers: [Shaping()]))
    let context = stage.context()
    return (stage, context, context.insert("Wall"))
  }

  @Test(arguments: [
    ("deep", "nested deeper than 128 levels"), ("no number", "has a decimal that is no number"),
  ])
  func `S29: what a transformer makes and no store can hold aborts the save, with the key named`(
    text: String, words: String
  ) throws {
    let (stage, context, wall) = try wall()
    wall.setTransformedValue("brick", forKey: "shape")
    try context.save()
    wall.setTransformedValue(text, forKey: "shape")
    let error = try #require(throws: ContextError.self) { try context.save() }
    guard case .transformFailed(wall.objectID, "shape", let reason) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(reason.contains(words) && "\(error)".contains(words), "\(error)")
    #expect(stage.store.lastCommit == 1 && wall.hasChanges)
    #expect(try wall.transformedValue(forKey: "shape", as: String.self) == text)
    wall.setTransformedValue("stone", forKey: "shape")
    try context.save()
    let other = stage.context()
    let found = try other.existingObject(with: wall.objectID)
    #expect(try found.transformedValue(forKey: "shape", as: String.self) == "stone")
    #expect(try stage.store.verify(deep: true).isEmpty)
  }

  @Test func `S29: what is of another type than a transformer takes is told by the save`() throws {
    let (stage, context, wall) = try wall()
    wall.setTransformedValue(5, forKey: "shape")
    let error = try #require(throws: ContextError.self) { try context.save() }
    #expect(
      error == .transformFailed(wall.objectID, key: "shape", reason: "it is no String."))
    #expect(stage.store.lastCommit == .none)
    wall.setTransformedValue("wood", forKey: "shape")
    try context.save()
    #expect(wall.value(forKey: "shape") == "wood")
  }

  @Test func `S29: what a transformer stores as null has no value, and is read as none`() throws {
    let (stage, context, wall) = try wall()
    wall.setTransformedValue("brick", forKey: "shape")
    try context.save()
    wall.setTransformedValue("nothing", forKey: "shape")
    #expect(wall.value(forKey: "shape") == nil && wall.changedValues() == ["shape": .null])
    try context.save()
    let other = stage.context()
    let found = try other.existingObject(with: wall.objectID)
    #expect(try found.transformedValue(forKey: "shape", as: String.self) == nil)
  }

  @Test func `S27: a transformed attribute that may be nil can have a default`() throws {
    let stage = try Stage(ManagedObjectModel(Flag.self))
    let context = stage.context()
    let (flag, bare) = (context.insert(Flag.self), context.insert(Flag.self))
    #expect(flag.tint == Color(green: 5) && flag.value(forKey: "tint") == "0 5 0")
    bare.tint = nil
    try context.save()
    let other = stage.context()
    #expect(
      try other.existingObject(with: flag.objectID, as: Flag.self).tint == Color(green: 5))
    #expect(try other.existingObject(with: bare.objectID, as: Flag.self).tint == nil)
  }

  @Test
  func `S29: what a hook sets while nothing is tracked is given up where it cannot be stored`()
    throws
  {
    let stage = try Stage(ManagedObjectModel(Woken.self))
    let context = stage.context()
    let (sound, unsound) = (context.insert(Woken.self), context.insert(Woken.self))
    for (object, wish) in [(sound, "fine"), (unsound, "deep")] {
      (object.wish, object.shape) = (wish, "brick")
    }
    try context.save()
    let other = stage.context()
    let found = try [sound, unsound].map {
      try other.existingObject(with: $0.objectID, as: Woken.self)
    }
    #expect(found.map(\.shape) == ["fine", "brick"])
    #expect(!found[0].hasChanges && !found[1].hasChanges)
    #expect(try other.save() == nil && stage.store.lastCommit == 1)
  }
}
