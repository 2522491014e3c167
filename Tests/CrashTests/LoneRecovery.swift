// What recovering a crash's remains comes to where nothing disturbs it, for a comparison with those that are disturbed.

import DiskSimulation
import Journaling
import TestSupport

/// What a recovery finds and cuts that nothing disturbs.
struct LoneRecovery {
  let content: JournalContent
  let tail: TakenBytes?
  /// The edit buffer, where some of it could not be read.
  let damagedEdits: TakenBytes?

  init(
    of disk: SimulatedDisk, at path: String, _ ledger: Ledger
  ) throws(JournalError) {
    let (journal, report) = try Journal.open(on: disk, at: path, options: .small)
    defer { withExtendedLifetime(journal) {} }
    content = try JournalContent(on: disk, at: path, ledger)
    tail = report.tornTail.flatMap { tail in
      TakenBytes(
        savedAs: tail.savedAs, from: tail.finding.file, tail.finding.offset, on: disk, at: path)
    }
    damagedEdits = report.editBufferSavedAs.flatMap { file in
      TakenBytes(savedAs: file, from: JournalFiles.edits, 0, on: disk, at: path)
    }
  }
}

/// What a recovery takes out of a file: it must stand there or in a file of its own, at every moment.
struct TakenBytes {
  private let bytes: [UInt8]
  private let file: String
  private let offset: Int

  /// What a recovery says that it has taken; nil where it is not where it says.
  init?(
    savedAs saved: String, from file: String, _ offset: UInt64, on disk: SimulatedDisk,
    at path: String
  ) {
    guard let bytes = disk.contents(of: "\(path)/\(saved)") else { return nil }
    self.bytes = bytes
    self.file = "\(path)/\(file)"
    self.offset = Int(offset)
  }

  func isKept(on disk: SimulatedDisk, at path: String) -> Bool {
    let there = disk.contents(of: file) ?? []
    let end = offset + bytes.count
    if there.count >= end, Array(there[offset..<end]) == bytes { return true }
    return disk.paths.contains { name in
      name.hasPrefix("\(path)/recovered/") && disk.contents(of: name) == bytes
    }
  }

  /// Whether the next opening says where it is, be it that it takes it out itself or that one before has.
  func isTold(on disk: SimulatedDisk, at path: String) -> Bool {
    let disk = disk.imageAfterProcessDeath()
    guard let (journal, report) = try? Journal.open(on: disk, at: path, options: .small) else {
      return false
    }
    defer { withExtendedLifetime(journal) {} }
    return report.savedFiles.contains { disk.contents(of: "\(path)/\($0)") == bytes }
  }
}
