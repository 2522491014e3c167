// Real processes on a real disk, killed by signal 9 while they write.

import DiskAccess
import Foundation
import Journaling
import TestSupport
import Testing

@Suite struct Kills {
  @Test func `a killed writer loses no edit and no commit that returned`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_KILLS", inGate: 40)
    var dice = Dice(seed: campaign.seed)
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    var commits = 0
    var openingTime = 0.0
    for kill in 1...campaign.count {
      // Every tenth life begins a new store, so that stores die young, too.
      if kill % 10 == 0 { try FileManager.default.removeItem(atPath: path) }
      // Some die while they open the store, at a time that the life before took for it; the others when
      // they have said so many lines. Nothing depends on how fast this machine is.
      let moment: Child.Moment =
        kill % 3 == 0
        ? .time(openingTime * Double.random(in: 0...1, using: &dice))
        : .lines(Int.random(in: 1...60, using: &dice))
      let child = try Child("writer", path)
      let told = try child.killed(at: moment)
      openingTime = child.openingTime ?? openingTime
      let (journal, report) = try Journal.open(on: PosixDisk(), at: path)
      let content = try Listing(on: PosixDisk(), at: path)
      // A kill may cut a write short, so there may be a torn tail, but nothing else.
      #expect(report.findings == [])
      #expect(content.fault == nil)
      #expect(content.isOfLives(endingWith: told))
      commits += told.commits
      try journal.close()
    }
    print("seed \(campaign.seed): \(campaign.count) kills, \(commits) commits acknowledged")
    #expect(commits > campaign.count)
  }

  @Test func `a second writer is told who holds the store, and gets it once the holder is killed`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    let child = try Child("hold", path)
    #expect(try child.readLine() == "open")
    #expect(throws: JournalError.inUse(path: path, holder: "process \(child.processNumber)")) {
      try Journal.open(on: PosixDisk(), at: path)
    }
    child.kill()
    try Journal.open(on: PosixDisk(), at: path).journal.close()
  }
}

extension Listing {
  /// Whether the journal ends with a life of which at least so much is there: each life counts from 1.
  fileprivate func isOfLives(endingWith told: (edits: Int, commits: Int)) -> Bool {
    let lastLife = { (entries: [[UInt8]], name: String) -> Int? in
      var number = 0
      for entry in entries {
        if entry == Array("\(name) \(number + 1)".utf8) {
          number += 1
        } else if entry == Array("\(name) 1".utf8) {
          number = 1
        } else {
          return nil
        }
      }
      return number
    }
    guard let edits = lastLife(edits, "edit"), let commits = lastLife(commits, "commit") else {
      return false
    }
    // A life killed before its first edit leaves the life before it at the end.
    return told == (0, 0) || edits >= told.edits && commits >= told.commits
  }
}

/// The writing child, JournalDemo, whose output says what has returned.
private final class Child {
  private let process = Process()
  private let output = Pipe()
  private let input = Pipe()
  private var pending = ""
  /// How many seconds it took until it said something, where that was waited for.
  private(set) var openingTime: Double?

  init(_ command: String, _ path: String) throws {
    process.executableURL = try Self.executable()
    process.arguments = [command, path]
    process.standardOutput = output
    process.standardInput = input
    try process.run()
  }

  var processNumber: Int32 { process.processIdentifier }

  /// JournalDemo stands beside the tests' own executable.
  private static func executable() throws -> URL {
    let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    for argument in [tests.path] + CommandLine.arguments {
      let beside = URL(filePath: argument).deletingLastPathComponent().appending(
        path: "JournalDemo")
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
    return pending.split(separator: "\n").first.map(String.init)
  }

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
    let reader = try Reader(output.fileHandleForReading)
    switch moment {
    case .time(let seconds): Thread.sleep(forTimeInterval: seconds)
    case .lines(let count): openingTime = reader.wait(forLines: count)
    }
    kill()
    let lines = reader.text().split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    return (lines.filter { $0.hasPrefix("e") }.count, lines.filter { $0.hasPrefix("c") }.count)
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
