internal import FoundationEssentials
internal import ObjectModel
internal import ObjectPatching
internal import TestSupport

/// A model with attributes of every type, and patches of its objects by seed.
enum JSONPatches {
  static func model() throws -> ManagedObjectModel {
    let types: [(String, AttributeType)] = [
      ("boolean", .boolean), ("integer", .integer), ("real", .real), ("decimal", .decimal),
      ("string", .string), ("data", .data), ("date", .date), ("uuid", .uuid), ("url", .url),
      ("dictionary", .dictionary), ("any", .transformed(by: "Any")), ("counter", .counter),
      ("set", .set), ("reference", .reference),
    ]
    return try ManagedObjectModel(entities: [
      EntityDescription("Thing", isAbstract: true, attributes: types.map { .init($0.0, $0.1) }),
      EntityDescription(
        "Post", parent: "Thing", allowsAnyKey: true,
        attributes: [AttributeDescription("guid", .uuid, isIdentifier: true)],
        relationships: [
          RelationshipDescription("author", to: "Person", inverse: "posts"),
          RelationshipDescription("readers", to: "Person", inverse: "read", isToMany: true),
          RelationshipDescription("pages", to: "Page", isToMany: true, isOrdered: true),
        ]),
      EntityDescription(
        "Person", allowsAnyKey: true,
        attributes: [AttributeDescription("name", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "author", isToMany: true),
          RelationshipDescription("read", to: "Post", inverse: "readers", isToMany: true),
        ]),
      EntityDescription("Editor", parent: "Person", allowsAnyKey: true),
      EntityDescription(
        "Page", allowsAnyKey: true, attributes: [AttributeDescription("text", .string)]),
    ])
  }
}

extension Dice {
  mutating func patch(_ model: ManagedObjectModel) -> Patch {
    Patch(objects: list(upTo: 4) { $0.objectPatch(model, of: nil, depth: 2) })
  }

  private mutating func objectPatch(
    _ model: ManagedObjectModel, of destination: String?, depth: Int
  ) -> ObjectPatch {
    let identity = identity(model, of: destination)
    var patch = ObjectPatch(updating: identity)
    guard let entity = model.entity(named: identity.entityName) else { return patch }
    patch.old = chance(4) ? nil : attributes(of: entity)
    patch.new = chance(4) ? nil : attributes(of: entity)
    for relationship in entity.relationships where depth > 0 && chance(2) {
      var part = RelationshipPatch(
        !relationship.isToMany ? .toOne : relationship.isOrdered ? .ordered : .toMany)
      func members(_ dice: inout Dice) -> [RelationshipPatch.Member] {
        dice.list(upTo: relationship.isToMany ? 3 : 1) { dice in
          RelationshipPatch.Member(
            dice.identity(model, of: relationship.destination),
            position: relationship.isOrdered && !dice.chance(4) ? dice.pick(1_000) : nil)
        }
      }
      part.removed = members(&self)
      part.added = members(&self)
      part.patches = list(upTo: 2) { dice in
        dice.objectPatch(model, of: relationship.destination, depth: depth - 1)
      }
      patch.relationships[relationship.name] = part
    }
    return patch
  }

  private mutating func identity(_ model: ManagedObjectModel, of destination: String?)
    -> PatchIdentity
  {
    let entities = model.descriptions.compactMap { model.entity(named: $0.name) }
      .filter { entity in
        !entity.description.isAbstract && (destination.map { entity.isKind(of: $0) } ?? true)
      }
    let entity = entities[pick(entities.count)]
    let store = StoreTag(rawValue: 0xABCD_0000_0000_1234)
    guard let key = entity.attributes.first(where: \.isIdentifier)?.name, !chance(8) else {
      let number = ObjectID(
        entity: EntityNumber(rawValue: 3), number: UInt64(pick(1 << 36)), store: store)
      return PatchIdentity(entity.name, number)
    }
    return PatchIdentity(entity.name, key, key == "guid" ? .uuid(uuid()) : .string(text()))
  }

  private mutating func attributes(of entity: ModelEntity) -> [String: Value] {
    let store = StoreTag(rawValue: 0x1234)
    var values: [String: Value] = [:]
    for attribute in entity.attributes where chance(3) {
      // Of the type, or none.
      var value = Value.null
      for _ in 0..<30 where value.isNull {
        let drawn = self.value(depth: 3, of: store)
        if attribute.type.admits(drawn) { value = drawn }
      }
      values[attribute.name] = .some(value)
    }
    for key in ["$odd", "$\u{301}real", "mood", "e\u{301}", "a/b"] where chance(4) {
      let drawn = self.value(depth: 3, of: store)
      values[key] = .some(drawn.isPropertyList ? drawn : .null)
    }
    return values
  }
}
