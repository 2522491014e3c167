internal import DiskAccess

/// What goes with a disk's content from image to image: clocks, randomness, limits.
struct World: Sendable {
  /// Decides the random bytes.
  var generator: SeededGenerator
  var wallClock: Int64 = 1_700_000_000_000_000_000
  var steadyClock: UInt64 = 1_000_000_000
  var clockStep: UInt64 = 0
  var processNumber: Int32 = 1000
  var capacityByteCount: UInt64?
  var fileSystem = FileSystemKind(magicNumber: 0xEF53)

  mutating func advanceClock(by nanoseconds: UInt64) {
    wallClock &+= Int64(truncatingIfNeeded: nanoseconds)
    steadyClock &+= nanoseconds
  }
}

/// The whole state of a simulated disk, guarded by the disk's lock.
struct Simulation {
  var content: DiskContent
  var world: World
  var faults = FaultPlan([])
  /// Decides where faults cut; apart from the random bytes, so that a fault does not change those.
  var faultGenerator: SeededGenerator
  var syncsLie = false
  var isTracing = false
  var trace: [String] = []
  var callCount = 0
  /// Handles of an ended process have a lower number, and no longer work.
  var processGeneration = 0
  /// How many open handles and mappings there are of each file.
  var holders: [NodeNumber: Int] = [:]
  /// Whether a name was taken from a file, so that there may be files to drop.
  var mayHaveOrphans = false
  /// Who holds the lock of a file or a folder.
  private(set) var lockHolders: [NodeNumber: ObjectIdentifier] = [:]

  init(_ content: DiskContent, _ world: World) {
    self.content = content
    self.world = world
    var generator = world.generator
    faultGenerator = SeededGenerator(seed: generator.next())
  }

  /// How many bytes more the files may take up together.
  var room: UInt64 {
    guard let capacity = world.capacityByteCount else { return .max }
    let used = content.files.values.reduce(0) { $0 + UInt64($1.live.count) }
    return capacity > used ? capacity - used : 0
  }

  /// Takes a lock; false where somebody else holds it.
  mutating func takeLock(of node: NodeNumber, for taker: ObjectIdentifier) -> Bool {
    let holder = lockHolders[node] ?? taker
    lockHolders[node] = holder
    return holder == taker
  }

  mutating func giveLockBack(of node: NodeNumber, from giver: ObjectIdentifier) {
    if lockHolders[node] == giver { lockHolders[node] = nil }
  }

  mutating func giveAllLocksBack() { lockHolders = [:] }

  mutating func hold(_ node: NodeNumber) { holders[node, default: 0] += 1 }

  mutating func letGo(_ node: NodeNumber) {
    let count = (holders[node] ?? 0) - 1
    holders[node] = count > 0 ? count : nil
    if count <= 0 { dropUnreachable() }
  }

  /// Drops the files that lost their last name, once nothing can bring them back.
  mutating func dropUnreachable() {
    guard mayHaveOrphans else { return }
    let held = holders
    content.dropUnreachable { held[$0] != nil }
    mayHaveOrphans = !held.isEmpty || !content.pendingNames.isEmpty
  }

  /// Takes in what was stored to every mapping.
  mutating func takeInMappings() {
    // The nodes first: a file looked at while it is changed would be copied.
    for node in content.files.filter({ $0.value.region != nil }).map(\.key) {
      content[file: node].takeInMapping()
    }
  }

  mutating func note(_ line: @autoclosure () -> String) {
    if isTracing { trace.append(line()) }
  }
}
