import DiskSimulation
import Foundation

extension SimulatedDisk {
  /// Writes all files to a folder of the real disk, for programs that are processes of their own.
  func write(to folder: String) throws {
    for path in paths {
      guard let bytes = contents(of: path) else { continue }
      let file = URL(filePath: folder).appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }
}
