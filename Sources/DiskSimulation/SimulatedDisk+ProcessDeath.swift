internal import DiskAccess

extension SimulatedDisk {
  /// Ends the simulated process on this disk, as `kill -9` does: everything written and everything
  /// stored to mapped memory stays, locks are free, and what the process had open answers `EBADF`, so
  /// that a dead writer writes nothing. What is not durable can still be lost by a loss of power.
  ///
  /// Memory that is mapped stays readable and writable, but no longer belongs to a file.
  public func endProcess() {
    lock.withLock { simulation.endProcess() }
  }

  /// An independent disk as the end of the process would leave it now, see `endProcess()`. This disk
  /// goes on. The image has no hook, no faults and no trace. Costs a few microseconds.
  public func imageAfterProcessDeath() -> SimulatedDisk {
    lock.withLock {
      simulation.takeInMappings()
      var image = Simulation(simulation.content, simulation.world)
      image.mayHaveOrphans = simulation.mayHaveOrphans
      image.endProcess()
      return SimulatedDisk(image.content, image.world)
    }
  }

  /// Gives a mapping back.
  func unmap(_ node: NodeNumber, _ region: MappedRegion) {
    lock.withLock {
      region.mappingCount -= 1
      guard simulation.content[file: node].region === region else { return }
      simulation.content[file: node].takeInMapping()
      if region.mappingCount == 0 {
        simulation.content[file: node].region = nil
      }
      simulation.letGo(node)
    }
  }
}

extension Simulation {
  mutating func endProcess() {
    takeInMappings()
    for node in content.files.filter({ $0.value.region != nil }).map(\.key) {
      content[file: node].region = nil
    }
    processGeneration += 1
    world.processNumber += 1
    holders = [:]
    giveAllLocksBack()
    dropUnreachable()
  }
}
