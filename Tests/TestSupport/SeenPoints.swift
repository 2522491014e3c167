internal import DiskAccess
package import DiskSimulation

/// The crash points that were looked at already: what a crash leaves where a row of steps has come to by the same calls
/// with the same bytes need not be looked at again.
package final class SeenPoints: @unchecked Sendable {
  private let lock = Lock()
  private var hashes: Set<Int> = []

  package init() {}

  /// Whether nobody has come to such a point before.
  ///
  /// - Parameters:
  ///   - disk: what a program would find is compared.
  ///   - way: what has led there, and what was promised on it.
  package func isNew(_ disk: SimulatedDisk, _ way: some Hashable) -> Bool {
    var hasher = Hasher()
    hasher.combine(way)
    for path in disk.paths {
      hasher.combine(path)
      hasher.combine(disk.contents(of: path))
    }
    let hash = hasher.finalize()
    return lock.withLock { hashes.insert(hash).inserted }
  }
}
