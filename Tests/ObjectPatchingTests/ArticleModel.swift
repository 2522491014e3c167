import ObjectModel

// The objects of the article on patching: people with addresses, children and distances.

func articleModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: [
    EntityDescription(
      "Person",
      attributes: [
        AttributeDescription("guid", .string, isIdentifier: true),
        AttributeDescription("name", .string), AttributeDescription("born", .date),
        AttributeDescription("portrait", .data),
      ],
      relationships: [
        RelationshipDescription("address", to: "Address", inverse: "resident"),
        RelationshipDescription(
          "children", to: "Child", inverse: "carer", isToMany: true, deleteRule: .cascade),
        RelationshipDescription("way", to: "Distance", inverse: "walker"),
      ]),
    EntityDescription(
      "Address",
      attributes: [
        AttributeDescription("guid", .string, isIdentifier: true),
        AttributeDescription("street", .string), AttributeDescription("city", .string),
      ],
      relationships: [RelationshipDescription("resident", to: "Person", inverse: "address")]),
    EntityDescription(
      "Child",
      attributes: [
        AttributeDescription("guid", .string, isIdentifier: true),
        AttributeDescription("name", .string),
      ],
      relationships: [
        RelationshipDescription("carer", to: "Person", inverse: "children"),
        RelationshipDescription(
          "toys", to: "Toy", inverse: "owner", isToMany: true, deleteRule: .cascade),
      ]),
    EntityDescription(
      "Toy",
      attributes: [
        AttributeDescription("guid", .string, isIdentifier: true),
        AttributeDescription("kind", .string),
      ],
      relationships: [RelationshipDescription("owner", to: "Child", inverse: "toys")]),
    EntityDescription(
      "Distance",
      attributes: [
        AttributeDescription("guid", .string, isIdentifier: true),
        AttributeDescription("value", .real), AttributeDescription("unit", .string),
      ],
      relationships: [RelationshipDescription("walker", to: "Person", inverse: "way")]),
  ])
}
