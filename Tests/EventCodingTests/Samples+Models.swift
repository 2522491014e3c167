import ObjectModel
import TestSupport

/// One type of each kind.
let attributeTypes: [AttributeType] = [
  .boolean, .integer, .real, .decimal, .string, .data, .date, .uuid, .url, .dictionary,
  .transformed(by: "Colour"), .counter, .set, .reference,
]

/// A rule of each kind.
let validationRules: [ValidationRule] = [
  .minLength(-1), .maxLength(4711), .minimum(.integer(.min)), .maximum(.string("z")),
  .matches("[a-z]+"),
]

/// Described by anything a description may say, whether or not it makes sense in a model.
extension Dice {
  mutating func entity() -> EntityDescription {
    EntityDescription(
      text(), parent: maybe { $0.text() }, isAbstract: chance(2), allowsAnyKey: chance(2),
      attributes: list(upTo: 3) { $0.attribute() },
      relationships: list(upTo: 3) { $0.relationship() }, renamingIdentifier: maybe { $0.text() })
  }

  mutating func attribute() -> AttributeDescription {
    AttributeDescription(
      text(), attributeTypes[pick(attributeTypes.count)], isOptional: chance(2),
      defaultValue: maybe { $0.value(depth: 1) }, isTransient: chance(2), isIndexed: chance(2),
      isIdentifier: chance(2), merging: [.asWhole, .byKey, .custom(text())][pick(3)],
      validation: list(upTo: 3) { validationRules[$0.pick(validationRules.count)] },
      renamingIdentifier: maybe { $0.text() })
  }

  mutating func relationship() -> RelationshipDescription {
    RelationshipDescription(
      text(), to: text(), inverse: maybe { $0.text() }, isToMany: chance(2), isOrdered: chance(2),
      isOptional: chance(2), minCount: maybe { $0.integer() }, maxCount: maybe { $0.integer() },
      deleteRule: DeleteRule.allCases[pick(4)], isTransient: chance(2),
      renamingIdentifier: maybe { $0.text() })
  }
}
