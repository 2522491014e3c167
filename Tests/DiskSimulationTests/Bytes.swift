import DiskAccess
import DiskSimulation

/// Bytes that are all the same, by default one sector of them.
func filled(_ byte: UInt8, _ count: Int = 512) -> [UInt8] { [UInt8](repeating: byte, count: count) }

extension SimulatedDisk {
  /// What every choice leaves of a file, in the order of the choices.
  func outcomes(
    of path: String, limit: Int = 10_000, tearsPerSector: Int = 0
  ) -> [[UInt8]?] {
    powerLossStates(limit: limit, seed: 1, tearsPerSector: tearsPerSector)
      .map { image(after: $0).contents(of: path) }
  }

  /// All paths with their bytes.
  var everything: [String: [UInt8]] {
    Dictionary(uniqueKeysWithValues: paths.map { ($0, contents(of: $0) ?? []) })
  }

  /// Makes everything durable that a program has opened.
  func syncEverything(_ folder: any DiskFolder) throws {
    for path in paths { try folder.file(path, .existing).sync() }
    try folder.sync()
  }
}
