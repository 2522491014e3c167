import DiskSimulation
import JournalInspection
import ObjectPatching
import TestSupport
import ToolSupport

/// A journal that `replay` builds up to a commit is the one that there was then.
struct ReplayLaws {
  let sound: SoundJournal
  private(set) var broken: [String] = []
  private(set) var builtCount = 0

  init(of sound: SoundJournal) { self.sound = sound }

  mutating func check(upTo last: Int, _ dice: inout Dice) throws {
    let disk = sound.disk.imageAfterProcessDeath()
    let path = "Then.xjournal"
    let run = Upkeep.run("replay -s \(Journals.path) --into \(path) --until \(last)", on: disk)
    // What was not saved then may stand on commits that are gone.
    if run.status == .no, run.errors.contains("compaction has dropped what led to") { return }
    guard run.status == .fine else {
      broken.append("until \(last): \(run)")
      return
    }
    builtCount += 1
    let verified = Upkeep.run("verify --deep -s \(path)", on: disk)
    if verified.status != .fine { broken.append("until \(last): \(verified)") }
    let info = try Answer("info -s \(path)", on: disk).documents()[0]
    let (first, end) = (max(1, try info.integer("firstKeptCommit")), try info.integer("lastCommit"))
    let drafts = try Answer("drafts -s \(path)", on: disk).documents()
    // What was not saved then keeps the commits that it was made on.
    let isKept = first == sound.kept.lowerBound || first < sound.kept.lowerBound && !drafts.isEmpty
    if end != last || !isKept { broken.append("until \(last): it has \(first) to \(end)") }
    for place in Set([last, first - 1, Int.random(in: first - 1...last, using: &dice)])
    where sound.states[place] != nil {
      let state = try SoundJournal.state(Answer("export --at \(place) -s \(path)", on: disk))
      if state != sound.states[place] { broken.append("until \(last): another state at \(place)") }
    }
    guard last >= first else { return }
    for commit in try Answer("log -p -s \(path)", on: disk).documents() {
      let number = try commit.integer("number")
      if sound.kept.contains(number),
        commit.without("tags") != sound.commits[number]?.without("tags")
      {
        broken.append("until \(last): another commit \(number)")
      }
    }
  }
}
