internal import ObjectStore

/// What of a store a context shows: the last state, or one of the past, or what another context makes of it.
struct StoreView {
  let store: ReadableStore
  /// The state that is shown whatever is committed later; nil where it is the last one.
  private let past: SharedSnapshot?

  /// The context whose objects are shown, saved or not; nil where the store's are.
  let parent: ManagedObjectContext?

  init(_ store: ReadableStore, at past: Snapshot? = nil) {
    self.store = store
    self.past = past.map(SharedSnapshot.init)
    parent = nil
  }

  init(within parent: ManagedObjectContext) {
    store = parent.store
    past = parent.view.past
    self.parent = parent
  }

  /// The state that is shown.
  var snapshot: Snapshot { shared.snapshot }

  /// The same for whoever looks at it only once: it is not copied.
  var shared: SharedSnapshot { past ?? store.sharedHead }
}
