// A child process that tests kill, and what it said before.

import DiskAccess
import Foundation

/// The writing child, JournalWriter, whose output says what has returned.
final class Child {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var pending = ""
  /// How many seconds it took until it said something, where that was waited for.
  private(set) var openingTime: Double?

  init(_ arguments: String...) throws {
    process.executableURL = try Self.executable()
    process.arguments = arguments
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  var processNumber: Int32 { process.processIdentifier }

  /// JournalWriter stands beside the tests' own executable.
  private static func executable() throws -> URL {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    for argument in [tests.path] + CommandLine.arguments {
      let beside = URL(filePath: argument).deletingLastPathComponent().appending(
        path: "JournalWriter")
      if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
    }
    throw MissingChild()
  }

  struct MissingChild: Error {}

  func readLine() throws -> String? {
    while !pending.contains("\n") {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      pending += String(decoding: data, as: UTF8.self)
    }
    guard let end = pending.firstIndex(of: "\n") else { return nil }
    defer { pending.removeSubrange(...end) }
    return String(pending[..<end])
  }

  /// Has the child do something, and waits until it says that it is done.
  func obey(_ order: String) throws {
    try input.fileHandleForWriting.write(contentsOf: Data((order + "\n").utf8))
    guard try readLine() == order else { throw Disobedience(order: order) }
  }

  struct Disobedience: Error { let order: String }

  func kill() {
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// When a child is killed.
  enum Moment {
    /// So many seconds after it was started.
    case time(Double)
    /// When it has said so many lines.
    case lines(Int)
  }

  /// Lets the child work, kills it, and counts what it said.
  func killed(at moment: Moment) throws -> (edits: Int, commits: Int) {
    let lines = try linesUntilKilled(at: moment)
    return (lines.filter { $0.hasPrefix("e") }.count, lines.filter { $0.hasPrefix("c") }.count)
  }

  /// Lets the child work, and kills it.
  ///
  /// - Returns: what it said, in whole lines.
  func linesUntilKilled(at moment: Moment) throws -> [Substring] {
    let reader = try Reader(output.fileHandleForReading)
    switch moment {
    case .time(let seconds): Thread.sleep(forTimeInterval: seconds)
    case .lines(let count): openingTime = reader.wait(forLines: count)
    }
    kill()
    return reader.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
  }

  /// Reads all that comes, so that a full pipe never stops the child.
  private final class Reader: @unchecked Sendable {
    private let lock = Lock()
    private var data = Data()
    private var hasEnded = false
    private var thread: BackgroundThread?

    init(_ file: FileHandle) throws {
      thread = try BackgroundThread { [self] in
        while true {
          let more = file.availableData
          lock.withLock {
            data.append(more)
            hasEnded = more.isEmpty
            lock.wakeAll()
          }
          if more.isEmpty { return }
        }
      }
    }

    /// Waits until so many lines have come, or no more will.
    ///
    /// - Returns: how many seconds it took until the first bytes came.
    func wait(forLines count: Int) -> Double {
      let start = ProcessInfo.processInfo.systemUptime
      return lock.withLock {
        while data.isEmpty, !hasEnded { lock.wait() }
        let first = ProcessInfo.processInfo.systemUptime
        while !hasEnded, data.count(where: { $0 == UInt8(ascii: "\n") }) < count { lock.wait() }
        return first - start
      }
    }

    func text() -> String {
      thread?.join()
      return lock.withLock { String(decoding: data, as: UTF8.self) }
    }
  }
}
