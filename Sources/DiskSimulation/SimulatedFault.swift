public import DiskAccess

/// Something that goes wrong at a chosen call to a simulated disk.
///
/// A fault names the calls it watches, by kind and by name, and strikes at the one of them with a
/// given number, once or from then on for good.
public struct SimulatedFault: Hashable, Sendable {
  /// What remains of a write or a sync that fails. Other calls that fail do nothing.
  public enum Remainder: Hashable, Sendable, CaseIterable {
    /// Nothing was done.
    case nothing
    /// The first part was done: some bytes of a write, some sectors of a sync, some of the changes of
    /// names. How much is decided by the disk's seed.
    case prefix
    /// Some sectors, or some of the changes of names, were done; which is decided by the disk's seed.
    case someSectors
    /// All of it was done, and the call fails all the same.
    case everything
  }

  /// What goes wrong.
  public enum Effect: Hashable, Sendable {
    /// The call fails.
    ///
    /// An interrupted call (`.interrupted`) does nothing and is made again by the seam, as with the real
    /// disk: it is two calls in the trace and to the hook, and the second has a number of its own. A file
    /// that is being closed is closed all the same. A failed sync of a file is as on Linux: what it left
    /// undone is marked clean, still shown by reads, and not made durable by a later sync. A failed
    /// sync of a folder leaves its changes pending: names are in the file system's own journal, which
    /// keeps them, or makes the whole file system read-only.
    case failure(SystemErrorCode, leaving: Remainder = .nothing)
    /// A read or write moves fewer bytes than asked, and the seam makes a second call for the rest, which
    /// moves all of it. A short write is two calls in the trace and to the hook, which so sees the middle
    /// of the write.
    case short
  }

  /// What goes wrong.
  public var effect: Effect
  /// The kinds of calls that are watched; every kind where the set is empty.
  public var calls: Set<DiskError.Call>
  /// The path, or the end of the path, of what is watched; everything where it is nil.
  public var name: String?
  /// The call the fault strikes at, counted among those watched from 1 on.
  public var number: Int
  /// Whether every watched call after that is struck as well; of interruptions every second, as a call that is
  /// always interrupted would never come to its end.
  public var isLasting: Bool

  /// Describes a fault.
  public init(
    _ effect: Effect, calls: Set<DiskError.Call> = [], name: String? = nil, number: Int = 1,
    isLasting: Bool = false
  ) {
    precondition(number > 0, "calls are counted from 1 on")
    self.effect = effect
    self.calls = calls
    self.name = name
    self.number = number
    self.isLasting = isLasting
  }

  /// Which of the watched calls a lasting fault strikes.
  var stride: Int {
    if case .failure(.interrupted, _) = effect { 2 } else { 1 }
  }

  func watches(_ call: SimulatedCall) -> Bool {
    guard calls.isEmpty || calls.contains(call.kind) else { return false }
    guard let name else { return true }
    return call.path == name || call.path.hasSuffix("/" + name)
  }
}

/// The faults of a simulated disk, and how many calls each has watched.
struct FaultPlan: Sendable {
  private(set) var faults: [SimulatedFault]
  private var watched: [Int]

  init(_ faults: [SimulatedFault]) {
    self.faults = faults
    watched = faults.map { _ in 0 }
  }

  /// Counts a call, and says what goes wrong with it: the effect of the first fault that strikes.
  mutating func strike(_ call: SimulatedCall) -> SimulatedFault.Effect? {
    var effect: SimulatedFault.Effect?
    for (index, fault) in faults.enumerated() where fault.watches(call) {
      watched[index] += 1
      let beyond = watched[index] - fault.number
      let strikes = beyond == 0 || (fault.isLasting && beyond > 0 && beyond % fault.stride == 0)
      if strikes { effect = effect ?? fault.effect }
    }
    return effect
  }
}
