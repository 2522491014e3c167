// What Tools/demo shows: a journal is written, its writer is killed mid-edit, and nothing is lost.

import DiskAccess
import Foundation
import Journaling

struct Demonstration {
  private let folder: URL
  private let store: URL

  init(folder: String?) {
    let name = "xjournal-demo-\(ProcessInfo.processInfo.processIdentifier)"
    self.folder =
      folder.map { URL(filePath: $0) }
      ?? FileManager.default.temporaryDirectory.appending(path: name)
    store = self.folder.appending(path: "Demo.xjournal")
  }

  func run() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard !FileManager.default.fileExists(atPath: store.path) else {
      throw JournalError.notAStore(path: store.path)
    }
    title("A journal is made, and a writer works on it.")
    let acknowledged = try killWriter()
    print("  It was killed with signal 9. Before that it had been told of")
    print("  \(acknowledged.commits) commits and \(acknowledged.edits) edits.")

    title("The journal is opened again.")
    let (journal, report) = try Journal.open(on: PosixDisk(), at: store.path)
    print(
      "  \(report.recoveredEditCount) edits were in the edit buffer only, and are in a frame now.")
    if let torn = report.tornTail {
      print("  A write was cut short: \(torn.byteCount) bytes, kept in \(torn.savedAs).")
    }
    try journal.beginSegment()
    try journal.close()

    title("Everything acknowledged is there.")
    let content = try read()
    print("  \(content.commits) commits and \(content.edits) edits are in the journal.")
    guard content.commits >= acknowledged.commits, content.edits >= acknowledged.edits else {
      throw DemoError.lost
    }
    print("  The last commit: “\(content.lastCommit)”.")

    title("Each sealed segment is a file that LZ4's own tool reads.")
    try showSegments()
    print("\nThe store is in \(store.path)")
    print("Look at it:  lz4 -dc \(store.path)/journal/0000000001.xj | head -c 300")
  }

  private func title(_ text: String) { print("\n\(text)") }

  /// Starts a writer, lets it work for a moment, and kills it.
  private func killWriter() throws -> (commits: Int, edits: Int) {
    let writer = Process()
    writer.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    writer.arguments = ["writer", store.path]
    let output = Pipe()
    writer.standardOutput = output
    try writer.run()
    var told = ""
    let end = Date().addingTimeInterval(1)
    while Date() < end {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      told += String(decoding: data, as: UTF8.self)
    }
    kill(writer.processIdentifier, SIGKILL)
    writer.waitUntilExit()
    told += String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let lines = told.split(separator: "\n")
    return (lines.filter { $0.hasPrefix("c") }.count, lines.filter { $0.hasPrefix("e") }.count)
  }

  private func read() throws -> (commits: Int, edits: Int, lastCommit: String) {
    var (commits, edits, last) = (0, 0, "")
    let ending = try JournalReader(at: store.path, on: PosixDisk()).forEachFrame { frame in
      guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
      edits += batch.editCount
      batch.forEachCommit { entry in
        commits += 1
        if case .whole(let bytes) = entry { last = String(decoding: bytes, as: UTF8.self) }
      }
      return true
    }
    if let finding = ending.finding { throw JournalError.damaged(finding) }
    return (commits, edits, last)
  }

  private func showSegments() throws {
    let journalFolder = store.appending(path: "journal").path
    let names = try FileManager.default.contentsOfDirectory(atPath: journalFolder).sorted()
    // The last one is still being written to.
    for name in names.dropLast().prefix(3) {
      let lz4 = Process()
      lz4.executableURL = URL(filePath: "/usr/bin/env")
      lz4.arguments = ["lz4", "-t", "-q", "\(journalFolder)/\(name)"]
      try lz4.run()
      lz4.waitUntilExit()
      guard lz4.terminationStatus == 0 else { throw DemoError.refusedByLZ4(name) }
      print("  lz4 -t \(name): fine")
    }
    if names.count > 4 { print("  … \(names.count - 1) sealed segments in all") }
  }
}

enum DemoError: Error, CustomStringConvertible {
  case lost
  case refusedByLZ4(String)

  var description: String {
    switch self {
    case .lost: "something acknowledged is not there: this must never happen, please report it"
    case .refusedByLZ4(let name): "lz4 refuses \(name): is the tool lz4 installed?"
    }
  }
}
