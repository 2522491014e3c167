internal import ObjectModel

/// What a program has beside the descriptions of its model: the classes of its objects, and its functions.
package struct ModelProgram: Sendable {
  /// The class of an entity's objects.
  package struct ObjectClass: Sendable {
    package let type: ManagedObject.Type
    /// Its wrappers, in the order in which they are made with an object.
    let wrappers: [Wrapper]
  }

  /// What a wrapper knows that an object of the past may not.
  struct Wrapper: Sendable {
    let name: String
    /// The type of the property; nil where its values are stored as others.
    let contentType: Any.Type?
    /// The stored value that stands for none, where the property cannot be nil.
    let fallback: Value?
    let transformation: (any Transforming)?
  }

  /// By the name of the entity.
  package var classes: [String: ObjectClass] = [:]
  /// By the name of the entity that declares them.
  package var virtualAttributes: [String: [VirtualAttribute]] = [:]
  /// How the attributes are stored that a class has declared so: by entity and key.
  var transformations: [String: [String: any Transforming]] = [:]
  /// By name, as `AttributeType.transformed(by:)` has it: of the attributes that no class has declared.
  var transformers: [String: any Transforming] = [:]
  /// By name, as `AttributeMerging.custom` has it.
  package var merges: [String: MergeFunction] = [:]

  package init() {}

  /// How an attribute is stored that has values of the program's own type.
  ///
  /// - Parameter line: the entity's name, and those of what it inherits from.
  func transformation(of attribute: AttributeDescription, in line: [String]) -> (any Transforming)?
  {
    guard case .transformed(let transformer) = attribute.type else { return nil }
    for name in line {
      if let transformation = transformations[name]?[attribute.name] { return transformation }
    }
    return transformers[transformer]
  }
}
