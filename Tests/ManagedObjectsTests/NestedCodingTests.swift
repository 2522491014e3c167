import ManagedObjects
import ObjectModel
import Testing
import XJournal

/// Writes each of its values into a container of its own, asked for under a key that has one.
private struct Parts: Codable, Hashable {
  enum Way: String, Codable { case keyed, unkeyed, toSuper, toSuperOfKey, ontoWhole }
  enum Key: CodingKey { case way, inner, list, `super` }
  enum InnerKey: CodingKey { case a, b }
  var way: Way
  var (a, b) = (1, 2)

  init(_ way: Way) { self.way = way }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    way = try container.decode(Way.self, forKey: .way)
    if way == .unkeyed {
      var list = try container.nestedUnkeyedContainer(forKey: .list)
      (a, b) = (try list.decode(Int.self), try list.decode(Int.self))
    } else {
      let inner = try container.nestedContainer(
        keyedBy: InnerKey.self, forKey: way == .toSuper ? .super : .inner)
      (a, b) = (try inner.decode(Int.self, forKey: .a), try inner.decode(Int.self, forKey: .b))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(way, forKey: .way)
    if way == .unkeyed {
      for value in [a, b] {
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(value)
      }
      return
    }
    for (key, value) in [(InnerKey.a, a), (.b, b)] {
      if way == .ontoWhole, key == .a {
        try container.encode(["a": value], forKey: .inner)
        continue
      }
      var inner =
        switch way {
        case .toSuper: container.superEncoder().container(keyedBy: InnerKey.self)
        case .toSuperOfKey:
          container.superEncoder(forKey: .inner).container(keyedBy: InnerKey.self)
        default: container.nestedContainer(keyedBy: InnerKey.self, forKey: .inner)
        }
      try inner.encode(value, forKey: key)
    }
  }
}

private final class Case: ManagedObject {
  @Attribute("parts", .codable) var parts: Parts?
}

@Suite struct NestedCodingTests {
  @Test(arguments: [
    (Parts.Way.keyed, "inner"), (.unkeyed, "list"), (.toSuper, "super"), (.toSuperOfKey, "inner"),
    (.ontoWhole, "inner"),
  ])
  fileprivate func `S29: what is coded into several containers of one key is all stored`(
    way: Parts.Way, key: String
  ) throws {
    let stage = try Stage(ManagedObjectModel(Case.self))
    let context = stage.context()
    let object = context.insert(Case.self)
    object.parts = Parts(way)
    let both: Value = way == .unkeyed ? [1, 2] : ["a": 1, "b": 2]
    #expect(object.value(forKey: "parts") == ["way": .string(way.rawValue), key: both])
    try context.save()
    let other = stage.context()
    #expect(try other.existingObject(with: object.objectID, as: Case.self).parts == Parts(way))
    withExtendedLifetime(other) {}
  }
}
