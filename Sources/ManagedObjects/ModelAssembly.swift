internal import ObjectModel

/// A model in the making, of descriptions and classes.
struct ModelAssembly {
  private(set) var descriptions: [EntityDescription]
  var program = ModelProgram()
  /// What is wrong that the descriptions do not show.
  private(set) var problems: [ModelProblem] = []

  init(_ descriptions: [EntityDescription]) { self.descriptions = descriptions }

  mutating func add<Transformer: ValueTransformer>(_ transformer: Transformer) {
    program.transformers[Transformer.name] = Transformation(transformer)
  }

  mutating func add(_ classes: [DeclaredClass]) {
    let byType = Dictionary(firstOf: classes.map { (ObjectIdentifier($0.type), $0) })
    // Where two are of one name, the model says so.
    let described = Set(descriptions.map(\.name))
    for declared in classes {
      let parent = declared.superclasses.lazy.compactMap { byType[ObjectIdentifier($0)] }.first
      add(declared, heirOf: parent, isDescribed: described.contains(declared.name))
    }
  }

  private mutating func add(
    _ declared: DeclaredClass, heirOf parent: DeclaredClass?, isDescribed: Bool
  ) {
    let name = declared.name
    program.classes[name] = declared.objectClass
    program.virtualAttributes[name, default: []] += declared.type.virtualAttributes
    for problem in declared.problems {
      problems.append(ModelProblem(problem.kind, name, problem.key))
    }
    var entity = EntityDescription(name)
    let place = isDescribed ? descriptions.firstIndex { $0.name == name } : nil
    if let place { entity = descriptions[place] }
    if let parent { entity.parent = parent.name }
    entity.isAbstract = entity.isAbstract || declared.type.isAbstract
    entity.allowsAnyKey = entity.allowsAnyKey || declared.type.allowsAnyKey
    // Two entities cannot have had one name: what is said by the superclass is said of it.
    if let former = declared.type.formerEntityName, former != parent?.type.formerEntityName {
      entity.renamingIdentifier = former
    }
    // The wrappers of a class are made before those of its superclass.
    for declaration in declared.declarations.dropLast(parent?.declarations.count ?? 0) {
      add(declaration, to: &entity)
    }
    if let place { descriptions[place] = entity } else { descriptions.append(entity) }
  }

  private mutating func add(_ declaration: PropertyDeclaration, to entity: inout EntityDescription)
  {
    switch declaration {
    case .relationship(_, let description): entity.relationships.append(description)
    case .attribute(var declaration):
      let key = declaration.description.name
      if let merge = declaration.merge {
        let name = "\(entity.name).\(key)"
        declaration.description.merging = .custom(name)
        program.merges[name] = merge
      }
      if let transformation = declaration.transformation {
        program.transformations[entity.name, default: [:]][key] = transformation
      }
      entity.attributes.append(declaration.description)
    }
  }
}

/// A class of objects, and what it declares.
struct DeclaredClass {
  let type: ManagedObject.Type
  let name: String
  /// What its wrappers say, in the order in which they are made: its own, and then those of what it inherits from.
  let declarations: [PropertyDeclaration]
  let problems: [(key: String, kind: ModelProblem.Kind)]
  /// The classes it inherits from, the nearest first.
  let superclasses: [ManagedObject.Type]

  /// Makes a prototype of the class, without a context, and looks at it.
  init(_ type: ManagedObject.Type) {
    self.type = type
    name = type.entityName
    let prototype = Prototype()
    _ = Construction.make(prototype) { type.init(ObjectSeed(prototypeOf: type)) }
    declarations = prototype.declarations
    problems = prototype.problems
    // A mirror of an object has nothing in it.
    let line = sequence(first: type) { _getSuperclass($0) as? ManagedObject.Type }
    superclasses = Array(line.dropFirst())
  }

  var objectClass: ModelProgram.ObjectClass {
    ModelProgram.ObjectClass(
      type: type,
      wrappers: declarations.map { declaration in
        ModelProgram.Wrapper(
          name: declaration.name, contentType: declaration.contentType,
          fallback: declaration.fallback,
          transformation: declaration.transformation)
      })
  }
}

extension ObjectSeed {
  fileprivate init(prototypeOf type: ManagedObject.Type) {
    let entity = ModelEntity(EntityDescription(type.entityName), ancestors: [], heirs: [])
    let info = EntityInfo(EntityNumber(rawValue: 0), entity, kinds: [], [], ModelProgram())
    let id = ObjectID(rawValue: 0, store: StoreTag(rawValue: 0))
    self.init(state: ObjectState(id, info, in: nil))
  }
}
