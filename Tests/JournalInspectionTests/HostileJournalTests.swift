// Whatever the bytes of a journal are, every command ends in order, and leaves them as they are.

import DiskAccess
import DiskSimulation
import JournalInspection
import TestSupport
import Testing
import ToolSupport

@Suite struct HostileJournalTests {
  @Test func `of mangled journals every command says something, with a status of its own`() throws {
    let campaign = Campaign(count: "XJ_INSPECTIONS", inGate: 40)
    let tally = Tally()
    let (killed, varied) = (try Journals.killed(), try VariedJournal.make())
    let lines = CommandTable.looking.flatMap { command in
      command.examples.prefix(2).map { String($0.line.dropFirst("xjournal ".count)) }
    }
    try campaign.forEachHistory(tally) { seed in
      var dice = Dice(seed: seed)
      let disk = (dice.chance(2) ? killed : varied).imageAfterProcessDeath()
      let place = try Journals.mangle(disk, &dice)
      let before = disk.paths.map { disk.contents(of: $0) }
      for line in lines {
        let run = Run(dice.chance(3) ? line + " --json" : line, on: disk)
        tally.count("status \(run.status.rawValue)")
        if run.status == .ourFault || run.status == .cannotCreate {
          tally.violation("seed \(seed), \(place): \(line) ends with \(run.status): \(run.errors)")
        }
        if run.status != .fine, run.errors.isEmpty, !line.hasPrefix("verify"),
          !line.hasPrefix("diff")
        {
          tally.violation(
            "seed \(seed), \(place): \(line) ends with \(run.status) and says nothing")
        }
      }
      if disk.paths.map({ disk.contents(of: $0) }) != before {
        tally.violation("seed \(seed), \(place): something was written")
      }
    }
    print("seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations == "")
    #expect(tally["status 0"] > 0 && tally["status 65"] > 0)
  }
}
