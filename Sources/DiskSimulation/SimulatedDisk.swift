// DiskSimulation: a disk in memory that tears, reorders, loses, fills and fails, decided by a seed or by
// a chosen state. Knows no frames and no events: only bytes in sectors, names, and what is durable.

public import DiskAccess

/// A disk in memory that can lose power.
///
/// The disk keeps what a read shows apart from what is durable: the bytes of each file in sectors of
/// 512 bytes, and the names in each folder. A file's `sync` or `syncData` makes its bytes and its length
/// durable, but not its name; a folder's `sync` makes its names durable. At any moment one can ask what
/// a loss of power could leave, and go on with each of the answers as a disk of its own:
///
///     let disk = SimulatedDisk(seed: 7)
///     let file = try disk.folder(at: "").file("a", .new)
///     …
///     for choice in disk.powerLossStates(limit: 100, seed: 1) {
///       let after = disk.image(after: choice)
///       …  // What does a program find on `after`?
///     }
///
/// What a loss of power leaves of a sector that was written and not synced is one of: what was durable;
/// what was written last; one of the last three contents before that; the first part of what was written
/// last followed by what was durable. A file's length and each change of a name are kept or not, each on
/// its own. That is more than any one file system does, so what survives here survives there.
///
/// Mapped memory keeps its address and is the first bytes of the file: what is stored there is seen by
/// reads, and becomes durable by a sync of the file. The disk learns of stores when somebody looks at the
/// file or takes an image; stores between two looks count as one content of a sector. The file may grow
/// and shrink under a mapping; growth beyond it shows in reads only, and stores past the end of the file
/// go nowhere. While a mapping lives, a second one that reaches past its last page is refused with
/// `.notSupported`.
///
/// The same seed and the same calls give the same bytes, faults, images and trace. The disk can be used
/// from any thread; calls from several threads at once come in the order in which the threads run.
///
/// Costs, optimised: a call costs a microsecond or two, an image two to four, as it shares the bytes of
/// every file that did not change. Twice the memory of what the files hold is needed.
public final class SimulatedDisk: Disk, @unchecked Sendable {
  let lock = Lock()
  var simulation: Simulation
  /// The number that `FileInformation.device` shows: no two simulated disks of a process have the same,
  /// images included.
  public let deviceNumber: UInt64
  private var hook: ((SimulatedCall) -> Void)?
  /// The locks that threads wait on for the clock; one of each thread.
  var clockWaiters: [Lock] = []

  /// Makes an empty disk.
  ///
  /// - Parameter seed: decides random bytes, and where faults cut.
  public convenience init(seed: UInt64 = 0) {
    self.init(DiskContent(), World(generator: SeededGenerator(seed: seed)))
  }

  init(_ content: DiskContent, _ world: World) {
    simulation = Simulation(content, world)
    deviceNumber = DeviceNumbers.shared.next()
  }

  // MARK: Settings

  /// Called before every call that changes or syncs something, on the thread that makes the call and
  /// outside the disk's locks, so that it may take images of the disk, end its process, or give it faults.
  ///
  /// There is no call in the middle of a write, and none is needed for a loss of power: a loss keeps any
  /// subset of the unsynced sectors, so what a write cut short could leave is among the states after the
  /// write. What the end of a process leaves of a write cut short can be had from
  /// `imageAfterProcessDeath()` between the two halves of a write split by the fault `.short`.
  public var onCall: ((SimulatedCall) -> Void)? {
    get { lock.withLock { hook } }
    set { lock.withLock { hook = newValue } }
  }

  /// What goes wrong, and when. Setting it starts all counts anew; it is empty at first.
  public var faults: [SimulatedFault] {
    get { lock.withLock { simulation.faults.faults } }
    set { lock.withLock { simulation.faults = FaultPlan(newValue) } }
  }

  /// Whether syncs return without having made anything durable, as disks do that ignore a flush.
  public var syncsLie: Bool {
    get { lock.withLock { simulation.syncsLie } }
    set { lock.withLock { simulation.syncsLie = newValue } }
  }

  /// How many bytes the files may have together, holes included; nil for no limit, as at first. A write
  /// that does not fit writes what fits and fails with `.noSpace`, other calls that do not fit do nothing.
  public var capacityByteCount: UInt64? {
    get { lock.withLock { simulation.world.capacityByteCount } }
    set { lock.withLock { simulation.world.capacityByteCount = newValue } }
  }

  /// What `fileSystem()` says of every folder; ext4 at first.
  public var fileSystemKind: FileSystemKind {
    get { lock.withLock { simulation.world.fileSystem } }
    set { lock.withLock { simulation.world.fileSystem = newValue } }
  }

  /// How many calls were made so far.
  public var callCount: Int { lock.withLock { simulation.callCount } }

  /// How many open files and mappings there are.
  public var openCount: Int { lock.withLock { simulation.holders.values.reduce(0, +) } }

  // MARK: The trace

  /// Whether calls are noted in `trace`. Off at first, as it costs about a microsecond a call.
  public var isTracing: Bool {
    get { lock.withLock { simulation.isTracing } }
    set { lock.withLock { simulation.isTracing = newValue } }
  }

  /// The calls that were made while tracing was on, a line each, with what went wrong. The same seed,
  /// faults and calls give the same trace.
  public var trace: [String] { lock.withLock { simulation.trace } }
}

/// Numbers for devices, none of them twice.
private final class DeviceNumbers: @unchecked Sendable {
  static let shared = DeviceNumbers()
  private let lock = Lock()
  private var last: UInt64 = 0x5D00

  func next() -> UInt64 {
    lock.withLock {
      last += 1
      return last
    }
  }
}
