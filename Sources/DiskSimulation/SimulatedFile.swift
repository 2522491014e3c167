internal import DiskAccess

/// An open file of a simulated disk.
final class SimulatedFile: DiskFile, @unchecked Sendable {
  let name: String
  let disk: SimulatedDisk
  let node: NodeNumber
  private let path: String
  private let isWritable: Bool
  private let generation: Int
  /// Guarded by the disk's lock.
  private var isShut = false

  /// Makes a handle; the caller has noted that the file is held once more.
  init(
    _ disk: SimulatedDisk, _ node: NodeNumber, name: String, path: String, isWritable: Bool,
    generation: Int
  ) {
    self.disk = disk
    self.node = node
    self.name = name
    self.path = path
    self.isWritable = isWritable
    self.generation = generation
  }

  deinit { shut() }

  /// Whether the handle works; asked under the disk's lock.
  var isOpen: Bool { !isShut && generation == disk.simulation.processGeneration }

  /// Gives the handle and its lock back, once.
  private func shut() {
    disk.lock.withLock {
      guard isOpen else { return }
      isShut = true
      disk.simulation.giveLockBack(of: node, from: ObjectIdentifier(self))
      disk.simulation.letGo(node)
    }
  }

  func close() throws(DiskError) {
    guard disk.lock.withLock({ isOpen }) else { return }
    // However the call ends, the file is closed.
    defer { shut() }
    try disk.begin(describe(.close)) { isOpen }
  }

  // MARK: Looking

  func information() throws(DiskError) -> FileInformation {
    let call = describe(.inspect)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in
      FileInformation(
        .file, disk.deviceNumber, node, simulation.content[file: node].live.count,
        linkCount: simulation.content.linkCount(of: node))
    }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    guard Int(exactly: offset) != nil else { throw describe(.read).error(.invalid) }
    let done = transfer(buffer.count) { moved in
      Result { () throws(DiskError) in
        try readSome(
          into: UnsafeMutableRawBufferPointer(rebasing: buffer[moved...]),
          at: offset + UInt64(moved), isFirst: moved == 0)
      }.mapError(SystemErrorCodeFailure.init)
    }
    if let code = done.failure { throw describe(.read).error(code) }
    return done.byteCount
  }

  /// Reads as much as one call does.
  private func readSome(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64, isFirst: Bool
  ) throws(DiskError) -> Int {
    let call = describe(.read, at: offset, buffer.count)
    let course = try disk.attempt(call, changes: false) { isOpen }
    if case .failing(let code, _) = course { throw call.error(code) }
    return try with(call) { simulation in
      let share = simulation.share(of: buffer.count, course, isFirst: isFirst)
      return simulation.content[file: node].read(
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<share]), at: Int(offset))
    }
  }

  func advise(_ advice: FileAdvice) throws(DiskError) {
    let call = describe(.advise)
    try disk.begin(call) { isOpen }
    guard advice == .forget else { return }
    try with(call) { simulation in
      simulation.content[file: node].forget()
    }
  }

  // MARK: Mapping and locking

  func map(_ byteCount: Int) throws(DiskError) -> MappedMemory {
    let call = describe(.map, byteCount)
    try disk.begin(call) { isOpen }
    try refuseUnlessWritable(call, .accessDenied)
    let region = try with(call) { simulation throws(DiskError) in
      let length = simulation.content[file: node].live.count
      guard byteCount > 0, byteCount <= length else { throw call.error(.invalid) }
      let region = simulation.content[file: node].makeRegion(byteCount)
      // A mapping keeps its address, so a longer one cannot take the place of a shorter one.
      guard byteCount <= region.byteCount else { throw call.error(.notSupported) }
      region.mappingCount += 1
      simulation.hold(node)
      return region
    }
    return MappedMemory(base: region.base, byteCount: byteCount) { [disk, node] _, _ in
      disk.unmap(node, region)
    }
  }

  func lock() throws(DiskError) -> Bool {
    let call = describe(.lock)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in
      simulation.takeLock(of: node, for: ObjectIdentifier(self))
    }
  }

  // MARK: Helpers

  func describe(
    _ kind: DiskError.Call, at offset: UInt64 = 0, _ byteCount: Int = 0
  ) -> CallDescription {
    CallDescription(kind, path: path, name: name, offset: offset, byteCount: byteCount)
  }

  func refuseUnlessWritable(
    _ call: CallDescription, _ code: SystemErrorCode
  ) throws(DiskError) {
    guard isWritable else { throw call.error(code) }
  }

  /// Does something under the disk's lock, unless the handle no longer works.
  func with<Answer>(
    _ call: CallDescription, _ body: (inout Simulation) throws(DiskError) -> Answer
  ) throws(DiskError) -> Answer {
    try disk.lock.withLock { () throws(DiskError) in
      guard isOpen else { throw call.error(.badDescriptor) }
      return try body(&disk.simulation)
    }
  }
}
