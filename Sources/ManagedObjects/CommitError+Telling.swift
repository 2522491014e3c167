internal import EventFold
internal import ObjectModel
internal import ObjectStore

// Why a commit was not made, for who saves or makes a batch.
extension CommitError {
  /// How often a commit is tried again that others have come before. Each time somebody else has got on.
  static let largestTryCount = 100

  /// Whether a context can do what it asks for, and try again: follow delete rules.
  var isForContexts: Bool {
    switch self {
    case .stillLedTo: true
    case .conflicts(let conflicts): conflicts.objects.allSatisfy { $0.objection == .deletes }
    case .store, .tooFewLeft: false
    }
  }

  /// What programs are told.
  func told(in store: ReadableStore, _ schema: Schema) -> any Error {
    switch self {
    case .store(let error): return error
    case .stillLedTo(let objects): return ContextError.stillLedTo(objects)
    case .tooFewLeft(let shortages):
      return ValidationErrors(failures: shortages.compactMap { ValidationFailure($0, schema) })
    case .conflicts(let conflicts):
      let names = KeyNaming(store: store)
      return MergeConflicts(
        objects: conflicts.objects.map { MergeConflict($0, schema, name: names.name) })
    }
  }
}

extension ValidationFailure {
  fileprivate init?(_ shortage: CommitError.Shortage, _ schema: Schema) {
    guard let info = schema.entity(shortage.object.entity),
      let property = info.property(shortage.key), let relationship = property.relationship
    else { return nil }
    let minimum = relationship.description.minCount ?? 1
    self.init(
      objectID: shortage.object, entityName: info.name, key: property.name,
      kind: shortage.count == 0 ? .missing : .tooFew(shortage.count, minimum: minimum))
  }
}
