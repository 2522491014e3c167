import DiskSimulation
import Foundation
import JournalInspection
import TestSupport
import Testing
import ToolSupport

/// What the tool tells in JSON is read by others: by Python and by jq, with every number as it was.
@Suite struct ForeignJSONTests {
  /// Reads lines of JSON, and lines that another has read and written again: both say the same, and no number is one that
  /// a reader would round which has nothing better than a double.
  private static let script = #"""
    import json, sys
    def whole(text):
        assert abs(int(text)) <= 2 ** 53, text
        return int(text)
    def refused(text):
        raise ValueError(text)
    ours, theirs = (open(path, encoding="utf-8").read().splitlines() for path in sys.argv[1:3])
    assert len(ours) == len(theirs), (len(ours), len(theirs))
    for mine, other in zip(ours, theirs):
        read = json.loads(mine, parse_int=whole, parse_constant=refused)
        assert read == json.loads(other), (mine, other)
        assert read["version"] == 1 and read["kind"], mine
    print(len(ours), sum("9007199254740993" in line for line in theirs))
    """#

  @Test func `Python and jq read what every command tells in JSON, and the same`() throws {
    var lines: [String] = []
    for make in [Journals.killed, VariedJournal.make, Journals.damaged] {
      for command in Upkeep.table(on: try make()).commands {
        for example in command.examples where !example.line.contains("--format") {
          let disk = try make()
          try Upkeep.addFiles(to: disk)
          let line = String(example.line.dropFirst("xjournal ".count))
          let words = line.components(separatedBy: " -- ")
          let json = (["\(words[0]) --json"] + words.dropFirst()).joined(separator: " -- ")
          let run = Upkeep.run(json, on: disk, running: Upkeep.check)
          lines += (run.output + run.errors).split(separator: "\n").map(String.init)
        }
      }
    }
    let folder = try TemporaryFolder()
    let (ours, theirs) = ("\(folder.path)/ours", "\(folder.path)/theirs")
    try lines.joined(separator: "\n").write(toFile: ours, atomically: true, encoding: .utf8)
    let jq = try ForeignProgram.run(["jq", "--compact-output", ".", ours])
    try #require(jq.status == 0)
    try jq.said.write(toFile: theirs, atomically: true, encoding: .utf8)
    let python = try ForeignProgram.run(["python3", "-c", Self.script, ours, theirs])
    try #require(python.status == 0, "\(python.said)")
    let counts = python.said.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    try #require(counts.count == 2)
    #expect(counts[0] == lines.count && lines.count > 300, "\(lines.count)")
    #expect(counts[1] > 3)
  }
}
