import DiskSimulation
import JournalInspection
import ObjectPatching
import ToolSupport

/// What `repair` makes of a damaged journal is true, and whatever it leaves out it tells.
final class RepairLaws {
  let sound: SoundJournal
  let disk: SimulatedDisk
  let damage: RandomDamage
  /// What could be read of the head before.
  let head: State?
  let isSalvaging: Bool
  private(set) var broken: [String] = []
  private(set) var wasRefused = false
  private(set) var lostCount = 0

  private static let path = "New.xjournal"
  private var told: [String] = []
  /// What the commits of the new journal were called.
  private var origins: [Int: Int] = [:]
  private var places: [Int: Int] = [:]

  init(
    of sound: SoundJournal, damaged disk: SimulatedDisk, _ damage: RandomDamage, head: State?,
    isSalvaging: Bool
  ) {
    (self.sound, self.disk, self.damage) = (sound, disk, damage)
    (self.head, self.isSalvaging) = (head, isSalvaging)
  }

  func check() throws {
    let disk = disk.imageAfterProcessDeath()
    let option = isSalvaging ? "--salvage " : ""
    let answer = Answer("repair \(option)-s \(Journals.path) -o \(Self.path)", on: disk)
    guard answer.status == .fine else { return checkRefusal(answer, on: disk) }
    let repaired = try answer.documents()[0]
    told = (repaired["lost"]?.array ?? []).compactMap(\.string)
    let verified = Upkeep.run("verify --deep -s \(Self.path)", on: disk)
    expect(verified.status == .fine, "not sound: \(verified)")
    let info = try Answer("info -s \(Self.path)", on: disk).documents()[0]
    let first = max(1, try info.integer("firstKeptCommit"))
    let made = first..<max(first, try info.integer("lastCommit") + 1)
    expect(
      try repaired.integer("lastCommit") == made.upperBound - 1,
      "it says its last commit is another")
    try note(renumbered: repaired["renumbered"]?.array ?? [])
    try checkCommits(made, on: disk)
    checkTold(made)
    try checkStates(made, on: disk)
    try checkTags(info.tags(), made)
    try checkDrafts(on: disk)
  }

  private func expect(_ holds: Bool, _ words: @autoclosure () -> String) {
    if !holds { broken.append("\(words()); told: \(told)") }
  }

  private func checkRefusal(_ answer: Answer, on disk: SimulatedDisk) {
    wasRefused = true
    expect(
      !disk.paths.contains { $0.hasPrefix(Self.path) }, "something is left of it: \(disk.paths)")
    if answer.status == .newerFormat { return }
    let damaged = sound.damagedFrames(on: disk)
    if answer.status == .noJournal, damaged.count == sound.frames.count { return }
    expect(answer.status == .damage, "\(answer)")
    if isSalvaging {
      let isNothing =
        damage.isOfBeginning && answer.words.contains("neither a manifest nor a segment")
      let hasCommit = sound.frameNumbers.values.contains { !damaged.contains($0) }
      expect(isNothing || !hasCommit && (damage.isOfState || !sound.hasState), "refused: \(answer)")
    } else {
      let isBeginningLost = !sound.hasState && damaged.contains(sound.frames[0].number)
      expect(damage.isOfState || isBeginningLost, "refused though something is sound: \(answer)")
    }
  }

  private func note(renumbered: [JSONValue]) throws {
    for stretch in renumbered.compactMap(\.object) {
      let (first, last) = (try stretch.integer("first"), try stretch.integer("last"))
      let now = try stretch.integer("now")
      expect(isSalvaging, "renumbered: \(stretch)")
      for number in first...last {
        let place = now + number - first
        if let other = origins[place] { broken.append("\(place) was \(other) and \(number)") }
        origins[place] = number
      }
    }
  }

  private func checkCommits(_ made: Range<Int>, on disk: SimulatedDisk) throws {
    let log = made.isEmpty ? [] : try Answer("log -p -s \(Self.path)", on: disk).documents()
    expect(
      try log.map { try $0.integer("number") }.sorted() == Array(made),
      "the log has other commits than \(made)")
    let drafts = try Answer("drafts -s \(Self.path)", on: disk).documents()
    for commit in log {
      let place = try commit.integer("number")
      let origin = origins[place] ?? place
      origins[place] = origin
      expect(places[origin] == nil, "\(origin) is there twice")
      places[origin] = place
      if origin < sound.kept.lowerBound {
        // Only the checkpoint and the manifest know what was dropped. What was not saved keeps what it stands on.
        expect(damage.isOfBeginning || !drafts.isEmpty, "\(origin) was dropped and is back")
        continue
      }
      guard let truth = sound.commits[origin] else {
        broken.append("\(origin) never was")
        continue
      }
      let isSame = ["author", "message", "date", "context"].allSatisfy { truth[$0] == commit[$0] }
      expect(
        isSame || told.contains { $0.hasPrefix("commit \(origin): when, by whom") },
        "commit \(place) is not what \(origin) was")
    }
  }

  /// Whether a commit is told to be lost, by itself or with its frame.
  private func isTold(_ number: Int) -> Bool {
    told.contains { line in
      if let match = line.firstMatch(of: /all that was before commit (\d+)/) {
        if number < Int(match.1) ?? 0 { return true }
      }
      if !line.contains("difference"),
        let match = line.prefixMatch(of: /commits? (\d+)(?: to (\d+))?/)
      {
        if Self.range(match.1, match.2).contains(number) { return true }
      }
      guard let match = line.firstMatch(of: /frames? ([^;]+?), with whatever/) else { return false }
      guard let frame = sound.frameNumbers[number] else { return false }
      return match.1.split(separator: ",").contains { part in
        part.firstMatch(of: /(\d+)(?: to (\d+))?/).map { Self.range($0.1, $0.2).contains(frame) }
          ?? false
      }
    }
  }

  private static func range(_ first: Substring, _ last: Substring?) -> ClosedRange<Int> {
    let first = Int(first) ?? 0
    return first...max(first, last.flatMap { Int($0) } ?? first)
  }

  private func checkTold(_ made: Range<Int>) {
    let damaged = sound.damagedFrames(on: disk)
    let firstDamaged = damaged.min() ?? .max
    lostCount = sound.kept.count { places[$0] == nil }
    for number in sound.kept where places[number] == nil {
      // Without the edits nobody knows whether the last frame was durable, or is what a loss of power has left.
      let isUncertain = damage.isOfEdits && damaged.contains(sound.frames.last?.number ?? 0)
      expect(isTold(number) || isUncertain, "\(number) is missing and nobody says so")
      guard let frame = sound.frameNumbers[number] else { continue }
      if isSalvaging {
        let isEmpty = told.contains { $0.hasPrefix("commit \(number): nothing") }
        expect(damaged.contains(frame) || isEmpty, "\(number) is sound, and not there")
      } else {
        // Where compaction has dropped the beginning, the state is worth more that the journal begins with.
        let isOutcomeKept = !sound.hasBeginning && made.upperBound > number
        expect(
          frame >= firstDamaged || damage.isOfState || isOutcomeKept,
          "\(number) comes before the damage, and is not there")
      }
    }
    for line in told {
      guard
        let match = line.wholeMatch(
          of: /commits? (\d+)(?: to (\d+))?(?:; --salvage.*|: the outcome.*)?/)
      else { continue }
      let lost = Self.range(match.1, match.2)
      expect(!lost.contains { places[$0] != nil }, "there and told to be lost: \(line)")
      expect(
        damage.isOfBeginning || lost.lowerBound >= sound.kept.lowerBound,
        "dropped long ago: \(line)")
      expect(lost.upperBound < sound.kept.upperBound, "never was: \(line)")
    }
  }

  private func checkStates(_ made: Range<Int>, on disk: SimulatedDisk) throws {
    let missing = sound.kept.filter { places[$0] == nil }
    var touched: Set<String> = []
    for number in missing {
      for change in sound.commits[number]?["changes"]?.array ?? [] {
        if let object = change.object?["object"]?.string { touched.insert(object) }
      }
    }
    let isGeneral = told.contains {
      $0.contains(/before commit|of which not all|model|names|numbers stand/)
    }
    for place in made.lowerBound - 1..<made.upperBound where place >= 0 {
      // The state that it begins with is that before its first commit.
      let origin =
        place >= made.lowerBound
        ? origins[place] : made.isEmpty ? place : origins[place + 1].map { $0 - 1 }
      guard let origin, let truth = sound.states[origin] else { continue }
      let answer = Answer("export --at \(place) -s \(Self.path)", on: disk)
      expect(answer.status == .fine, "export --at \(place): \(answer)")
      let state = try SoundJournal.state(answer)
      let wrong = Set(truth.keys).union(state.keys).sorted().filter { truth[$0] != state[$0] }
      guard
        let object = wrong.first(where: { object in
          !touched.contains(object) && !told.contains { $0.contains(object) }
        }), !isGeneral || (missing.isEmpty && told.isEmpty)
      else { continue }
      broken.append(
        "\(object) at \(place), which was \(origin), is \(text(state[object])) and was \(text(truth[object])); told: \(told)"
      )
      return
    }
    guard isSalvaging, let head, head == sound.states[sound.kept.upperBound - 1] else { return }
    let state = try SoundJournal.state(Answer("export -s \(Self.path)", on: disk))
    expect(state == head, "the head could be read, and is another: \(difference(state, head))")
  }

  private func difference(_ one: State, _ other: State) -> String {
    Set(one.keys).union(other.keys).sorted().filter { one[$0] != other[$0] }
      .map { "\($0): \(text(one[$0])) for \(text(other[$0]))" }.joined(separator: ", ")
  }

  private func text(_ value: JSONValue?) -> String { value.map { "\($0)" } ?? "nothing" }

  private func checkTags(_ tags: [String: Int], _ made: Range<Int>) {
    func isTold(_ name: String) -> Bool {
      told.contains {
        $0.contains("‘\(name)’") || $0.contains("tagged") || $0.contains("tags from before")
      }
    }
    // Without the edits nobody knows whether the last frame was durable, or is what a loss of power has left.
    let damaged = sound.damagedFrames(on: disk)
    if damage.isOfEdits, damaged.contains(sound.frames.last?.number ?? 0) { return }
    for (name, commit) in sound.tags where tags[name] != (places[commit] ?? commit) {
      expect(isTold(name), "the tag \(name) leads to \(tags[name] ?? -1) and not to \(commit)")
    }
    for name in tags.keys where sound.tags[name] == nil {
      expect(isTold(name), "the tag \(name) is back")
    }
    for (name, commit) in sound.tags {
      guard let now = tags[name], sound.kept.contains(commit), places[commit] == nil else {
        continue
      }
      expect(
        now < made.lowerBound || isTold(name), "the tag \(name) leads to another commit, \(now)")
    }
  }

  private func checkDrafts(on disk: SimulatedDisk) throws {
    let drafts = try Answer("drafts -s \(Self.path)", on: disk).documents()
    func described(_ drafts: [JSONObject]) -> [String] {
      drafts.map { draft in
        ["name", "edits", "objects"].map { text(draft[$0]) }.joined(separator: " ")
      }
    }
    guard described(drafts) != described(sound.drafts) else { return }
    expect(
      told.contains { $0.contains(/not saved|not been saved|unsaved|whatever was saved/) },
      "other drafts: \(described(drafts)) for \(described(sound.drafts))")
  }
}
