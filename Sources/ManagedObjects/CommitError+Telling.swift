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
    case .store, .miscounted: false
    }
  }

  /// What programs are told.
  func told(in store: ReadableStore, _ schema: Schema) -> any Error {
    switch self {
    case .store(let error): return error
    case .stillLedTo(let objects): return ContextError.stillLedTo(objects)
    case .miscounted(let miscounts):
      return ValidationErrors(failures: miscounts.compactMap { ValidationFailure($0, schema) })
    case .conflicts(let conflicts):
      let names = KeyNaming(store: store)
      return MergeConflicts(
        objects: conflicts.objects.map { MergeConflict($0, schema, name: names.name) })
    }
  }
}

extension ValidationFailure {
  fileprivate init?(_ miscount: CommitError.Miscount, _ schema: Schema) {
    guard let info = schema.entity(miscount.object.entity),
      let property = info.property(miscount.key), let relationship = property.relationship,
      let kind = Kind(of: relationship.description, leadingTo: miscount.count)
    else { return nil }
    self.init(objectID: miscount.object, entityName: info.name, key: property.name, kind: kind)
  }
}
