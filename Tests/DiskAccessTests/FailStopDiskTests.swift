import DiskAccess
import DiskSimulation
import TestSupport
import Testing

@Suite("the fail-stop disk")
struct FailStopDiskTests {
  private let simulated = SimulatedDisk(seed: 1)
  private let disk: FailStopDisk
  private let folder: any DiskFolder
  private let file: any DiskFile

  init() throws {
    try simulated.setContents("a", [1, 2, 3])
    disk = FailStopDisk(simulated)
    folder = try disk.folder(at: "")
    file = try folder.file("a", .existing)
  }

  /// The three kinds of sync.
  enum Sync: CaseIterable {
    case bytes, all, names

    var call: DiskError.Call {
      switch self {
      case .bytes: return .syncData
      case .all: return .sync
      case .names: return .syncFolder
      }
    }
  }

  private func sync(_ kind: Sync) throws(DiskError) {
    switch kind {
    case .bytes: try file.syncData()
    case .all: try file.sync()
    case .names: try folder.sync()
    }
  }

  @Test(arguments: Sync.allCases)
  func `after a failed sync every change is refused with the first cause`(_ kind: Sync) throws {
    simulated.faults = [
      SimulatedFault(.failure(.inputOutput), calls: [kind.call]),
      SimulatedFault(.failure(.noSpace), calls: [kind.call], number: 2),
    ]
    #expect(disk.failure == nil)
    #expect(throws: DiskError.self) { try sync(kind) }
    #expect(disk.failure?.call == kind.call)
    #expect(disk.failure?.code == .inputOutput)
    let calls = simulated.callCount
    func refusal(_ call: DiskError.Call, _ name: String) -> DiskError {
      DiskError(call, name, .inputOutput, isRefusal: true)
    }
    #expect(throws: refusal(.write, "a")) { try file.put([1]) }
    #expect(throws: refusal(.append, "a")) { try file.putAtEnd([1]) }
    #expect(throws: refusal(.resize, "a")) { try file.resize(to: 0) }
    #expect(throws: refusal(.allocate, "a")) { try file.allocate(10, at: 0) }
    #expect(throws: refusal(.map, "a")) { try file.map(1) }
    #expect(throws: refusal(.sync, "a")) { try file.sync() }
    #expect(throws: refusal(.syncData, "a")) { try file.syncData() }
    #expect(throws: refusal(.syncFolder, "")) { try folder.sync() }
    #expect(throws: refusal(.rename, "a")) { try folder.rename("a", to: "b") }
    #expect(throws: refusal(.remove, "a")) { try folder.remove("a") }
    #expect(throws: refusal(.removeFolder, "a")) { try folder.removeFolder("a") }
    #expect(throws: refusal(.makeFolder, "b")) { try folder.makeFolder("b") }
    for opening in [FileOpening.new, .existingOrNew, .emptied] {
      #expect(throws: refusal(.openFile, "b")) { try folder.file("b", opening) }
    }
    #expect(simulated.callCount == calls)
    #expect(simulated.paths == ["a"])
  }

  @Test(arguments: Sync.allCases)
  func `after a failed sync reading goes on`(_ kind: Sync) throws {
    try file.put([9], at: 3)
    try folder.makeFolder("inner")
    simulated.faults = [SimulatedFault(.failure(.inputOutput), calls: [kind.call])]
    #expect(throws: DiskError.self) { try sync(kind) }
    #expect(try file.bytes(9) == [1, 2, 3, 9])
    #expect(try file.information().byteCount == 4)
    try file.advise(.sequential)
    #expect(try file.lock())
    #expect(try folder.names() == ["a", "inner"])
    #expect(try folder.information(of: "a")?.byteCount == 4)
    #expect(try !folder.fileSystem().isNetwork)
    #expect(try folder.file("a", .existing).bytes(1) == [1])
    #expect(try folder.fileForReading("a").bytes(1) == [1])
    #expect(try folder.folder("inner").names() == [])
    #expect(try folder.folderForReading("inner").names() == [])
    #expect(try disk.folderForReading(at: "inner").names() == [])
    #expect(try disk.folder(at: "inner").names() == [])
    try file.close()
  }

  @Test func `what was opened before and after the failure has stopped alike`() throws {
    let early = try disk.folder(at: "").file("b", .new)
    simulated.faults = [SimulatedFault(.failure(.inputOutput), calls: [.syncData], name: "a")]
    #expect(throws: DiskError.self) { try file.syncData() }
    let late = try disk.folder(at: "").file("b", .existing)
    for other in [early, late] {
      #expect(throws: DiskError(.write, "b", .inputOutput, isRefusal: true)) {
        try other.put([1])
      }
    }
  }

  @Test func `a full disk at a write stops nothing`() throws {
    simulated.faults = [SimulatedFault(.failure(.noSpace), calls: [.append])]
    #expect(throws: DiskError(.append, "a", .noSpace)) { try file.putAtEnd([4]) }
    #expect(disk.failure == nil)
    try file.putAtEnd([5])
    try file.syncData()
    #expect(simulated.durableContents(of: "a") == [1, 2, 3, 5])
  }

  @Test func `a failing write stops nothing`() throws {
    simulated.faults = [SimulatedFault(.failure(.inputOutput), calls: [.write])]
    #expect(throws: DiskError(.write, "a", .inputOutput)) { try file.put([4]) }
    #expect(disk.failure == nil)
    try file.sync()
  }

  @Test func `a disk that is told to stop changes nothing more, and keeps the first cause`() throws
  {
    let cause = DiskError(.rename, "a", .inputOutput)
    disk.stop(at: cause)
    disk.stop(at: DiskError(.write, "b", .noSpace))
    #expect(disk.failure == cause)
    #expect(throws: DiskError(.remove, "a", .inputOutput, isRefusal: true)) {
      try folder.remove("a")
    }
    #expect(try file.bytes(3) == [1, 2, 3])
  }

  @Test(arguments: Sync.allCases)
  func `of two syncs at once none returns after the other has failed`(_ kind: Sync) throws {
    // The hook holds the first sync up until the second one is under way.
    let second = Started()
    let (file, folder) = (file, folder)
    nonisolated(unsafe) var isFirst = true
    simulated.faults = [SimulatedFault(.failure(.inputOutput), calls: [kind.call])]
    simulated.onCall = { _ in
      guard isFirst else { return }
      isFirst = false
      second.start {
        do {
          switch kind {
          case .bytes: try file.syncData()
          case .all: try file.sync()
          case .names: try folder.sync()
          }
          return true
        } catch { return false }
      }
      // Long enough that a second one would be made, were it not held up.
      let pause = Lock()
      pause.withLock { _ = pause.wait(until: PosixDisk().steadyClock() + 30_000_000) }
    }
    #expect(throws: DiskError.self) { try sync(kind) }
    #expect(second.hasSucceeded() == false)
  }

  /// A closure on a thread of its own.
  private final class Started: @unchecked Sendable {
    private var thread: BackgroundThread?
    private let lock = Lock()
    private var answer: Bool?

    func start(_ body: @escaping @Sendable () -> Bool) {
      thread = try? BackgroundThread {
        let answer = body()
        self.lock.withLock { self.answer = answer }
      }
    }

    func hasSucceeded() -> Bool? {
      thread?.join()
      return lock.withLock { answer }
    }
  }

  @Test func `the disk beneath lends its clocks, its number and its randomness`() throws {
    simulated.advanceClock(by: 5)
    #expect(disk.steadyClock() == simulated.steadyClock())
    #expect(disk.wallClock() == simulated.wallClock())
    #expect(disk.roughWallClock() == simulated.roughWallClock())
    #expect(disk.roughWallClock() != disk.wallClock())
    #expect(disk.processNumber() == simulated.processNumber())
    let lock = Lock()
    #expect(lock.withLock { disk.wait(on: lock, until: simulated.steadyClock()) })
    simulated.faults = [SimulatedFault(.failure(.notSupported), calls: [.random])]
    var byte: [UInt8] = [0]
    #expect(throws: DiskError(.random, "", .notSupported)) {
      try byte.withUnsafeMutableBytes { try disk.fillWithRandomBytes($0) }
    }
  }
}
