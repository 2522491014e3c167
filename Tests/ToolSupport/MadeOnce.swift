package import DiskSimulation
internal import Synchronization

/// Disks that many tests begin with: each is made once, and whoever asks gets one of their own.
package enum MadeOnce {
  private static let disks = Mutex<[String: SimulatedDisk]>([:])

  /// - Parameters:
  ///   - name: what tells the disk from others that are made in the same file.
  ///   - make: makes it; nobody writes on it any more when it returns.
  package static func disk(
    _ name: String = #function, in file: String = #fileID, _ make: () throws -> SimulatedDisk
  ) rethrows -> SimulatedDisk {
    let key = "\(file) \(name)"
    if let made = disks.withLock({ $0[key] }) { return made.imageAfterProcessDeath() }
    let made = try make()
    disks.withLock { $0[key] = made }
    return made.imageAfterProcessDeath()
  }
}
