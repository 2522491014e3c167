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

extension ReadableFile {
  /// As many bytes as there are, up to a number.
  func bytes(_ count: Int, at offset: UInt64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    return Array(bytes.prefix(found))
  }
}

extension DiskFile {
  func put(_ bytes: [UInt8], at offset: UInt64 = 0) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }

  @discardableResult
  func putAtEnd(_ bytes: [UInt8]) throws -> UInt64 {
    try bytes.withUnsafeBytes { try append($0) }
  }
}
