import DiskSimulation
import JournalInspection
import ObjectPatching
import ToolSupport

/// The objects after a commit, with what they had then.
typealias State = [String: JSONValue]

/// What a journal says of itself before it is damaged.
final class SoundJournal {
  /// A frame, and where its bytes lie.
  struct Frame {
    let number: Int
    let path: String
    let range: Range<Int>
  }

  let disk: SimulatedDisk
  /// The commits that are kept.
  let kept: Range<Int>
  /// What the log says of them.
  private(set) var commits: [Int: JSONObject] = [:]
  /// The state before the first of them, and after each.
  private(set) var states: [Int: State] = [:]
  let tags: [String: Int]
  let drafts: [JSONObject]
  private(set) var frames: [Frame] = []
  /// The frames that commits are in.
  private(set) var frameNumbers: [Int: Int] = [:]
  private var answers: [String: Answer] = [:]

  init(_ disk: SimulatedDisk) throws {
    self.disk = disk
    let info = try Self.answer("info", on: disk).documents()[0]
    let first = max(1, try info.integer("firstKeptCommit"))
    kept = first..<max(first, try info.integer("lastCommit") + 1)
    tags = try info.tags()
    drafts = try Self.answer("drafts", on: disk).documents()
    for number in first - 1..<kept.upperBound {
      states[number] = try Self.state(Self.answer("export --at \(number)", on: disk))
    }
    if !kept.isEmpty {
      for commit in try Self.answer("log -p", on: disk).documents() {
        commits[try commit.integer("number")] = commit
      }
    }
    guard commits.keys.sorted() == Array(kept) else {
      throw Broken("\(kept) are kept, and told \(commits.keys.sorted())")
    }
    for line in try Self.answer("dump", on: disk).documents() where line["kind"]?.string == "frame"
    {
      try note(frame: line)
    }
  }

  /// All numbers of states.
  var places: Range<Int> { kept.lowerBound - 1..<kept.upperBound }

  /// What the sound journal says.
  func answer(_ line: String) -> Answer {
    if let answer = answers[line] { return answer }
    let answer = Answer("\(line) -s \(Journals.path)", on: disk)
    answers[line] = answer
    return answer
  }

  private static func answer(_ line: String, on disk: SimulatedDisk) throws -> Answer {
    let answer = Answer("\(line) -s \(Journals.path)", on: disk)
    guard answer.status == .fine else { throw Broken("\(line): \(answer)") }
    return answer
  }

  static func state(_ answer: Answer) throws -> State {
    var state: State = [:]
    for object in try answer.documents() where object["kind"]?.string == "object" {
      state[try object.text("object")] = object["values"]
    }
    return state
  }

  private func note(frame: JSONObject) throws {
    let number = try frame.integer("number")
    let offset = try frame.integer("offset")
    let fields = frame["fields"]?.array?.compactMap(\.object) ?? []
    let length = fields.first { $0["name"]?.string == "LZ4 frame length" }?["value"]?.string
    frames.append(
      Frame(
        number: number, path: "\(Journals.path)/journal/\(try frame.text("file"))",
        range: offset..<offset + 48 + (Int(length ?? "") ?? 0)))
    for entry in frame["content"]?.array ?? [] where entry.object?["entry"]?.string == "commit" {
      if let match = try entry.object?.text("text").firstMatch(of: /commit (\d+),/),
        let commit = Int(match.1)
      {
        frameNumbers[commit] = number
      }
    }
  }

  /// Whether it goes back to its first frame.
  var hasBeginning: Bool { frames.first?.number == 1 }
  /// Whether a state was kept with it.
  var hasState: Bool { disk.paths.contains { $0.hasSuffix(".xc") } }

  /// The frames of which a damaged disk has other bytes, or of their segment's header, without which none is known.
  func damagedFrames(on damaged: SimulatedDisk) -> Set<Int> {
    var numbers: Set<Int> = []
    for frame in frames {
      let (sound, other) = (disk.contents(of: frame.path), damaged.contents(of: frame.path))
      let hasHeader = sound?.prefix(128) == other?.prefix(128)
      if !hasHeader
        || sound?[frame.range] != other?.dropFirst(frame.range.lowerBound).prefix(frame.range.count)
      {
        numbers.insert(frame.number)
      }
    }
    return numbers
  }
}
