internal import ObjectModel

/// What a wrapper says of its property.
enum PropertyDeclaration {
  case attribute(AttributeDeclaration)
  /// With the type of the property.
  case relationship(Any.Type, RelationshipDescription)

  var name: String {
    switch self {
    case .attribute(let attribute): attribute.description.name
    case .relationship(_, let relationship): relationship.name
    }
  }

  /// The type of the property; nil where its values are stored as others.
  var contentType: Any.Type? {
    switch self {
    case .attribute(let attribute): attribute.contentType
    case .relationship(let type, _): type
    }
  }

  var transformation: (any Transforming)? {
    if case .attribute(let attribute) = self { attribute.transformation } else { nil }
  }

  /// The value that a required property is given where there is none.
  var fallback: Value? {
    guard case .attribute(let attribute) = self else { return nil }
    return attribute.description.defaultValue
  }
}

/// What a wrapper says of an attribute: its description, and what of it only the program has.
struct AttributeDeclaration {
  var description: AttributeDescription
  /// The type of the property; nil where its values are stored as others.
  var contentType: Any.Type?
  var transformation: (any Transforming)?
  var merge: MergeFunction?

  init(
    _ description: AttributeDescription, _ options: [AttributeOption?],
    _ transformation: (any Transforming)? = nil
  ) {
    self.description = description
    self.transformation = transformation
    for option in options { option?.apply(to: &self) }
  }
}

extension AttributeOption {
  fileprivate func apply(to declaration: inout AttributeDeclaration) {
    switch content {
    case .isIndexed: declaration.description.isIndexed = true
    case .isIdentifier: declaration.description.isIdentifier = true
    case .isTransient: declaration.description.isTransient = true
    case .isOptional(let isOptional): declaration.description.isOptional = isOptional
    case .validation(let rules): declaration.description.validation += rules
    case .merging(let merging): declaration.description.merging = merging
    case .merge(let function): declaration.merge = function
    case .formerName(let name): declaration.description.renamingIdentifier = name
    }
  }
}
