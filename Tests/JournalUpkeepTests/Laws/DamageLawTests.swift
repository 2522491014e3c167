import DiskSimulation
import TestSupport
import Testing
import ToolSupport

/// What must hold of any journal, whatever befalls its files.
@Suite struct DamageLawTests {
  @Test func `what is read and repaired of damaged journals is true, and what is lost is told`()
    throws
  {
    let campaign = Campaign(count: "XJ_DAMAGES", inGate: 3)
    let tally = Tally()
    try campaign.forEachHistory(tally) { seed in
      let sound = try SoundJournal(RandomJournal.make(seed: seed))
      try Self.replay(sound, seed: seed, tally)
      for round in 0..<UInt64(4) { try Self.damage(sound, seed: seed &* 1000 + round, tally) }
    }
    print("damaged journals from seed \(campaign.seed): \(tally.summary)")
    #expect(tally.violations.isEmpty, "\(tally.violations)")
    #expect(tally["repaired"] > campaign.count && tally["lost"] > 0)
  }

  private static func replay(_ sound: SoundJournal, seed: UInt64, _ tally: Tally) throws {
    var dice = Dice(seed: seed)
    var replay = ReplayLaws(of: sound)
    for last in sound.places.shuffled(using: &dice).prefix(3) {
      try replay.check(upTo: last, &dice)
    }
    for law in replay.broken {
      tally.violation("seed \(seed), kept \(sound.kept): replaying \(law)")
    }
    tally.count("replayed", replay.builtCount)
  }

  private static func damage(_ sound: SoundJournal, seed: UInt64, _ tally: Tally) throws {
    var dice = Dice(seed: seed)
    let disk = sound.disk.imageAfterProcessDeath()
    let damage = try RandomDamage.strike(disk, &dice, frames: sound.frames)
    let before = Upkeep.contents(of: Journals.path, on: disk)
    func tell(_ broken: [String], _ words: String) {
      for law in broken {
        tally.violation("seed \(seed), kept \(sound.kept), \(damage): \(words) \(law)")
      }
    }
    var reading = ReadingLaws(of: sound, damaged: disk, damage, seed: seed)
    try reading.check()
    tell(reading.broken, "reading")
    for (status, count) in reading.counts { tally.count("read \(status)", count) }
    for isSalvaging in [false, true] {
      let repair = RepairLaws(
        of: sound, damaged: disk, damage, head: reading.head, isSalvaging: isSalvaging)
      try repair.check()
      tell(repair.broken, isSalvaging ? "salvaging" : "repairing")
      tally.count(repair.wasRefused ? "refused" : "repaired")
      tally.count("lost", repair.lostCount)
    }
    if Upkeep.contents(of: Journals.path, on: disk) != before {
      tell(["the original is changed"], "")
    }
  }
}
