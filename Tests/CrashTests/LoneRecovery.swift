// What recovering a crash's remains comes to where nothing disturbs it, for a comparison with those that are disturbed.

import DiskSimulation
import Journaling
import TestSupport

/// What a recovery finds and cuts that nothing disturbs.
struct LoneRecovery {
  let content: JournalContent
  let tail: TornTail?

  init(
    of disk: SimulatedDisk, at path: String, _ ledger: Ledger
  ) throws(JournalError) {
    let (journal, report) = try Journal.open(on: disk, at: path, options: .small)
    defer { withExtendedLifetime(journal) {} }
    content = try JournalContent(on: disk, at: path, ledger)
    tail = report.tornTail.flatMap { TornTail($0, on: disk, at: path) }
  }
}

/// What a recovery cuts: it must stand in its segment or in a file of its own, at every moment.
struct TornTail {
  private let bytes: [UInt8]
  private let segment: String
  private let offset: Int

  /// What a recovery says that it has cut; nil where it is not where it says.
  init?(_ tail: RecoveryReport.TornTail, on disk: SimulatedDisk, at path: String) {
    guard let bytes = disk.contents(of: "\(path)/\(tail.savedAs)") else { return nil }
    self.bytes = bytes
    segment = "\(path)/\(tail.finding.file)"
    offset = Int(tail.finding.offset)
  }

  func isKept(on disk: SimulatedDisk, at path: String) -> Bool {
    let there = disk.contents(of: segment) ?? []
    let end = offset + bytes.count
    if there.count >= end, Array(there[offset..<end]) == bytes { return true }
    return disk.paths.contains { file in
      file.hasPrefix("\(path)/recovered/") && disk.contents(of: file) == bytes
    }
  }

  /// Whether the next opening says where it is, be it that it cuts the tail itself or that one before has.
  func isTold(on disk: SimulatedDisk, at path: String) -> Bool {
    let disk = disk.imageAfterProcessDeath()
    guard let (journal, report) = try? Journal.open(on: disk, at: path, options: .small) else {
      return false
    }
    defer { withExtendedLifetime(journal) {} }
    return report.savedFiles.contains { disk.contents(of: "\(path)/\($0)") == bytes }
  }
}
