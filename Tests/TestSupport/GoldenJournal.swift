// Journals that are kept beside the tests, each as the code of its day has written it.

package import DiskSimulation
internal import Foundation

/// A journal of a released format, which stays readable. It is never made again: what today's code makes of the same
/// work may be other bytes.
package struct GoldenJournal: Sendable {
  /// Its name begins with the format that it is of.
  package let name: String

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Golden")

  package init(_ name: String) { self.name = name }

  /// All that are kept.
  package static func all() throws -> [GoldenJournal] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().compactMap { name in
      name.hasSuffix(".xjournal") ? GoldenJournal(String(name.dropLast(9))) : nil
    }
  }

  /// Where it is on the real disk.
  package var path: String { Self.folder.appending(path: "\(name).xjournal").path }

  package var isKept: Bool { FileManager.default.fileExists(atPath: path) }

  /// What the second reader read in it when it was new.
  package func kept() throws -> String { try String(contentsOf: lines, encoding: .utf8) }

  private var lines: URL { Self.folder.appending(path: "\(name).jsonl") }

  /// A copy of it, to be worked with.
  package func disk(at path: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    try disk.take(self.path, as: path)
    return disk
  }

  /// Keeps a journal under this name, under which there is none.
  ///
  /// - Parameter reading: what the second reader reads in it.
  package func keep(
    _ journal: String, of disk: SimulatedDisk, _ reading: (String) throws -> String
  ) throws {
    precondition(!isKept, "a golden journal is never made again")
    for file in disk.paths where file.hasPrefix("\(journal)/") {
      let kept = URL(filePath: path).appending(path: String(file.dropFirst(journal.count + 1)))
      try FileManager.default.createDirectory(
        at: kept.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(disk.contents(of: file) ?? []).write(to: kept)
    }
    try Data(try reading(path).utf8).write(to: lines)
  }
}
