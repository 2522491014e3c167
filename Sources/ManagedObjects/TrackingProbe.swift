internal import Observation
internal import Synchronization

/// Tells whether Observation is tracking what this thread reads, which it does not say itself.
///
/// Where it is tracking, it puts the key path it is given into a set, and asks for its hash; otherwise it returns at
/// once. So the hash of this key path's argument tells (docs/decisions/0017).
final class TrackingProbe: Observable {
  /// The argument of the key path.
  private final class Mark: Hashable, Sendable {
    let isSet = Atomic(false)

    static func == (one: Mark, other: Mark) -> Bool {
      one.isSet.store(true, ordering: .relaxed)
      return one === other
    }

    func hash(into hasher: inout Hasher) { isSet.store(true, ordering: .relaxed) }
  }

  private let registrar = ObservationRegistrar()
  private let mark: Mark
  private let path: KeyPath<TrackingProbe, Bool>

  init() {
    let mark = Mark()
    self.mark = mark
    path = \TrackingProbe.[mark]
    if !Self.tells { mark.isSet.store(true, ordering: .relaxed) }
  }

  /// One that is not certain to tell.
  private init(untested: Void) {
    let mark = Mark()
    self.mark = mark
    path = \TrackingProbe.[mark]
  }

  private subscript(mark: Mark) -> Bool { mark.isSet.load(ordering: .relaxed) }

  /// Whether what is read now is tracked. Where an Observation other than today's gives no sign, it always is.
  @inline(__always)
  var isTracking: Bool {
    registrar.access(self, keyPath: path)
    return mark.isSet.load(ordering: .relaxed) && isReallyTracking
  }

  /// The hash is asked for at other times as well, when nothing is read.
  private var isReallyTracking: Bool {
    if !Self.tells { return true }
    return sign()
  }

  private func sign() -> Bool {
    mark.isSet.store(false, ordering: .relaxed)
    registrar.access(self, keyPath: path)
    return mark.isSet.exchange(false, ordering: .relaxed)
  }

  /// Whether Observation gives the sign, at the first read and at later ones.
  private static let tells: Bool = {
    let probe = TrackingProbe(untested: ())
    let before = probe.sign()
    let during = withObservationTracking {
      let first = probe.sign()
      return first && probe.sign()
    } onChange: {
    }
    return !before && during && !probe.sign()
  }()
}
