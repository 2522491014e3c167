internal import DiskAccess

/// An open folder of a simulated disk.
final class SimulatedFolder: DiskFolder, @unchecked Sendable {
  let name: String
  private let disk: SimulatedDisk
  private let node: NodeNumber
  private let path: String
  private let generation: Int

  init(
    _ disk: SimulatedDisk, _ node: NodeNumber, name: String, path: String, generation: Int
  ) {
    self.disk = disk
    self.node = node
    self.name = name
    self.path = path
    self.generation = generation
  }

  deinit { unlock() }

  private var isOpen: Bool { generation == disk.simulation.processGeneration }

  // MARK: Opening

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    try open(name, .existing, isWritable: false)
  }

  func file(_ name: String, _ opening: FileOpening) throws(DiskError) -> any DiskFile {
    try open(name, opening, isWritable: true)
  }

  private func open(
    _ name: String, _ opening: FileOpening, isWritable: Bool
  ) throws(DiskError) -> SimulatedFile {
    let call = try describe(.openFile, name)
    try disk.begin(call, changes: opening != .existing) { isOpen }
    let file = try with(call) { simulation throws(DiskError) in
      let file = try find(name, opening, call, isWritable, &simulation)
      simulation.hold(file)
      return file
    }
    return SimulatedFile(
      disk, file, name: name, path: call.path, isWritable: isWritable, generation: generation)
  }

  private func find(
    _ name: String, _ opening: FileOpening, _ call: CallDescription, _ isWritable: Bool,
    _ simulation: inout Simulation
  ) throws(DiskError) -> NodeNumber {
    guard let found = simulation.content.entries(of: node)[name] else {
      guard opening != .existing, simulation.content.folders[node]?.isRemoved == false else {
        throw call.error(.notFound)
      }
      return simulation.content.makeFile(name, in: node, path)
    }
    guard opening != .new else { throw call.error(.exists) }
    guard simulation.content.folders[found] == nil else { throw call.error(.isFolder) }
    guard !isWritable || simulation.content.linkCount(of: found) == 1 else {
      throw call.error(.tooManyLinks)
    }
    if opening == .emptied {
      simulation.content[file: found].resize(to: 0)
    }
    return found
  }

  func folder(_ name: String) throws(DiskError) -> any DiskFolder {
    try openFolder(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    try openFolder(name)
  }

  private func openFolder(_ name: String) throws(DiskError) -> SimulatedFolder {
    let call = try describe(.openFolder, name)
    try disk.begin(call) { isOpen }
    let found = try with(call) { simulation throws(DiskError) in
      guard let found = simulation.content.entries(of: node)[name] else {
        throw call.error(.notFound)
      }
      guard simulation.content.folders[found] != nil else { throw call.error(.notFolder) }
      return found
    }
    return SimulatedFolder(disk, found, name: name, path: call.path, generation: generation)
  }

  // MARK: Looking

  func names() throws(DiskError) -> [String] {
    let call = CallDescription(.listNames, path: path, name: name)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in simulation.content.entries(of: node).keys.sorted() }
  }

  func information() throws(DiskError) -> FileInformation {
    let call = CallDescription(.inspect, path: path, name: name)
    try disk.begin(call) { isOpen }
    return FileInformation(.folder, disk.deviceNumber, node, 0)
  }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    let call = try describe(.inspect, name)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in
      guard let found = simulation.content.entries(of: node)[name] else { return nil }
      guard let file = simulation.content.files[found] else {
        return FileInformation(.folder, disk.deviceNumber, found, 0)
      }
      return FileInformation(
        .file, disk.deviceNumber, found, file.live.count,
        linkCount: simulation.content.linkCount(of: found))
    }
  }

  func fileSystem() throws(DiskError) -> FileSystemKind {
    let call = CallDescription(.inspect, path: path, name: name)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in simulation.world.fileSystem }
  }

  // MARK: Changing

  func makeFolder(_ name: String) throws(DiskError) {
    let call = try describe(.makeFolder, name)
    try disk.begin(call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      guard simulation.content.entries(of: node)[name] == nil else { throw call.error(.exists) }
      guard simulation.content.folders[node]?.isRemoved == false else {
        throw call.error(.notFound)
      }
      _ = simulation.content.makeFolder(name, in: node, path)
    }
  }

  func rename(_ name: String, to newName: String) throws(DiskError) {
    _ = try describe(.rename, newName)
    let call = try describe(.rename, name, newName: newName)
    try disk.begin(call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      let entries = simulation.content.entries(of: node)
      guard let source = entries[name] else { throw call.error(.notFound) }
      guard source != entries[newName] else { return }
      if let target = entries[newName] {
        if let code = simulation.content.reason(not: source, toReplace: target) {
          throw call.error(code)
        }
        simulation.content.folders[target]?.isRemoved = true
        simulation.mayHaveOrphans = true
      }
      simulation.content.rename(source, name, to: newName, in: node, path)
    }
  }

  func remove(_ name: String) throws(DiskError) {
    let call = try describe(.remove, name)
    try disk.begin(call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      guard let found = simulation.content.entries(of: node)[name] else {
        throw call.error(.notFound)
      }
      guard simulation.content.folders[found] == nil else { throw call.error(.isFolder) }
      simulation.content.remove(found, name, in: node, path)
      simulation.mayHaveOrphans = true
    }
  }

  func removeFolder(_ name: String) throws(DiskError) {
    let call = try describe(.removeFolder, name)
    try disk.begin(call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      guard let found = simulation.content.entries(of: node)[name] else {
        throw call.error(.notFound)
      }
      guard let entries = simulation.content.folders[found]?.live else {
        throw call.error(.notFolder)
      }
      guard entries.isEmpty else { throw call.error(.notEmpty) }
      simulation.content.folders[found]?.isRemoved = true
      simulation.content.remove(found, name, in: node, path)
      simulation.mayHaveOrphans = true
    }
  }

  func sync() throws(DiskError) {
    let call = CallDescription(.syncFolder, path: path, name: name)
    let course = try disk.course(of: call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      guard case .failing(let code, let remainder) = course else {
        guard !simulation.syncsLie else { return }
        simulation.content.syncNames(of: node)
        simulation.dropUnreachable()
        return
      }
      let count = simulation.content.pendingNames.count { $0.folder == node }
      let done = Set(simulation.part(remainder, of: Array(0..<count)))
      simulation.content.syncNames(of: node) { done.contains($0) }
      throw call.error(code)
    }
  }

  func lock() throws(DiskError) -> Bool {
    let call = CallDescription(.lock, path: path, name: name)
    try disk.begin(call) { isOpen }
    return try with(call) { simulation in
      simulation.takeLock(of: node, for: ObjectIdentifier(self))
    }
  }

  func unlock() {
    disk.lock.withLock {
      disk.simulation.giveLockBack(of: node, from: ObjectIdentifier(self))
    }
  }

  // MARK: Helpers

  /// Names are single components, as the real disk demands.
  private func describe(
    _ kind: DiskError.Call, _ name: String, newName: String? = nil
  ) throws(DiskError) -> CallDescription {
    let call = CallDescription(kind, path: joined(path, name), name: name, newName: newName)
    guard name.isPlainName else { throw call.error(.invalid) }
    guard name.utf8.count <= 255 else { throw call.error(.nameTooLong) }
    return call
  }

  private func with<Answer>(
    _ call: CallDescription, _ body: (inout Simulation) throws(DiskError) -> Answer
  ) throws(DiskError) -> Answer {
    try disk.lock.withLock { () throws(DiskError) in
      guard isOpen else { throw call.error(.badDescriptor) }
      return try body(&disk.simulation)
    }
  }
}

extension DiskContent {
  /// Why one node may not take another's name, if it may not.
  fileprivate func reason(
    not source: NodeNumber, toReplace target: NodeNumber
  ) -> SystemErrorCode? {
    switch (folders[source], folders[target]) {
    case (nil, nil): return nil
    case (nil, .some): return .isFolder
    case (.some, nil): return .notFolder
    case (.some, .some(let folder)): return folder.live.isEmpty ? nil : .notEmpty
    }
  }
}

extension FileInformation {
  /// Describes a simulated file or folder; a file takes up whole sectors.
  init(
    _ kind: Kind, _ device: UInt64, _ node: NodeNumber, _ byteCount: Int, linkCount: Int = 1
  ) {
    let sectors = FileContent.sectors(of: 0..<byteCount).count
    self.init(
      kind: kind, device: device, node: node, byteCount: UInt64(byteCount),
      allocatedByteCount: UInt64(sectors * FileContent.sectorByteCount),
      linkCount: UInt64(linkCount))
  }
}
