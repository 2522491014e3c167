// Whatever the bytes of a journal are, every command ends in order, and leaves them as they are.

import DiskAccess
import DiskSimulation
import JournalInspection
import TestSupport
import Testing

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
      let place = try mangle(disk, &dice)
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

  /// Changes a file of a journal, where something is in it; says which and where.
  private func mangle(_ disk: SimulatedDisk, _ dice: inout Dice) throws -> String {
    let paths = disk.paths.filter { disk.contents(of: $0)?.contains { $0 != 0 } ?? false }
    let path = paths[dice.pick(paths.count)]
    var bytes = disk.contents(of: path) ?? []
    let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    let offset = dice.pick(length)
    switch dice.pick(5) {
    case 0: bytes[offset] ^= 1 << UInt8(dice.pick(8))
    case 1: bytes = Array(bytes.prefix(offset))
    case 2: for index in offset..<min(length, offset + 64) { bytes[index] = UInt8(dice.pick(256)) }
    case 3: for index in offset..<min(length, offset + 8) { bytes[index] = 0xFF }
    default: bytes.replaceSubrange(offset..<length, with: bytes[..<(length - offset)])
    }
    try disk.setContents(path, bytes)
    return "\(path) at \(offset)"
  }
}
