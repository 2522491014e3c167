public import DiskAccess

extension SimulatedDisk {
  /// Opens a folder by its path, names with "/" between them; "" is the root, and so is "/".
  public func folder(at path: String) throws(DiskError) -> any DiskFolder {
    try openFolder(path)
  }

  /// Opens a folder by its path for reading.
  public func folderForReading(at path: String) throws(DiskError) -> any ReadableFolder {
    try openFolder(path)
  }

  private func openFolder(_ path: String) throws(DiskError) -> SimulatedFolder {
    let names = components(of: path)
    let clean = names.joined(separator: "/")
    let call = CallDescription(.openFolder, path: clean, name: path)
    try begin(call)
    guard !names.contains("..") else { throw call.error(.invalid) }
    return try lock.withLock { () throws(DiskError) in
      var node = DiskContent.root
      for name in names {
        guard simulation.content.folders[node] != nil else { throw call.error(.notFolder) }
        guard let next = simulation.content.entries(of: node)[name] else {
          throw call.error(.notFound)
        }
        node = next
      }
      guard simulation.content.folders[node] != nil else { throw call.error(.notFolder) }
      return SimulatedFolder(
        self, node, name: path, path: clean, generation: simulation.processGeneration)
    }
  }

  /// Fills a buffer with random bytes that follow from the seed.
  public func fillWithRandomBytes(_ buffer: UnsafeMutableRawBufferPointer) throws(DiskError) {
    try begin(CallDescription(.random, path: "", byteCount: buffer.count))
    lock.withLock {
      for index in buffer.indices {
        buffer[index] = UInt8(truncatingIfNeeded: simulation.world.generator.next() >> 32)
      }
    }
  }

  // MARK: The process

  /// The number of the simulated process.
  public func processNumber() -> Int32 { lock.withLock { simulation.world.processNumber } }

  /// Sets the number of the simulated process.
  public func setProcessNumber(_ number: Int32) {
    lock.withLock { simulation.world.processNumber = number }
  }
}
