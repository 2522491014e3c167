// A sound model: its entities, what they inherit, and where their properties stand.

import ObjectModel
import Testing

@Suite struct Models {
  private static let descriptions = [
    EntityDescription(
      "Dog", parent: "Pet", attributes: [AttributeDescription("tricks", .set)],
      relationships: [
        RelationshipDescription("friends", to: "Dog", inverse: "friends", isToMany: true)
      ]),
    EntityDescription(
      "Animal", isAbstract: true,
      attributes: [
        AttributeDescription("name", .string, isOptional: false, validation: [.maxLength(40)]),
        AttributeDescription("age", .integer, defaultValue: 0),
      ]),
    EntityDescription(
      "Pet", parent: "Animal",
      attributes: [AttributeDescription("chip", .uuid, isIdentifier: true)],
      relationships: [RelationshipDescription("owner", to: "Person", inverse: "pets")]),
    EntityDescription("Cat", parent: "Pet"),
    EntityDescription(
      "Person",
      relationships: [
        RelationshipDescription(
          "pets", to: "Pet", inverse: "owner", isToMany: true, minCount: 1, maxCount: 3),
        RelationshipDescription("partner", to: "Person", inverse: "partner"),
      ]),
  ]
  private let model: ManagedObjectModel
  private let dog: ModelEntity

  init() throws {
    model = try ManagedObjectModel(entities: Self.descriptions)
    dog = try #require(model.entity(named: "Dog"))
  }

  @Test func `slots are given to the farthest ancestor's attributes first`() {
    #expect(dog.attributes.map(\.name) == ["name", "age", "chip", "tricks"])
    #expect(dog.relationships.map(\.name) == ["owner", "friends"])
    #expect(dog.property("name") == .attribute(0) && dog.property("tricks") == .attribute(3))
    #expect(dog.property("owner") == .relationship(0))
    #expect(dog.property("friends") == .relationship(1))
    #expect(dog.property("mood") == nil)
  }

  @Test func `an attribute has the slot in every heir that it has where it is declared`() {
    for entity in model.entities {
      for heir in entity.heirs.compactMap({ model.entity(named: $0) }) {
        #expect(Array(heir.attributes.prefix(entity.attributes.count)) == entity.attributes)
        #expect(
          Array(heir.relationships.prefix(entity.relationships.count)) == entity.relationships)
      }
    }
  }

  @Test func `properties are found by their names, each as what it is`() {
    #expect(dog.attribute("age")?.defaultValue == 0)
    #expect(dog.attribute("owner") == nil && dog.attribute("mood") == nil)
    #expect(dog.relationship("owner")?.destination == "Person")
    #expect(dog.relationship("age") == nil && dog.relationship("mood") == nil)
  }

  @Test func `ancestors are known from the nearest on, and heirs of every degree`() {
    #expect(dog.ancestors == ["Pet", "Animal"])
    #expect(model.entity(named: "Animal")?.heirs == ["Dog", "Pet", "Cat"])
    #expect(model.entity(named: "Pet")?.heirs == ["Dog", "Cat"])
    #expect(dog.heirs == [])
    #expect(dog.isKind(of: "Dog") && dog.isKind(of: "Animal") && !dog.isKind(of: "Cat"))
  }

  @Test func `a model keeps its descriptions in order and knows no other entity`() {
    #expect(model.descriptions == Self.descriptions)
    #expect(model.entities.map(\.name) == ["Dog", "Animal", "Pet", "Cat", "Person"])
    #expect(model.entity(named: "Fish") == nil)
  }

  @Test func `models are equal where their descriptions are`() throws {
    let same = try ManagedObjectModel(entities: Self.descriptions)
    #expect(same == model && same.hashValue == model.hashValue)
    #expect(try ManagedObjectModel(entities: Self.descriptions.reversed()) != model)
    #expect(try ManagedObjectModel(entities: []) != model)
  }

  @Test func `only an unordered relationship to many with an inverse to one is answered from it`()
    throws
  {
    let person = try #require(model.entity(named: "Person"))
    let answered = (dog.relationships + person.relationships).filter(model.isAnsweredFromInverse)
    #expect(answered.map(\.name) == ["pets"])
  }

  @Test func `a model whose entities inherit from as many as they may is made in no time`() throws {
    let count = 256
    let line = (0..<count).map { number in
      EntityDescription("E\(number)", parent: number == 0 ? nil : "E\(number - 1)")
    }
    let model = try ManagedObjectModel(entities: line)
    #expect(model.entities.last?.ancestors.count == count - 1)
    #expect(model.entities.first?.heirs.count == count - 1)
  }
}
