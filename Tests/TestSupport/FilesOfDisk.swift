package import DiskSimulation
internal import Foundation

extension SimulatedDisk {
  /// Writes all files to a folder of the real disk, for programs that are processes of their own.
  package func write(to folder: String) throws {
    for path in paths {
      guard let bytes = contents(of: path) else { continue }
      let file = URL(filePath: folder).appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(bytes).write(to: file)
    }
  }

  /// Takes all files of a folder of the real disk, as a folder of a name.
  package func take(_ folder: String, as name: String) throws {
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let file = URL(filePath: folder).appending(path: path)
      if try file.resourceValues(forKeys: [.isDirectoryKey]).isDirectory ?? false { continue }
      try setContents("\(name)/\(path)", Array(try Data(contentsOf: file)))
    }
  }
}
