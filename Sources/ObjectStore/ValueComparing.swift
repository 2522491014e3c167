internal import EventFold
internal import ObjectModel

/// Compares the values that commits have set with what the models of their time say of them.
///
/// Keys that a model does not have are dynamic attributes, of which it says nothing.
struct ValueComparing {
  private typealias Properties = [KeyNumber: (name: String, admitted: Admitted)]

  private enum Admitted {
    case attribute(AttributeType)
    case relationship(isToMany: Bool)

    func admits(_ value: Value) -> Bool {
      switch self {
      case .attribute(let type): type.admits(value)
      case .relationship(let isToMany): value.isDestination(ofMany: isToMany)
      }
    }
  }

  private let era: Era
  private let properties: [EntityNumber: Properties]

  /// - Parameter keys: gives the numbers of keys.
  init(_ era: Era, keys: (String) -> KeyNumber?) {
    self.era = era
    var properties: [EntityNumber: Properties] = [:]
    for (number, model) in era.entitiesOfModel {
      var own: Properties = [:]
      for attribute in model.attributes {
        if let key = keys(attribute.name) {
          own[key] = (attribute.name, .attribute(attribute.type))
        }
      }
      for relationship in model.relationships {
        guard let key = keys(relationship.name) else { continue }
        own[key] = (relationship.name, .relationship(isToMany: relationship.isToMany))
      }
      properties[number] = own
    }
    self.properties = properties
  }

  /// What a commit has set that the model does not admit.
  func findings(in commit: CommitContent) -> [StoreFinding] {
    commit.changes.flatMap { change -> [StoreFinding] in
      guard change.kind != .deleted else { return [] }
      let object = change.object
      guard let own = properties[object.entity] else {
        return [
          StoreFinding(
            "commit \(commit.number) changes \(object), whose entity no model names.",
            matter: .contradiction)
        ]
      }
      return change.entries.compactMap { entry in
        guard let property = own[entry.key], let value = entry.change.valueSet,
          !property.admitted.admits(value)
        else { return nil }
        return StoreFinding(
          "commit \(commit.number) gives \(property.name) of \(object) a value of another type than "
            + "the model's.", matter: .contradiction)
      }
    }
  }
}

extension ValueChange {
  /// A value of the kind that it leaves; nil where it leaves none.
  fileprivate var valueSet: Value? {
    switch self {
    case .replaced(_, let new): new
    case .spliced(let splice): splice.new
    case .counted(let amount): .counter(amount)
    case .regrouped(let inserted, let removed): .set(inserted.union(removed))
    }
  }
}
