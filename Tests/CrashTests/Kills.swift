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
      let child = try Child("writer", path, "\(kill)")
      let told = try child.killed(at: moment)
      openingTime = child.openingTime ?? openingTime
      let (journal, report) = try Journal.open(on: PosixDisk(), at: path)
      let content = try Listing(on: PosixDisk(), at: path)
      // A kill may cut a write short, so there may be a torn tail, but nothing else.
      #expect(report.findings == [])
      #expect(content.fault == nil)
      #expect(content.holds(told, of: kill))
      commits += told.commits
      try journal.close()
    }
    print("seed \(campaign.seed): \(campaign.count) kills, \(commits) commits acknowledged")
    #expect(commits > campaign.count)
  }

  @Test func `who follows a journal of another process is handed what is durable, and that alone`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store"
    let child = try Child("obey", path)
    #expect(try child.readLine() == "open")
    let tail = try JournalTail(at: path, on: PosixDisk())
    func poll() throws -> [UInt64] {
      var numbers: [UInt64] = []
      let finding = try tail.poll { frame, _ in
        numbers.append(frame.number.rawValue)
        return true
      }
      #expect(finding == nil)
      return numbers
    }
    let steps: [(order: String, handedOut: [UInt64])] = [
      ("write", []), ("write", []), ("save", [1, 2, 3]), ("save", [4]), ("write", []),
      ("roll", [5]), ("write", []), ("save", [6, 7]), ("write", []),
    ]
    for (order, handedOut) in steps {
      try child.obey(order)
      #expect(try poll() == handedOut, "\(order)")
    }
    child.kill()
    // It is still there, and nobody says that it is durable.
    #expect(try poll() == [])
    let (journal, report) = try Journal.open(on: PosixDisk(), at: path)
    #expect(report.findings == [] && report.tornTail == nil)
    #expect(try poll() == [8])
    try journal.close()
    #expect(try poll() == [9])
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
  /// Whether the journal ends with what a life wrote, from its first edit and commit on, and at least so
  /// much of it as was told.
  fileprivate func holds(_ told: (edits: Int, commits: Int), of life: Int) -> Bool {
    func count(_ entries: [[UInt8]], _ name: String) -> Int? {
      let ofLife = entries.drop { !$0.starts(with: Array("life \(life) ".utf8)) }
      let isRow = ofLife.enumerated().allSatisfy { index, entry in
        entry == Array("life \(life) \(name) \(index + 1)".utf8)
      }
      return isRow ? ofLife.count : nil
    }
    guard let edits = count(edits, "edit"), let commits = count(commits, "commit") else {
      return false
    }
    return edits >= told.edits && commits >= told.commits
  }
}
