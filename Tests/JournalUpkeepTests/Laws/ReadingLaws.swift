import DiskSimulation
import JournalInspection
import ObjectPatching
import TestSupport
import ToolSupport

/// What looks at a damaged journal says what the sound one says, or says that it does not know: never anything else.
struct ReadingLaws {
  private let sound: SoundJournal
  private let disk: SimulatedDisk
  private let damage: RandomDamage
  private var dice: Dice
  private(set) var broken: [String] = []
  /// The head, where it can be read whole.
  private(set) var head: State?
  private(set) var counts: [ExitStatus: Int] = [:]

  init(of sound: SoundJournal, damaged disk: SimulatedDisk, _ damage: RandomDamage, seed: UInt64) {
    (self.sound, self.disk, self.damage) = (sound, disk, damage)
    dice = Dice(seed: seed)
  }

  mutating func check() throws {
    for line in lines() {
      let answer = Answer("\(line) -s \(Journals.path)", on: disk)
      counts[answer.status, default: 0] += 1
      if line == "export", answer.status == .fine { head = try SoundJournal.state(answer) }
      switch answer.status {
      case .fine, .no: expectSame(line, answer)
      case .damage: try expectTrue(line, answer)
      // The place of a format is damaged, or there is no journal any more.
      case .newerFormat, .noJournal: break
      default: broken.append("\(line): \(answer)")
      }
    }
  }

  private mutating func lines() -> [String] {
    func place() -> Int { sound.places.randomElement(using: &dice) ?? 0 }
    let objects = Set(sound.states.values.flatMap(\.keys)).sorted()
    var lines = [
      "export", "log -p", "log --stat", "drafts", "query Book", "query Book --at \(place())",
    ]
    lines += (0..<3).map { _ in "export --at \(place())" }
    lines += (0..<3).map { _ in "diff \(place()) \(place())" }
    lines += ["show \(place())"] + sound.tags.keys.sorted().prefix(2).map { "export --at \($0)" }
    for object in objects.shuffled(using: &dice).prefix(2) {
      lines += ["get \(object)", "get \(object) --at \(place())", "log --id \(object) -p"]
      lines += ["history \(object)", "blame \(object)", "blame \(object) --at \(place())"]
    }
    return lines
  }

  /// Where nothing is said to be wrong, all is told as it was.
  private mutating func expectSame(_ line: String, _ answer: Answer) {
    let truth = sound.answer(line)
    guard answer.lines != truth.lines || answer.status != truth.status else { return }
    // It may be of a loss of power that what was not saved is gone, and what nobody knows to be durable: it is told.
    if line == "drafts", answer.lines.contains(where: { $0.contains(#""problem":""#) }) { return }
    if line == "drafts" || damage.isOfEdits, answer.words.contains(#""kind":"note""#) { return }
    let damaged = sound.damagedFrames(on: disk)
    if damage.isOfEdits, damaged.contains(sound.frames.last?.number ?? 0) { return }
    broken.append(
      "\(line): \(answer.status) \(answer.words) though not as it was: \(difference(answer, truth))"
    )
  }

  private func difference(_ one: Answer, _ other: Answer) -> String {
    let here = one.lines.first { !other.lines.contains($0) } ?? ""
    let there = other.lines.first { !one.lines.contains($0) } ?? ""
    return "\(here) | \(there)"
  }

  /// What is told beside damage is true.
  private mutating func expectTrue(_ line: String, _ answer: Answer) throws {
    if answer.words.isEmpty, !answer.lines.contains(where: { $0.contains(#""kind":"error""#) }) {
      broken.append("\(line): damaged without a word")
    }
    switch line.prefix(while: { $0 != " " }) {
    case "export", "query", "get":
      for object in try answer.documents() where object["kind"]?.string == "object" {
        let (name, at) = (try object.text("object"), try object.integer("at"))
        if let state = sound.states[at], state[name] != object["values"] {
          broken.append("\(line): \(object) was \(String(describing: state[name]))")
        }
      }
    case "drafts": break
    default: try expectTrueLines(line, answer)
    }
  }

  private mutating func expectTrueLines(_ line: String, _ answer: Answer) throws {
    let truth = Set(sound.answer(line).lines + sound.answer(atHead(line, answer)).lines)
    for (text, document) in zip(answer.lines, try answer.documents()) where !truth.contains(text) {
      if document["kind"]?.string == "error" || document["incomplete"] != nil { continue }
      // Only the state that was kept says what was dropped.
      let number = ["number", "commit"].lazy.compactMap { try? document.integer($0) }.first
      if damage.isOfState, let number, number < sound.kept.lowerBound { continue }
      // Who has set what is there now may be among what cannot be read.
      if line.hasPrefix("blame"), document["commit"]?.isNull ?? false { continue }
      if let number, document["tags"] != nil || sound.tags.values.contains(number) {
        // What tags lead to may be said behind the damage.
        if document.without("tags") == sound.commits[number]?.without("tags") { continue }
        if line.contains("--stat") || line.contains("--id") { continue }
      }
      broken.append("\(line): not true: \(text.prefix(300))")
      return
    }
  }

  /// The line as it is to be asked of the sound journal where the damaged one ends earlier.
  private func atHead(_ line: String, _ answer: Answer) -> String {
    guard line.hasPrefix("blame"), !line.contains("--at") else { return line }
    guard
      let shown = Answer("export -s \(Journals.path)", on: disk).lines.first?.firstMatch(
        of: /"at":(\d+)/)
    else { return line }
    return "\(line) --at \(shown.1)"
  }
}

extension JSONValue {
  var isNull: Bool { self == .null }
}

extension JSONObject {
  func without(_ key: String) -> JSONObject {
    var rest = self
    rest.remove(key)
    return rest
  }
}
