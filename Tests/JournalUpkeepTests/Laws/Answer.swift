import DiskSimulation
import JournalInspection
import ObjectPatching
import ToolSupport

/// What the tool says, taken apart.
struct Answer {
  let status: ExitStatus
  /// The documents, as they were written.
  let lines: [Substring]
  let words: String

  init(_ line: String, on disk: SimulatedDisk) {
    let run = Upkeep.run("\(line) --json", on: disk)
    status = run.status
    lines = run.output.split(separator: "\n")
    words = run.errors
  }

  func documents() throws -> [JSONObject] {
    try lines.map { line in
      guard let document = try JSONValue(parsing: Array(line.utf8)).object else {
        throw Broken("no document: \(line)")
      }
      return document
    }
  }
}

/// A law that does not hold.
struct Broken: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension JSONObject {
  func integer(_ key: String) throws -> Int {
    guard case .integer(let number)? = self[key] else { throw Broken("no number \(key): \(self)") }
    return number
  }

  func text(_ key: String) throws -> String {
    guard let text = self[key]?.string else { throw Broken("no text \(key): \(self)") }
    return text
  }

  func tags() throws -> [String: Int] {
    guard let tags = self["tags"]?.object else { throw Broken("no tags: \(self)") }
    var places: [String: Int] = [:]
    for (name, value) in tags.members {
      if case .integer(let number) = value { places[name] = number }
    }
    return places
  }
}
