import Testing

/// Words that do not stand in this repository.
struct Words {
  let repository = Repository.this

  @Test func `no file has a banned word`() throws {
    let texts = try repository.texts(repository.paths())
    #expect(texts.count > 40)
    let findings = texts.flatMap { path, text in
      BannedWord.all.filter { $0.applies(to: path) }.flatMap { $0.findings(in: text, path: path) }
    }
    #expect(findings == [])
  }

  @Test(arguments: [
    "let a = try" + "! b()", "fatal" + "Error(\"x\")", "// TO" + "DO: more", "// FIX" + "ME",
    "// XX" + "X", "// Good enough for" + " now.", "throw Error.text(\"Not" + " implemented\")",
    "cat /wo" + "rk/main", "see `/ro" + "ot/x`", "open(\"/ho" + "me/me/x\")",
    "deb https://deb.deb" + "ian.org/x", "http://archive.ubu" + "ntu.com/", "https://py" + "pi.org",
    "Written by Clau" + "de.", "CO-AUTH" + "ORED-BY: x", "generated" + " by a program",
    "a langu" + "age model",
  ])
  func `a banned word is found in a source`(line: String) {
    let found = BannedWord.all.filter { $0.applies(to: "Sources/ByteCoding/madeUp.swift") }
      .flatMap { $0.findings(in: "let fine = 1\n\(line)", path: "madeUp.swift") }
    #expect(found.count == 1)
    #expect(found.first?.hasPrefix("madeUp.swift:2: ") == true)
  }

  @Test(arguments: [
    "@Test(.disa" + "bled(\"later\"))", "withKnown" + "Issue { }", "#expect(" + "true)",
  ])
  func `a test that evades is found`(line: String) {
    let found = BannedWord.all.filter { $0.applies(to: "Tests/DiskAccessTests/madeUp.swift") }
      .flatMap { $0.findings(in: line, path: "madeUp.swift") }
    #expect(found.count == 1)
  }

  @Test(arguments: [
    "try? close()", "mktemp -d /tmp/xj.XX" + "XXXX", "before nowhere", "docs/wo" + "rk/plan.md",
    "https://www.swift.org/install", "the session ended", "fatalErrors.count",
  ])
  func `a harmless line is let be`(line: String) {
    let found = BannedWord.all.filter { $0.applies(to: "Tools/check") }
      .flatMap { $0.findings(in: line, path: "Tools/check") }
    #expect(found == [])
  }

  @Test func `every declared name keeps to one word per idea`() throws {
    let rooms = Set(House.this.rooms.map(\.name)).union(House.this.libraries)
    let findings = try repository.texts(repository.paths(in: "Sources", endingWith: ".swift"))
      .flatMap { NameRules.findings(in: $0.text, path: $0.path, roomNames: rooms) }
    #expect(findings == [])
  }

  @Test(arguments: [
    "struct LogRecord {}", "final class Transaction {}", "enum JournalLog {}", "protocol Logs {}",
    "func beginTransaction() {}", "func transaction(_ body: () -> Void) {}",
    "typealias Records = [Int]", "public struct Journaling {}", "package  enum\nEventFold {}",
  ])
  func `a name with another idea's word, or a module's, is found`(source: String) {
    let found = NameRules.findings(
      in: source, path: "madeUp.swift", roomNames: ["Journaling", "EventFold"])
    #expect(found.count == 1)
  }

  @Test(arguments: [
    "struct Catalog {}", "enum Dialog {}", "func log2(_ x: Int) {}", "func record(_ x: Int) {}",
    "// struct LogRecord", "let text = \"class Transaction\"", "struct JournalingNumbers {}",
    "enum XMLogger {}",
  ])
  func `a harmless name is let be`(source: String) {
    let found = NameRules.findings(in: source, path: "madeUp.swift", roomNames: ["Journaling"])
    #expect(found == [])
  }

  @Test func `names fall into their words`() {
    #expect(NameRules.words(of: "LZ4FrameLog") == ["LZ", "4", "Frame", "Log"])
    #expect(NameRules.words(of: "openLogRecord") == ["open", "Log", "Record"])
    #expect(NameRules.words(of: "HTTPTransaction") == ["HTTP", "Transaction"])
  }
}
