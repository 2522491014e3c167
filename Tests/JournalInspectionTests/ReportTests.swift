// The page with a whole history stands by itself, holds what the other commands say, and nothing of a journal escapes
// into it.

import DiskAccess
import DiskSimulation
import Foundation
import JournalInspection
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing
import ToolSupport

@Suite struct ReportTests {
  /// The lines of JSON that stand in a page.
  private func lines(of page: String) throws -> [Substring] {
    let data = try #require(page.range(of: "id=\"data\">\n"))
    let end = try #require(page[data.upperBound...].range(of: "</script>"))
    return page[data.upperBound..<end.lowerBound].split(separator: "\n")
  }

  private func document(_ line: some StringProtocol) throws -> JSONValue {
    try JSONValue(parsing: Array(line.utf8))
  }

  @Test func `the page holds what --json writes, which is what the other commands say`() throws {
    let disk = try Journals.killed()
    let (page, json) = (Run("report", on: disk), Run("report --json", on: disk))
    #expect(page.status == .fine && json.status == .fine)
    let alone = try json.output.split(separator: "\n").map(document)
    #expect(try lines(of: page.output).map(document) == alone)
    let parts = [
      "info --json", "verify --json", "drafts show --json", "export --at 1 --format ndjson --json",
      "log -p --reverse --json",
    ]
    for part in parts {
      let said = try Run(part, on: disk).output.split(separator: "\n").map(document)
      #expect(!said.isEmpty && said.allSatisfy(alone.contains), "\(part)")
    }
    let kinds = try alone.map { try #require($0.object?["kind"]?.string) }
    #expect(Set(kinds).count == 7 && kinds.count { $0 == "commit" } == 5)
  }

  @Test func `the page asks nobody for anything, and nothing of a journal is markup in it`() throws
  {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(
      on: disk, at: "<b>Notes&.xjournal",
      model: try ManagedObjectModel(entities: [
        EntityDescription("Post", attributes: [AttributeDescription("title", .string)])
      ]))
    let context = ManagedObjectContext(store)
    let hostile = "</script><script>alert(1)</script><!-- \u{2028} \u{1B}[31m \" ' & ]]>"
    context.insert("Post")["title"] = .string(hostile)
    try context.save(author: hostile, message: hostile)
    try store.close()
    let run = Run("report", on: disk)
    #expect(run.status == .fine)
    #expect(run.output.components(separatedBy: "<script").count == 3)
    #expect(run.output.components(separatedBy: "</script").count == 3)
    #expect(!run.output.contains("<b>Notes") && !run.output.contains("\u{1B}"))
    #expect(run.output.contains("&lt;b&gt;Notes&amp;.xjournal"))
    #expect(run.output.contains("&lt;/script&gt;"), "the summary has the message")
    for word in ["http:", "https:", "src=", "@import", "url("] {
      let places = run.output.split(separator: "\n").filter { $0.contains(word) }
      #expect(places == [], "\(word)")
    }
    #expect(run.output.contains("default-src 'none'"))
    for element in ["html", "head", "title", "style", "body", "main", "header", "div"] {
      let opened = run.output.matches(of: try Regex("<\(element)[ >]")).count
      #expect(opened == run.output.components(separatedBy: "</\(element)>").count - 1, "\(element)")
    }
    let commit = try #require(
      try lines(of: run.output).map(document).first { $0.object?["kind"] == "commit" })
    #expect(commit.object?["message"]?.string == hostile, "and the data have it as it is")
  }

  @Test func `without scripts the summary says what is there, and what is wrong`() throws {
    let sound = Run("report", on: try Journals.killed()).output
    for text in ["Sound.", "1 draft", "Post", "better words", "ann", "v1 (3)"] {
      let head = sound.prefix(upTo: try #require(sound.range(of: "id=\"app\"")).lowerBound)
      #expect(head.contains(text), "\(text)")
    }
    let damaged = Run("report", on: try Journals.damaged())
    #expect(damaged.status == .damage)
    #expect(damaged.output.contains("Not sound."))
    #expect(Run("report", on: try Journals.missing()).status == .noJournal)
  }

  @Test func `a journal in which nothing was saved is reported too`() throws {
    let disk = SimulatedDisk(seed: 1)
    let store = try JournaledStore(on: disk, at: "Empty.xjournal", model: nil)
    try store.close()
    let run = Run("report", on: disk)
    #expect(run.status == .fine && run.output.hasSuffix("</html>\n"))
    #expect(run.output.contains("none yet"))
  }

  @Test func `long texts and lists are cut, and say how long they were`() throws {
    let run = Run("report --longest 4 --json", on: try VariedJournal.make())
    #expect(run.status == .fine)
    #expect(run.output.contains("characters)") && run.output.contains("in all)"))
    let long = Run("report --longest 100000 --json", on: try VariedJournal.make())
    #expect(!long.output.contains("characters)"))
  }
}

/// The lines of a page, folded as the page does.
private struct PageFold {
  private(set) var objects: [String: [String: JSONValue]] = [:]

  mutating func put(_ object: JSONObject) throws {
    let name = try #require(object["object"]?.string)
    objects[name] = Dictionary(
      uniqueKeysWithValues: try #require(object["values"]?.object).members.map {
        ($0.key, $0.value)
      })
  }

  mutating func apply(_ commit: JSONObject, isForward: Bool) throws {
    let changes = try #require(commit["changes"]?.array).map { try #require($0.object) }
    for change in isForward ? changes : changes.reversed() {
      let name = try #require(change["object"]?.string)
      let kind = try #require(change["change"]?.string)
      if kind == (isForward ? "deleted" : "inserted") {
        objects[name] = nil
        continue
      }
      var values = objects[name] ?? [:]
      for (key, value) in try #require(change["values"]?.object).members {
        let set = try #require(value.object?[isForward ? "new" : "old"])
        values[key] = set == .null ? nil : set
      }
      objects[name] = values
    }
  }
}

/// A page of a long history says at each commit what the store does, forward and backward.
@Suite struct ReportPageTests {
  @Test func `the page of a random history has each of its states, whichever way it goes`() throws {
    let campaign = Campaign(count: "XJ_PAGE_COMMITS", inGate: 300)
    let disk = try history(campaign)
    let run = Run("report --longest 1000000", on: disk)
    try #require(run.status == .fine, "\(run.errors)")
    // Whoever wants to look at the page in a browser names a file for it.
    if let path = ProcessInfo.processInfo.environment["XJ_PAGE"] {
      try run.output.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let data = try #require(run.output.range(of: "id=\"data\">\n"))
    let lines = run.output[data.upperBound...].prefix { $0 != "<" }.split(separator: "\n")
    var (fold, commits): (PageFold, [JSONObject]) = (PageFold(), [])
    for line in lines {
      let object = try #require(try JSONValue(parsing: Array(line.utf8)).object)
      switch object["kind"]?.string {
      case "object": try fold.put(object)
      case "commit": commits.append(object)
      default: break
      }
    }
    let reader = try StoreReader(on: disk, at: Journals.path)
    #expect(commits.count == Int(reader.lastCommit.rawValue))
    let wording = Wording(reader)
    func compare(_ commit: JSONObject) throws {
      guard case .integer(let place)? = commit["number"] else {
        throw Journals.Missing(name: "number")
      }
      let number = CommitNumber(rawValue: UInt64(place))
      let snapshot = try reader.snapshot(at: number)
      var state: [String: [String: JSONValue]] = [:]
      for (object, row) in try snapshot.plain() {
        var values: [String: JSONValue] = [:]
        for entry in row.entries {
          let key = try #require(reader.name(of: entry.key))
          values[key] = wording.json(entry.value, key, of: object)
        }
        state[wording.name(object)] = values
      }
      #expect(fold.objects == state, "seed \(campaign.seed), commit \(number)")
    }
    let stride = max(1, commits.count / 30)
    for (place, commit) in commits.enumerated() {
      if place > 0 { try fold.apply(commit, isForward: true) }
      if place % stride == 0 { try compare(commit) }
    }
    for place in commits.indices.dropFirst().reversed() {
      try fold.apply(commits[place], isForward: false)
      if (place - 1) % stride == 0 { try compare(commits[place - 1]) }
    }
  }

  /// Notes that come, change and go.
  private func history(_ campaign: Campaign) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: campaign.seed)
    var dice = Dice(seed: campaign.seed)
    var second: Int64 = 1_795_168_800
    disk.setWallClock(second * 1_000_000_000)
    var options = StoreOptions()
    options.durability = .memory
    let store = try JournaledStore(
      on: disk, at: Journals.path, model: try StoreLife.model(), options: options)
    let context = ManagedObjectContext(store)
    var notes: [ManagedObject] = []
    for number in 1...campaign.count {
      second += Int64(dice.pick(900))
      disk.setWallClock(second * 1_000_000_000)
      for _ in 0...dice.pick(3) {
        switch dice.pick(notes.count < 20 ? 2 : 9) {
        case 0, 1:
          let note = context.insert("Note")
          note["title"] = .string("note \(number)")
          notes.append(note)
        case 2 where notes.count > 10:
          context.delete(notes.remove(at: dice.pick(notes.count)))
        default:
          let note = notes[dice.pick(notes.count)]
          if dice.chance(3) { note["rank"] = dice.chance(4) ? nil : .integer(dice.pick(100)) }
          note["text"] = .string("text \(dice.pick(1000)) of <b>\(number)</b> & more")
          note["likes"] = .counter(dice.pick(50))
        }
      }
      try context.save(
        author: ["ann", "bob", "cy"][dice.pick(3)],
        message: dice.chance(3) ? "round \(number)" : nil)
      if number % 100 == 0 { try store.tag("v\(number / 100)") }
    }
    try store.close()
    return disk
  }
}

/// The tags of a page, read as a browser reads one that is well-formed.
private struct PageTags {
  private(set) var ids: [String] = []
  private(set) var problems: [String] = []

  private static let void: Set<String> = ["meta", "link", "br", "hr", "img", "input", "col"]

  init(_ page: String) {
    var open: [String] = []
    var rest = page[...]
    while let start = rest.firstIndex(of: "<") {
      rest = rest[rest.index(after: start)...]
      guard let end = rest.firstIndex(of: ">") else {
        problems.append("a tag does not end: \(rest.prefix(40))")
        return
      }
      let tag = rest[..<end]
      rest = rest[rest.index(after: end)...]
      if tag.lowercased() == "!doctype html" { continue }
      let name = tag.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      if tag.hasPrefix("/") {
        let last = open.popLast()
        if last != name { problems.append("</\(name)> ends <\(last ?? "nothing")>") }
        continue
      }
      if name.isEmpty { problems.append("a bracket stands by itself: <\(tag.prefix(40))") }
      if let id = tag.firstMatch(of: /\bid="([^"]*)"/) { ids.append(String(id.1)) }
      if tag.filter({ $0 == "\"" }).count % 2 != 0 { problems.append("a quote is open: <\(tag)") }
      if !Self.void.contains(name), !tag.hasSuffix("/") { open.append(name) }
      // What stands in these is no markup.
      guard name == "script" || name == "style" else { continue }
      guard let close = rest.range(of: "</\(name)>") else {
        problems.append("<\(name)> does not end")
        return
      }
      rest = rest[close.lowerBound...]
    }
    problems += open.map { "<\($0)> is not ended" }
  }
}

extension ReportTests {
  @Test(arguments: ["killed", "damaged"])
  func `the page is well-formed, and asks no other place for anything`(name: String) throws {
    let disk = try name == "killed" ? Journals.killed() : Journals.damaged()
    let page = Run("report", on: disk).output
    let tags = PageTags(page)
    #expect(tags.problems == [])
    #expect(tags.ids.count > 5 && Set(tags.ids).count == tags.ids.count, "\(tags.ids)")
    let lines = try lines(of: page)
    #expect(!lines.isEmpty)
    for line in lines { #expect(try document(line).object != nil) }
    let code = page.split(separator: "\n").filter { !$0.hasPrefix("{") }.joined(separator: "\n")
    for word in [
      "http:", "https:", "src=", "href=\"/", "url(", "@import", "import(", "fetch(", "WebSocket",
      "XMLHttpRequest", "EventSource", "sendBeacon",
    ] {
      #expect(!code.contains(word), "\(word)")
    }
    for broken in ["<p><b></p></b>", "<p", "<p>", "<a id=\"x>", "a < b>"] {
      #expect(PageTags(broken).problems != [], "\(broken)")
    }
  }
}
