internal import ObjectModel
internal import ObjectStore

/// Contexts that have edited and not saved, as frames behind a hole tell it that are read in order.
struct UnsavedContexts {
  private var contexts: Set<ContextNumber> = []
  /// Those of which nothing is unsaved any more that was so before.
  private(set) var over: Set<ContextNumber> = []

  var isEmpty: Bool { contexts.isEmpty }

  mutating func take(_ entry: SalvagedEntry) {
    switch entry {
    case .commit(let content): end(content.context)
    case .event(.contextEnded(let context)), .event(.draftDiscarded(let context)): end(context)
    case .event(.edited(let context, let edit)):
      switch edit {
      case .saved, .rolledBack, .wasReset: end(context)
      case .inserted, .set, .spliced, .setPrimitive, .membersChanged, .deleted, .undone, .redone:
        contexts.insert(context)
      default: break
      }
    case .event: break
    }
  }

  private mutating func end(_ context: ContextNumber) {
    contexts.remove(context)
    over.insert(context)
  }
}
