// The processes that write journals and stores until they are killed, for tests and whoever measures.

import DiskAccess
import Foundation
import Journaling

@main
enum JournalWriter {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "writer":
        try Writer(
          path: arguments.dropFirst().first ?? "", life: arguments.dropFirst(2).first ?? "1"
        ).run()
      case "store":
        try StoreWriter(
          path: arguments.dropFirst().first ?? "", life: arguments.dropFirst(2).first ?? "1"
        ).run()
      case "long":
        try LongWriter(
          path: arguments.dropFirst().first ?? "",
          eventCount: arguments.dropFirst(2).first.flatMap { Int($0) }
        ).run()
      case "hold":
        try Writer(path: arguments.dropFirst().first ?? "", life: "1").hold()
      case "obey":
        try Writer(path: arguments.dropFirst().first ?? "", life: "1").obey()
      default:
        print("usage: JournalWriter writer|store|long|hold|obey PATH …")
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }
}

/// The child: it edits and commits until it is killed, and says on its output what has returned.
struct Writer {
  let path: String
  /// Stands in everything it writes, so that its bytes are told from those of earlier writers.
  let life: String

  func run() throws {
    var options = JournalOptions()
    options.segmentByteCount = 64 << 10
    options.halfByteCount = 8 << 10
    let (journal, _) = try Journal.open(on: PosixDisk(), at: path, options: options)
    var edit = 0
    var commit = 0
    while true {
      for _ in 0..<(edit % 7) + 1 {
        edit += 1
        try journal.appendEdit("life \(life) edit \(edit)")
        say("e \(edit)")
      }
      commit += 1
      try journal.commit("life \(life) commit \(commit)")
      say("c \(commit)")
    }
  }

  /// Opens the store and holds it until it is killed, or its input ends.
  func hold() throws {
    let (journal, _) = try Journal.open(on: PosixDisk(), at: path)
    say("open")
    while readLine() != nil {}
    try journal.close()
  }

  /// Does what it is told, line by line, and nothing by itself; says when it has been done.
  func obey() throws {
    var options = JournalOptions()
    options.syncDelayNanoseconds = .max / 4
    options.idleDelayNanoseconds = .max / 4
    let (journal, _) = try Journal.open(on: PosixDisk(), at: path, options: options)
    say("open")
    while let line = readLine() {
      switch line {
      case "write": try journal.commit(line, .written)
      case "save": try journal.commit(line)
      case "roll": try journal.beginSegment()
      default: throw UnknownOrder(order: line)
      }
      say(line)
    }
    try journal.close()
  }

  private struct UnknownOrder: Error { let order: String }

  private func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}

extension Journal {
  func appendEdit(_ text: String) throws(JournalError) {
    try appendEdit(byteCount: text.utf8.count) { $0.copyBytes(from: text.utf8) }
  }

  func commit(_ text: String, _ durability: Durability = .synced) throws {
    _ = try Array(text.utf8).withUnsafeBytes { try commit($0, durability) }
  }
}
