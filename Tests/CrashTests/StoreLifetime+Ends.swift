// What nobody can go on from.

import DiskAccess
import DiskSimulation
import Journaling
import ObjectModel
import ObjectStore
import TestSupport

extension StoreLifetime {
  // MARK: Ends

  /// What nobody can go on from, where all that is shown must be true all the same, or it is said what is damaged.
  mutating func end() {
    if dice.chance(2) {
      rot()
    } else {
      count("lying syncs")
      work.disk.syncsLie = true
      for _ in 0..<4 where work.isOpen && violation == nil { step() }
      let ledger = work.ledger
      let states = work.disk.powerLossStates(limit: 8, seed: dice.next())
      let disk = work.disk.image(after: states[dice.pick(states.count)])
      judgeTruth(of: disk, "after lying syncs, of \(ledger.states.count) states")
    }
  }

  private mutating func rot() {
    work.abandon()
    let disk = work.disk.imageAfterProcessDeath()
    let paths = disk.paths.filter { ($0.hasPrefix(StoreWork.path)) && !$0.hasSuffix("LOCK") }
    var rotten: Set<String> = []
    for _ in 0...dice.pick(2) {
      let rot = SimulatedDisk.Rot.allCases[dice.pick(SimulatedDisk.Rot.allCases.count)]
      let path = paths[dice.pick(paths.count)]
      if disk.rot(path, rot, seed: dice.next()) != nil { rotten.insert(path) }
    }
    trace.append("rotten: \(rotten.sorted())")
    if rotten.isEmpty { return }
    count("rotten")
    // The edit buffer says how far the journal was durable, so that its end cannot go unnoticed alone.
    let mustBeTold = !rotten.contains(StoreWork.path + "/" + JournalFiles.edits)
    let image = disk.imageAfterProcessDeath()
    judgeTruth(of: disk, "rotten", tellsLoss: mustBeTold)
    judgeOpening(of: image, tellsLoss: mustBeTold)
  }

  /// Whether who opens for writing what has rotted has a state that was, and is told where it is not the last.
  private mutating func judgeOpening(of disk: SimulatedDisk, tellsLoss: Bool) {
    do {
      let store = try StoreWork.open(on: disk)
      let last = Int(store.lastCommit.rawValue)
      count("rotten and opened")
      if tellsLoss, last < work.ledger.acknowledgedCount, store.findings.isEmpty {
        note("rotten: opened at commit \(last) of \(work.ledger.acknowledgedCount), without a word")
      }
      if last >= work.ledger.states.count { return note("rotten: opened at commit \(last)") }
      do {
        let state = try store.head.plain()
        if state != work.ledger.states[last] {
          note("rotten: opened at commit \(last) as \(state)")
        }
      } catch {
        if error.ofStore?.code != .damaged { note("rotten: the head: \(error)") }
      }
      try store.close()
    } catch {
      trace.append("rotten, opened: \(error)")
      if error.ofStore == nil { note("rotten, opened: \(error)") }
    }
  }

  /// Whether all states that can be read are states that were, and where it is demanded also whether something is said of
  /// saves that are missing.
  private mutating func judgeTruth(of disk: SimulatedDisk, _ when: String, tellsLoss: Bool = false)
  {
    do {
      let store = try StoreReader(on: disk, at: StoreWork.path)
      if tellsLoss, Int(store.lastCommit.rawValue) < work.ledger.acknowledgedCount {
        count("rotten and short")
        let isTold =
          try store.isBehind || !store.findings.isEmpty
          || !store.verification(deep: true).findings.isEmpty
        if !isTold {
          note(
            "\(when): at commit \(store.lastCommit) of \(work.ledger.acknowledgedCount), without a word"
          )
        }
      }
      for number in 0...Int(store.lastCommit.rawValue) {
        do {
          let state = try store.snapshot(at: CommitNumber(rawValue: UInt64(number))).plain()
          if number >= work.ledger.states.count || state != work.ledger.states[number] {
            note("\(when): commit \(number) is \(state)")
          }
        } catch {
          trace.append("commit \(number): \((error as? StoreError).map { "\($0.code)" } ?? "?")")
          if (error as? StoreError) == nil { note("\(when): \(error)") }
        }
      }
    } catch {
      trace.append("\(when): \(error)")
    }
  }
}
