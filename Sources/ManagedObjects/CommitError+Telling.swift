internal import ObjectModel
internal import ObjectStore

// Why a commit was not made, for who saves or makes a batch.
extension CommitError {
  /// How often a commit is tried again that others have come before. Each time somebody else has got on.
  static let largestTryCount = 100

  /// What programs are told.
  func told(in store: ReadableStore, _ schema: Schema) -> any Error {
    switch self {
    case .store(let error): return error
    case .stillLedTo(let objects): return ContextError.stillLedTo(objects)
    case .conflicts(let conflicts):
      let names = KeyNaming(store: store)
      return MergeConflicts(
        objects: conflicts.objects.map { MergeConflict($0, schema, name: names.name) })
    }
  }
}
