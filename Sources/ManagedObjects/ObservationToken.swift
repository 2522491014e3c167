/// Ends what it stands for when it is cancelled or released: nobody is called after that.
public final class ObservationToken {
  private var end: (() -> Void)?

  init(_ end: @escaping () -> Void) { self.end = end }

  deinit { cancel() }

  /// Ends it. More than once is as once.
  public func cancel() {
    let end = end
    self.end = nil
    end?()
  }
}

/// It ends something of a context, which stays on its thread.
@available(*, unavailable)
extension ObservationToken: Sendable {}
