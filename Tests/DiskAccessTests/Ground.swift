import DiskAccess
import DiskSimulation
import Foundation
import Testing

/// The disks that must keep the contract of the seam.
enum DiskKind: CaseIterable, CustomTestStringConvertible {
  case posix
  case simulated
  case failStop

  var testDescription: String {
    switch self {
    case .posix: return "the disk of this machine"
    case .simulated: return "the simulated disk"
    case .failStop: return "the fail-stop disk"
    }
  }
}

/// An empty folder on some disk for one test, removed with it.
final class Ground {
  let disk: any Disk
  let path: String
  private let temporary: TemporaryFolder?

  init(_ kind: DiskKind) throws {
    switch kind {
    case .posix, .failStop:
      let temporary = try TemporaryFolder()
      self.temporary = temporary
      path = temporary.path
      disk = kind == .posix ? PosixDisk() : FailStopDisk(PosixDisk())
    case .simulated:
      let simulated = SimulatedDisk(seed: 1)
      try simulated.makeFolders("ground")
      (disk, path, temporary) = (simulated, "ground", nil)
    }
  }

  /// Gives a file another name.
  func link(_ name: String, to newName: String) throws {
    if let simulated = disk as? SimulatedDisk {
      try simulated.link(path + "/" + name, to: path + "/" + newName)
    } else {
      try FileManager.default.linkItem(atPath: path + "/" + name, toPath: path + "/" + newName)
    }
  }

  func folder() throws -> any DiskFolder { try disk.folder(at: path) }
}

/// A folder of this machine, removed with everything in it.
final class TemporaryFolder {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(of name: String) -> String { path + "/" + name }
}
