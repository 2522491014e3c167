public import ObjectModel

extension ManagedObjectModel {
  /// Makes a model of classes: an entity for each, with the properties that it declares.
  ///
  /// A class whose superclass is another of them inherits from that one's entity.
  ///
  /// - Throws: `ModelError`, which lists everything that is wrong and names the class and the property.
  public init(_ classes: ManagedObject.Type...) throws(ModelError) {
    try self.init(entities: [], classes: classes)
  }

  /// Makes a model of entities and classes, and of the functions that their attributes name.
  ///
  /// - Parameters:
  ///   - descriptions: entities without classes; those of a class's name get what the class declares besides.
  ///   - classes: classes of objects.
  ///   - transformers: what stores the attributes that descriptions have of the transformers' names.
  ///   - merges: functions, by the names that descriptions have (`AttributeMerging.custom`).
  ///   - virtualAttributes: computed keys, by entity.
  /// - Throws: `ModelError`, which lists everything that is wrong and names the entity and the property.
  public init(
    entities descriptions: [EntityDescription], classes: [ManagedObject.Type],
    transformers: [any ValueTransformer] = [], merges: [String: MergeFunction] = [:],
    virtualAttributes: [String: [VirtualAttribute]] = [:]
  ) throws(ModelError) {
    var assembly = ModelAssembly(descriptions)
    assembly.program.merges = merges
    assembly.program.virtualAttributes = virtualAttributes
    for transformer in transformers { assembly.add(transformer) }
    assembly.add(classes.map { DeclaredClass($0) })
    do throws(ModelError) {
      try self.init(entities: assembly.descriptions)
    } catch {
      throw ModelError(problems: assembly.problems + error.problems)
    }
    guard assembly.problems.isEmpty else { throw ModelError(problems: assembly.problems) }
    program = assembly.program
  }
}
