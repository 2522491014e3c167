package import EventFold
package import ObjectModel

/// How the values of a model's objects merge, as the model says.
package struct MergeKinds: Sendable {
  private enum Merging {
    case kind(MergeKind)
    case function(String)
  }

  /// Those that do not merge as a whole.
  private var mergings: [EntityNumber: [KeyNumber: Merging]] = [:]

  init(_ model: ManagedObjectModel, _ keys: KeyNames, _ numbers: [String: EntityNumber]) {
    for entity in model.entities {
      guard let number = numbers[entity.name] else { continue }
      var own: [KeyNumber: Merging] = [:]
      for attribute in entity.attributes {
        if let key = keys[attribute.name] { own[key] = Self.merging(of: attribute) }
      }
      for relationship in entity.relationships where relationship.isToMany {
        if let key = keys[relationship.name] {
          own[key] = .kind(relationship.isOrdered ? .orderedSet : .destinations)
        }
      }
      if !own.isEmpty { mergings[number] = own }
    }
  }

  private static func merging(of attribute: AttributeDescription) -> Merging? {
    switch (attribute.merging, attribute.type) {
    case (.custom(let name), _): .function(name)
    case (.byKey, _): .kind(.byKey)
    case (.asWhole, .counter): .kind(.counter)
    case (.asWhole, .set): .kind(.set)
    case (.asWhole, _): nil
    }
  }

  /// How the values of an object's key merge.
  ///
  /// - Parameter function: gives the program's function of a name.
  package func kind(
    of key: KeyNumber, in object: ObjectID, function: (String) -> MergeKind
  ) -> MergeKind {
    switch mergings[object.entity]?[key] {
    case nil: .asWhole
    case .kind(let kind)?: kind
    case .function(let name)?: function(name)
    }
  }
}

extension ReadableStore {
  /// How the values of the store's objects merge, as its model says.
  package var mergeKinds: MergeKinds? { sharedHead.snapshot.era?.mergeKinds }
}
