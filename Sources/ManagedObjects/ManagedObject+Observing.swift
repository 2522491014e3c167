public import Observation

extension ManagedObject {
  // MARK: Observing

  /// Has a closure called with each change of a key: of the model, a computed one, or a dynamic one, also while
  /// nobody has set it yet; or what a path leads to across relationships to one, as `blog.name`.
  ///
  /// A computed key is told once for each change of what it depends on. Neither the object nor the context is kept
  /// by it; other objects that a computed key depends on are, until it ends.
  ///
  /// - Parameters:
  ///   - key: the key.
  ///   - options: what is told.
  ///   - handler: what is called, in the course of the change. It may do whatever it likes, also end itself;
  ///     but in the midst of a patch it may not save, undo or give up.
  /// - Returns: what ends it, when cancelled or released.
  public final func observe(
    _ key: String, _ options: ObservingOptions = [],
    _ handler: @escaping (ObservedChange) -> Void
  ) -> ObservationToken {
    state.attached().observe(self, key, options, handler)
  }

  // MARK: Accessors of a program's own

  /// Says that an accessor is about to read a key by `primitiveValue(forKey:)`: a fault is read, and who watches
  /// finds that the key was read.
  public final func willAccessValue(forKey key: String) {
    let context = state.attached()
    context.fireQuietly(state)
    if context.isReadWatched { context.noteRead(of: state, key) }
  }

  /// Says that an accessor has read a key.
  public final func didAccessValue(forKey key: String) {}

  /// Says that an accessor is about to change a key. Until `didChangeValue(forKey:)`, setting it by
  /// `setPrimitiveValue(_:forKey:)` is a change like any other: the object has changes by it, it can be undone, and
  /// who watches is told, once. Such calls may stand within each other.
  public final func willChangeValue(forKey key: String) {
    state.attached().willChangeByHand(state, key)
  }

  /// Says that an accessor has changed a key.
  public final func didChangeValue(forKey key: String) {
    state.attached().didChangeByHand(state, key)
  }
}

/// What is read of an object while Observation is tracking is told to it when it changes, dynamic attributes too.
extension ManagedObject: Observable {}
